// Search: text, words, tags, relations or a query about trees, over all sentences in the page.

import { pageBanks } from "../components/banks.js";
import { markedText } from "../components/sentence.js";
import { openSentences, reopenSentences } from "../components/sentence_list.js";
import { centre, drawTree, treeFrame } from "../components/tree.js";
import { button, fill, html, select } from "../shell/dom.js";
import { grouped, plural } from "../shell/format.js";
import { queryHelp } from "./search_help.js";
import { matches, textMatches } from "./search_match.js";
import { fieldQuery, parseQuery, QueryError, systemCondition } from "./search_query.js";

const STEP = 10; // sentences drawn at a time
const MODES = [
  ["tree", "tree query"],
  ["text", "text"],
  ["form", "word form"],
  ["lemma", "lemma"],
  ["upos", "UPOS tag"],
  ["deprel", "relation"],
];
const HINTS = {
  tree: "upos=NOUN deprel=obj > upos=ADJ",
  text: "part of a sentence",
  form: "walked, or walk*",
  lemma: "walk",
  upos: "NOUN",
  deprel: "nsubj",
};

// All sentences that match: [{bank, sentence, words, related}]; throws QueryError.
export const search = (banks, mode, typed, system = null) => {
  const fields = () => (mode === "tree" ? parseQuery(typed) : fieldQuery(mode, typed));
  const query = mode === "text" ? null : fields();
  const about = query && systemCondition(query);
  if (about && !banks.some((bank) => bank.systems.includes(system))) {
    const text = `'${about.key}' needs the output of a system; choose a system that was scored here`;
    throw new QueryError(text, about.at, about.key.length);
  }
  return banks.flatMap((bank) => {
    const found = query
      ? matches(bank, query, { system: system && bank.system(system) })
      : textMatches(bank, typed);
    return found.map(({ partners, ...one }) => ({ bank, ...one, related: partners }));
  });
};

// Whether a query has a condition on the output of a system.
const ofSystem = (mode, typed) =>
  mode !== "text" && Boolean(systemCondition(mode === "tree" ? parseQuery(typed) : fieldQuery(mode, typed)));

// The query with the place of its error marked, and what was expected.
const complaint = (typed, error) =>
  html(
    "div",
    { class: "complaint", role: "alert" },
    html(
      "pre",
      {},
      typed.slice(0, error.at),
      html("mark", {}, typed.slice(error.at, error.at + error.length) || "␣"),
      typed.slice(error.at + error.length),
    ),
    html("p", {}, `At character ${error.at + 1}: ${error.message}.`),
  );

export const view = {
  key: "search",
  title: "Search",
  lead: "Which sentences contain this word, tag, relation or tree pattern?",
  filters: ["treebank", "system"],
  shows: (page) => page.has("scores") || page.has("maps") || page.has("candidates"),
  mount(root, page) {
    let limit = STEP;
    let items = [];
    const results = html("div", { class: "results" });
    const field = html("input", {
      type: "search",
      class: "filter",
      name: "q",
      size: 50,
      spellcheck: "false",
      autocomplete: "off",
      "aria-label": "Search for",
    });
    const mode = () => {
      const asked = page.params.in;
      return MODES.some(([key]) => key === asked) ? asked : "tree";
    };
    const ask = (what) => {
      page.set({ open: "", a: "", b: "", ...what }, { push: true });
      limit = STEP;
      show();
    };
    const choice = html("span");
    const form = html(
      "form",
      {
        class: "controls search-form",
        role: "search",
        onsubmit: (event) => {
          event.preventDefault();
          ask({ q: field.value });
        },
      },
      choice,
      field,
      html("button", { type: "submit", class: "primary" }, "Search"),
    );

    const systemOf = () => page.system || page.systems[0] || null;
    const drawer = () => ({
      title: `Sentences that match ${page.params.q}`,
      items,
      systems: page.system ? [page.system] : [],
    });
    const result = (item, at) => {
      const gold = item.bank.sentence(item.sentence);
      const marks = { chosen: item.words, related: item.related };
      const parsed = page.system ? item.bank.system(page.system)?.of(item.sentence) : null;
      return html(
        "li",
        {},
        html(
          "p",
          { class: "result-line" },
          button("Open", () => openSentences(page, { ...drawer(), at }), {
            class: "link",
            "aria-label": `Open sentence ${gold.id}`,
          }),
          " ",
          html("code", {}, gold.id),
          " ",
          markedText(item.bank, item.sentence, item.words),
        ),
        treeFrame(gold, drawTree(gold, { ...marks, parsed, only: true })),
      );
    };
    const listed = () => [
      html("ol", { class: "matches" }, items.slice(0, limit).map(result)),
      items.length > limit
        ? button(`Show ${Math.min(STEP, items.length - limit)} more`, () => {
            limit += STEP;
            draw();
          })
        : null,
    ];
    const draw = () => {
      const words = items.reduce((sum, one) => sum + one.words.length, 0);
      const banks = pageBanks(page);
      const total = banks.reduce((sum, bank) => sum + bank.count, 0);
      const found = `${grouped(words)} ${words === 1 ? "match" : "matches"}`;
      const where = `${grouped(items.length)} of ${plural(total, "sentence")} in this page`;
      const about = !page.system && page.systems.length > 1 && ofSystem(mode(), page.params.q.trim());
      const whose = about ? ` The output is that of ${systemOf()}; choose another system above.` : "";
      const count = `${found} in ${where}.${whose}`;
      fill(results, html("p", { role: "status" }, html("strong", {}, count)), listed());
      centre(results);
    };
    const show = () => {
      const { q = "" } = page.params;
      fill(choice, select("Look for", MODES, mode(), (v) => ask({ in: v === "tree" ? "" : v })));
      field.value = q;
      field.placeholder = HINTS[mode()];
      items = [];
      if (!q.trim()) {
        fill(results);
        return;
      }
      try {
        items = search(pageBanks(page), mode(), q.trim(), systemOf());
      } catch (error) {
        if (!(error instanceof QueryError)) throw error;
        fill(results, complaint(q.trim(), error));
        return;
      }
      draw();
      reopenSentences(page, drawer());
    };
    fill(
      root,
      form,
      html(
        "div",
        { class: "two wide-first" },
        results,
        queryHelp((q) => ask({ q, in: "" })),
      ),
    );
    show();
    return { update: show };
  },
};
