// Below every chart and table: a button that cites it, and a menu that copies or saves it.

import { button, html, save } from "../shell/dom.js";
import { copied } from "./copy.js";
import { exported } from "./described.js";
import { chartPicture, copyPng, mapPicture, savePng, svgText, tablePicture } from "./export_picture.js";
import { csvText, fileName, latexText, markdownText } from "./export_text.js";

const pictureOf = (node, found) => {
  if (node.matches("table")) return tablePicture(found.shown(), found.title);
  return node.matches(".map") ? mapPicture(node) : chartPicture(node);
};

// Formats by name: the ending of a file, its type, and the text.
const FORMATS = {
  LaTeX: ["tex", "text/x-tex", (one) => latexText(one.shown(), one.title)],
  Markdown: ["md", "text/markdown", (one) => markdownText(one.shown(), one.title)],
  CSV: ["csv", "text/csv;charset=utf-8", (one) => csvText(one.data())],
  SVG: ["svg", "image/svg+xml", (one, node) => svgText(pictureOf(node, one))],
};

// `target()` returns the current chart or table; charts are drawn again when the width changes.
const items = (target, page) => {
  const using = (act) => (event) => {
    const node = target();
    if (!node) return page.say("There is nothing to export.");
    return act(exported(node), node, event.target);
  };
  const told = (said, node) => {
    node.focus({ preventScroll: true });
    page.say(said);
    node.title = said;
  };
  const saving = Object.entries(FORMATS).map(([name, [ending, type, make]]) =>
    button(name, using((one, node) => {
      save(fileName(one.title, ending), type, make(one, node));
      page.say(`${one.title} saved as ${ending}`);
    })),
  );
  const copying = Object.entries(FORMATS).map(([name, [, , make]]) =>
    button(name, using((one, node, pressed) =>
      told(copied(make(one, node)) ? `${one.title} copied as ${name}` : "Could not copy", pressed)),
      { "aria-label": `Copy ${name}` }),
  );
  const png = (act) => using((one, node, pressed) =>
    act(pictureOf(node, one), fileName(one.title, "png"), (said) => told(said, pressed)));
  return [
    html("span", { class: "count" }, "Copy"),
    copying,
    button("PNG", png(copyPng), { "aria-label": "Copy PNG" }),
    html("span", { class: "count" }, "Save"),
    saving,
    button("PNG", png(savePng)),
    button("Copy link", (event) => {
      const done = copied(location.href);
      event.target.focus({ preventScroll: true });
      page.say(done ? "Link copied" : "Could not copy");
      event.target.textContent = done ? "Link copied" : "Could not copy";
    }),
  ];
};

const exportMenu = (target, page) => {
  const node = html(
    "details",
    {
      class: "exports",
      onkeydown: (event) => {
        if (event.key !== "Escape" || !node.open) return;
        node.open = false;
        node.firstChild.focus();
        event.stopPropagation();
      },
      ontoggle: () => {
        if (node.open && node.childElementCount === 1)
          node.append(html("div", { class: "exports-items" }, items(target, page)));
      },
    },
    html("summary", {}, "Copy or save"),
  );
  return node;
};

const FIGURES = ".live .wide table, .tables .wide table, .live .drawing, .live .map, .small > svg.chart";

// The figure of a menu, and where the menu goes: below what scrolls or is drawn again.
const placeOf = (node) => {
  if (node.matches("table")) return { after: node.closest(".wide"), target: () => node };
  if (node.matches(".drawing"))
    return {
      after: node.closest(".wide") || node,
      target: () => node.querySelector("svg.chart, table"),
    };
  return { after: node, target: () => node };
};

// All charts and tables below a node that have something to show: {after, target}.
export const figuresIn = (root) =>
  [...root.querySelectorAll(FIGURES)].map(placeOf).filter(({ target }) => target());

// Add a button and a menu to every chart and table that has none.
const addMenus = (root, page, cite) => {
  for (const { after, target } of figuresIn(root)) {
    if (after.nextElementSibling?.matches(".taken")) continue;
    after.after(
      html(
        "div",
        { class: "taken" },
        button("Cite", () => target() && cite(target()), { class: "plain cite" }),
        exportMenu(target, page),
      ),
    );
  }
};

// Views are drawn again at times; their menus are then added again.
export const keepMenus = (root, page, cite) => {
  const again = () => addMenus(root, page, cite);
  new MutationObserver(again).observe(root, { childList: true, subtree: true });
  again();
};
