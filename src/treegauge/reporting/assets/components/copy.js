// Copies text without asking for permission, on file:// too.

import { button, html } from "../shell/dom.js";

export const copied = (text) => {
  const field = html("textarea", { class: "spoken", "aria-label": "Text to copy" });
  field.value = text;
  (document.querySelector("dialog[open]") ?? document.body).append(field); // nothing else can be selected
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  return done;
};

// A button that copies the result of `text()` and confirms it.
export const copyButton = (label, text, page) => {
  const node = button(label, () => {
    const done = copied(text());
    node.focus({ preventScroll: true });
    node.textContent = done ? "Copied" : "Could not copy";
    page?.say(node.textContent);
  });
  return node;
};
