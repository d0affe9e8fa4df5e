// Decompresses deflated data (RFC 1951) synchronously, without a stream, so that a view can be shown
// as soon as it is opened.

const LENGTHS = [
  3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163,
  195, 227, 258,
];
const LENGTH_BITS = [
  0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
];
const DISTANCES = [
  1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049,
  3073, 4097, 6145, 8193, 12289, 16385, 24577,
];
const DISTANCE_BITS = [
  0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13,
];
const ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
const LONGEST = 15;

// A table from the next bits, first bit lowest, to a symbol and the length of its code; as many bits
// as the longest code has.
const codeTable = (lengths) => {
  const counts = new Uint32Array(LONGEST + 1);
  const first = new Uint32Array(LONGEST + 2);
  for (const length of lengths) if (length) counts[length] += 1;
  const longest = Math.max(1, counts.findLastIndex((count) => count > 0));
  const table = new Uint16Array(1 << longest);
  for (let length = 1; length <= LONGEST; length += 1)
    first[length + 1] = (first[length] + counts[length]) << 1;
  lengths.forEach((length, symbol) => {
    if (!length) return;
    let code = first[length];
    first[length] += 1;
    let reversed = 0;
    for (let bit = 0; bit < length; bit += 1) {
      reversed = (reversed << 1) | (code & 1);
      code >>= 1;
    }
    for (let at = reversed; at < table.length; at += 1 << length)
      table[at] = (symbol << 4) | length;
  });
  return table;
};

const damaged = () => new Error("the data of this page are damaged");

const fixed = () => {
  const lengths = new Uint8Array(288);
  lengths.fill(8, 0, 144).fill(9, 144, 256).fill(7, 256, 280).fill(8, 280, 288);
  return [codeTable([...lengths]), codeTable(new Array(30).fill(5))];
};

// Unpack bytes whose unpacked size is known.
export const inflated = (input, size) => {
  const output = new Uint8Array(size);
  let written = 0;
  let at = 0;
  let held = 0;
  let count = 0;
  const need = (bits) => {
    while (count < bits) {
      held |= (input[at] ?? 0) << count;
      at += 1;
      count += 8;
    }
    if (at > input.length + 8) throw damaged();
  };
  const take = (bits) => {
    if (!bits) return 0;
    need(bits);
    const value = held & ((1 << bits) - 1);
    held >>>= bits;
    count -= bits;
    return value;
  };
  const symbol = (table) => {
    need(LONGEST);
    const entry = table[held & (table.length - 1)];
    const length = entry & 15;
    if (!length) throw damaged();
    held >>>= length;
    count -= length;
    return entry >> 4;
  };
  const dynamic = () => {
    const literals = take(5) + 257;
    const distances = take(5) + 1;
    const codes = take(4) + 4;
    const lengths = new Array(19).fill(0);
    for (let i = 0; i < codes; i += 1) lengths[ORDER[i]] = take(3);
    const table = codeTable(lengths);
    const all = [];
    while (all.length < literals + distances) {
      const one = symbol(table);
      if (one < 16) all.push(one);
      else {
        const repeats = one === 16 ? 3 + take(2) : one === 17 ? 3 + take(3) : 11 + take(7);
        const value = one === 16 ? all.at(-1) : 0;
        for (let i = 0; i < repeats; i += 1) all.push(value);
      }
    }
    return [codeTable(all.slice(0, literals)), codeTable(all.slice(literals))];
  };
  const stored = () => {
    take(count & 7);
    const length = take(8) | (take(8) << 8);
    take(16); // its complement
    for (let i = 0; i < length; i += 1, written += 1) output[written] = take(8);
  };
  // Most of the time is spent in this loop, so its state is in local variables.
  const block = ([literals, distances]) => {
    const wide = literals.length - 1;
    const far = distances.length - 1;
    let [i, bits, kept, to] = [at, count, held, written];
    for (;;) {
      while (bits < LONGEST) {
        kept |= input[i] << bits; // past the end this adds nothing
        i += 1;
        bits += 8;
      }
      let entry = literals[kept & wide];
      let length = entry & 15;
      if (!length || to > size || i > input.length + 8) throw damaged();
      kept >>>= length;
      bits -= length;
      const one = entry >> 4;
      if (one < 256) {
        output[to] = one;
        to += 1;
        continue;
      }
      if (one === 256) break;
      [at, count, held] = [i, bits, kept];
      length = LENGTHS[one - 257] + take(LENGTH_BITS[one - 257]);
      need(LONGEST);
      entry = distances[held & far];
      if (!(entry & 15)) throw damaged();
      held >>>= entry & 15;
      count -= entry & 15;
      const from = to - DISTANCES[entry >> 4] - take(DISTANCE_BITS[entry >> 4]);
      for (let k = 0; k < length; k += 1) output[to + k] = output[from + k];
      to += length;
      [i, bits, kept] = [at, count, held];
    }
    [at, count, held, written] = [i, bits, kept, to];
  };
  for (let last = 0; !last; ) {
    last = take(1);
    const kind = take(2);
    if (kind === 0) stored();
    else block(kind === 1 ? fixed() : dynamic());
  }
  return output;
};

// The text in a data block: as it is, or "size:base64" of deflated UTF-8.
export const blockText = (text) => {
  const match = /^(\d+):/.exec(text);
  if (!match) return text;
  const packed = atob(text.slice(match[0].length));
  const bytes = new Uint8Array(packed.length);
  for (let i = 0; i < packed.length; i += 1) bytes[i] = packed.charCodeAt(i);
  return new TextDecoder().decode(inflated(bytes, Number(match[1])));
};
