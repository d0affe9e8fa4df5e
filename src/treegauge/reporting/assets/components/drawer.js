// A drawer at the side of the page: shows one item at a time, with next and previous.

import { button, fill, html } from "../shell/dom.js";

export const makeDrawer = () => {
  let asked = null; // what is open
  let at = 0;
  let before = null; // what had the focus
  const title = html("h3", { id: "drawer-title" });
  const place = html("span", { class: "count", role: "status" });
  const body = html("div", { class: "drawer-body" });
  const move = (step) => {
    const to = at + step;
    if (!asked || to < 0 || to >= asked.items.length) return;
    at = to;
    show();
    asked.onmove?.(at);
  };
  const previous = button("← Previous", () => move(-1), { title: "Keys: k or ←" });
  const next = button("Next →", () => move(1), { title: "Keys: j or →" });
  const onkeydown = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest("input, select, textarea, .wide")) return;
    const step = { j: 1, ArrowRight: 1, k: -1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    move(step);
    event.preventDefault();
  };
  const node = html(
    "div",
    {
      class: "drawer",
      role: "dialog",
      "aria-labelledby": "drawer-title",
      tabindex: "-1",
      hidden: true,
      onkeydown,
    },
    html("div", { class: "drawer-head" }, title, button("Close", () => drawer.close(), { class: "close" })),
    html("p", { class: "controls" }, previous, next, place),
    body,
  );
  const show = () => {
    const { items, render, label } = asked;
    previous.disabled = at === 0;
    next.disabled = at >= items.length - 1;
    const name = items.length && label ? `, ${label(items[at])}` : "";
    place.textContent = `${items.length ? at + 1 : 0} of ${items.length}${name}`;
    fill(body, items.length ? render(items[at], at) : html("p", {}, "No sentence to show."));
    body.scrollTop = 0;
    asked.shown?.(body);
  };
  const drawer = {
    node,
    get isOpen() {
      return asked !== null;
    },
    open(what) {
      if (!asked) before = document.activeElement;
      asked = what;
      at = Math.min(Math.max(0, what.at ?? 0), Math.max(0, what.items.length - 1));
      fill(title, what.title);
      node.hidden = false;
      document.documentElement.dataset.drawer = "open";
      show();
      if (!node.contains(document.activeElement)) node.focus({ preventScroll: true });
    },
    close(tell = true) {
      if (!asked) return;
      const { onclose } = asked;
      asked = null;
      node.hidden = true;
      fill(body);
      delete document.documentElement.dataset.drawer;
      if (tell) onclose?.();
      if (before?.isConnected) before.focus({ preventScroll: true });
    },
  };
  return drawer;
};
