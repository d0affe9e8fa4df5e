// Keyboard shortcuts of the page: digits open views, / goes to the filter, Escape closes.

const TYPING = "input:not([type=checkbox]):not([type=range]), select, textarea";

export const listen = ({ page, views, close, root }) => {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") {
      close();
      return;
    }
    if (event.target.closest(TYPING) || page.drawer.isOpen) return;
    const view = views[Number(event.key) - 1];
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
