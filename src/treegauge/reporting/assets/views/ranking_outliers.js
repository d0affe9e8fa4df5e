// The subsets of treebanks with the best and the worst rank of a system.

import { button, html } from "../shell/dom.js";
import { percent, plural } from "../shell/format.js";

const classesOf = (found) => {
  const upto = found.upto === found.rank ? "" : ` to ${found.upto}`;
  const classes = found.over.map(
    (o) => `${o.class} ${percent(o.found, 0)} % instead of ${percent(o.expected, 0)} %`,
  );
  return html(
    "p",
    { class: "count" },
    `Over-represented in the ${plural(found.samples, "subset")} with rank `,
    `${found.rank}${upto}: ${classes.join("; ")}.`,
  );
};

export const outlierPanel = ({ board, table, at, system, onuse, href }) => {
  const { data } = board;
  const name = data.systems[system];
  const [best, , , , worst] = board.subsets(at, "").box(system);
  const end = (which, rank) => {
    const subset = board.outlierSubset(at, system, which);
    const codes = data.treebanks.filter((_, t) => subset[t]).map((t) => t.code);
    const found = at === data.usual && data.classes[system].find((c) => c.which === which);
    return html(
      "div",
      {},
      html(
        "p",
        {},
        html("strong", {}, `${which} rank ${rank}`),
        " on ",
        html("span", { class: "codes" }, codes.join(" ")),
        " ",
        button("Rank on these treebanks", () => onuse(subset), { "data-outlier": which }),
      ),
      found && found.over.length ? classesOf(found) : null,
    );
  };
  const other = board.order.find((s) => s !== system);
  return html(
    "div",
    { class: "panel" },
    html("h3", {}, name),
    end("best", best),
    end("worst", worst),
    other === undefined
      ? null
      : html(
          "p",
          {},
          html(
            "a",
            { href: href("compare", { left: name, right: data.systems[other], table, system: null }) },
            `Compare with ${data.systems[other]}`,
          ),
        ),
  );
};
