// The result of a comparison: the two verdicts, the chart, and what the interval shows.

import { info } from "../components/info.js";
import { html, responsive } from "../shell/dom.js";
import { plural } from "../shell/format.js";
import { forest } from "./compare_forest.js";
import { citedVerdicts, detectableText, verdictLines } from "./compare_pair.js";

const card = (title, key, of, ...content) =>
  html("div", { class: "card" }, html("h3", {}, title, key ? info(key, { of }) : null), content);

// `items` are the rows of the chart, the most general first.
export const summaryOf = ({ facts, items, missing = [], a, b, over, of, method, signature, margin, onmargin }) => {
  const chart = html("div", { class: "drawing" });
  const label = `Difference of ${a} and ${b} in ${facts.metric}`;
  responsive(chart, (width) =>
    forest({ width, items, a, b, metric: facts.metric, margin, label }),
  );
  const field = html("input", {
    type: "number",
    min: 0.1,
    step: 0.1,
    value: margin,
    onchange: () => onmargin(Number(field.value)),
  });
  const errors = facts.errors ? card("Errors", null, [], html("p", { id: "compare-errors" }, facts.errors)) : null;
  return [
    html(
      "div",
      {
        class: "result",
        id: "compare-result",
        role: "status",
        "data-cited": citedVerdicts({ facts, a, b, over }),
        "data-method": method,
        "data-signature": signature,
      },
      html("p", { class: "count" }, `${a} and ${b}, ${facts.metric} ${over}`),
      verdictLines(facts.verdicts, a),
    ),
    chart,
    html(
      "p",
      { class: "count" },
      "Lines: 95 % confidence intervals. Filled: significant, or not tested. ",
      `Grey: differences below ${plural(margin, "point")}.`,
      missing.length ? ` Not drawn, because the run failed and counts as 0: ${missing.join(", ")}.` : null,
    ),
    html(
      "div",
      { class: "cards" },
      card(
        "Are they equivalent?",
        "equivalence",
        of,
        html("p", { id: "compare-verdict" }, facts.equivalence),
        html(
          "label",
          { class: "field" },
          html("span", {}, "Grey band: largest difference that does not matter, points"),
          field,
        ),
      ),
      card(
        "Which difference could the test detect?",
        "detectable",
        of,
        html("p", { id: "compare-detectable" }, detectableText(facts)),
      ),
      errors,
    ),
  ];
};
