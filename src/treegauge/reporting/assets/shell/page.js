// What every view gets: the data, the choices in the URL, and links to other views.

import { blockText } from "./inflate.js";
import { carried, changed, makeHash, parseHash } from "./router.js";

const READ_AHEAD = 1_000_000; // characters

// Data of the page by name, parsed when a view first asks for them.
const makeStore = () => {
  const parsed = new Map();
  const element = (key) => document.getElementById(`data-${key}`);
  return {
    has: (key) => element(key) !== null,
    data: (key) => {
      if (!parsed.has(key)) parsed.set(key, JSON.parse(blockText(element(key).textContent)));
      return parsed.get(key);
    },
    // Parse one block after the other while the browser is idle, so that views open at once. Large
    // blocks would block the page, so they are parsed when a view needs them.
    readAhead() {
      const waiting = [...document.querySelectorAll('[id^="data-"]')].filter(
        (node) => node.textContent.length < READ_AHEAD,
      );
      const next = () => {
        const node = waiting.pop();
        if (!node) return;
        this.data(node.id.slice("data-".length));
        window.requestIdleCallback?.(next);
      };
      window.requestIdleCallback?.(next);
    },
  };
};

// `follow()` is called after every change of view or choice that did not come from the view itself.
export const makePage = ({ drawer, live, follow }) => {
  const store = makeStore();
  const facts = store.data("page");
  const current = () => parseHash(location.hash);
  const write = (hash, push) => {
    if (hash === location.hash) return;
    history[push ? "pushState" : "replaceState"](null, "", hash);
  };
  const page = {
    ...store,
    drawer,
    facts,
    treebanks: facts.treebanks,
    systems: facts.systems,
    get view() {
      return current().view || facts.start;
    },
    get params() {
      return current().params;
    },
    get treebank() {
      const name = current().params.treebank;
      return facts.treebanks.includes(name) ? name : null;
    },
    get system() {
      const name = current().params.system;
      return facts.systems.includes(name) ? name : null;
    },
    set(changes, { push = false } = {}) {
      write(makeHash(page.view, changed(page.params, changes)), push);
    },
    href: (view, params = {}) => makeHash(view, carried(page.params, params)),
    go(view, params = {}) {
      write(page.href(view, params), true);
      follow(true);
    },
    say(text) {
      live.textContent = text;
    },
  };
  return page;
};
