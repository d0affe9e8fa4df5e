// Overview: what was given and what stands out.

import { html } from "../shell/dom.js";

const mount = (root, page) => {
  root.append(
    page.facts.introduction.map((text) => html("p", {}, text)).reduce((list, p) => {
      list.append(p);
      return list;
    }, html("div", {})),
    html(
      "ul",
      { class: "short" },
      page.facts.findings.map(({ view, title, sentences }) =>
        html("li", {}, html("a", { href: page.href(view) }, title), `: ${sentences.join(" ")}`),
      ),
    ),
  );
  return {};
};

export const view = {
  key: "overview",
  title: "Overview",
  filters: [],
  shows: () => true,
  mount,
};
