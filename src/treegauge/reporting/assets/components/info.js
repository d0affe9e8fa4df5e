// An (i) beside a number or a heading: it leads to how the number is made.

import { html } from "../shell/dom.js";

export const info = (key) =>
  html(
    "a",
    { class: "info", href: `#methods?method=${key}`, "aria-label": "How is this computed?" },
    "i",
  );
