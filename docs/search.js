// Search in a dialog. The index is a script: browsers run scripts of pages on disk but fetch no data.
(() => {
  "use strict";
  const root = new URL(".", document.currentScript.src);
  const MOST = 12;
  const PER_PAGE = 3;
  const EXCERPT = 180;
  let loaded = null;

  const load = () => {
    loaded ??= new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = new URL("search_index.js", root).href;
      script.onload = () => resolve(window.searchIndex.map(prepared));
      script.onerror = () => reject(new Error("search_index.js is missing"));
      document.head.append(script);
    });
    return loaded;
  };

  const prepared = ([url, title, weight, terms, sections]) => ({
    url,
    title,
    weight,
    synonyms: terms,
    titleText: plain(title),
    terms: plain(terms),
    sections: sections.map(([anchor, heading, text]) => ({
      anchor,
      heading,
      text,
      headingText: plain(heading),
      bodyText: plain(text),
    })),
  });

  const plain = (text) => text.toLowerCase().replace(/[’']/g, "'");
  const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

  // A word of the query matches words that begin with it, and one of a letter or two only itself; a
  // plural also matches the singular.
  const stem = (word) => (word.length > 3 ? word.replace(/(?<!s)s$/, "") : word);
  const end = (word) => (word.length < 3 ? "(?![\\p{L}\\p{N}])" : "");
  const pattern = (word) =>
    new RegExp(`(?<![\\p{L}\\p{N}])${escaped(stem(word))}${end(word)}`, "gu");
  const wordsOf = (query) => plain(query).match(/[\p{L}\p{N}][\p{L}\p{N}._-]*/gu) ?? [];

  const count = (text, expression) => (text.match(expression) ?? []).length;

  const scoreOf = (page, section, first, patterns, phrase) => {
    let score = 0;
    let missing = 0;
    for (const expression of patterns) {
      const times = count(section.bodyText, expression);
      const inHeading = count(section.headingText, expression) > 0;
      const inTitle = count(page.titleText, expression) > 0;
      const inTerms = count(page.terms, expression) > 0;
      if (!times && !inHeading && !(first && (inTitle || inTerms))) missing += 1;
      score += (3 * times) / (times + 2) + (inHeading ? 4 : 0) + (inTitle ? 3 : 0);
      if (first) score += (inTitle ? 4 : 0) + (inTerms ? 9 : 0);
    }
    if (patterns.length > 1) {
      if (count(section.headingText, phrase)) score += 5;
      else if (count(section.bodyText, phrase)) score += 3;
      if (first && count(page.terms, phrase)) score += 6;
    }
    return { score: score * page.weight, missing };
  };

  // Sections that have all words; where none has, those that lack the fewest.
  const find = (pages, query) => {
    const words = wordsOf(query);
    if (!words.length) return [];
    const patterns = words.map(pattern);
    const phrase = pattern(words.join(" "));
    const hits = [];
    for (const page of pages) {
      page.sections.forEach((section, index) => {
        const { score, missing } = scoreOf(page, section, index === 0, patterns, phrase);
        if (score > 0) hits.push({ page, section, score, missing });
      });
    }
    const fewest = Math.min(...hits.map((hit) => hit.missing));
    const shown = new Map();
    return hits
      .filter((hit) => hit.missing === fewest)
      .sort((a, b) => b.score - a.score)
      .filter((hit) => {
        const before = shown.get(hit.page) ?? 0;
        shown.set(hit.page, before + 1);
        return before < PER_PAGE;
      })
      .slice(0, MOST);
  };

  const element = (name, properties = {}, ...children) => {
    const node = document.createElement(name);
    for (const [key, value] of Object.entries(properties)) node.setAttribute(key, value);
    node.append(...children);
    return node;
  };

  // Text with its matches marked; all of it is text, none of it markup.
  const marked = (text, words) => {
    const parts = [];
    const any = words.map((word) => escaped(stem(word)) + end(word)).join("|");
    const found = new RegExp(`(?<![\\p{L}\\p{N}])(?:${any})[\\p{L}\\p{N}]*`, "giu");
    let from = 0;
    for (const match of text.matchAll(found)) {
      parts.push(text.slice(from, match.index), element("mark", {}, match[0]));
      from = match.index + match[0].length;
    }
    return [...parts, text.slice(from)];
  };

  const excerpt = (page, section, words) => {
    const places = words.map((word) => section.bodyText.search(pattern(word))).filter((at) => at >= 0);
    if (!places.length && words.some((word) => pattern(word).test(page.terms))) {
      return `${page.synonyms}: ${section.text.slice(0, EXCERPT)}`;
    }
    const at = places.length ? Math.min(...places) : 0;
    const start = at < 60 ? 0 : section.text.indexOf(" ", at - 60) + 1;
    const cut = section.text.slice(start, start + EXCERPT);
    const end = start + EXCERPT < section.text.length;
    return `${start ? "… " : ""}${end ? `${cut.slice(0, cut.lastIndexOf(" "))} …` : cut}`;
  };

  const resultOf = ({ page, section }, words) => {
    const link = new URL(page.url + (section.anchor ? `#${section.anchor}` : ""), root).href;
    const heading =
      section.heading && section.heading !== page.title ? ` › ${section.heading}` : "";
    return element(
      "li",
      {},
      element(
        "a",
        { href: link },
        element("strong", {}, ...marked(page.title + heading, words)),
        element("span", {}, ...marked(excerpt(page, section, words), words)),
      ),
    );
  };

  const input = element("input", {
    type: "search",
    placeholder: "Search the documentation",
    "aria-label": "Search the documentation",
    autocomplete: "off",
    spellcheck: "false",
  });
  const list = element("ol", {});
  const status = element("p", { role: "status" });
  const close = element("button", { type: "button", "aria-label": "Close the search" }, "Esc");
  const dialog = element(
    "dialog",
    { class: "finder", "aria-label": "Search" },
    element("div", { class: "finder-head" }, input, close),
    status,
    list,
  );
  const opener = element("button", { type: "button", class: "finder-open", title: "Search (press /)" });
  opener.append(element("span", {}, "Search"), element("kbd", {}, "/"));

  let asked = 0;
  const update = async () => {
    const mine = (asked += 1);
    const words = wordsOf(input.value);
    try {
      const pages = await load();
      if (mine !== asked) return;
      const found = find(pages, input.value);
      list.replaceChildren(...found.map((hit) => resultOf(hit, words)));
      status.textContent = !words.length
        ? "Type a word: significance, bootstrap, leakage, …"
        : found.length
          ? `${found.length}${found.length === MOST ? " or more" : ""} results`
          : "Nothing found. Try one word, or its beginning.";
    } catch (error) {
      status.textContent = error.message;
    }
  };

  const move = (step) => {
    const links = [...list.querySelectorAll("a")];
    if (!links.length) return;
    const next = links.indexOf(document.activeElement) + step;
    (next < 0 ? input : links[Math.min(next, links.length - 1)]).focus();
  };

  const open = () => {
    if (dialog.open) return;
    dialog.showModal();
    input.select();
    update();
  };

  opener.addEventListener("click", open);
  close.addEventListener("click", () => dialog.close());
  input.addEventListener("input", update);
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog || event.target.closest("a")) dialog.close();
  });
  dialog.addEventListener("keydown", (event) => {
    event.stopPropagation(); // the theme has keys of its own
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      move(event.key === "ArrowDown" ? 1 : -1);
      event.preventDefault();
    } else if (event.key === "Enter" && document.activeElement === input) {
      list.querySelector("a")?.click();
      event.preventDefault();
    }
  });
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, textarea, select, [contenteditable]");
    const free = !typing && !event.ctrlKey && !event.metaKey && !event.altKey;
    if ((free && event.key === "/") || (event.key === "k" && (event.ctrlKey || event.metaKey))) {
      event.preventDefault();
      open();
    }
  });
  document.querySelector(".md-header__inner").append(opener);
  document.body.append(dialog);
})();
