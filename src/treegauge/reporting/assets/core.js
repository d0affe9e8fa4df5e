// What all sections share: elements without markup, packed numbers, links that keep the state.

const real = (children) =>
  children
    .flat(Infinity)
    .filter((c) => c !== null && c !== undefined && c !== false)
    .map((c) => (c instanceof Node ? c : String(c)));
const fill = (node, ...children) => node.replaceChildren(...real(children));
const maker =
  (create) =>
  (tag, traits = {}, ...children) => {
    const node = create(tag);
    for (const [name, value] of Object.entries(traits)) {
      if (value === null || value === undefined || value === false) continue;
      if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
      else node.setAttribute(name, value === true ? "" : value);
    }
    // Text only ever becomes text nodes: nothing in the data can turn into elements.
    node.append(...real(children));
    return node;
  };
const html = maker((tag) => document.createElement(tag));
const svg = maker((tag) => document.createElementNS("http://www.w3.org/2000/svg", tag));

const KINDS = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, f32: Float32Array };
const unpack = (packed) => {
  if (Array.isArray(packed)) return packed;
  const [[kind, text]] = Object.entries(packed);
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  return new KINDS[kind](bytes.buffer);
};
const column = (packed) => {
  const codes = unpack(packed.codes);
  return { codes, values: packed.values, at: (i) => packed.values[codes[i]] };
};
const treebank = (packed) => {
  const offsets = unpack(packed.offsets),
    head = unpack(packed.head);
  const form = column(packed.form),
    upos = column(packed.upos),
    deprel = column(packed.deprel);
  const sentence = (i) => {
    const from = offsets[i],
      words = range(offsets[i + 1] - from);
    return {
      id: packed.id[i],
      from,
      form: words.map((w) => form.at(from + w)),
      upos: words.map((w) => upos.at(from + w)),
      deprel: words.map((w) => deprel.at(from + w)),
      head: words.map((w) => head[from + w] - 1),
    };
  };
  return { offsets, head, form, upos, deprel, id: packed.id, sentence };
};

const range = (n) => Array.from({ length: n }, (_, i) => i);
const clamp = (x, low, high) => Math.min(high, Math.max(low, x));
const points = (x, digits = 2) => (x === null || x === undefined ? "" : x.toFixed(digits));
const percent = (x, digits = 2) => (x === null || x === undefined ? "" : (100 * x).toFixed(digits));
const grouped = (x) => String(x).replace(/\B(?=(\d{3})+(?!\d))/g, ",");
const short = (x) => {
  if (x === null || x === undefined) return "";
  if (typeof x !== "number") return String(x);
  if (Number.isInteger(x)) return grouped(x);
  return Math.abs(x) >= 1000 ? grouped(Math.round(x)) : Number(x.toPrecision(4)).toString();
};
const plural = (n, noun) => `${grouped(n)} ${noun}${n === 1 ? "" : "s"}`;

const select = (label, options, value, onchange) => {
  const node = html(
    "select",
    { onchange: () => onchange(node.value) },
    options.map((o) => {
      const [key, name] = Array.isArray(o) ? o : [o, o];
      return html("option", { value: key, selected: String(key) === String(value) }, name);
    }),
  );
  return html("label", { class: "field" }, html("span", {}, label), node);
};
const button = (text, onclick, traits = {}) =>
  html("button", { type: "button", onclick, ...traits }, text);

// A drawing is made anew when its place gets another width; no timer is involved.
const responsive = (holder, draw) => {
  let width = 0;
  const again = (force) => {
    const now = Math.floor(holder.clientWidth);
    if (now && (force === true || now !== width)) {
      width = now;
      fill(holder, draw(now));
    }
  };
  new ResizeObserver(again).observe(holder);
  return () => again(true);
};

const save = (name, type, text) => {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = html("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  URL.revokeObjectURL(url);
};

// Links: #section?name=value&... says which section is meant and what is chosen in it.
const sections = {};
const here = () => {
  // Some programs that pass links on write %3F for the question mark.
  const [key, query = ""] = location.hash.slice(1).replace(/%3f/i, "?").split(/\?(.*)/s);
  return { key, params: new URLSearchParams(query) };
};
const remember = (key, params) => {
  const kept = Object.entries(params).filter(([, v]) => v !== null && v !== undefined && v !== "");
  const query = new URLSearchParams(kept).toString();
  history.replaceState(null, "", `#${key}${query ? `?${query}` : ""}`);
};
