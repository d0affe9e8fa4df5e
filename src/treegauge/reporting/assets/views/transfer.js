// Transfer: how well parsers of other languages parse a treebank.

import { info } from "../components/info.js";
import { html } from "../shell/dom.js";
import { signed } from "../shell/format.js";
import { transferTable } from "./learning_curves.js";

const known = (value) => typeof value === "number";

// The main result of the votes: the score of all sources, and the source that helps most.
export const answerOf = ({ rows }) => {
  const whole = rows.find((r) => !r.left_out && known(r.score));
  if (!whole) return "";
  const ends = known(whole.low) ? ` (95 % interval ${whole.low.toFixed(1)} to ${whole.high.toFixed(1)})` : "";
  const first = `All sources together reach ${whole.metric} ${whole.score.toFixed(1)}${ends}.`;
  const gains = rows.filter(
    (r) => r.left_out && r.metric === whole.metric && r.group === whole.group && known(r.gain),
  );
  if (!gains.length) return first;
  const best = gains.reduce((a, b) => (b.gain > a.gain ? b : a));
  const sure = known(best.gain_low) && best.gain_low > 0;
  const note = sure ? "" : ", which is not statistically significant";
  return `${first} ${best.left_out} adds most: ${signed(best.gain, 1)} points${note}.`;
};

const mount = (root, page) => {
  for (const one of page.data("learning").transfers)
    root.append(
      html("h3", {}, one.name, " ", info("transfer")),
      html("p", { class: "result", "data-cited": `${one.name}: ${answerOf(one)}` }, answerOf(one)),
      transferTable(one),
    );
  return {};
};

export const view = {
  key: "transfer",
  title: "Transfer",
  lead: "How well do parsers trained on other languages perform, and which of them help?",
  filters: [],
  shows: (page) => page.has("learning") && page.data("learning").transfers.length > 0,
  mount,
};
