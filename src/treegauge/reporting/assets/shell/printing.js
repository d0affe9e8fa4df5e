// Before printing, opens everything: all rows of tables, and what is folded on the screen.

const FOLDED = ".view:not([hidden]) details:not(.exports):not([open])";
const HELD_BACK = ".view:not([hidden]) .more:not([hidden]) button, .view:not([hidden]) button.all";

export const printAll = (root) => {
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
