// Candidates for annotation errors as a work list: read, then accept, reject or skip.

import { candidateBank } from "../components/banks.js";
import { info } from "../components/info.js";
import { centre } from "../components/tree.js";
import { fill, html, select } from "../shell/dom.js";
import { clamp, plural } from "../shell/format.js";
import { makeDecisions } from "./candidates_decisions.js";
import { candidateCard, candidateTable, NAMES, progressPart } from "./candidates_parts.js";

const KEYS = { a: "accept", r: "reject", s: "skip" };
const STEPS = { j: 1, k: -1 };

// The candidates of a list, each with its gold sentence and its word.
const candidatesOf = (list, bank) =>
  list.items.map((one) => {
    const gold = bank.sentence(one.sentence);
    const at = one.word - 1;
    const annotated = one.of === "head" ? String(gold.head[at]) : gold.deprel[at];
    const { treebank, held_out: heldOut } = list;
    const word = { s: one.sentence, gold, id: gold.id, form: gold.form[at] };
    return { ...one, ...word, annotated, treebank, heldOut };
  });

export const view = {
  key: "candidates",
  title: "Candidates",
  lead: "Which annotations should I check first?",
  filters: ["treebank"],
  single: (page) => {
    const { lists } = page.data("candidates");
    return { treebank: (lists.find((one) => one.name === page.params.list) || lists[0]).treebank };
  },
  shows: (page) => page.has("candidates"),
  mount(root, page) {
    const { lists } = page.data("candidates");
    const loaded = new Map();
    const load = (list) => {
      if (!loaded.has(list)) {
        const bank = candidateBank(list);
        const decisions = makeDecisions(list.signature, () => window.localStorage);
        loaded.set(list, { bank, decisions, all: candidatesOf(list, bank) });
      }
      return { list, ...loaded.get(list) };
    };
    const current = () => {
      const treebank = page.treebank ?? view.single(page).treebank;
      const fitting = lists.filter((one) => one.treebank === treebank);
      const named = fitting.find((one) => one.name === page.params.list);
      return fitting.length ? { fitting, ...load(named || fitting[0]) } : null;
    };
    const place = (all) => clamp(Number(page.params.at) || 1, 1, all.length) - 1;
    const parts = Object.fromEntries(
      ["head", "progress", "table"].map((name) => [name, html("div", { class: name })]),
    );
    const card = html("article", { class: "card candidate", "aria-live": "polite" });

    const go = (to) => {
      page.set({ at: clamp(to, 0, current().all.length - 1) + 1 });
      draw();
    };
    const decide = (decision) => {
      const { all, decisions } = current();
      const at = place(all);
      decisions.set(all[at], decision);
      page.say(`${all[at].form}: ${decision ? NAMES[decision] : "decision removed"}`);
      const rest = [...all.keys()].slice(at + 1).find((i) => !decisions.of(all[i]));
      if (decision && rest !== undefined) page.set({ at: rest + 1 });
      draw();
    };

    const heading = ({ fitting, list, all }) =>
      html(
        "p",
        { class: "controls" },
        fitting.length > 1
          ? select(
              "List",
              fitting.map((one) => one.name),
              list.name,
              (v) => {
                page.set({ list: v, at: "" });
                draw();
              },
            )
          : html("strong", {}, list.name),
        html(
          "span",
          { class: "count" },
          `${plural(all.length, "candidate")}, the most suspicious first`,
        ),
        info("candidates"),
      );
    const draw = () => {
      const own = current();
      if (!own?.all.length) {
        fill(card, html("p", {}, "No candidates for this treebank."));
        for (const one of Object.values(parts)) fill(one);
        return;
      }
      fill(parts.head, heading(own));
      fill(card, candidateCard(own, place(own.all), { decide, go }));
      centre(card);
      fill(
        parts.progress,
        progressPart(own, () => {
          own.decisions.clear();
          draw();
        }),
      );
      fill(
        parts.table,
        candidateTable(own, page.params.show || "", {
          show: (v) => {
            page.set({ show: v });
            draw();
          },
          choose: (at) => {
            go(at);
            card.scrollIntoView({ block: "nearest" });
          },
        }),
      );
    };

    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || page.view !== "candidates") return;
      if (event.target.closest("input, select, textarea") || page.drawer.isOpen) return;
      const own = current();
      if (!own?.all.length) return;
      if (event.key in KEYS) decide(KEYS[event.key]);
      else if (event.key === "u") decide(null);
      else if (event.key in STEPS) go(place(own.all) + STEPS[event.key]);
      else return;
      event.preventDefault();
    });
    fill(root, parts.head, card, parts.progress, parts.table);
    draw();
    return { update: draw };
  },
};
