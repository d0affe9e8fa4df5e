// The result of a comparison: the main sentence, the chart, and what the interval shows.

import { info } from "../components/info.js";
import { html, responsive } from "../shell/dom.js";
import { plural, points } from "../shell/format.js";
import { forest } from "./compare_forest.js";
import { detectableText, headline, verdictOf, verdictText } from "./compare_pair.js";

const card = (title, key, ...content) =>
  html("div", { class: "card" }, html("h3", {}, title, key ? info(key) : null), content);

// `items` are the rows of the chart, the most general first.
export const summaryOf = ({ facts, items, missing = [], a, b, over, margin, onmargin }) => {
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
  const errors =
    facts.errorReduction === null || facts.errorReduction === undefined
      ? null
      : card(
          "Errors",
          null,
          html(
            "p",
            {},
            facts.errorReduction >= 0
              ? `${a} makes ${points(facts.errorReduction, 1)} % fewer errors than ${b}.`
              : `${a} makes ${points(-facts.errorReduction, 1)} % more errors than ${b}.`,
          ),
        );
  return [
    html("p", { class: "result", id: "compare-result", role: "status" }, headline(facts, a, b, over)),
    chart,
    html(
      "p",
      { class: "count" },
      "Lines: 95 % confidence intervals. Filled: the interval excludes 0 or is not known. ",
      `Grey: differences below ${plural(margin, "point")}.`,
      missing.length ? ` Not drawn, because the run failed and counts as 0: ${missing.join(", ")}.` : null,
    ),
    html(
      "div",
      { class: "cards" },
      card(
        "Are they equivalent?",
        "equivalence",
        html("p", { id: "compare-verdict" }, verdictText(verdictOf(facts, margin), a, b, margin)),
        html(
          "label",
          { class: "field" },
          html("span", {}, "Largest difference that does not matter, points"),
          field,
        ),
      ),
      card(
        "Which difference could the test detect?",
        "detectable",
        html("p", { id: "compare-detectable" }, detectableText(facts)),
      ),
      errors,
    ),
  ];
};
