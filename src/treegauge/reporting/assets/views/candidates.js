// A work list of what may be annotated incorrectly: read, then accept, edit, reject or skip.

import { candidateBank } from "../components/banks.js";
import { info } from "../components/info.js";
import { centre } from "../components/tree.js";
import { fill, html, select } from "../shell/dom.js";
import { clamp, plural } from "../shell/format.js";
import { makeDecisions } from "./candidates_decisions.js";
import {
  candidateCard,
  candidateTable,
  editOf,
  fieldValues,
  NAMES,
  progressPart,
  treeOf,
} from "./candidates_parts.js";

const KEYS = { a: "accept", r: "reject", s: "skip" };
const STEPS = { j: 1, k: -1 };

// The items of a list, each with its annotated sentence.
const itemsOf = (list, bank) => list.items.map((one) => ({ ...one, gold: bank.sentence(one.at) }));

export const view = {
  key: "candidates",
  title: "Work list",
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
        const relations = [...bank.deprel.values].sort();
        loaded.set(list, { bank, decisions, relations, all: itemsOf(list, bank) });
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
    const decide = (decision, changes = {}) => {
      const { all, decisions } = current();
      const at = place(all);
      decisions.set(all[at], decision, changes);
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
          `${plural(all.length, list.counted)}, the most suspicious first`,
        ),
        info("candidates"),
      );
    const draw = () => {
      const own = current();
      if (!own?.all.length) {
        fill(card, html("p", {}, "Nothing to check in this treebank."));
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

    // In a field, Enter keeps what was typed, and Escape leaves it as it was.
    const type = (event, own) => {
      const input = event.target;
      if (event.key === "Escape") draw();
      else if (event.key === "Enter") {
        const one = own.all[place(own.all)];
        const { name, column } = input.dataset;
        if (name === "who") own.decisions.who = input.value.trim();
        else if (name === "comment")
          own.decisions.set(one, own.decisions.of(one), { comment: input.value.trim() });
        else if (column === "head" && !/^\d+$/.test(input.value.trim())) return;
        else if (column) {
          const values = fieldValues(one, card);
          const changed = Object.keys(values).length > 0;
          decide(changed ? "accept" : "reject", { edit: editOf(one, values) });
          return;
        }
        draw();
      }
    };
    card.addEventListener("input", (event) => {
      if (!event.target.dataset.column) return;
      const own = current();
      const one = own.all[place(own.all)];
      fill(card.querySelector(".drawing"), treeOf(one, fieldValues(one, card)));
      centre(card);
    });
    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || page.view !== "candidates") return;
      if (page.drawer.isOpen) return;
      const own = current();
      if (!own?.all.length) return;
      if (event.target.closest("input, select, textarea")) {
        if (card.contains(event.target)) type(event, own);
        return;
      }
      const field = card.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
      if (field) field.select();
      else if (event.key in KEYS) decide(KEYS[event.key]);
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
