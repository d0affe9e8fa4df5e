// How many sentences a score is worth: where it meets a learning curve.

// Wherever a curve falls, the points around the fall share their mean.
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
