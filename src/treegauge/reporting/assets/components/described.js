// The data behind a chart or a table, for exports: registered with the element, read when exported.

const KEPT = new WeakMap();

// `given` is {title, data(), shown()}; both give {columns: [name], rows: [[value]]}. `data` has
// unrounded numbers, `shown` the texts on the page; without `shown`, `data` is used for both.
export const describe = (node, given) => {
  KEPT.set(node, given);
  return node;
};

export const descriptionOf = (node) => KEPT.get(node) || null;

const SKIPPED = ".info, .tools, .taken, [aria-hidden=true]";
const BLOCK = /^(p|div|li|h[1-6]|dt|dd|br)$/i;

// The text of an element as people read it; for a drawing, its title.
export const textOf = (node) => {
  if (node === null || node === undefined) return "";
  if (Array.isArray(node)) return node.map(textOf).join("").trim();
  if (typeof node !== "object") return String(node);
  if (node.nodeType === 3) return node.data;
  if (node.matches(SKIPPED)) return "";
  if (node.tagName === "svg") return node.querySelector("title")?.textContent ?? "";
  const parts = [...node.childNodes].map((child) => (BLOCK.test(child.tagName ?? "") ? ` ${textOf(child)} ` : textOf(child)));
  return parts.join("").replace(/\s+/g, " ").trim();
};

// The number that a text shows, or null: "1,234", "−0.5", "12.3 %".
export const numberIn = (text) => {
  const plain = String(text).trim().replace(/^[−–]/, "-").replace(/ ?%$/, "");
  const whole = /^[+-]?\d{1,3}(,\d{3})+(\.\d+)?$/.test(plain) ? plain.replaceAll(",", "") : plain;
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(whole) ? Number(whole) : null;
};

// The data of a table that is plain HTML.
const written = (table) => {
  const heads = [...table.querySelectorAll("thead tr")].at(-1);
  const columns = heads ? [...heads.cells].map(textOf) : [];
  const bodies = [...table.tBodies].flatMap((body) => [...body.rows]);
  return { columns, rows: bodies.map((row) => [...row.cells].map(textOf)) };
};

const titleOf = (node) =>
  node.getAttribute("aria-label") ||
  node.closest("[aria-label]")?.getAttribute("aria-label") ||
  "table";

// The points of a chart without registered data are read from its tooltips.
const tips = (chart) => ({
  columns: ["point"],
  rows: [...chart.querySelectorAll("title")].map((one) => [one.textContent]),
});

export const exported = (node) => {
  const kept = descriptionOf(node);
  const title = kept?.title || titleOf(node);
  if (kept) return { title, data: kept.data, shown: kept.shown || kept.data };
  const read = () => (node.tagName === "TABLE" ? written(node) : tips(node));
  const data = () => {
    const { columns, rows } = read();
    return { columns, rows: rows.map((row) => row.map((text) => numberIn(text) ?? text)) };
  };
  return { title, data, shown: read };
};
