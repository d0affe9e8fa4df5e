"""Check the English of docs, messages, docstrings and comments: `python -m tools.docs.prose`.

Words are those of dependency parsing and statistics as papers use them; a sentence has at most
``LONGEST`` words. Findings are printed as ``file:line: found ..., write ...``.

``python -m tools.docs.prose --sample 200 --seed 1`` prints random sentences to be read by a person.
"""

import argparse
import ast
import io
import random
import re
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
LONGEST = 40
SHORTEST_SAMPLED = 5
_UNITS = (
    "word|sentence|treebank|system|line|file|second|language|class|page|seed|pair|cell|"
    "job|relation|verb|paper|metric|measure|model|table|core|fit|unit|run|size|worker|row|parser"
)
_COUNTED = "bits|words|sentences|rows?|lines?|seconds|points?|values?|runs|cells|cases?|ms|bytes|files"
_AMERICAN = (
    r"\b(neighbor\w*|colors?|behavior\w*|favor\w*|analyz\w+|(normal|optim|recogn|standard|synthes|"
    r"summar|general|maxim|minim|organ|character|initial|visual|penal)iz\w+|tokeniz(e|ed|es|ing)|"
    r"centers?|centered|label(ed|ing)|model(ed|ing)|canceled|catalogs?|gray)\b(?![-=])"
)
_NOT_NO = "longer|more|such|less|later|different|other|larger|better|higher|fewer|nearer|worse"
RULES = {
    r"\b(train|dev|test) parts?\b": "training set, dev set, test set",
    r"\bright (words?|heads?|answers?)\b": "correct",
    r"\bwrong (words?|heads?|arcs?|relations?|tags?|answers?)\b": "incorrect",
    r"\b(is|are|was|be) told (?!apart)": "is given, is asked",
    r"\btells? of\b": "says, reports, gives",
    r"\b(stands?|stood) (in|there|beside|on|at|under)\b": "is in, appears in",
    rf"\b({_COUNTED}) an? ({_UNITS})\b": "per",
    r"\banew\b": "again, from scratch",
    r"\bmend(s|ed|ing)?\b": "repair",
    r"\bdials?\b": "parameter",
    r"\bsamplings\b": "samples",
    r"\bper cent\b": "percent",
    r"\bfor want of\b": "missing",
    r"\bchange places\b": "swap ranks",
    r"\bcould be chance\b": "is not statistically significant",
    r"\bwhole or not at all\b": "written atomically",
    r"\bof no cell\b": "orphaned",
    r"\b(kindly|adversarially)\b": "easy or hard (splits)",
    r"\bgoes on where\b": "resumes where",
    r"\b(is|are) no \w+ but\b": "is Y, not X",
    r"\bas it stands?\b": "as it is",
    r"\bcould have been others?\b": "is random, is a sample",
    r"\bfor having been (chosen|selected)\b": "for selection",
    r"\b(contains?|of) what came\b": "the outcome",
    r"(?-i:\bSay) (whether|which|how)\b": "Whether, Return which",
    r"\bbut for (its|their|the|rounding|ties|a few)\b": "except",
    _AMERICAN: "British spelling (colour, normalise, labelled)",
    r"\bone and the same\b": "the same",
    r"\b(hence|thereof|thereby|wherein|whereby|lest)\b": "so, its, by which",
    r"\bshall\b": "should, must, will",
    r"\bhangs? on\b": "depends on",
    r"\bbeside\b": "next to, with, as well as",
    rf"(?<!there\s)\b(is|are|was|were) no (?!{_NOT_NO}|and)\w+": "is not a",
    r"\btold (?!apart)": "given, said, reported",
    r"\b(goes|go) on\b": "continues",
    r"\bspeaks? (about|of|for|against)\b": "is about, is evidence against",
    r"\bonly ever\b": "only",
    r"\bas many as there\b": "the number of",
}
"""Patterns and what to write instead, in pages and code; a space matches a line break, too."""
PAGE_RULES = {r"\bso many\b": "this number of", r"\b\w+ of (mine|yours|ours|theirs)\b": "my, your, our, their"}
"""The same, in pages only."""


def _compiled(rules: dict[str, str]) -> list[tuple[re.Pattern[str], str]]:
    spaced = {pattern.replace(" ", r"(?: +|\n *)"): advice for pattern, advice in rules.items()}
    return [(re.compile(pattern, re.IGNORECASE), advice) for pattern, advice in spaced.items()]


