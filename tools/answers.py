"""How well answers of language models are read, measured on real treebanks where the truth is known.

``python -m tools.answers`` writes the trees of test sets in every format of :data:`FORMATS`, perfect and with a
tenth of the heads changed, and compares the counts with official ones of the same trees. Then it damages
sentences in every way of :data:`DAMAGES`, and counts how many sentences are named for the damage. The test sets
of :data:`RELEASES` are scored apart for what is fresh since an older release, and compared with ``diff``.
"""

import json
import sys
import tempfile
import unicodedata
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import treegauge as tg
from treegauge.scoring.evaluation import evaluate
from treegauge.scoring.failures import CHANGED, KINDS, MISALIGNED, MISSING, NO_TREE, UNKNOWN, UNREADABLE
from treegauge.scoring.settings import ScoreOptions
from treegauge.scoring.subsets import OLD
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.data.conllu import TOLERABLE
from treegauge.treebanks.sources.files import split_of
from treegauge.treebanks.sources.resolver import find

COLUMNS = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
FIVE = ("id", "form", "upos", "head", "deprel")


class Line(NamedTuple):
    """A line of CoNLL-U by column."""

    id: str
    form: str
    lemma: str
    upos: str
    xpos: str
    feats: str
    head: str
    deprel: str
    deps: str
    misc: str


Sentence = list[Line]


def sentences_of(treebank: Treebank) -> list[Sentence]:
    """Return the lines of every sentence, without comments and empty nodes."""
    found = []
    for part in treebank.to_bytes().decode().split("\n\n"):
        lines = [Line(*line.split("\t")) for line in part.split("\n") if line and line[0] != "#"]
        if lines:
            found.append([line for line in lines if "." not in line.id])
    return found


def words_of(sentence: Sentence) -> Sentence:
    """Return the lines that are words."""
    return [line for line in sentence if "-" not in line.id]


def _table(sentence: Sentence, names: tuple[str, ...], separator: str = "\t") -> str:
    return "\n".join(separator.join(getattr(line, name) for name in names) for line in sentence)


def _markdown(sentence: Sentence, names: tuple[str, ...], *, header: bool = True) -> str:
    rows = [" | ".join(getattr(line, name).replace("|", "\\|") for name in names) for line in sentence]
    head = [" | ".join(name.upper() for name in names), "|".join(["---"] * len(names))] if header else []
    return "\n".join(f"| {row} |" for row in [*head, *rows])


def _objects(sentence: Sentence, **names: str) -> list[dict[str, Any]]:
    return [{key: getattr(line, name) for key, name in names.items()} for line in sentence]


def _numbered(sentence: Sentence) -> list[dict[str, Any]]:
    return [
        {"id": int(line.id) if line.id.isdigit() else line.id, "form": line.form, "upos": line.upos,
         "head": int(line.head) if line.head.isdigit() else None, "deprel": line.deprel}
        for line in sentence
    ]  # fmt: skip


def _each(write: Callable[[Sentence], str], *, gap: str = "\n\n") -> Callable[[list[Sentence]], str]:
    return lambda sentences: gap.join(map(write, sentences)) + "\n"


def _from_zero(sentence: Sentence) -> str:
    def down(number: str) -> str:
        return "-".join(str(int(part) - 1) for part in number.split("-")) if number != "_" else "_"

    return "\n".join("\t".join((down(l.id), l.form, l.upos, down(l.head), l.deprel)) for l in sentence)  # noqa: E741


def _word_numbers(sentence: Sentence) -> str:
    forms = {line.id: line.form for line in sentence}
    return "\n".join(
        "\t".join(
            (
                line.id,
                line.form,
                f"{forms.get(line.head, 'ROOT')}-{line.head}" if line.head != "_" else "_",
                line.deprel,
            )
        )
        for line in sentence
    )


def _arcs(sentence: Sentence) -> str:
    words = words_of(sentence)
    forms = {line.id: line.form for line in words}
    return "\n".join(f"{w.deprel}({forms.get(w.head, 'ROOT')}-{w.head}, {w.form}-{w.id})" for w in words)


def _capitals(sentence: Sentence) -> str:
    return "\n".join("\t".join((w.id, w.form, "ROOT" if w.head == "0" else w.head, w.deprel.upper())) for w in sentence)


