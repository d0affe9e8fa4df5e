"""``treegauge demo``: the main jobs on packaged and invented data, ending with a page to open."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from treegauge.report.page import Section

_QUALITY = {"careful": 0.92, "average": 0.88, "hasty": 0.86}


def demo(
    out: Annotated[Path, typer.Option(help="Folder for the files and the page.")] = Path("demo"),
    seed: Annotated[int, typer.Option(help="Seed of the invented treebank and parsers.")] = 1,
) -> None:
    """Score three imaginary parsers, rank the CoNLL 2018 systems, and write a page."""
    from treegauge.files import atomic
    from treegauge.report.page import page

    out.mkdir(parents=True, exist_ok=True)
    _say("inventing a treebank and three parsers (first use compiles kernels, about 20 s)")
    gold, systems = _invent(out, seed)
    sections = [*_scores(gold, systems), _ranking()]
    target = out / "index.html"
    introduction = (
        "Three imaginary parsers on an invented treebank, and the CoNLL 2018 shared task. Every "
        "number carries its signature; the command below each section makes it again."
    )
    with atomic(target) as file:
        file.write(page("treegauge demo", introduction, sections).encode())
    _say(f"done: open {target.resolve()}")


def _say(text: str) -> None:
    typer.echo(text)


def _invent(out: Path, seed: int) -> tuple[Path, dict[str, Path]]:
    from treegauge.treebank.conllu import parse_conllu, write_conllu
    from treegauge.treebank.imaginary import Accuracy, imaginary_parser
    from treegauge.treebank.synthetic import synthetic

    gold = synthetic(600, seed=seed)
    gold_file = out / "gold.conllu"
    write_conllu(gold, gold_file)
    text, systems = gold.to_bytes().decode(), {}
    for number, (name, quality) in enumerate(_QUALITY.items()):
        parsed = imaginary_parser(text, Accuracy(heads=quality), seed=seed + number)
        systems[name] = out / f"{name}.conllu"
        write_conllu(parse_conllu(parsed, name=name), systems[name])
    return gold_file, systems


def _scores(gold: Path, systems: dict[str, Path]) -> "list[Section]":
    from treegauge.report.page import Section
    from treegauge.score.align import align
    from treegauge.score.breakdown import breakdown
    from treegauge.score.comparing import compare
    from treegauge.score.scoring import evaluate
    from treegauge.treebank.conllu import read_conllu
    from treegauge.treebank.draw import compare_svg

    _say("scoring them, with intervals and paired tests")
    scores = evaluate(gold, systems)
    comparisons = compare(scores)
    print(scores, comparisons, sep="\n\n")
    worst = list(systems)[-1]
    alignment = align(read_conllu(gold), read_conllu(systems[worst]))
    cells = breakdown(alignment, by="relation")
    place = cells.errors(cells.table["class"][0], limit=1)[0]
    one, two = (side.treebank[place.sentence] for side in (alignment.gold, alignment.system))
    tree = compare_svg(one.form, one.head.tolist(), one.deprel, two.head.tolist(), two.deprel)
    files = " ".join(path.name for path in systems.values())
    return [
        Section(
            "Scores",
            "All metrics of the CoNLL 2018 script with 95 % intervals over sentences, then every "
            "pair of parsers by a paired permutation test, adjusted by Holm.",
            [scores, comparisons],
            f"treegauge score gold.conllu {files}",
        ),
        Section(
            "Where a parser fails",
            f"LAS of the parser '{worst}' by relation; below, a sentence behind the first row: "
            "gold arcs above, the parser's wrong ones below.",
            [cells, tree],
            f"treegauge score gold.conllu {worst}.conllu --by relation --examples "
            f"{cells.table['class'][0]}",
        ),
    ]


def _ranking() -> "Section":
    from treegauge.ranking.exact import exact
    from treegauge.ranking.scores import read_scores
    from treegauge.ranking.stability import stability
    from treegauge.report.page import Section

    _say("ranking the CoNLL 2018 systems over subsets of ten treebanks: a million, then all")
    table = read_scores("conll18", metric="las")
    sampled, counted = stability(table, size=10, seed=0), exact(table, size=10)
    print(sampled)
    return Section(
        "Would the ranking survive other treebanks?",
        "26 systems by LAS over a million random subsets of 10 of the 82 treebanks, and the same "
        "counted exactly over all 2,139,280,241,670 of them.",
        [sampled, counted],
        "treegauge rank conll18 --metric las --size 10 --samples 1000000 --seed 0",
    )
