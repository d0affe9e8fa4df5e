// A score with its interval drawn below the number, cheap enough for thousands of cells.

import { html } from "../shell/dom.js";
import { clamp, points } from "../shell/format.js";

// The position of a value between two others, in percent.
export const place = (value, [low, high]) =>
  clamp(((value - low) / (high - low || 1)) * 100, 0, 100);

export const intervalText = (low, high, digits = 2) =>
  low === null || low === undefined ? "" : `${points(low, digits)} to ${points(high, digits)}`;

// A bar from `low` to `high` and a dot at `value` on a scale from `domain[0]` to `domain[1]`.
export const intervalBar = (value, low, high, domain) => {
  const at = place(value, domain).toFixed(1);
  const from = low === null ? at : place(low, domain).toFixed(1);
  const to = high === null ? at : place(high, domain).toFixed(1);
  return html("span", {
    class: "bar",
    "aria-hidden": "true",
    style: `--from:${from}%;--to:${to}%;--at:${at}%`,
  });
};

// The range of all ends, a little wider.
export const domainOf = (cells) => {
  let low = Infinity;
  let high = -Infinity;
  for (const { score, low: a, high: b } of cells) {
    if (score === null) continue;
    low = Math.min(low, a ?? score);
    high = Math.max(high, b ?? score);
  }
  const pad = (high - low || 1) * 0.04;
  return [low - pad, high + pad];
};
