// Methods: how each number is computed. Python writes the text; this view shows and filters it.

import { fill, html } from "../shell/dom.js";
import { plural } from "../shell/format.js";

const mount = (root, page) => {
  const written = document.getElementById("methods-text");
  const entries = [...written.querySelectorAll(".method")];
  const count = html("span", { class: "count", role: "status" });
  const none = html("p", { hidden: true }, "No method matches this filter.");
  const choose = (text) => {
    const asked = text.trim().toLowerCase();
    let shown = 0;
    for (const entry of entries) {
      entry.hidden = !entry.textContent.toLowerCase().includes(asked);
      shown += !entry.hidden;
    }
    fill(count, plural(shown, "method"));
    none.hidden = shown > 0;
  };
  const field = html("input", {
    type: "search",
    class: "filter",
    placeholder: "LAS, bootstrap, EDV …",
    oninput: () => {
      page.set({ q: field.value, method: null });
      choose(field.value);
    },
  });
  const controls = html(
    "p",
    { class: "controls" },
    html("label", { class: "field" }, html("span", {}, "Filter"), field),
    count,
  );
  // The view has its own title and lead.
  const content = [...written.children];
  root.append(controls, none, ...content.filter((part) => !part.matches("h2, .lead")));
  const show = () => {
    const { method, q = "" } = page.params;
    field.value = q;
    choose(q);
    for (const entry of entries) entry.classList.remove("chosen");
    const entry = method && document.getElementById(`method-${method}`);
    if (!entry) return;
    entry.hidden = false;
    entry.classList.add("chosen");
    entry.scrollIntoView({ block: "start" });
  };
  show();
  return { update: show };
};

export const view = {
  key: "methods",
  title: "Methods",
  lead: "How is each number computed, and how can I reproduce it?",
  filters: [],
  shows: () => true,
  mount,
};
