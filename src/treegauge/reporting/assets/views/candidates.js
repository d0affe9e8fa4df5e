// Candidates for annotation errors as a work list: read, then accept, reject or skip.

import { makeBank } from "../components/banks.js";
import { info } from "../components/info.js";
import { markedText } from "../components/sentence.js";
import { dataTable } from "../components/table.js";
import { centre, drawTree, treeFrame } from "../components/tree.js";
import { button, fill, html, save, select } from "../shell/dom.js";
import { clamp, grouped, plural } from "../shell/format.js";
import { makeDecisions, toCsv, toPatch } from "./candidates_decisions.js";
import { certainty, reasonOf, suggestionOf } from "./candidates_words.js";

const KEYS = { a: "accept", r: "reject", s: "skip" };
const NAMES = { accept: "accepted", reject: "rejected", skip: "skipped" };
const SHOWN = [["", "all"], ["open", "open"], ...Object.entries(NAMES)];

// The candidates of a list with what is known of their words.
export const candidatesOf = (list, bank) =>
  list.items.map((one) => {
    const s = one.sentence;
    const gold = bank.sentence(s);
    const at = one.word - 1;
    const annotated = one.of === "head" ? String(gold.head[at]) : gold.deprel[at];
    const { treebank, held_out: heldOut } = list;
    return { ...one, s, gold, id: gold.id, form: gold.form[at], annotated, treebank, heldOut };
  });

// The tree that the suggestion would make.
const suggested = ({ gold, word, of, instead }) => {
  const put = (values, value) => values.map((v, i) => (i === word - 1 ? value : v));
  return {
    head: of === "head" ? put(gold.head, Number(instead)) : gold.head,
    deprel: of === "head" ? gold.deprel : put(gold.deprel, instead),
  };
};

