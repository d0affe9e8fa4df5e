"""Data maps of treebanks, and candidates for annotation errors."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from treegauge.dynamics.candidates import WRITERS, error_candidates, save_candidates
from treegauge.dynamics.cartography import DataMap, MapArchive, mean_map
from treegauge.dynamics.recording import ENDINGS, Recording, unpacked_recordings
from treegauge.dynamics.settings import (
    TABLES,
    JoinedResult,
    Layer,
    TrainingData,
    TrainingSettings,
    check_ending,
    check_single,
    label_of,
    save_table,
    training_data,
)
from treegauge.results.result import Result, countersign, joined_signature
from treegauge.results.verbs import verb
from treegauge.scoring.convention import Convention, Counting

if TYPE_CHECKING:
    import polars as pl

    from treegauge.treebanks.columns import Treebank

__all__ = ["MapScores", "TreebankMaps", "map", "word_table"]


@dataclass(frozen=True, eq=False)
class MapScores(Result):
    """UAS and LAS of the trees that each model gives after its last epoch.

    Attributes
    ----------
    rows
        One per model: treebank, split, parser, seed, the number of words that count, of correct
        heads and of correct heads with relations, and both scores in percent.
    convention
        What counts.
    """

    rows: tuple[dict[str, Any], ...]
    convention: Convention
    signature: str
    kind: ClassVar[str] = "map scores"
    unit: ClassVar[str | None] = "percent"

    @property
    def table(self) -> "pl.DataFrame":
        """One row per model."""
        import polars as pl

        labels = {name: self.convention.label(name) for name in ("UAS", "LAS")}
        return pl.DataFrame(list(self.rows)).rename(labels)


@dataclass(frozen=True, eq=False, repr=False)
class TreebankMaps(JoinedResult):
    """Data maps of one or more treebanks; the scores of the models are attached.

    Attributes
    ----------
    archives
        For each treebank everything behind its map: recordings and candidates.
    scores
        UAS and LAS of each model's parsed trees.
    """

    results: tuple[DataMap, ...]
    archives: tuple[MapArchive, ...] = ()
    scores: MapScores | None = None
    kind: ClassVar[str] = "map"

    @property
    def table(self) -> "pl.DataFrame":
        """One row per treebank and layer; UAS and LAS are means over the models."""
        import polars as pl

        table = super().table
        if self.scores is None:
            return table
        keys = ["treebank", "split"]
        labels = [self.scores.convention.label(name) for name in ("UAS", "LAS")]
        means = self.scores.table.group_by(keys).agg(pl.col(labels).mean())
        return table.join(means, on=keys, how="left", maintain_order="left")


@verb
def map(
    *treebanks: Any,
    dev: Any = None,
    split: Literal["train", "dev", "test"] = "train",
    seeds: int = 1,
    candidates: int | None = None,
    folds: int = 5,
    candidates_out: str | PathLike[str] | None = None,
    words: str | PathLike[str] | None = None,
    recording: str | PathLike[str] | None = None,
    of: Layer = "head",
    settings: TrainingSettings = TrainingSettings(),
    counting: Counting = Counting(),
) -> TreebankMaps:
    """Draw data maps of treebanks and list candidates for annotation errors.

    A parser is trained and its confidence in the gold trees is recorded after every epoch. With
    several parsers or seeds, numbers are means over them. Candidates for annotation errors are
    words that parsers which never saw them contradict. UAS and LAS are those of the trees that
    the parsers give after the last epoch.

    Parameters
    ----------
    *treebanks
        Treebank folders, names or codes under TREEGAUGE_UD, or training files.
    dev
        A dev file in place of the treebank's own dev set.
    split
        The words to map.
    seeds
        Number of models to average, with consecutive seeds.
    candidates
        List this number of candidates for annotation errors.
    folds
        Number of folds: candidates are found by parsers trained on the other folds; 0: by the
        parser that is mapped.
    candidates_out
        Write candidates to this .csv, .conllu or .html file.
    words
        Write one row per word to this .csv or .parquet file.
    recording
        Write all recordings and the candidates to this .npz or .parquet file, which report reads.
    of
        What the figure shows: head or relation.
    """
    check_ending(words, "kind of table", TABLES)
    check_ending(recording, "kind of file", ENDINGS)
    check_ending(candidates_out, "kind of file for candidates", list(WRITERS))
    data = training_data(treebanks, dev=dev, errors=settings.errors)
    check_single(
        data, words=words, recording=recording, candidates=candidates,
        candidates_out=candidates_out,
    )  # fmt: skip
    numbers = settings.seeds(seeds)
    wanted = (candidates or 100) if candidates is not None or candidates_out is not None else 0
    maps, archives = [], []
    rows: list[dict[str, Any]] = []
    for own in data:
        gold = own[split]
        cells = settings.run("map", own, numbers, split=split)
        recordings = tuple(
            replace(unpacked_recordings(one.recordings["map"], "map")[0]["0"], treebank=gold.mark)
            for one in cells
        )
        for one, cell in zip(recordings, cells, strict=True):
            rows.append(
                {"treebank": gold.name, "split": split, "parser": label_of(cell),
                 "seed": cell.cell.seed, **_scores(one, gold, counting.chosen)}
            )  # fmt: skip
        archive = _archive(
            recordings, own, settings, gold, folds if split == "train" else 0, wanted
        )
        if recording is not None:
            archive.save(recording)
        if words is not None:
            save_table(word_table(recordings, gold), words)
        if candidates_out is not None and archive.candidates is not None:
            save_candidates(gold, archive.candidates, candidates_out)
        archives.append(archive)
        maps.append(archive.map)
    convention = counting.chosen
    signature = countersign(joined_signature([one.signature for one in maps]), **convention.signed)
    scores = MapScores(tuple(rows), convention, signature)
    parts: dict[str, Any] = {"scores": scores}
    if candidates is not None:
        parts["candidates"] = archives[0].candidates
    return TreebankMaps(
        tuple(maps), signature, of, archives=tuple(archives), scores=scores, attached=parts
    )


def _scores(recording: Recording, gold: "Treebank", convention: Convention) -> dict[str, Any]:
    from treegauge.scoring.attachment import correct_trees

    parsed = recording.parsed(gold)
    correct = correct_trees(gold, parsed.head, parsed["deprel"], convention)
    return {
        "words": int(correct.gold.sum()), "correct_heads": int(correct.heads.sum()),
        "correct_relations": int(correct.relations.sum()), "UAS": correct.score("UAS"),
        "LAS": correct.score("LAS"),
    }  # fmt: skip


def _archive(
    recordings: tuple[Recording, ...],
    data: TrainingData,
    settings: TrainingSettings,
    gold: "Treebank",
    folds: int,
    count: int,
) -> MapArchive:
    """Return everything behind a map; candidates are looked for only if some are wanted."""
    if not count:
        return MapArchive(recordings)
    held_out = None
    if folds:
        first = replace(settings, parser=settings.first_parser)
        (cell,) = first.run("map", data, [settings.seed], folds=folds)
        held_out = unpacked_recordings(cell.recordings["map"], "map")[0]["0"]
        held_out = replace(held_out, treebank=gold.mark)
    suspects = error_candidates(held_out or recordings[0], gold, count=count)
    return MapArchive(recordings, held_out, suspects)


def word_table(recordings: Sequence[Recording], treebank: "Treebank") -> "pl.DataFrame":
    """Return one row per word: its mean numbers, and its difficulty to several parsers or seeds.

    Parameters
    ----------
    recordings
        Of the treebank's words. Of two or more, columns of an item response model (2PL, a word is
        correct if its head and its relation are) are added.
    treebank
        The words.
    """
    from treegauge.dynamics.item_response import fit_item_response, responses

    table = mean_map(recordings).words(treebank)
    if len(recordings) < 2 or not all(one.knows_correct for one in recordings):
        return table
    fitted = fit_item_response(*responses(recordings, layer="both"))
    return table.hstack(fitted.words())
