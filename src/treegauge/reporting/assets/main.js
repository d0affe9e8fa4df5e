// Bring every section to life, follow links, and listen to the keys.

const alive = {};
for (const [key, begin] of Object.entries(sections)) {
  const data = document.getElementById(`data-${key}`),
    root = document.querySelector(`#${key} .live`);
  if (data && root) alive[key] = begin(root, JSON.parse(data.textContent)) || {};
}
const links = [...document.querySelectorAll("nav a")];
const go = (focus) => {
  const { key, params } = here(),
    section = key && document.getElementById(key);
  if (!section) return;
  if (alive[key] && alive[key].apply && [...params].length) alive[key].apply(params);
  section.scrollIntoView();
  if (focus) section.focus({ preventScroll: true });
};
window.addEventListener("hashchange", () => go(true));
const keys = (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape") for (const one of Object.values(alive)) if (one.close) one.close();
  if (event.target.closest("input:not([type=checkbox]):not([type=range]), select, textarea"))
    return;
  const link = links[Number(event.key) - 1];
  if (link) location.hash = link.hash;
  if (event.key === "/") {
    const inside = [...document.querySelectorAll("section")].find((s) =>
      s.contains(document.activeElement),
    );
    const field = (inside || document).querySelector("input.filter");
    if (field) {
      field.focus();
      event.preventDefault();
    }
  }
};
document.addEventListener("keydown", keys);
for (const node of document.querySelectorAll("button[data-copy]")) {
  node.addEventListener("click", () => {
    const chosen = getSelection();
    chosen.selectAllChildren(document.getElementById(node.dataset.copy));
    node.textContent = document.execCommand("copy") ? "Copied" : "Press Ctrl+C";
  });
}
const seen = new IntersectionObserver(
  (entries) => {
    for (const entry of entries)
      if (entry.isIntersecting) {
        for (const link of links) {
          if (link.hash === `#${entry.target.id}`) {
            link.setAttribute("aria-current", "true");
            link.parentNode.scrollLeft = link.offsetLeft - 60; // on a phone not all fit
          } else link.removeAttribute("aria-current");
        }
      }
  },
  { rootMargin: "-30% 0px -60% 0px" },
);
for (const section of document.querySelectorAll("main > section")) seen.observe(section);
document.documentElement.dataset.ready = "yes";
go(false);