export const view = {
  key: "candidates",
  title: "Candidates",
  lead: "Which annotations should I check first?",
  filters: ["treebank"],
  shows: (page) => page.has("candidates"),
  mount(root, page) {
    const { lists } = page.data("candidates");
    const loaded = new Map();
    const load = (list) => {
      if (!loaded.has(list)) {
        const bank = makeBank({ name: list.name, treebank: list.treebank, trees: list.words });
        const decisions = makeDecisions(list.signature, () => window.localStorage);
        loaded.set(list, { bank, decisions, all: candidatesOf(list, bank) });
      }
      return { list, ...loaded.get(list) };
    };
    const current = () => {
      const fitting = lists.filter((one) => !page.treebank || one.treebank === page.treebank);
      const named = fitting.find((one) => one.name === page.params.list);
      return fitting.length ? { fitting, ...load(named || fitting[0]) } : null;
    };
    const place = (all) => clamp(Number(page.params.at) || 1, 1, all.length) - 1;
    const card = html("article", { class: "card candidate", "aria-live": "polite" });
    const progress = html("div");
    const table = html("div");
    const head = html("div");

    const go = (to) => {
      const { all } = current();
      page.set({ at: clamp(to, 0, all.length - 1) + 1 });
      draw();
    };
    const decide = (decision) => {
      const { all, decisions } = current();
      const at = place(all);
      decisions.set(all[at], decision);
      page.say(decision ? `${all[at].form}: ${NAMES[decision]}` : `${all[at].form}: open again`);
      const rest = [...all.keys()].slice(at + 1).find((i) => !decisions.of(all[i]));
      if (decision && rest !== undefined) page.set({ at: rest + 1 });
      draw();
    };

    const drawCard = ({ bank, all, decisions }) => {
      const at = place(all);
      const one = all[at];
      const state = decisions.of(one);
      const choice = (key, decision, text) =>
        button([text, " ", html("kbd", {}, key)], () => decide(decision), {
          class: `choice choice-${decision}`,
          "aria-pressed": String(state === decision),
          "aria-keyshortcuts": key,
        });
      fill(
        card,
        html(
          "p",
          { class: "controls" },
          html("strong", {}, `${grouped(at + 1)} of ${grouped(all.length)}`),
          html("code", {}, one.id),
          state ? html("span", { class: `badge ${state}` }, NAMES[state]) : null,
        ),
        html("p", { class: "sentence-line" }, markedText(bank, one.s, [one.word])),
        treeFrame(one.gold, drawTree(one.gold, { chosen: [one.word], parsed: suggested(one), only: true })),
        html("p", { class: "suggestion" }, suggestionOf(one)),
        html("p", {}, `${reasonOf(one)} ${certainty(one)}`),
        html(
          "p",
          { class: "controls" },
          choice("a", "accept", "Accept the suggestion"),
          choice("r", "reject", "Reject: keep the annotation"),
          choice("s", "skip", "Skip"),
          state ? button(["Undo ", html("kbd", {}, "u")], () => decide(null)) : null,
          button(["← ", html("kbd", {}, "k")], () => go(at - 1), { "aria-label": "Previous candidate" }),
          button([html("kbd", {}, "j"), " →"], () => go(at + 1), { "aria-label": "Next candidate" }),
        ),
      );
      centre(card);
    };

    const drawProgress = ({ list, all, decisions }) => {
      const counts = decisions.counts(all);
      const patch = () => toPatch(all, decisions, list.file);
      const name = list.treebank.replace(/[^\w-]+/g, "_");
      const source = list.source || "TREEBANK";
      fill(
        progress,
        html("progress", { max: all.length, value: all.length - counts.open, "aria-label": "Candidates decided" }),
        html(
          "p",
          { class: "controls" },
          html(
            "span",
            { class: "count" },
            `${counts.accept} accepted, ${counts.reject} rejected, ${counts.skip} skipped, ${counts.open} open`,
          ),
          button("Export CSV", () => save(`${name}-candidates.csv`, "text/csv", toCsv(all, decisions))),
          button("Export patch", () => save(`${name}.patch`, "text/plain", patch()), { disabled: !counts.accept }),
          button("Clear decisions", () => {
            decisions.clear();
            draw();
          }),
        ),
        html(
          "p",
          { class: "count" },
          "The patch holds what you accepted: ",
          html("code", {}, `treegauge convert ${source} corrected.conllu --apply ${name}.patch`),
        ),
        decisions.kept
          ? null
          : html("p", { class: "badge bad" }, "This browser does not keep decisions: export them before you close the page."),
      );
    };

    const drawTable = ({ all, decisions, bank }) => {
      const { show: wanted = "" } = page.params;
      const rows = all
        .map((one, at) => ({ ...one, at, state: decisions.of(one) }))
        .filter((one) => !wanted || (one.state || "open") === wanted);
      fill(
        table,
        html("h3", {}, "All candidates"),
        html(
          "p",
          { class: "controls" },
          select("Show", SHOWN, wanted, (v) => {
            page.set({ show: v });
            draw();
          }),
        ),
        dataTable({
          label: "Candidates for annotation errors",
          filter: "form, relation …",
          first: 15,
          data: rows,
          columns: [
            { name: "no.", number: true, value: (one) => one.at + 1 },
            {
              name: "word",
              value: (one) => one.form,
              show: (one) => button(one.form, () => {
                go(one.at);
                card.scrollIntoView({ block: "nearest" });
              }, { class: "link" }),
            },
            { name: "in context", value: (one) => one.s, show: (one) => markedText(bank, one.s, [one.word], { part: 5 }) },
            { name: "annotated → suggested", value: (one) => suggestionOf(one, true), show: (one) => html("span", { class: "long" }, suggestionOf(one, true)) },
            { name: "score", title: "how strongly the parser contradicts the annotation", number: true, value: (one) => one.score, show: (one) => one.score.toFixed(2) },
            { name: "decision", value: (one) => NAMES[one.state] || "open" },
          ],
        }),
      );
    };

    const draw = () => {
      const own = current();
      if (!own || !own.all.length) {
        fill(card, html("p", {}, "No candidates for this treebank."));
        for (const one of [head, progress, table]) fill(one);
        return;
      }
      fill(
        head,
        html(
          "p",
          { class: "controls" },
          own.fitting.length > 1
            ? select("Of", own.fitting.map((one) => one.name), own.list.name, (v) => {
                page.set({ list: v, at: "" });
                draw();
              })
            : html("strong", {}, own.list.name),
          html("span", { class: "count" }, plural(own.all.length, "candidate"), ", the most suspicious first"),
          info("candidates"),
        ),
      );
      drawCard(own);
      drawProgress(own);
      drawTable(own);
    };

    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || page.view !== "candidates") return;
      if (event.target.closest("input, select, textarea") || page.drawer.isOpen) return;
      const own = current();
      if (!own?.all.length) return;
      const steps = { j: 1, k: -1 };
      if (event.key in KEYS) decide(KEYS[event.key]);
      else if (event.key === "u") decide(null);
      else if (event.key in steps) go(place(own.all) + steps[event.key]);
      else return;
      event.preventDefault();
    });
    fill(root, head, card, progress, table);
    draw();
    return { update: draw };
  },
};
