"""Candidates for errors where annotators see them: in CoNLL-U, and as drawn trees."""

from collections.abc import Callable
from html import escape
from pathlib import Path

from treegauge.dynamics.candidates import Candidate, Candidates
from treegauge.results.errors import ChoiceError
from treegauge.results.files import atomic
from treegauge.treebanks.columns import Treebank, closed
from treegauge.treebanks.conllu import parse_conllu
from treegauge.treebanks.svg import compare_svg

__all__ = ["WRITERS", "drawn", "marked", "save_candidates"]

_STYLE = (
    ":root{color-scheme:light dark}body{font:16px system-ui,sans-serif;margin:2em auto;"
    "max-width:70em;padding:0 1em}section{margin:2em 0}.tree{overflow-x:auto}"
    "code{overflow-wrap:anywhere}"
)


def _by_sentence(candidates: Candidates) -> dict[int, list[Candidate]]:
    """Group candidates by sentence, the sentence of the most suspicious word first."""
    groups: dict[int, list[Candidate]] = {}
    for one in candidates.found:
        groups.setdefault(one.sentence - 1, []).append(one)
    return groups


def marked(treebank: Treebank, candidates: Candidates, *, only: bool = True) -> Treebank:
    """Return the sentences with candidates, each told in a comment and in MISC.

    A comment ``# suspect = 5 word: head 3 -> 7 (...)`` stands below the others, and MISC of the
    word has ``SuspectHead=7`` or ``SuspectRel=obl``. Heads and relations stay as they are.

    Parameters
    ----------
    treebank
        The treebank that the candidates are of.
    candidates
        What :func:`~treegauge.dynamics.candidates.error_candidates` gave.
    only
        Leave out sentences without candidates.
    """
    misc = treebank["misc"].to_list()
    for one in candidates.found:
        mark = f"Suspect{'Head' if one.of == 'head' else 'Rel'}={one.instead}"
        misc[one.number] = mark if misc[one.number] == "_" else f"{misc[one.number]}|{mark}"
    fresh = treebank.with_columns({"misc": misc})
    groups = _by_sentence(candidates)
    wanted = sorted(groups) if only else range(len(treebank))
    texts = []
    for number in wanted:
        text = fresh[number].conllu
        end = "\r\n" if "\r\n" in text else "\n"
        lines = text.split(end)
        first = next(i for i, line in enumerate(lines) if line and not line.startswith("#"))
        told = [f"# suspect = {one}" for one in groups.get(number, ())]
        texts.append(closed(end.join([*lines[:first], *told, *lines[first:]]).encode()))
    return parse_conllu(b"".join(texts), name=treebank.name, allow=_tolerated(treebank))


def _tolerated(treebank: Treebank) -> list[str]:
    return [problem.kind for problem in treebank.problems if not problem.action]


def drawn(treebank: Treebank, candidates: Candidates) -> str:
    """Return one HTML page: every sentence with its tree above and the alternatives below.

    Nothing is loaded from elsewhere, and every text is escaped.
    """
    parts = []
    for number, group in _by_sentence(candidates).items():
        sentence = treebank[number]
        heads, deprels = sentence.head.tolist(), sentence.deprel
        others, names = list(heads), list(deprels)
        for one in group:
            if one.of == "head":
                others[one.word - 1] = int(one.instead)
            else:
                names[one.word - 1] = one.instead
        tree = compare_svg(sentence.form, heads, deprels, others, names)
        told = "".join(f"<li>{escape(str(one))}</li>" for one in group)
        title = escape(sentence.id or f"sentence {number + 1}")
        parts.append(f'<section><h2>{title}</h2><ul>{told}</ul><div class="tree">{tree}</div>')
        parts.append("</section>")
    name = escape(candidates.treebank)
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{name}</title>'
        f"<style>{_STYLE}</style></head><body><h1>Candidates for errors in {name}</h1>"
        f"<p>The treebank above the words, what the parser prefers below.</p>"
        f"{''.join(parts)}<p><code>{escape(candidates.signature)}</code></p></body></html>\n"
    )


WRITERS: dict[str, Callable[[Treebank, Candidates], bytes]] = {
    ".csv": lambda treebank, candidates: candidates.to_csv().encode(),
    ".conllu": lambda treebank, candidates: marked(treebank, candidates).to_bytes(),
    ".html": lambda treebank, candidates: drawn(treebank, candidates).encode(),
}
"""How candidates are written, by the ending of the file."""


def save_candidates(treebank: Treebank, candidates: Candidates, path: str | Path) -> None:
    """Write candidates to ``.csv``, ``.conllu`` or ``.html``, by the name of the file."""
    ending = Path(path).suffix.lower()
    if ending not in WRITERS:
        raise ChoiceError("kind of file for candidates", ending, WRITERS)
    data = WRITERS[ending](treebank, candidates)
    with atomic(path) as file:
        file.write(data)