def _comma(sentence: Sentence) -> str:
    rows = [[f'"{cell.replace(chr(34), chr(34) * 2)}"' if set(cell) & {",", '"'} else cell for cell in
             (w.id, w.form, w.upos, w.head, w.deprel)] for w in sentence]  # fmt: skip
    return "\n".join(map(",".join, [["ID", "FORM", "UPOS", "HEAD", "DEPREL"], *rows]))


def _chat(text: str) -> str:
    return f"Sure! Here is the dependency parse, as you asked:\n\n```conllu\n{text}```\n\nLet me know if 2 more help.\n"


FORMATS: dict[str, Callable[[list[Sentence]], str]] = {
    "CoNLL-U in a fence, with chat": lambda s: _chat(_each(lambda one: _table(one, COLUMNS))(s)),
    "a heading and a fence per sentence": lambda s: "Here you go.\n\n" + "\n\n".join(
        f"### Sentence {n}\n\n```\n{_table(one, COLUMNS)}\n```" for n, one in enumerate(s, 1)),
    "eight columns": _each(lambda one: _table(one, COLUMNS[:8])),
    "five columns": _each(lambda one: _table(one, FIVE)),
    "five columns with header": lambda s: "\t".join(FIVE).upper() + "\n" + _each(lambda one: _table(one, FIVE))(s),
    "four columns": _each(lambda one: _table(one, ("id", "form", "head", "deprel"))),
    "three columns without IDs": _each(lambda one: _table(words_of(one), ("form", "head", "deprel"))),
    "no blank lines": _each(lambda one: _table(one, FIVE), gap="\n"),
    "Markdown tables": _each(lambda one: _markdown(one, FIVE)),
    "Markdown of ten columns": _each(lambda one: _markdown(one, COLUMNS)),
    "Markdown without header": _each(lambda one: _markdown(one, FIVE, header=False)),
    "JSON list of lists": lambda s: json.dumps([_numbered(one) for one in s], ensure_ascii=False, indent=1),
    "JSON objects in a fence": lambda s: "The trees:\n```json\n" + json.dumps({"sentences": [
        {"sent_id": n, "tokens": _objects(one, ID="id", token="form", pos="upos", governor="head", relation="deprel")}
        for n, one in enumerate(s, 1)]}) + "\n```\nDone.",
    "JSON lines": lambda s: "\n".join(json.dumps({"words": _numbered(one)}) for one in s),
    "JSON lines of words": lambda s: "\n\n".join("\n".join(map(json.dumps, _numbered(one))) for one in s),
    "JSON of parallel lists": lambda s: json.dumps([
        {"words": [w.form for w in words_of(one)], "heads": [int(w.head) for w in words_of(one)],
         "relations": [w.deprel for w in words_of(one)]} for one in s]),
    "JSON of texts": lambda s: json.dumps([{"text": "x", "parse": _table(one, COLUMNS)} for one in s]),
    "JSON rows": lambda s: json.dumps([[list(row) for row in ((w.id, w.form, w.upos, w.head, w.deprel) for w in one)]
                                       for one in s]),
    "spaces for tabs": _each(lambda one: _table(one, FIVE, " ")),
    "ten columns with spaces": _each(lambda one: _table(one, COLUMNS, "  ")),
    "IDs from 0": _each(_from_zero),
    "heads as word-3": _each(_word_numbers),
    "arcs": _each(_arcs),
    "capitals and ROOT": _each(_capitals),
    "commas": lambda s: "```csv\n" + _each(_comma)(s) + "```",
    "decomposed characters": lambda s: _chat(unicodedata.normalize("NFD", _each(lambda one: _table(one, FIVE))(s))),
    "reordered": lambda s: _each(lambda one: _table(one, FIVE))([*s[1::2], *s[::2]]),
    "doubled": lambda s: _each(lambda one: _table(one, FIVE))([*s, *s[: len(s) // 10]]),
}  # fmt: skip
"""Ways to write trees, by name."""


def with_changed_heads(treebank: Treebank, share: float, seed: int) -> Treebank:
    """Return the treebank with other heads for a share of the words; every sentence is still a tree."""
    random = Random(seed)
    heads = treebank.head.copy()
    for start, stop in zip(treebank.offsets[:-1].tolist(), treebank.offsets[1:].tolist(), strict=True):
        size = stop - start
        own = heads[start:stop]
        leaves = [i for i in range(size) if i + 1 not in own and own[i]]
        for i in random.sample(leaves, min(len(leaves), round(share * size))):
            if others := [h for h in range(1, size + 1) if h not in (i + 1, own[i]) and h - 1 not in leaves]:
                own[i] = random.choice(others)
    return treebank.with_columns({"head": heads})


TREEBANKS = (
    "UD_Greek-GDT@2.9",
    "UD_French-Sequoia@2.9",
    "UD_Vietnamese-VTB@2.9",
    "UD_Korean-GSD@2.9",
    "UD_Gothic-PROIEL@2.6",
)
"""With and without multiword tokens, spaces in words, and long sentences."""
METRICS = ("Tokens", "Words", "UAS", "LAS", "CLAS")
SHARE = 0.2


def answered(gold: Treebank, text: str, ending: str = ".txt") -> Any:
    """Return the score of an answer, read loosely."""
    with tempfile.TemporaryDirectory() as home:
        path = Path(home) / f"answer{ending}"
        path.write_text(text, encoding="utf-8")
        return evaluate(gold, {"model": path}, ScoreOptions(align="loose", resamples=0))["model"]


def _counts(score: Any) -> list[tuple[int, ...]]:
    return [(m.correct, m.gold, m.system) for m in (score[name] for name in METRICS)]


def formats(gold: Treebank, seed: int) -> dict[str, bool]:
    """Return for each format whether the counts of perfect and of changed trees are the official ones."""
    both = (gold, with_changed_heads(gold, 0.1, seed))
    official = [_counts(evaluate(gold, {"model": trees}, ScoreOptions(resamples=0))["model"]) for trees in both]
    lines = [sentences_of(trees) for trees in both]
    return {name: [_counts(answered(gold, write(one))) for one in lines] == official for name, write in FORMATS.items()}


def _lines(sentence: Sentence) -> list[list[str]]:
    return [[getattr(line, name) for name in FIVE] for line in sentence]


def _rows(rows: list[list[str]]) -> str:
    return "\n".join("\t".join(row) for row in rows)


def _unreadable(sentence: Sentence, random: Random) -> str:
    kept = random.choice((1, 2))
    return "\n".join("\t".join([row[1], *["?"] * kept]) for row in _lines(sentence))


def _changed(sentence: Sentence, random: Random) -> str:
    rows = _lines(sentence)
    words = [row for row in rows if row[0].isdigit()]
    row = random.choice(words)
    row[1] = row[1] + random.choice("qxzw") if random.random() < 0.5 else "q" + row[1][1:] + "x"
    return _rows(rows)


def _misaligned(sentence: Sentence, random: Random) -> str | None:
    rows = _lines(sentence)
    places = [i for i, row in enumerate(rows) if len(row[1]) > 3 and row[0].isdigit()]
    if not places or any("-" in row[0] for row in rows):
        return None
    at = random.choice(places)
    cut = random.randrange(1, len(rows[at][1]))
    own = int(rows[at][0])
    for row in rows:
        row[3] = str(int(row[3]) + (int(row[3]) > own))
    new = [str(own + 1), rows[at][1][cut:], rows[at][2], str(own), "flat"]
    rows[at][1] = rows[at][1][:cut]
    for row in rows[at + 1 :]:
        row[0] = str(int(row[0]) + 1)
    return _rows([*rows[: at + 1], new, *rows[at + 1 :]])


def _unknown(sentence: Sentence, random: Random) -> str:
    rows = _lines(sentence)
    random.choice([row for row in rows if row[0].isdigit()])[4] = random.choice(("subject", "dobj", "adv", "prep"))
    return _rows(rows)


def _no_tree(sentence: Sentence, random: Random) -> str | None:
    rows = _lines(sentence)
    words = [row for row in rows if row[0].isdigit()]
    if len(words) < 3:
        return None
    kind, row = random.randrange(3), random.choice([row for row in words if row[3] != "0"])
    if kind == 0:
        row[3] = str(len(words) + random.randrange(1, 30))
    elif kind == 1:
        row[3] = "0"
    else:
        other = next(one for one in words if one[0] == row[3])
        other[3] = row[0]
    return _rows(rows)


DAMAGES: dict[str, Callable[[Sentence, Random], str | None]] = {
    UNREADABLE: _unreadable, MISSING: lambda *_: "", CHANGED: _changed, MISALIGNED: _misaligned,
    UNKNOWN: _unknown, NO_TREE: _no_tree,
}  # fmt: skip
"""Ways to damage a sentence by the kind of failure; none where it cannot be damaged so."""


def damages(gold: Treebank, seed: int, only: str = "") -> dict[str, tuple[int, int, int, int, float | None]]:
    """Damage a fifth of the sentences in each way, or in one.

    Returns how many were and how many of them are named for it, how many whole sentences there are and
    how many of them are named for anything, and the repaired score.
    """
    from treegauge.scoring.failures import failure_rows

    sentences = sentences_of(gold)
    found = {}
    for kind, damage in DAMAGES.items():
        if only not in ("", kind):
            continue
        random = Random(f"{seed} {kind}")
        parts, hit = [], []
        for sentence in sentences:
            text = damage(sentence, random) if random.random() < SHARE else None
            hit.append(text is not None)
            parts.append(_rows(_lines(sentence)) if text is None else text)
        score = answered(gold, _chat("\n\n".join(filter(None, parts)) + "\n"))
        (failures,) = score.failures
        named = [bool(one) for one in failures.sentences[kind]]
        anything = [any(failures.sentences[one][i] for one in KINDS) for i in range(len(hit))]
        repaired = next(row["LAS_repaired"] for row in failure_rows([failures]) if row["part"] == kind)
        whole = [any_ for any_, was in zip(anything, hit, strict=True) if not was]
        right = sum(name and was for name, was in zip(named, hit, strict=True))
        found[kind] = (sum(hit), right, len(whole), sum(whole), repaired)
    return found


RELEASES = (
    ("UD_Welsh-CCG", "2.6", "2.9"),
    ("UD_Estonian-EWT", "2.5", "2.6"),
    ("UD_Scottish_Gaelic-ARCOSG", "2.5", "2.6"),
)
"""Treebanks whose test sets changed between two releases."""


def fresh_halves(name: str, old: str, new: str) -> tuple[dict[str, int], bool]:
    """Score a test set apart for what is fresh since an older release.

    Returns the kinds of sentences, and whether they are those of ``diff`` and the scores those of the halves.
    """
    (path,) = (path for path in find(f"{name}@{new}") if split_of(path) == "test")
    gold = tg.read_conllu(path, allow=TOLERABLE)
    system = with_changed_heads(gold, 0.1, seed=3)
    scores = tg.score(path, {"model": system}, fresh=f"r{old}", allow=TOLERABLE)
    (row,) = scores.attached["fresh"].rows
    ((_, kinds),) = scores.attached["fresh"].kinds.items()
    rows = {one["sentences"]: one["new"] for one in tg.diff(f"{name}@{old}", path).attached["sentences"].rows}
    same = kinds == {kind: rows[kind] for kind in kinds}
    same &= row["old_sentences"] == sum(rows.get(kind, 0) for kind in OLD)
    same &= row["fresh_sentences"] == rows["all"] - row["old_sentences"]
    return kinds, same


def main() -> int:
    """Measure formats and damages on real test sets; fail where a promise does not hold."""
    failed = False
    for name, old, new in RELEASES:
        kinds, same = fresh_halves(name, old, new)
        print(f"{name} {old} to {new}: {kinds}, {'as diff says' if same else 'NOT as diff says'}", flush=True)
        failed |= not same
    totals: dict[str, list[int]] = {kind: [0, 0, 0, 0] for kind in DAMAGES}
    for treebank in TREEBANKS:
        gold = tg.read_conllu(treebank, split="test")[:300]
        equal = formats(gold, seed=1)
        print(f"{treebank}: {sum(equal.values())} of {len(equal)} formats have the official counts", flush=True)
        for name in (name for name, fine in equal.items() if not fine):
            print(f"  not: {name}")
        failed |= sum(equal.values()) < 16
        for kind, (*counts, repaired) in damages(gold, seed=2).items():
            totals[kind] = [a + b for a, b in zip(totals[kind], counts, strict=True)]
            hit, right, whole, false = counts
            print(f"  {kind}: named for {right} of {hit}; of whole ones {false} of {whole}; repaired {repaired}")
    for kind, (hit, right, whole, false) in totals.items():
        print(f"{kind}: {100 * right / hit:.1f} % of {hit} named, false alarms {100 * false / whole:.2f} % of {whole}")
        failed |= right < 0.95 * hit or false > 0.01 * whole
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
