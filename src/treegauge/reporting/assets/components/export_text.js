// Tables as text: CSV for spreadsheets, LaTeX for papers, Markdown for issues and wikis.

import { short } from "../shell/format.js";

const isEmpty = (value) => value === null || value === undefined || Number.isNaN(value);

// A text that a spreadsheet would run as a formula gets an apostrophe; numbers stay numbers.
export const csvCell = (value) => {
  if (isEmpty(value)) return "";
  const text = String(value);
  const safe = typeof value !== "number" && /^\s*[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\n\r;]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

export const csvText = ({ columns, rows }) =>
  [columns, ...rows].map((row) => row.map(csvCell).join(",")).join("\r\n") + "\r\n";

const LATEX = {
  "\\": "\\textbackslash{}",
  "{": "\\{",
  "}": "\\}",
  $: "\\$",
  "&": "\\&",
  "#": "\\#",
  "%": "\\%",
  _: "\\_",
  "^": "\\textasciicircum{}",
  "~": "\\textasciitilde{}",
  "<": "\\textless{}",
  ">": "\\textgreater{}",
  "−": "$-$",
  "±": "$\\pm$",
  "≈": "$\\approx$",
  "≤": "$\\leq$",
  "≥": "$\\geq$",
  "→": "$\\rightarrow$",
  "←": "$\\leftarrow$",
  "–": "--",
  "·": "$\\cdot$",
};

export const latexCell = (value) => {
  if (isEmpty(value)) return "";
  const text = typeof value === "number" ? short(value) : String(value);
  return text.replace(/[\\{}$&#%_^~<>−±≈≤≥→←–·]/g, (c) => LATEX[c]).replace(/\s+/g, " ");
};

const numeric = (rows, i) => {
  const held = rows.map((row) => row[i]).filter((v) => !isEmpty(v) && v !== "" && v !== "–");
  return held.length > 0 && held.every((v) => typeof v === "number" || /^[<+−-]?\s?[\d.,]/.test(v));
};

// A booktabs table; numbers are right-aligned.
export const latexText = ({ columns, rows }, title) => {
  const line = (row) => `${row.map(latexCell).join(" & ")} \\\\`;
  const shape = columns.map((_, i) => (numeric(rows, i) ? "r" : "l")).join("");
  return [
    "% \\usepackage{booktabs}",
    "\\begin{table}",
    "\\centering",
    `\\caption{${latexCell(title)}}`,
    `\\begin{tabular}{${shape}}`,
    "\\toprule",
    line(columns),
    "\\midrule",
    ...rows.map(line),
    "\\bottomrule",
    "\\end{tabular}",
    "\\end{table}",
    "",
  ].join("\n");
};

// Characters that Markdown or HTML would read as markup are escaped.
const markdownCell = (value) => {
  if (isEmpty(value)) return "";
  const text = typeof value === "number" ? short(value) : String(value);
  return text.replace(/[\\`*_{}[\]<>#|~]/g, "\\$&").replace(/\s+/g, " ");
};

export const markdownText = ({ columns, rows }, title) => {
  const line = (row) => `| ${row.map(markdownCell).join(" | ")} |`;
  const shape = `|${columns.map((_, i) => (numeric(rows, i) ? "---:" : "---")).join("|")}|`;
  return [`**${markdownCell(title)}**`, "", line(columns), shape, ...rows.map(line), ""].join("\n");
};

// A name for a file: letters and digits of the title.
export const fileName = (title, ending) => {
  const plain = title
    .normalize("NFKD")
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-+|-+$/g, "");
  return `${plain.slice(0, 60).toLowerCase() || "treegauge"}.${ending}`;
};
