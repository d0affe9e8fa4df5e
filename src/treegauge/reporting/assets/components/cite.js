// Cite: for the numbers of a chart or table, a sentence for a paper, BibTeX, signature and command.

import { button, fill, html } from "../shell/dom.js";
import { copyButton } from "./copy.js";
import { exported, textOf } from "./described.js";

const TITLE = "treegauge: what parsing scores mean";
const FEW = 3; // signatures and commands shown at once

const version = () => document.querySelector("meta[name=generator]").content.replace("treegauge ", "");

// The BibTeX entries of papers, by key, as they are in Methods.
const entries = () => {
  const list = document.getElementById("bibtex");
  if (!list) return {};
  const keys = list.dataset.keys.split(" ");
  const texts = list.textContent.trim().split("\n\n");
  return Object.fromEntries(keys.map((key, i) => [key, texts[i]]));
};

export const softwareEntry = (number) =>
  `@software{treegauge,\n  author = {{The treegauge developers}},\n  title = {${TITLE}},\n  version = {${number}}\n}`;

// The last node that precedes a figure.
const before = (node, all) =>
  all.filter((one) => one.compareDocumentPosition(node) & Node.DOCUMENT_POSITION_FOLLOWING).at(-1);

// The sentence of a result, with the systems, metric and treebank that the page shows elsewhere.
export const citedText = (result) => (result ? (result.dataset.cited ?? textOf(result)) : "");

// The key of the method behind a figure: that of its result, else the first (i) in it, else the last one before it.
const methodOf = (node, result) => {
  if (result?.dataset.method) return result.dataset.method;
  const all = [...node.closest(".view").querySelectorAll(".live a.info")];
  const found = node.querySelector("a.info") ?? before(node, all) ?? all[0];
  return found?.dataset.key ?? null;
};

// What Methods says of a number: name, papers, and signatures and commands of the chosen treebank.
const provenance = (key, treebank) => {
  const entry = key && document.getElementById(`method-${key}`);
  if (!entry) return { name: "", cited: "", papers: [], signatures: [], commands: [] };
  const made = [...entry.querySelectorAll(".made")];
  const own = made.filter((one) => one.dataset.of === treebank);
  const values = (nodes, term) =>
    nodes.flatMap((node) => [...node.querySelectorAll("dt")])
      .filter((dt) => dt.textContent === term)
      .map((dt) => dt.nextElementSibling.textContent);
  const chosen = own.length ? own : made;
  return {
    name: entry.querySelector("h4").textContent,
    cited: values([entry], "From")[0] ?? "",
    papers: (entry.dataset.papers || "").split(" ").filter(Boolean),
    signatures: [...new Set(values(chosen, "Signature"))],
    commands: [...new Set(values(chosen, "Command"))],
  };
};

// A sentence for a paper: the main result above the figure, or what the figure shows, and its signature
// or, where the result has none or several, its method.
export const paperSentence = ({ result, title, number, name, cited, signature }) => {
  const method = name.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());
  const made = signature ? `signature ${signature}` : method;
  const by = [`treegauge ${number}`, made, cited && `after ${cited}`].filter(Boolean).join("; ");
  const said = (result || title).replace(/[.]$/, "");
  return /[.] \p{Lu}/u.test(said) ? `${said}. (${by})` : `${said} (${by}).`;
};

const block = (heading, text, page, wide = false) => [
  html("div", { class: "drawer-head" }, html("h4", {}, heading), copyButton("Copy", () => text, page)),
  wide ? html("pre", { tabindex: "0" }, html("code", {}, text)) : html("p", {}, text),
];

const listed = (texts) =>
  texts.slice(0, FEW).join("\n") + (texts.length > FEW ? `\n# and ${texts.length - FEW} more: see Methods` : "");

// One dialog for the page: `cite(node, title)` opens it for a chart or table, or for the whole page.
export const makeCiter = (page) => {
  const title = html("h3", { id: "cite-title" });
  const body = html("div", {});
  const node = html(
    "dialog",
    {
      class: "cite-dialog",
      "aria-labelledby": "cite-title",
      onkeydown: (event) => event.stopPropagation(),
      onclick: (event) => {
        if (event.target === node) node.close();
      },
    },
    html(
      "div",
      { class: "explain-frame" },
      html("div", { class: "drawer-head" }, title, button("Close", () => node.close())),
      body,
    ),
  );
  document.body.append(node);
  return (figure) => {
    const view = figure.closest(".view");
    const name = figure === view ? view.querySelector("h2").textContent : exported(figure).title;
    const results = [...view.querySelectorAll(".result, [data-cited]")].filter((one) => citedText(one).trim());
    const result = figure === view ? results[0] : before(figure, results.filter((one) => one.matches(".result")));
    const found = provenance(methodOf(figure, result), page.treebank);
    const number = version();
    const own = result?.dataset;
    if (own?.signature !== undefined) found.signatures = [own.signature].filter(Boolean);
    const signature = own?.method && found.signatures.length === 1 ? found.signatures[0] : "";
    const bibtex = [softwareEntry(number), ...found.papers.map((key) => entries()[key]).filter(Boolean)];
    fill(title, `Cite: ${name}`);
    fill(
      body,
      block("Sentence", paperSentence({ ...found, title: name, number, signature, result: citedText(result) }), page),
      block("BibTeX", bibtex.join("\n\n"), page, true),
      found.signatures.length ? block("Signature", listed(found.signatures), page, true) : null,
      found.commands.length ? block("Command", listed(found.commands), page, true) : null,
    );
    node.showModal();
    body.scrollTop = 0;
  };
};
