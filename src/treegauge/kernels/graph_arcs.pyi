import numpy as np
import numpy.typing as npt

from treegauge.kernels.features import GraphWords, Pairs

Ints = npt.NDArray[np.int32]
Weights = npt.NDArray[np.float32]
Floats = npt.NDArray[np.float64]

KINDS: int
REACH: int
SPAN: int

class Sight:
    longest: int
    def __init__(self, words: GraphWords, templates: Pairs, places: int) -> None: ...
    def look_at(self, sentence: int) -> None: ...
    def features(self, h: int, d: int) -> Ints: ...
    def scores(self, weights: Weights) -> Floats: ...
    def relation_features(self, h: int, d: int) -> Ints: ...
    def best_relations(
        self, table: Weights, root: int, gold: Ints | None, wanted: Ints | None
    ) -> tuple[Ints, Floats]: ...
