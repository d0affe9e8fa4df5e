import numpy as np
import numpy.typing as npt

from treegauge.kernels.beam_templates import BeamWords, Labels, Templates
from treegauge.kernels.beam_weights import BeamWeights

Ints = npt.NDArray[np.int32]

class Search:
    def __init__(
        self, words: BeamWords, templates: Templates, labels: Labels, weights: BeamWeights,
        beam: int,
    ) -> None: ...  # fmt: skip
    def parse(self) -> tuple[Ints, Ints]: ...
    def analyses(
        self, most: int
    ) -> tuple[npt.NDArray[np.float64], Ints, Ints, npt.NDArray[np.float32]]: ...
    def arc_leads(self, starts: npt.NDArray[np.int64], leads: npt.NDArray[np.float64]) -> None: ...
    def learn(
        self, heads: Ints, labels: Ints, order: npt.NDArray[np.int64], seen: int, margin: float
    ) -> None: ...
    def begin(self, number: int) -> None: ...
    def act(self, number: int, action: int) -> int: ...
    def scores(self, number: int) -> npt.NDArray[np.float32]: ...
