// The export menu below every chart and table: CSV, SVG, PNG, LaTeX, and a link to the view.

import { button, html, save } from "../shell/dom.js";
import { copied } from "./copy.js";
import { exported } from "./described.js";
import { chartPicture, mapPicture, savePng, svgText, tablePicture } from "./export_picture.js";
import { csvText, fileName, latexText } from "./export_text.js";

const pictureOf = (node, found) => {
  if (node.matches("table")) return tablePicture(found.shown(), found.title);
  return node.matches(".map") ? mapPicture(node) : chartPicture(node);
};

// `target()` returns the current chart or table; charts are drawn again when the width changes.
const items = (target, page) => {
  const found = () => exported(target());
  const write = (ending, type, make) => () => {
    if (!target()) return page.say("There is nothing to export.");
    const one = found();
    save(fileName(one.title, ending), type, make(one));
    return page.say(`${one.title} saved as ${ending}`);
  };
  return [
    button("CSV", write("csv", "text/csv;charset=utf-8", (one) => csvText(one.data()))),
    button("SVG", write("svg", "image/svg+xml", (one) => svgText(pictureOf(target(), one)))),
    button("PNG", () => {
      if (!target()) return;
      const one = found();
      const failed = () => page.say("This browser cannot draw the picture.");
      savePng(pictureOf(target(), one), fileName(one.title, "png"), failed);
    }),
    button("LaTeX", write("tex", "text/x-tex", (one) => latexText(one.shown(), one.title))),
    button("Copy link", (event) => {
      const done = copied(location.href);
      event.target.focus({ preventScroll: true });
      page.say(done ? "Link copied" : "Could not copy");
      event.target.textContent = done ? "Link copied" : "Could not copy";
    }),
  ];
};

export const exportMenu = (target, page) => {
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
    html("summary", {}, "Export"),
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

// Add a menu to every chart and table that has none.
export const addMenus = (root, page) => {
  for (const node of root.querySelectorAll(FIGURES)) {
    const { after, target } = placeOf(node);
    if (!target() || after.nextElementSibling?.matches(".exports")) continue;
    after.after(exportMenu(target, page));
  }
};

// Views are drawn again at times; their menus are then added again.
export const keepMenus = (root, page) => {
  const again = () => addMenus(root, page);
  new MutationObserver(again).observe(root, { childList: true, subtree: true });
  again();
};
