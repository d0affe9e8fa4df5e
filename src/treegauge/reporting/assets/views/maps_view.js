// The picture of a data map: points on a canvas, with axes and a frame drawn with the pointer.

import { plane } from "../components/chart.js";
import { fill, html } from "../shell/dom.js";
import { clamp } from "../shell/format.js";

export const MAP = { x0: 0, x1: 0.5, y0: 0, y1: 1 }; // as far as confidence and variability can go
export const REGION_COLOURS = ["--c2", "--c5", "--c3", "--c0"]; // easy, hard, ambiguous, other
export const rounded = (v) => Math.round(v * 1e4) / 1e4;

const NEAR = 12; // pixels from the pointer to a word: targets are 24 pixels wide
const RARE = [[20, 6], [200, 4], [2000, 1]]; // regions of few words have larger dots, in pixels

// The side of the dots of each region: larger where there are few.
const sidesOf = (region, keep) => {
  const counts = REGION_COLOURS.map(() => 0);
  for (let i = 0; i < region.length; i += 1) if (keep(i)) counts[region[i]] += 1;
  const base = region.length < 20000 ? 3 : 2;
  const sides = counts.map((n) => base + (RARE.find(([most]) => n <= most)?.[1] ?? 0));
  return { counts, sides };
};

// `points()` gives {layer, keep(i), steps}; `onmove` and `onend` get a new frame or null, `onpoint`
// the word under the pointer or null.
export const mapView = (points, onmove, onend, onpoint) => {
  const canvas = html("canvas", {
    role: "img",
    "aria-label": "Data map: variability to the right, confidence upwards",
  });
  const frame = html("div", { class: "brush", hidden: true });
  const axes = html("div");
  const holder = html("div", { class: "map" }, canvas, axes, frame);
  const pad = { left: 46, right: 12, top: 10, bottom: 40 };
  let size = { width: 0, height: 0 };
  let reach = MAP.x1; // how far to the right the picture goes
  let box = null;
  let sides = REGION_COLOURS.map(() => 3); // of the dots, by region
  const wide = () => size.width - pad.left - pad.right;
  const tall = () => size.height - pad.top - pad.bottom;
  const toX = (v) => pad.left + (Math.min(v, reach) / reach) * wide();
  const toY = (v) => size.height - pad.bottom - v * tall();
  const fromX = (x) => clamp(((x - pad.left) / wide()) * reach, 0, reach);
  const fromY = (y) => clamp((size.height - pad.bottom - y) / tall(), 0, 1);
  // Colours of the page are written with six digits.
  const rgb = (name) => {
    const text = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
    return [1, 3, 5].map((i) => parseInt(text.slice(i, i + 2), 16));
  };

  const dots = (pixels, w, ratio) => {
    const { layer, keep, steps } = points();
    const colours = REGION_COLOURS.map(rgb);
    const found = sidesOf(layer.region, keep);
    const { counts } = found;
    sides = found.sides;
    const usual = Math.min(...sides);
    // The rarest regions are drawn last, so that no other covers them.
    const order = REGION_COLOURS.map((_, r) => r).sort((a, b) => counts[b] - counts[a]);
    const drawn = order.flatMap((r) => {
      const own = [];
      for (let i = 0; i < layer.region.length; i += 1) if (layer.region[i] === r && keep(i)) own.push(i);
      return own;
    });
    for (const i of drawn) {
      const side = Math.round(sides[layer.region[i]] * ratio);
      const x = Math.round(toX(layer.variability[i] / steps) * ratio - side / 2);
      const y = Math.round(toY(layer.confidence[i] / steps) * ratio - side / 2);
      const c = colours[layer.region[i]];
      for (let dy = 0; dy < side; dy += 1) {
        for (let dx = 0; dx < side; dx += 1) {
          const at = 4 * ((y + dy) * w + x + dx);
          // Points are half transparent, so that crowded places look darker; rare ones are not.
          const faint = sides[layer.region[i]] > usual ? 0 : 1;
          for (let k = 0; k < 3; k += 1) pixels[at + k] += (c[k] - pixels[at + k]) >> faint;
        }
      }
    }
  };
  const paint = () => {
    if (!size.width) return;
    const { layer, steps } = points();
    const most = layer.variability.reduce((a, b) => Math.max(a, b), 0) / steps;
    reach = clamp(Math.ceil(most * 20) / 20, 0.1, MAP.x1);
    const ratio = Math.min(2, window.devicePixelRatio || 1);
    const w = Math.round(size.width * ratio);
    const h = Math.round(size.height * ratio);
    Object.assign(canvas, { width: w, height: h });
    Object.assign(canvas.style, { width: `${size.width}px`, height: `${size.height}px` });
    const pen = canvas.getContext("2d");
    const image = pen.createImageData(w, h);
    const [r, g, b] = rgb("--paper");
    new Uint32Array(image.data.buffer).fill(((255 << 24) | (b << 16) | (g << 8) | r) >>> 0);
    dots(image.data, w, ratio);
    pen.putImageData(image, 0, 0);
    const names = {
      xname: size.width < 520 ? "variability" : "variability: standard deviation of the probability over epochs",
      yname: "confidence: mean probability",
      label: "Axes of the data map",
    };
    fill(
      axes,
      plane({ ...size, ...pad, x: [0, reach], y: [0, 1], ...names }, () => []),
    );
    place(box);
  };
  const place = (now) => {
    box = now;
    frame.hidden = !box;
    if (!box || !size.width) return;
    Object.assign(frame.style, {
      left: `${toX(box.x0)}px`,
      top: `${toY(box.y1)}px`,
      width: `${toX(box.x1) - toX(box.x0)}px`,
      height: `${toY(box.y0) - toY(box.y1)}px`,
    });
  };

  let start = null;
  const spot = (event) => {
    const r = canvas.getBoundingClientRect();
    return [fromX(event.clientX - r.left), fromY(event.clientY - r.top)];
  };
  holder.addEventListener("pointerdown", (event) => {
    start = spot(event);
    holder.setPointerCapture(event.pointerId);
    event.preventDefault();
  });
  const nearest = (event) => {
    const { layer, keep, steps } = points();
    const r = canvas.getBoundingClientRect();
    const [px, py] = [event.clientX - r.left, event.clientY - r.top];
    let [found, least] = [null, NEAR];
    for (let i = 0; i < layer.confidence.length; i += 1) {
      const dx = toX(layer.variability[i] / steps) - px;
      const dy = toY(layer.confidence[i] / steps) - py;
      // From the edge of the dot: larger dots are easier to hit.
      const away = Math.hypot(dx, dy) - sides[layer.region[i]] / 2;
      if (away < least && keep(i)) [found, least] = [i, away];
    }
    return found;
  };
  holder.addEventListener("pointerleave", () => onpoint(null));
  holder.addEventListener("pointermove", (event) => {
    if (!start) {
      onpoint(nearest(event));
      return;
    }
    const [x, y] = spot(event);
    place({
      x0: rounded(Math.min(start[0], x)),
      x1: rounded(Math.max(start[0], x)),
      y0: rounded(Math.min(start[1], y)),
      y1: rounded(Math.max(start[1], y)),
    });
    onmove(box);
  });
  holder.addEventListener("pointerup", (event) => {
    if (!start) return;
    const [x, y] = spot(event);
    const tiny = Math.abs(x - start[0]) < 0.004 && Math.abs(y - start[1]) < 0.008;
    start = null;
    if (tiny) place(null);
    onend(box);
  });
  // A touch that turns out to be a scroll or a pinch selects nothing.
  holder.addEventListener("pointercancel", () => {
    start = null;
    onend(box);
  });
  for (const media of ["(prefers-color-scheme: dark)", "print"])
    matchMedia(media).addEventListener("change", paint);
  new ResizeObserver(() => {
    const width = Math.floor(holder.clientWidth);
    if (width && width !== size.width) {
      size = { width, height: Math.round(clamp(width * 0.6, 280, 480)) };
      paint();
    }
  }).observe(holder);
  return { node: holder, paint, place };
};
