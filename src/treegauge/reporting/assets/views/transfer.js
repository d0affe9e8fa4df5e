// Transfer: what parsers of other languages make of a treebank.

import { html } from "../shell/dom.js";
import { transferTable } from "./learning_curves.js";

const mount = (root, page) => {
  for (const one of page.data("learning").transfers)
    root.append(html("h3", {}, one.name), transferTable(one));
  return {};
};

export const view = {
  key: "transfer",
  title: "Transfer",
  lead: "How well do parsers trained on other languages do, and which of them help?",
  filters: [],
  shows: (page) => page.has("learning") && page.data("learning").transfers.length > 0,
  mount,
};
