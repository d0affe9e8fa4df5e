// Creates elements without parsing markup: text always becomes text nodes.

const real = (children) =>
  children
    .flat(Infinity)
    .filter((c) => c !== null && c !== undefined && c !== false)
    .map((c) => (c instanceof Node ? c : String(c)));

export const fill = (node, ...children) => node.replaceChildren(...real(children));

const maker =
  (create) =>
  (tag, traits = {}, ...children) => {
    const node = create(tag);
    for (const [name, value] of Object.entries(traits)) {
      if (value === null || value === undefined || value === false) continue;
      if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
      else if (name === "style") node.style.cssText = value; // the policy forbids the attribute
      else node.setAttribute(name, value === true ? "" : value);
    }
    node.append(...real(children));
    return node;
  };
export const html = maker((tag) => document.createElement(tag));
export const svg = maker((tag) => document.createElementNS("http://www.w3.org/2000/svg", tag));

export const select = (label, options, value, onchange) => {
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

export const button = (text, onclick, traits = {}) =>
  html("button", { type: "button", onclick, ...traits }, text);

// A frame in which wide content scrolls sideways, also with the keyboard.
export const scrolling = (label, ...children) =>
  html("div", { class: "wide", tabindex: "0", role: "region", "aria-label": label }, children);

// Draws again when the width of its container changes; uses no timer.
export const responsive = (holder, draw) => {
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

export const save = (name, type, content) => {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = html("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  URL.revokeObjectURL(url);
};
