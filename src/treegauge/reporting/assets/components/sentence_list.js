// Sentences in the drawer, next and previous; the URL records which one is open.

import { centre } from "./tree.js";
import { sentencePanel } from "./sentence.js";

// The link part of an item: the bank's name and the sentence's id.
const addressOf = ({ bank, sentence }) => `${bank.name} ${bank.id[sentence]}`;

// Show sentences: items are [{bank, sentence, words, related, note}]. The URL has the open sentence
// in the parameter `open` and the systems next to gold in `a` and `b`.
export const openSentences = (page, options) => {
  const { title, items, at = 0, systems = [], onclose = null, push = true } = options;
  let shown = systems;
  let place = at;
  const record = (push) => {
    const [a = "", b = ""] = shown;
    const own = systems.join("\n") === shown.join("\n");
    page.set(
      { open: items.length ? addressOf(items[place]) : "", a: own ? "" : a, b: own ? "" : b },
      { push },
    );
  };
  const show = () =>
    page.drawer.open({
      title,
      items,
      at: place,
      label: (item) => item.bank.id[item.sentence],
      render: (item) =>
        sentencePanel({
          page,
          ...item,
          systems: shown,
          onsystems: (names) => {
            shown = names;
            record(false);
            show();
          },
        }),
      shown: centre,
      onmove: (i) => {
        place = i;
        record(false);
      },
      onclose: () => {
        page.set({ open: "", a: "", b: "" });
        onclose?.();
      },
    });
  const { a, b } = page.params;
  if (page.params.open && a) shown = [a, b].filter(Boolean);
  record(push);
  show();
};

// Open the sentence that the URL names, or the first.
export const showSentences = (page, options) => {
  const at = options.items.findIndex((item) => addressOf(item) === page.params.open);
  openSentences(page, { ...options, at: Math.max(0, at), push: false });
};

// Open the sentence that the URL names, if it is among the items; close the drawer otherwise.
export const reopenSentences = (page, options) => {
  const { open } = page.params;
  if (open && options.items.some((item) => addressOf(item) === open)) showSentences(page, options);
  else page.drawer.close(false);
};