_PATTERNS = _compiled(RULES)
_PAGE_PATTERNS = _compiled(RULES | PAGE_RULES)
NOT_PROSE = re.compile(
    r"<!-- result:.*?<!-- end -->|```.*?```|`[^`\n]*`|^(?: {4}|\||<).*?$|\$[^$\n]+\$|\]\([^)]*\)",
    re.DOTALL | re.MULTILINE,
)
_SENTENCE_END = re.compile(r"(?<=[.!?:;])[\s)*\"]+|\n\s*\n|\n\s*(?:[-*|#]|\d+\.)[\s-]")


class Passage(NamedTuple):
    """A text and the line of its file where it begins."""

    path: Path
    line: int
    text: str


def passages() -> Iterator[Passage]:
    """Yield all texts that people may read."""
    pages = sorted([*ROOT.glob("*.md"), *ROOT.glob(".github/*.md"), *(ROOT / "docs").rglob("*.md")])
    for path in pages:
        yield Passage(path, 1, NOT_PROSE.sub(blank, path.read_text(encoding="utf-8")))
    for folder in ("src", "studies", "tools"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            if path != Path(__file__).resolve():
                yield from _of_code(path)


def blank(found: re.Match[str]) -> str:
    """Return as many lines without words; code within a sentence counts as one word."""
    if found[0].startswith(("    ", "|", "<", "```")):
        return "\n" * found[0].count("\n")
    return "X"


def _of_code(path: Path) -> Iterator[Passage]:
    source = path.read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            text = re.sub(r"^ *(>>>|\.\.\.).*$", "", node.value, flags=re.MULTILINE)
            yield Passage(path, node.lineno, re.sub(r"`+[^`]*`+", "X", text))
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield Passage(path, token.start[0], token.string)


def findings(passage: Passage) -> Iterator[str]:
    """Yield what is wrong with a text.

    Examples
    --------
    >>> list(findings(Passage(Path("a.md"), 1, "Files of the train part.")))
    ["a.md:1: found 'train part', write: training set, dev set, test set"]
    """
    path = passage.path
    place = path.relative_to(ROOT) if path.is_absolute() else path
    for pattern, advice in _PAGE_PATTERNS if path.suffix == ".md" else _PATTERNS:
        for match in pattern.finditer(passage.text):
            line = passage.line + passage.text.count("\n", 0, match.start())
            found = " ".join(match[0].split())
            yield f"{place}:{line}: found {found!r}, write: {advice}"
    for start, sentence in sentences(passage.text):
        words = re.findall(r"\w+(?:[-'’.]\w+)*", sentence)
        plain = len(re.findall(r"\b[a-z]{2,}\b", sentence)) > len(words) / 2
        if len(words) > LONGEST and plain and sentence.count(",") < len(words) / 6:  # not a list
            line = passage.line + passage.text.count("\n", 0, start + 1)
            yield f"{place}:{line}: {len(words)} words in one sentence: {sentence.strip()[:50]!r}"


def sentences(text: str) -> Iterator[tuple[int, str]]:
    """Yield the sentences of a text, each with its position.

    Examples
    --------
    >>> [sentence.strip() for _, sentence in sentences("One word. Two words.")]
    ['One word.', 'Two words.']
    """
    start = 0
    for end in [*(match.start() for match in _SENTENCE_END.finditer(text)), None]:
        yield start, text[start:end]
        start = end or start


def sample(size: int, seed: int) -> list[str]:
    """Return random sentences of at least five words, each after its file and line."""
    texts = []
    for passage in passages():
        for start, sentence in sentences(passage.text):
            if len(re.findall(r"\b[a-z]{2,}\b", sentence)) >= SHORTEST_SAMPLED:
                space = len(sentence) - len(sentence.lstrip())
                line = passage.line + passage.text.count("\n", 0, start + space)
                place = passage.path.relative_to(ROOT)
                texts.append((str(place), line, " ".join(sentence.split())))
    # A seed draws the same sentences as long as the texts are the same.
    drawn = random.Random(seed).sample(texts, min(size, len(texts)))
    return [f"{place}:{line}: {sentence}" for place, line, sentence in sorted(drawn)]


def main() -> None:
    """Print all findings and end with an error if there are any, or print a sample."""
    parser = argparse.ArgumentParser(description="Check the English of the project.")
    parser.add_argument("--sample", type=int, metavar="N", help="print N random sentences instead")
    parser.add_argument("--seed", type=int, default=1, help="seed of the sample (1)")
    options = parser.parse_args()
    if options.sample:
        print(*sample(options.sample, options.seed), sep="\n")
        return
    problems = [line for passage in passages() for line in findings(passage)]
    if problems:
        print(*problems, sep="\n")
        sys.exit(f"{len(problems)} findings")


if __name__ == "__main__":
    main()
