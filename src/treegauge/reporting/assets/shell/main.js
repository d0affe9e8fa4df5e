// Start: make the rail, open the view in the URL, and follow links and keys.

import { makeCiter } from "../components/cite.js";
import { makeDrawer } from "../components/drawer.js";
import { keepMenus } from "../components/exports.js";
import { makeExplainer } from "../components/info.js";
import { button, fill, html } from "./dom.js";
import { filterBar } from "./filters.js";
import { frameOf } from "./frame.js";
import { copyButtons, keyName, listen } from "./keys.js";
import { makePage } from "./page.js";
import { printEverything, unfoldOnPaper } from "./printing.js";
import { VIEWS } from "./views.js";

export const start = () => {
  const main = document.getElementById("main");
  const live = html("p", { class: "spoken", role: "status" });
  const drawer = makeDrawer();
  const page = makePage({ drawer, live, follow: (focus) => follow(focus) });
  const views = VIEWS.filter((view) => view.shows(page));
  const filters = filterBar(page);
  const mounted = new Map();
  const links = new Map(
    views.map((view, place) => [view.key, html("a", { title: `Key: ${keyName(place)}` }, view.title)]),
  );
  let current = null;

  const open = (view) => {
    if (!mounted.has(view.key)) {
      const frame = frameOf(view);
      for (const node of main.querySelectorAll(".view")) node.hidden = true;
      main.append(frame.node); // before mounting: charts need the width of their container
      mounted.set(view.key, { frame, ...view.mount(frame.content, page) });
    } else {
      for (const node of main.querySelectorAll(".view"))
        node.hidden = node !== mounted.get(view.key).frame.node;
      mounted.get(view.key).update?.();
    }
    return mounted.get(view.key).frame.node;
  };
  const mark = (view) => {
    for (const [key, link] of links) {
      link.href = page.href(key);
      if (key === view.key) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    const rail = links.get(view.key).parentNode;
    rail.scrollLeft = links.get(view.key).offsetLeft - 60; // not all links fit on a phone
    document.title = `${view.title} · ${page.facts.title}`;
  };
  const follow = (focus) => {
    const view = views.find((one) => one.key === page.view) || views[0];
    if (current !== view) drawer.close(false);
    const entered = current !== view;
    current = view;
    filters.show(view);
    const node = open(view);
    mark(view);
    if (entered) window.scrollTo(0, 0);
    if (focus && entered) node.focus({ preventScroll: true });
  };

  fill(document.getElementById("rail"), [...links.values()]);
  main.append(filters.node, live);
  document.body.append(drawer.node);
  listen({
    page,
    views,
    root: () => mounted.get(current.key).frame.node,
    close: () => {
      if (drawer.isOpen) drawer.close();
      else mounted.get(current.key).close?.();
    },
  });
  document.querySelector(".skip").addEventListener("click", (event) => {
    mounted.get(current.key).frame.node.focus();
    event.preventDefault();
  });
  window.addEventListener("hashchange", () => follow(true));
  makeExplainer(page);
  follow(false);
  const cite = makeCiter(page);
  keepMenus(main, page, cite);
  unfoldOnPaper(main);
  const printAll = () => {
    const frames = views.map((view) => ({ node: open(view), title: view.title }));
    printEverything({ main, frames, restore: () => follow(false) });
  };
  document.querySelector(".top").append(
    html(
      "span",
      { class: "page-tools" },
      button("Cite", () => cite(mounted.get(current.key).frame.node), { title: "Cite this view" }),
      button("Print all", printAll, { title: "Print all views, with contents" }),
    ),
  );
  copyButtons();
  document.documentElement.dataset.ready = "yes";
  page.readAhead();
};
