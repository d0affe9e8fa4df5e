"""Settings that the verbs of learning curves share."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from treegauge.core.file_kinds import STORE
from treegauge.core.verbs import Limits, Settings

if TYPE_CHECKING:
    from treegauge.experiments.cell_store import Store


@dataclass(frozen=True)
class CurveTraining(Settings):
    """Settings of training and counting.

    Attributes
    ----------
    parser
        Parser to train (beam by default), or to choose from counts; repeatable. 'mst epochs=5' sets
        options of this one.
    option
        Option of the parser, such as epochs=5; repeatable.
    sizes
        Training set sizes in sentences, such as 5,10,20. Default: all sizes in counts, and
        5,10,20,50,100,200,500 for training.
    samples
        Number of training samples per size.
    store
        Folder that stores the trainings; trainings in it are not repeated. By default none.
    root
        Folder of the treebanks that a store was trained on, or of their releases; by default
        TREEGAUGE_UD.
    workers
        Number of trainings at a time; by default one per processor.
    by
        Classes of words: upos, direction, relation, distance, depth, feats:Case ...; upos,direction
        (the default) crosses two.
    metric
        LAS (the default), UAS, or a registered metric.
    """

    outputs: ClassVar[Mapping[str, str]] = {"store": STORE}
    limits: ClassVar[Limits] = {"samples": (1, 10**4)}

    parser: Sequence[str] | str = ()
    option: Sequence[str] | Mapping[str, Any] = ()
    sizes: Sequence[int | str] | str = ()
    samples: int = 5
    store: "Store | str | PathLike[str] | None" = None
    root: str | PathLike[str] | None = None
    workers: int | None = None
    by: str | None = None
    metric: str | None = None


@dataclass(frozen=True)
class CurveBands(Settings):
    """Settings of confidence intervals, and of classes with enough words.

    Attributes
    ----------
    min_words
        The smallest number of test words for a class to count in a treebank.
    level
        Confidence level of the intervals.
    resamples
        Number of random draws for intervals.
    over
        The source of variation: training samples, or treebanks (with their samples).
    seed
        Seed of the draws.
    """

    min_words: int = 30
    level: float = 0.95
    resamples: int = 1000
    over: Literal["samples", "treebanks"] = "samples"
    seed: int = 0

    @property
    def signed(self) -> dict[str, object]:
        """These choices as part of a signature."""
        return vars(self)
