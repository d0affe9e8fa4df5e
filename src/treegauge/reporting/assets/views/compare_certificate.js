// The evidence behind the verdict on new treebanks, folded: counts, subsets, further tests.

import { info } from "../components/info.js";
import { html } from "../shell/dom.js";
import { filledCommand } from "../shell/format.js";
import { countsText } from "./compare_pair.js";

// Shares of subsets that A wins, for a few sizes.
const winsOf = (board) => (a, b) => {
  const { sizes } = board.data;
  const wanted = [5, 10, 20, 40].map((k) => sizes.indexOf(k)).filter((at) => at >= 0);
  const shown = wanted.length ? wanted : [board.data.usual];
  return shown.map((at) => ({ size: sizes[at], share: board.subsets(at, "").above(a, b) }));
};

// What Python certified of a pair, if it did.
export const certificateOf = (board, a, b) =>
  board.data.claims.find((one) => (one.a === a && one.b === b) || (one.a === b && one.b === a));

export const certificateBox = ({ source, a, b }) => {
  const { board } = source;
  if (!board) return null;
  const [i, j] = [a, b].map((name) => board.data.systems.indexOf(name));
  if (i < 0 || j < 0) return null;
  const written = certificateOf(board, a, b);
  const [first, second] = board.means[i] >= board.means[j] ? [a, b] : [b, a];
  const text = written ? written.text : countsText({ board, a: i, b: j, wins: winsOf(board) });
  const command = filledCommand(board.data.commands.certify, { claim: `${first} > ${second}` });
  return html(
    "details",
    { id: "compare-certificate" },
    html("summary", {}, "Evidence and further tests"),
    html("p", {}, info("certificates", { of: [board.data.name] }), " ", text),
    written ? html("p", {}, html("code", {}, written.signature)) : null,
    html(
      "p",
      { class: "count" },
      written ? "To reproduce it, run: " : "For the certificate with all tests, run: ",
      html("code", { id: "compare-command" }, command),
    ),
  );
};
