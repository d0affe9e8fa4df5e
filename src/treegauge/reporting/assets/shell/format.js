// Numbers and nouns as people read them.

export const range = (n) => Array.from({ length: n }, (_, i) => i);
export const clamp = (x, low, high) => Math.min(high, Math.max(low, x));
const missing = (x) => x === null || x === undefined;
export const points = (x, digits = 2) => (missing(x) ? "" : x.toFixed(digits));
export const percent = (x, digits = 2) => (missing(x) ? "" : (100 * x).toFixed(digits));
export const signed = (x, digits = 2) => {
  if (missing(x)) return "";
  const text = Math.abs(x).toFixed(digits);
  if (Number(text) === 0) return text;
  return `${x < 0 ? "−" : "+"}${text}`;
};
// Means over runs are not whole: they have one decimal.
export const grouped = (x) => {
  const text = typeof x === "number" ? x.toFixed(1).replace(/\.0$/, "") : String(x);
  return text.replace(/\B(?=(\d{3})+(?:\.|$))/g, ",");
};
export const short = (x) => {
  if (missing(x)) return "";
  if (typeof x !== "number") return String(x);
  if (Number.isInteger(x)) return grouped(x);
  return Math.abs(x) >= 1000 ? grouped(Math.round(x)) : Number(x.toPrecision(4)).toString();
};
export const plural = (n, noun) => `${grouped(n)} ${noun}${n === 1 ? "" : "s"}`;
export const pValue = (p) => {
  if (missing(p)) return "";
  return p < 0.0001 ? "<0.0001" : p.toFixed(4);
};
// A command of the page with its open places (@name@) filled in, quoted for a shell.
const quoted = (text) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'"'"'`)}'`);
export const filledCommand = (command, values) =>
  command.replace(/@(\w+)@/g, (place, name) => (name in values ? quoted(String(values[name])) : place));
