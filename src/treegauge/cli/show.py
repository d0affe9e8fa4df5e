"""``treegauge show``: draw trees in the terminal or as SVG."""

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from treegauge.cli.output import Policy

if TYPE_CHECKING:
    from treegauge.treebanks.columns import Treebank
    from treegauge.treebanks.sentence import Sentence


def show(
    file: Annotated[str, typer.Argument(help="A CoNLL-U file; - is stdin.")],
    sentence: Annotated[
        list[str] | None, typer.Option("--sentence", "-s", help="A number from 1, or a sent_id.")
    ] = None,
    system: Annotated[
        str | None, typer.Option(help="A system's output on this file, drawn beside it.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="At most so many sentences.")] = 5,
    svg: Annotated[Path | None, typer.Option(help="Write one drawing to this SVG file.")] = None,
    errors: Annotated[Policy, typer.Option(help="Policy for malformed files.")] = Policy.strict,
) -> None:
    """Draw dependency trees, of one file or of gold and system side by side."""
    from treegauge.results.errors import TreegaugeError
    from treegauge.results.files import atomic
    from treegauge.treebanks.conllu import read_conllu
    from treegauge.treebanks.draw import compare_svg, svg_tree

    gold = read_conllu(file, errors=errors.value)
    other = read_conllu(system, errors=errors.value) if system else None
    if other is not None and gold.lengths.tolist() != other.lengths.tolist():
        raise TreegaugeError(
            f"{file} and {system} are cut into words or sentences differently; drawing them side "
            "by side needs the same words (treegauge score aligns them)"
        )
    numbers = _numbers(gold, sentence, limit)
    if svg is not None:
        if sentence and len(sentence) > 1:
            raise TreegaugeError(f"--svg draws one sentence, found {len(sentence)} to draw")
        one = gold[numbers[0]]
        heads = one.head.tolist()
        if other is None:
            drawing = svg_tree(one.form, heads, one.deprel, upos=one.upos)
        else:
            two = other[numbers[0]]
            drawing = compare_svg(one.form, heads, one.deprel, two.head.tolist(), two.deprel)
        with atomic(svg) as out:
            out.write(drawing.encode())
        typer.echo(f"wrote {svg}", err=True)
        return
    for number in numbers:
        one = gold[number]
        print(f"# {one.id or number + 1}: {one.text}")
        print(_drawn(one))
        if other is not None:
            print("# system")
            print(_drawn(other[number]))
        print()


def _drawn(sentence: "Sentence") -> str:
    """Draw a sentence, cut to the terminal where there is one."""
    from treegauge.treebanks.draw import text_tree

    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    heads = sentence.head.tolist()
    return text_tree(sentence.form, heads, sentence.deprel, upos=sentence.upos, width=width)


def _numbers(treebank: "Treebank", wanted: list[str] | None, limit: int) -> list[int]:
    from treegauge.results.errors import TreegaugeError

    if len(treebank) == 0:
        raise TreegaugeError(f"{treebank.name} has no sentences")
    if not wanted:
        return list(range(min(limit, len(treebank))))
    ids = {name: i for i, name in enumerate(treebank.metadata("sent_id")) if name}
    found = []
    for one in wanted:
        if one in ids:
            found.append(ids[one])
        elif one.isdecimal() and 1 <= int(one) <= len(treebank):
            found.append(int(one) - 1)
        else:
            raise TreegaugeError(
                f"no sentence {one!r} in {treebank.name}: expected a sent_id or a number from 1 "
                f"to {len(treebank)}"
            )
    return found
