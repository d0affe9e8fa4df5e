"""Transfer: parse a language with parsers trained on treebanks of other languages."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from treegauge.core.errors import TreegaugeError
from treegauge.core.file_kinds import CONLLU, STORE
from treegauge.core.messages import note
from treegauge.core.verbs import Settings, verb
from treegauge.scoring.metrics.convention import Convention, metric_and_convention

if TYPE_CHECKING:
    from treegauge.experiments.cell_store import Store
    from treegauge.learning.contribution import Contributions, Place
    from treegauge.learning.source_panel import Panel
    from treegauge.learning.weights import SourceWeights
    from treegauge.treebanks.data.columns import Treebank
    from treegauge.treebanks.sources.inputs import Input


@dataclass(frozen=True)
class SourceTraining(Settings):
    """Settings of sources: how to weigh them, and how to train on them.

    Attributes
    ----------
    sentences
        Number of target sentences, the first ones, whose tags determine the weights.
    parser
        Parser to train on each source, without words.
    preset
        Start from the options of a publication, such as mstparser.
    option
        Option of the parser, such as epochs=5; repeatable.
    seed
        Seed of the trainings.
    store
        Folder that stores the parses; trainings in it are not repeated. By default none.
    workers
        Number of trainings at a time.
    """

    outputs: ClassVar[Mapping[str, str]] = {"store": STORE}

    sentences: int = 10
    parser: str = "beam"
    preset: str | None = None
    option: Sequence[str] | Mapping[str, Any] = ()
    seed: int = 0
    store: "Store | str | PathLike[str] | None" = None
    workers: int = 1


TRAINING = SourceTraining()


class _World(NamedTuple):
    """The target and its sources."""

    target: "Input"
    parsed: "Treebank"
    looked: "Treebank"
    inputs: "Mapping[str, Input]"
    sources: "Mapping[str, Treebank]"


@verb
def recommend(target: Any, *sources: Any, sentences: int = 10) -> "SourceWeights":
    """Rank sources by the similarity of their tags to the target's (KLcpos3).

    Uses the first sentences of the target's training set; trees are not needed, and nothing is trained.

    Parameters
    ----------
    target
        The target: a treebank folder or name, or a file.
    *sources
        The sources: treebank folders or names (their training sets) or files.
    sentences
        Number of target sentences, the first ones, whose tags determine the weights.
    """
    from treegauge.learning.weights import weigh_sources

    world = _world(target, sources)
    return weigh_sources(world.looked, world.sources, sentences=sentences)


@verb(outputs={"out": CONLLU}, limits={"limit": (1, 10**9)}, subverbs={"recommend": recommend})
def transfer(
    target: Any,
    *sources: Any,
    metric: str = "LAS",
    leave_one_out: bool = False,
    curve: Any = None,
    limit: int | None = None,
    out: str | PathLike[str] | None = None,
    training: SourceTraining = TRAINING,
    convention: str | Convention = "official",
) -> "Contributions":
    """Parse a language with parsers trained on treebanks of other languages.

    Trains a parser on each source that reads tags but no words. Their arcs are votes, weighted by
    the similarity of tag trigrams of source and target (KLcpos3 to the power -4); the tree with the
    largest total wins. It is scored if the target has trees.

    Parameters
    ----------
    target
        The target: a treebank folder or name (its test set is parsed, and tags of its training set
        determine the weights) or a tagged file.
    *sources
        The sources: treebank folders or names (their training sets) or files with trees.
    metric
        The metric of gains and equivalents: LAS, UAS, or a registered metric.
    leave_one_out
        Add the contribution of each source.
    curve
        Counts of the target's learning curve, as ``curve counts`` writes them, to report how many
        annotated sentences transfer is worth.
    limit
        Train on at most this number of sentences of each source, the first ones; by default on all.
    out
        Write the parsed target to this CoNLL-U file; - for standard output.

    Returns
    -------
    Contributions
        The scores (none if the target has no trees), with the weights attached.

    Examples
    --------
    >>> import treegauge as tg
    >>> target, source = tg.synthetic(20, seed=1), tg.synthetic(30, seed=2)
    >>> found = transfer(target, source, parser="mst", option={"epochs": 1})
    >>> found.table.columns[:3]
    ['left_out', 'sources', 'metric']
    """
    from treegauge.core.result import sign
    from treegauge.learning import contribution
    from treegauge.learning.weights import weigh_sources
    from treegauge.scoring.metrics.correct_words import find_word_metric
    from treegauge.scoring.metrics.registry import metric_label
    from treegauge.treebanks.data.conllu import write_conllu

    world = _world(target, sources)
    metric, convention = metric_and_convention(metric, convention)
    kinds, place, classes = None, None, contribution.CLASSES
    if curve is not None:
        label = metric_label(find_word_metric(metric), convention)
        kinds, place, own = _learning_curve(curve, training.parser, world.target.name, label)
        classes = own or classes
    weighed = weigh_sources(world.looked, world.sources, sentences=training.sentences)
    panel = _panel(world, weighed, training, limit)
    parsed = panel.vote()
    treed = bool((world.parsed.head >= 0).all())
    if not treed:
        note(f"{world.target.name} has no trees to score against")
    if out is not None:
        write_conllu(parsed, out)
        if str(out) == "-":
            return None  # type: ignore[return-value]  # nothing else goes to standard output
        note(f"wrote {out}")
    if treed:
        groups = contribution.word_groups(world.parsed, kinds, by=classes, convention=convention)
        result = contribution.contributions(
            panel, world.parsed, groups, leave=None if leave_one_out else {}, place=place,
            metric=metric, convention=convention,
        )  # fmt: skip
    else:
        signature = sign(tb=world.parsed.mark)
        result = contribution.Contributions((), {}, metric, convention, signature)
    result = replace(_signed(result, world, training, limit), parsed=parsed)
    return result.with_attached({"weights": weighed}, featured="" if result.votes else "weights")


def _world(target: Any, sources: Sequence[Any]) -> _World:
    """Read the target and its sources."""
    from treegauge.treebanks.sources.inputs import recognise_treebanks
    from treegauge.treebanks.sources.resolver import read_treebank

    several = recognise_treebanks([target])
    if len(several) != 1:
        raise TreegaugeError(f"{target}: {len(several)} treebanks; expected one target")
    (target_input,) = several
    if target_input.kind == "treebank":
        if "test" not in target_input.splits:
            raise TreegaugeError(f"{target} has no test set to parse; give the file to parse")
        parsed = target_input.read("test")
        looked = target_input.read("train" if "train" in target_input.splits else "test")
    else:
        parsed = looked = target_input.given if target_input.given is not None else read_treebank(
            target_input.path, need_heads=False, name=target_input.name
        )  # fmt: skip
    inputs, read = {}, {}
    for source in recognise_treebanks(sources):
        if source.given is None and source.path.resolve() == target_input.path.resolve():
            if any(Path(str(given)) == source.path for given in sources):
                raise TreegaugeError(f"{source.path} is the target and cannot be a source")
            continue  # a pattern that matches the target, too
        inputs[source.name] = source
        read[source.name] = source.read("train" if source.kind == "treebank" else None)
    return _World(target_input, parsed, looked, inputs, read)


def _panel(world: _World, weighed: "SourceWeights", training: SourceTraining, limit: int | None) -> "Panel":
    """Train on every source and parse the target; the store saves the parses."""
    from treegauge.experiments.grid import cells_of
    from treegauge.experiments.plans import make_setup
    from treegauge.experiments.training import run_cells
    from treegauge.learning.source_panel import Panel, delexicalised
    from treegauge.parsing.options import given_options, preset_options
    from treegauge.parsing.registry import find_parser

    options = given_options(find_parser(training.parser).options, training.option)
    options = dict(preset_options(training.parser, training.preset, options))
    delexicalised(training.parser, **options)  # refuses other parsers before anything is trained
    cells = []
    for name, source in world.inputs.items():
        files = world.target.kind == source.kind == "treebank"
        given: Any = world.target.path if files else {"test": world.parsed, f"{name}/train": world.sources[name]}
        parameters = {"limit": limit or 0, "source": str(source.path.absolute()) if files else name}
        setup = make_setup(
            "transfer", given, training.parser, options=options, parameters=parameters, name=world.target.name
        )
        cells += cells_of(setup, seeds=[training.seed])
    results = run_cells(cells, training.store, workers=training.workers, what="sources")
    parses = tuple(
        world.parsed.with_columns({name: one.words[name] for name in ("head", "deprel")})
        for one in results
        if one.words is not None
    )
    return Panel(tuple(world.inputs), parses, tuple(weighed.weights[n] for n in world.inputs))


def _signed(result: "Contributions", world: _World, training: SourceTraining, limit: int | None) -> "Contributions":
    """Return a signature with the sources and the training settings added."""
    from treegauge.core.result import countersign
    from treegauge.learning.weights import source_marks

    option = training.option
    if isinstance(option, Mapping):
        option = [f"{name}={json.dumps(value)}" for name, value in option.items()]
    signature = countersign(
        result.signature, sources=source_marks(world.sources), parser=training.parser,
        preset=training.preset, options="+".join(option) or None,
        train=f"first{limit}" if limit else "all", seed=training.seed, trees="voted",
    )  # fmt: skip
    return replace(result, signature=signature)


def _learning_curve(source: Any, parser: str, treebank: str, label: str) -> "tuple[dict[str, str], Place, str]":
    """Return the group of each class, the function that places scores, and the classification."""
    from treegauge.learning.curves.class_counts import UNKNOWN
    from treegauge.learning.curves.complexity import composite_counts, partition
    from treegauge.learning.curves.equivalents import placing
    from treegauge.learning.curves.gathering import read_counts

    table = read_counts([source]).select(parsers=[parser], treebanks=[treebank])
    if table.metric not in {UNKNOWN, label}:
        raise TreegaugeError(
            f"the learning curve holds counts of {table.metric}, transfer is scored by {label}; "
            "choose the same metric and convention"
        )
    parted = partition(table, parser)
    return parted.of(treebank), placing(composite_counts(table, parted), treebank), table.by
