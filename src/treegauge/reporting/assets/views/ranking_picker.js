// Treebanks chosen by hand: the ranking over them is updated at every click.

import { dataTable } from "../components/table.js";
import { button, fill, html, select } from "../shell/dom.js";
import { filledCommand, plural, range } from "../shell/format.js";
import { unpack } from "../shell/packed.js";

// Equal totals share the average of their ranks.
export const rankTotals = (totals) =>
  totals.map(
    (t) => 1 + totals.filter((o) => o > t).length + (totals.filter((o) => o === t).length - 1) / 2,
  );
export const maskText = (chosen) =>
  range(Math.ceil(chosen.length / 8))
    .map((b) =>
      range(8)
        .reduce((byte, i) => byte | (chosen[8 * b + i] ? 1 << i : 0), 0)
        .toString(16)
        .padStart(2, "0"),
    )
    .join("");
export const readMask = (text, n) =>
  range(n).map((i) => Boolean((parseInt(text.substr(2 * (i >> 3), 2), 16) >> (i & 7)) & 1));

// Sums of whole numbers below 2^53 are exact, so equal means are found equal.
export const ranker = (data) => {
  const values = unpack(data.scores.values);
  const held = data.treebanks.length;
  return (chosen) => {
    const columns = range(held).filter((t) => chosen[t]);
    const totals = data.systems.map((_, s) =>
      columns.reduce((sum, t) => sum + values[s * held + t], 0),
    );
    return {
      ranks: rankTotals(totals),
      means: totals.map((t) => t / columns.length / data.scores.scale),
      size: columns.length,
    };
  };
};

// Systems by rank, then by name.
export const byRank = (names, ranks) =>
  range(names.length).sort((a, b) => ranks[a] - ranks[b] || names[a].localeCompare(names[b]));

export const picker = (data, meanOver, changed) => {
  const held = data.treebanks.length;
  const every = meanOver(new Array(held).fill(true));
  let chosen = new Array(held).fill(true);
  const live = html("div", { id: "ranking-live" });
  const number = html("span", { class: "count", role: "status" });
  const again = html("code", { id: "ranking-command" });
  const codes = () => data.treebanks.filter((_, t) => chosen[t]).map((t) => t.code);
  const show = () => {
    const now = meanOver(chosen);
    number.textContent = `${now.size} of ${plural(held, "treebank")}`;
    fill(live, now.size ? table(now) : html("p", {}, "No treebank is selected."));
    const { rank, subset } = data.commands;
    const values = { size: now.size, subset: codes().join(",") };
    again.textContent = now.size ? filledCommand(now.size < held ? subset : rank, values) : "";
  };
  const table = (now) => {
    const up = (s) => every.ranks[s] - now.ranks[s];
    return dataTable({
      label: "Ranking over the chosen treebanks",
      first: 100,
      data: byRank(data.systems, now.ranks),
      columns: [
        { name: "system", value: (s) => data.systems[s] },
        { name: "rank", number: true, value: (s) => now.ranks[s] },
        {
          name: `mean ${data.metric}`,
          number: true,
          value: (s) => now.means[s],
          show: (s) => now.means[s].toFixed(2),
        },
        { name: "rank over all treebanks", number: true, value: (s) => every.ranks[s] },
        {
          name: "change",
          number: true,
          value: up,
          show: (s) => (up(s) ? `${up(s) > 0 ? "▲" : "▼"} ${Math.abs(up(s))}` : "–"),
        },
      ],
    });
  };
  const boxes = data.treebanks.map((t, i) => {
    const onchange = () => {
      chosen[i] = boxes[i].checked;
      show();
      changed();
    };
    return html("input", { type: "checkbox", checked: true, value: t.code, onchange });
  });
  const labels = data.treebanks.map((t, i) => {
    const title = [t.language, t.genus, t.resource].filter(Boolean).join(", ");
    return html("label", { class: "tick", title }, boxes[i], t.code);
  });
  const pick = (wanted) => {
    chosen = [...wanted];
    boxes.forEach((box, i) => {
      box.checked = chosen[i];
    });
    show();
  };
  const visible = (value) => {
    pick(chosen.map((was, i) => (labels[i].hidden ? was : value)));
    changed();
  };
  const oninput = () => {
    const asked = search.value.trim().toLowerCase();
    data.treebanks.forEach((t, i) => {
      const words = Object.values(t).map((v) => String(v ?? "").toLowerCase());
      labels[i].hidden = asked !== "" && !words.some((word) => word.includes(asked));
    });
  };
  const search = html("input", {
    type: "search",
    class: "filter",
    placeholder: "code, language, genus …",
    oninput,
  });
  const named = (v) => {
    if (v === "") return;
    const wanted = new Set(data.subsets[Number(v)].treebanks);
    pick(range(held).map((t) => wanted.has(t)));
    changed();
  };
  const subsets = [["", "predefined …"], ...data.subsets.map((s, i) => [i, s.name])];
  const node = html(
    "div",
    { class: "picker" },
    html(
      "p",
      { class: "controls" },
      html("label", { class: "field" }, html("span", {}, "Find"), search),
      button("All", () => visible(true)),
      button("None", () => visible(false)),
      data.subsets.length ? select("Subset", subsets, "", named) : null,
      number,
    ),
    html("div", { class: "ticks", role: "group", "aria-label": "Treebanks" }, labels),
    live,
    html("p", {}, again),
  );
  show();
  return {
    node,
    pick,
    link: () => (chosen.every(Boolean) ? null : maskText(chosen)),
    follow: (text) => {
      if (/^[0-9a-f]+$/.test(text || "")) pick(readMask(text, held));
    },
  };
};
