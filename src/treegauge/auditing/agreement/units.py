"""Units of resampling in a study of agreement: documents or sentences."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from treegauge.auditing.agreement.annotators import Annotations
from treegauge.statistics.units import UnitKind, few_units, text_units, units_note


@dataclass(frozen=True, eq=False)
class AgreementUnits:
    """The unit of each sentence, numbered from 0, and the kind of unit."""

    kind: UnitKind
    of_sentence: npt.NDArray[np.int64]

    @property
    def number(self) -> int:
        """Number of units."""
        return int(self.of_sentence.max(initial=-1)) + 1

    def notes(self, level: float) -> list[str]:
        """Return notes on the units of intervals: too few, or why there is no interval."""
        return [few_units(self.number, self.kind) or units_note(self.number, self.kind, level)]


def agreement_units(annotations: Annotations, wanted: str) -> AgreementUnits:
    """Return the units: `wanted`, or documents if more than one is marked, else sentences."""
    marked = len(np.unique(annotations.documents))
    kind = text_units(marked if marked > 1 else 0, wanted, what="the first annotation")
    documents = kind == "documents"
    return AgreementUnits(kind, annotations.documents if documents else np.arange(annotations.sentences))
