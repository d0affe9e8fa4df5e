// An (i) next to a number, a heading or a column: it shows how the number is computed.

import { button, fill, html } from "../shell/dom.js";

// `name` and `text` describe a column; `measure` is its name on the command line; `of` has the treebanks
// or tables of the number, where they are not those of the filter.
export const info = (key, { name = "", text = "", measure = "", of = [] } = {}) =>
  html(
    "a",
    {
      class: "info",
      href: `#methods?method=${key}`,
      "aria-label": name ? `How is ${name} computed?` : "How is this computed?",
      "aria-haspopup": "dialog",
      "data-key": key,
      "data-name": name || null,
      "data-text": text || null,
      "data-measure": measure || null,
      "data-of": of.length ? JSON.stringify(of) : null,
    },
    "i",
  );

// The entry of a method, with the signatures and commands of these treebanks or tables only.
const entryOf = (key, names, measure) => {
  const written = document.getElementById(`method-${key}`);
  if (!written) return null;
  const copy = written.cloneNode(true);
  copy.removeAttribute("id");
  const own = [...copy.querySelectorAll(".made")];
  if (own.some((one) => names.includes(one.dataset.of)))
    for (const one of own) if (!names.includes(one.dataset.of)) one.remove();
  for (const fold of copy.querySelectorAll("details")) {
    const left = fold.querySelectorAll(".made");
    if (left.length === 1) fold.replaceWith(...left);
  }
  if (measure)
    for (const code of copy.querySelectorAll("code"))
      code.textContent = code.textContent.replaceAll("measure all", `measure ${measure}`);
  return copy;
};

// One dialog for the page; every (i) opens it, and its link leads to the same entry in Methods.
export const makeExplainer = (page) => {
  const title = html("h3", { id: "explain-title" });
  const body = html("div", { class: "explain-body" });
  const node = html(
    "dialog",
    {
      class: "explain",
      "aria-labelledby": "explain-title",
      onkeydown: (event) => event.stopPropagation(),
      onclick: (event) => {
        if (event.target === node || event.target.closest("a")) node.close();
      },
    },
    html(
      "div",
      { class: "explain-frame" },
      html("div", { class: "drawer-head" }, title, button("Close", () => node.close())),
      body,
    ),
  );
  document.body.append(node);
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a.info");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const { key, name, text, measure, of } = link.dataset;
    const entry = entryOf(key, of ? JSON.parse(of) : [page.treebank], measure);
    if (!entry) return;
    event.preventDefault();
    const heading = entry.querySelector("h4");
    fill(title, name || heading.textContent);
    if (!name) heading.remove();
    fill(
      body,
      text ? html("p", { class: "definition" }, text) : null,
      entry,
      html("p", {}, html("a", { href: page.href("methods", { method: key }) }, "All methods")),
    );
    node.showModal();
  });
};
