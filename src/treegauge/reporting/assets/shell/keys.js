// Keyboard shortcuts of the page: digits open views, / goes to the filter, Escape closes.

// The key of the view at a place: 1 to 9, 0 for the tenth, then with Shift.
export const keyName = (place) => `${place > 9 ? "Shift+" : ""}${(place + 1) % 10}`;

// The place of the view that a key opens, on every layout of keyboards; null for other keys.
const placeOf = ({ code, key, shiftKey }) => {
  const digit = /^(?:Digit|Numpad)(\d)$/.exec(code)?.[1] ?? (/^\d$/.test(key) ? key : null);
  return digit === null ? null : ((Number(digit) + 9) % 10) + (shiftKey && !/^\d$/.test(key) ? 10 : 0);
};

const TYPING = "input:not([type=checkbox]):not([type=range]), select, textarea";

export const listen = ({ page, views, close, root }) => {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") {
      close();
      return;
    }
    if (event.target.closest(TYPING) || page.drawer.isOpen) return;
    const view = views[placeOf(event)];
    if (view) page.go(view.key);
    if (event.key === "/") {
      const field = root().querySelector("input.filter");
      if (!field) return;
      field.focus();
      event.preventDefault();
    }
  });
};

// Buttons that copy the text of an element; on file:// this needs no permission.
export const copyButtons = () => {
  for (const node of document.querySelectorAll("button[data-copy]")) {
    node.addEventListener("click", () => {
      getSelection().selectAllChildren(document.getElementById(node.dataset.copy));
      node.textContent = document.execCommand("copy") ? "Copied" : "Press Ctrl+C";
    });
  }
};
