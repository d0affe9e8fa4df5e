// Printing: before it, everything folded is opened; "Print all" prints all views with contents.

import { exported } from "../components/described.js";
import { figuresIn } from "../components/exports.js";
import { html } from "./dom.js";

const FOLDED = ".view:not([hidden]) details:not(.exports):not([open])";
const HELD_BACK = ".view:not([hidden]) .more:not([hidden]) button, .view:not([hidden]) button.all";

export const unfoldOnPaper = (root) => {
  let opened = [];
  window.addEventListener("beforeprint", () => {
    for (const node of root.querySelectorAll(HELD_BACK)) node.click();
    opened = [...root.querySelectorAll(FOLDED)];
    for (const node of opened) node.open = true;
  });
  window.addEventListener("afterprint", () => {
    for (const node of opened) node.open = false;
    opened = [];
  });
};

const isTable = (node) => node.matches("table");

// Numbered captions of all tables and figures of a view; returns their texts.
const addCaptions = (view, counts) =>
  figuresIn(view).map(({ after, target }) => {
    const kind = isTable(target()) ? "Table" : "Figure";
    counts[kind] += 1;
    const text = `${kind} ${counts[kind]}. ${exported(target()).title}`;
    after.before(html("h4", { class: "print-caption" }, text));
    return text;
  });

const contents = (chapters) =>
  html(
    "nav",
    { class: "print-contents", "aria-label": "Contents" },
    html("h2", {}, "Contents"),
    chapters.map(({ title, link, captions }) => [
      html("p", {}, html("a", { href: link }, title)),
      html("ul", {}, captions.map((text) => html("li", {}, text))),
    ]),
  );

// Show all views below each other, with captions and contents, and print; then show the current one.
export const printEverything = ({ main, frames, restore }) => {
  const counts = { Table: 0, Figure: 0 };
  const { hash } = location;
  for (const { node } of frames) {
    node.hidden = false;
    main.append(node); // in the order of the rail
  }
  document.documentElement.dataset.print = "all";
  const remove = () => {
    for (const node of main.querySelectorAll(".print-caption, .print-contents")) node.remove();
    delete document.documentElement.dataset.print;
    history.replaceState(null, "", hash);
    restore();
  };
  // Charts are drawn once their width is known: after the next layout.
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      for (const node of main.querySelectorAll(HELD_BACK)) node.click(); // may draw a view again
      for (const fold of main.querySelectorAll(".view details:not(.exports)")) fold.open = true;
      requestAnimationFrame(() => {
        const chapters = frames.map(({ node, title }) => ({
          title,
          link: `#${node.id}`,
          captions: addCaptions(node, counts),
        }));
        main.prepend(contents(chapters));
        window.addEventListener("afterprint", remove, { once: true });
        window.print();
      });
    }),
  );
};
