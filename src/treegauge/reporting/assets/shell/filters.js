// The treebank and the system that apply to all views.

import { fill, html, select } from "./dom.js";

const FILTERS = { treebank: "Treebank", system: "System" };

// The fields that apply to a view; those with a single choice are left out. A view that shows one
// treebank or system at a time names it in `single`; its field then does not offer all of them.
export const filterBar = (page) => {
  const node = html("div", { class: "filters", role: "group", "aria-label": "Filters for all views" });
  const show = (view) => {
    const names = Object.keys(FILTERS).filter(
      (name) => view.filters?.includes(name) && page[`${name}s`].length > 1,
    );
    const single = view.single?.(page) ?? {};
    const field = (name) => {
      const all = name in single ? [] : [["", `all ${name}s`]];
      const options = [...all, ...page[`${name}s`]];
      return select(FILTERS[name], options, page[name] ?? single[name] ?? "", (value) =>
        page.go(page.view, { ...page.params, [name]: value || null, open: null }),
      );
    };
    fill(node, names.map(field));
    node.hidden = names.length === 0;
  };
  return { node, show };
};
