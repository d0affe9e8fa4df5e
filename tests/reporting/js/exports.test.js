// Exports as text: CSV that no spreadsheet runs, LaTeX that compiles.

import assert from "node:assert/strict";
import { test } from "node:test";

import { numberIn } from "../../../src/treegauge/reporting/assets/components/described.js";
import {
  csvCell,
  csvText,
  fileName,
  latexCell,
  latexText,
} from "../../../src/treegauge/reporting/assets/components/export_text.js";
import { answerOf } from "../../../src/treegauge/reporting/assets/views/transfer.js";

test("what a spreadsheet would run gets an apostrophe, numbers do not", () => {
  for (const text of ["=1+1", "+1", "-1", "@x", "\t=1", " =1"]) assert.ok(csvCell(text).includes(`'${text}`));
  assert.equal(csvCell(-1.5), "-1.5");
  assert.equal(csvCell("a-b"), "a-b");
  assert.equal(csvCell(null), "");
  assert.equal(csvCell(NaN), "");
});

test("cells with commas, quotes and line ends are quoted", () => {
  const text = csvText({ columns: ["a,b", "c"], rows: [['say "x"', "1\n2"]] });
  assert.equal(text, '"a,b",c\r\n"say ""x""","1\n2"\r\n');
});

test("LaTeX is escaped, and numbers are set to the right", () => {
  assert.equal(latexCell("a_b & 5 % {x} \\y ~^"), "a\\_b \\& 5 \\% \\{x\\} \\textbackslash{}y \\textasciitilde{}\\textasciicircum{}");
  assert.equal(latexCell("−0.5"), "$-$0.5");
  const text = latexText({ columns: ["name", "LAS"], rows: [["A_1", 85.123]] }, "Scores & ranks");
  assert.ok(text.includes("\\caption{Scores \\& ranks}"));
  assert.ok(text.includes("\\begin{tabular}{lr}\n\\toprule\nname & LAS \\\\\n\\midrule\nA\\_1 & 85.12 \\\\\n\\bottomrule"));
});

test("names of files have letters and digits only", () => {
  assert.equal(fileName("LAS of <b> & ../x", "csv"), "las-of-b-x.csv");
  assert.equal(fileName("///", "svg"), "treegauge.svg");
});

test("numbers are read as people write them", () => {
  assert.equal(numberIn("1,234"), 1234);
  assert.equal(numberIn("−0.50"), -0.5);
  assert.equal(numberIn("12.5 %"), 12.5);
  assert.equal(numberIn("1 to 2"), null);
  assert.equal(numberIn("1,2"), null);
});

test("the answer on transfer names the source that adds most", () => {
  const row = { group: "overall", metric: "LAS" };
  const rows = [
    { ...row, left_out: "", score: 70, low: 69, high: 71 },
    { ...row, left_out: "A", gain: 0.5, gain_low: -0.1 },
    { ...row, left_out: "B", gain: 1.5, gain_low: 0.4 },
  ];
  assert.equal(
    answerOf({ rows }),
    "All sources together reach LAS 70.0 (95 % interval 69.0 to 71.0). B adds most: +1.5 points.",
  );
  assert.match(answerOf({ rows: rows.slice(0, 2) }), /A adds most: \+0\.5 points, which is not/);
});
