// The health of treebanks, one row each in Python's order, and the lists behind its numbers.

import { info } from "../components/info.js";
import { dataTable } from "../components/table.js";
import { html } from "../shell/dom.js";
import { grouped, plural } from "../shell/format.js";

const known = (x) => x !== null && x !== undefined;

const number = (name, title, value, link) => ({
  name,
  title,
  number: true,
  value,
  show: (row) => {
    const count = value(row);
    if (!known(count)) return "–";
    return count && link ? html("a", { href: link(row) }, grouped(count)) : grouped(count);
  },
});

// A row per treebank: what to look at first is on top; each number leads to the list behind it.
export const healthTable = (page) => {
  const data = page.data("treebanks");
  const rows = data.health.filter((row) => !page.treebank || row.treebank === page.treebank);
  const list = (name) => (row) => page.href("treebanks", { treebank: row.treebank, list: name });
  return html(
    "div",
    { id: "overview-health" },
    html("h3", {}, "Treebanks, what to look at first on top ", info("profiles")),
    dataTable({
      label: "Health of treebanks",
      data: rows,
      columns: [
        {
          name: "treebank",
          value: (row) => row.treebank,
          show: (row) => html("a", { href: page.href("treebanks", { treebank: row.treebank }) }, row.treebank),
        },
        number("sentences", "in all sets", (row) => row.sentences),
        number("words", "in all sets", (row) => row.words),
        number("lines invalid", "lines with an error of UD validation, level 3 (treegauge check)", (row) => row.invalid, list("invalid")),
        number("findings", "errors and warnings of the audit (treegauge audit)", (row) => row.findings, list("findings")),
        {
          name: "gravest finding of the audit",
          value: (row) => row.first,
          show: (row) => html("span", { class: "long" }, row.first),
        },
      ],
    }),
  );
};

const COLUMNS = ["file", "line", "sentence", "test", "found", "expected"];

// The invalid lines of one treebank.
export const invalidPanel = (data, page) => {
  const names = Object.keys(data.invalid).filter((name) => !page.treebank || name === page.treebank);
  if (!names.length) return null;
  const rows = names.flatMap((name) => data.invalid[name].map((row) => [name, ...row]));
  const all = data.health.filter((row) => names.includes(row.treebank)).reduce((sum, row) => sum + (row.invalid || 0), 0);
  return html(
    "div",
    { id: "treebanks-invalid" },
    html("h3", {}, "Invalid lines ", info("profiles")),
    html("p", {}, `${plural(all, "line")} with an error of UD validation; ${plural(rows.length, "error")} listed.`),
    dataTable({
      label: "Invalid lines",
      first: 12,
      filter: "file, test, sentence …",
      data: rows,
      columns: ["treebank", ...COLUMNS].map((name, i) => ({
        name,
        number: name === "line",
        value: (row) => row[i],
        show: (row) => html("span", { class: name === "found" || name === "expected" ? "long" : null }, String(row[i] ?? "")),
      })),
    }),
  );
};
