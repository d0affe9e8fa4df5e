"""Data maps of treebanks, and candidates for annotation errors."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, cast

from treegauge.core.lazy import pl
from treegauge.core.result import Result, countersign, joined_signature
from treegauge.core.tables import make_table
from treegauge.core.verbs import verb
from treegauge.learning.dynamics.candidates import WRITERS, error_candidates, save_candidates
from treegauge.learning.dynamics.cartography import DataMap, MapArchive, mean_map
from treegauge.learning.dynamics.recording import ENDING, Recording
from treegauge.learning.training_settings import (
    TABLES,
    FilePath,
    JoinedResult,
    TrainingSettings,
    check_file,
    save_table,
)
from treegauge.scoring.metrics.convention import Convention, find_convention

if TYPE_CHECKING:
    from treegauge.treebanks.data.columns import Treebank


@dataclass(frozen=True, eq=False)
class MapScores(Result, kind="map scores", unit="percent"):
    """UAS and LAS of the trees that each model predicts after its last epoch, with their counts."""

    rows: tuple[dict[str, Any], ...]
    convention: Convention
    signature: str

    @property
    def table(self) -> "pl.DataFrame":
        """One row per model."""
        labels = {name: self.convention.label(name) for name in ("UAS", "LAS")}
        return make_table(list(self.rows)).rename(labels)


@dataclass(frozen=True, eq=False, repr=False)
class TreebankMaps(JoinedResult, kind="map"):
    """Data maps of one or more treebanks.

    `archives` have the recordings of each map, `scores` UAS and LAS of each model's parsed trees.
    """

    results: tuple[DataMap, ...]
    archives: tuple[MapArchive, ...] = ()
    scores: MapScores | None = None

    @property
    def table(self) -> "pl.DataFrame":
        """One row per treebank and layer; UAS and LAS are means over the models."""
        table = super().table
        if self.scores is None:
            return table
        keys = ["treebank", "split"]
        labels = [self.scores.convention.label(name) for name in ("UAS", "LAS")]
        means = self.scores.table.group_by(keys).agg(pl.col(labels).mean())
        return table.join(means, on=keys, how="left", maintain_order="left")

    def json_fields(self) -> dict[str, Any]:
        """Return the rows, the signature of each map, and the scores of each model."""
        scores = {} if self.scores is None else {"scores": self.scores.to_dict()}
        return super().json_fields() | scores


@verb(outputs={"candidates_out": "", "words": "", "recording": ""})
def map(
    *treebanks: Any,
    split: Literal["train", "dev", "test"] = "train",
    seeds: int = 1,
    candidates: int | None = None,
    folds: int = 5,
    candidates_out: FilePath | None = None,
    words: FilePath | None = None,
    recording: FilePath | None = None,
    settings: TrainingSettings = TrainingSettings(),
    convention: str | Convention = "official",
) -> TreebankMaps:
    """Draw data maps of treebanks and list candidates for annotation errors.

    Trains a parser and records its confidence in the gold trees after every epoch. With several
    parsers or seeds, numbers are means over them. Candidates for annotation errors are words whose
    annotation is contradicted by parsers that were not trained on them. UAS and LAS are of the
    trees that the parsers predict after the last epoch.

    Parameters
    ----------
    *treebanks
        Treebank folders, names or codes under TREEGAUGE_UD, or training files.
    split
        The words to map.
    seeds
        Number of models to average, with consecutive seeds.
    candidates
        List this number of candidates for annotation errors.
    folds
        Number of folds: candidates come from models trained on the other folds. 0: from the mapped
        parser itself.
    candidates_out
        Write candidates to this .csv, .conllu or .html file.
    words
        Write one row per word to this .csv or .parquet file.
    recording
        Write all recordings and the candidates to this .npz file, which report reads.

    Examples
    --------
    >>> import treegauge as tg
    >>> maps = map(tg.synthetic(40, seed=1), epochs=2)
    >>> maps.table["of"].to_list(), maps.table["confidence"].is_between(0.5, 1).all()
    (['heads', 'relations'], True)
    """
    check_file(words, "kind of table", TABLES)
    check_file(recording, "kind of file", [ENDING])
    check_file(candidates_out, "kind of file for candidates", list(WRITERS))
    single = {"words": words, "recording": recording, "candidates": candidates}
    data = settings.data(treebanks, **single, candidates_out=candidates_out)
    convention, numbers = find_convention(convention), settings.seeds(seeds)
    archives: list[MapArchive] = []
    maps: list[DataMap] = []
    rows: list[dict[str, Any]] = []
    for own in data:
        gold = own[split]
        models = settings.run("map", own, numbers, split=split)
        recordings = tuple(one.recordings["map"] for one in models)
        rows += [
            {"treebank": gold.name, "split": split, "parser": one.label, "seed": one.seed}
            | _scores(one.recordings["map"], gold, convention)
            for one in models
        ]
        held_out = context = suspects = None
        if candidates is not None or candidates_out is not None:
            if folds and split == "train":
                first = replace(settings, parser=settings.parser[0])
                (model,) = first.run("map", own, [settings.seed], folds=folds)
                held_out = model.recordings["map"]
                context = model.recordings.get("context")
            count = 100 if candidates is None else candidates
            suspects = error_candidates(held_out or recordings[0], gold, count=count, context=context)
        archives.append(MapArchive(recordings, held_out, suspects))
        maps.append(mean_map(recordings, gold))
        if recording is not None:
            archives[-1].save(recording)
        if words is not None:
            save_table(maps[-1].words(gold), words)
        if candidates_out is not None and suspects is not None:
            save_candidates(gold, suspects, candidates_out)
    joined = joined_signature([one.signature for one in maps])
    signature = countersign(joined, **convention.signed)
    scores = MapScores(tuple(rows), convention, signature)
    listed = {} if candidates is None else {"candidates": archives[0].candidates}
    return TreebankMaps(tuple(maps), signature, archives=tuple(archives), scores=scores, attached=cast("Any", listed))


def _scores(recording: Recording, gold: "Treebank", convention: Convention) -> dict[str, Any]:
    correct = recording.correct_words(gold, convention)
    return {
        "words": int(correct.gold.sum()), "correct_heads": int(correct.heads.sum()),
        "correct_relations": int(correct.relations.sum()), "UAS": correct.score("UAS"),
        "LAS": correct.score("LAS"),
    }  # fmt: skip
