// The data-size equivalent of a score: the size at which a learning curve reaches it.

// Where a curve falls, the points around the fall are replaced by their mean.
const levelled = (curve) => {
  const blocks = [];
  for (const value of curve) {
    blocks.push([value, 1]);
    while (blocks.length > 1 && blocks.at(-2)[0] > blocks.at(-1)[0]) {
      const [b, m] = blocks.pop(),
        [a, n] = blocks.pop();
      blocks.push([(a * n + b * m) / (n + m), n + m]);
    }
  }
  return blocks.flatMap(([value, n]) => new Array(n).fill(value));
};
export const sentencesFor = (sizes, curve, score) => {
  const rising = levelled(curve),
    last = rising.length - 1;
  if (score < rising[0] - 1e-9) return 0;
  const at = rising.findIndex((v) => v >= score - 1e-9);
  if (at < 0) return Infinity;
  if (at === 0) return sizes[0];
  const low = rising[at - 1],
    high = rising[Math.min(at, last)],
    part = high > low ? Math.min((score - low) / (high - low), 1) : 1;
  return Math.exp(Math.log(sizes[at - 1]) + part * (Math.log(sizes[at]) - Math.log(sizes[at - 1])));
};
