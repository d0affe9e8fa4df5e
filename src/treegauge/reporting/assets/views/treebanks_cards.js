// Profile cards: what is known about each treebank, aspect by aspect, and how fair its splits are.

import { info } from "../components/info.js";
import { html } from "../shell/dom.js";
import { plural } from "../shell/format.js";

export const ASPECTS = {
  size: "Size",
  layers: "Annotation",
  validity: "Validity",
  consistency: "Consistency",
  leaks: "Train/test overlap",
  difficulty: "Difficulty",
  agreement: "Agreement",
};
const SHOWN = 12; // cards; the others are in the table of measures
const STATES = { good: "good", fair: "plain", poor: "bad" };

// Whether the dev and test sets are like random splits, in one sentence.
export const verdict = (fairness) => {
  const odd = fairness.filter((one) => !one.typical).length;
  return odd
    ? `${odd} of ${plural(fairness.length, "distance")} between the sets: not typical of random splits.`
    : "All distances between the sets are typical of random splits.";
};

const fairnessPart = (fairness) =>
  fairness.length
    ? html(
        "div",
        { class: "fairness" },
        html("h5", {}, "Splits ", info("edv")),
        html("p", {}, verdict(fairness)),
        html(
          "ul",
          {},
          fairness.map((one) => html("li", { class: one.typical ? null : "odd" }, one.text)),
        ),
      )
    : null;

const badge = ({ short, state }) =>
  short && state in STATES ? html("span", { class: `badge ${STATES[state]}` }, short) : null;

const card = (profile, fairness, href) =>
  html(
    "article",
    { class: "card" },
    html("h4", {}, html("a", { href }, profile.treebank)),
    html("p", { class: "badges" }, profile.aspects.map(badge)),
    html(
      "dl",
      {},
      profile.aspects.map((one) => [
        html("dt", {}, ASPECTS[one.name] || one.name),
        html("dd", {}, one.text),
      ]),
    ),
    fairnessPart(fairness),
  );

export const profileCards = (data, page) => {
  const profiles = data.profiles.filter(
    (one) => !page.treebank || one.treebank === page.treebank,
  );
  if (!profiles.length) return null;
  const fairness = (name) => data.audits.find((one) => one.treebank === name)?.fairness || [];
  const hidden = profiles.length - SHOWN;
  return [
    html(
      "div",
      { class: "cards" },
      profiles
        .slice(0, SHOWN)
        .map((one) =>
          card(one, fairness(one.treebank), page.href("treebanks", { treebank: one.treebank })),
        ),
    ),
    hidden > 0
      ? html(
          "p",
          { class: "count" },
          `${plural(hidden, "more treebank")}: choose one above to see its profile.`,
        )
      : null,
  ];
};
