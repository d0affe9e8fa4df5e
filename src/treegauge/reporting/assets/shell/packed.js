// Unpacks numbers, texts and trees from the page's data: base64 of little-endian arrays.

import { range } from "./format.js";

const KINDS = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, f32: Float32Array };

export const unpack = (packed) => {
  if (Array.isArray(packed)) return packed;
  const [[kind, text]] = Object.entries(packed);
  const plain = atob(text);
  const bytes = new Uint8Array(plain.length);
  for (let i = 0; i < plain.length; i += 1) bytes[i] = plain.charCodeAt(i);
  return new KINDS[kind](bytes.buffer);
};

export const column = (packed) => {
  const codes = unpack(packed.codes);
  return { codes, values: packed.values, at: (i) => packed.values[codes[i]] };
};

// The sentences of packed trees; heads are positions from 1, 0 for the root, -1 for none.
export const treebank = (packed) => {
  const offsets = unpack(packed.offsets);
  const head = unpack(packed.head);
  const form = column(packed.form);
  const upos = column(packed.upos);
  const deprel = column(packed.deprel);
  const sentence = (i) => {
    const from = offsets[i];
    const words = range(offsets[i + 1] - from);
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
