// The frame of a view: its title, the reader's question, its content and its tables.

import { html } from "./dom.js";

// Tables that Python wrote for a view, folded; readers without JavaScript see only these.
const staticTables = (key) => {
  const written = [...document.querySelectorAll(`#static [data-view="${key}"]`)];
  const parts = written.flatMap((section) =>
    [...section.children].filter((child) => child.matches(".shown, details")),
  );
  if (!parts.length) return null;
  const shown = parts.filter((part) => part.matches(".shown"));
  const folded = parts.filter((part) => part.matches("details"));
  return html(
    "div",
    { class: "tables" },
    shown,
    folded.length > 3
      ? html("details", {}, html("summary", {}, `All ${folded.length} tables`), folded)
      : folded,
  );
};

export const frameOf = (view) => {
  const content = html("div", { class: "live" });
  const node = html(
    "section",
    {
      id: `view-${view.key}`,
      class: `view view-${view.key}`,
      tabindex: "-1",
      "aria-labelledby": `view-${view.key}-title`,
    },
    html("h2", { id: `view-${view.key}-title` }, view.title),
    view.lead ? html("p", { class: "lead" }, view.lead) : null,
    content,
    staticTables(view.key),
  );
  return { node, content };
};
