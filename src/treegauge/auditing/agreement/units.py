"""Units of resampling in a study of agreement: documents or sentences."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from treegauge.auditing.agreement.annotators import Annotations
from treegauge.core.errors import TreegaugeError
from treegauge.scoring.inference.certainty import FEW_DOCUMENTS, IN_DOCUMENTS, UnitKind
from treegauge.statistics.resampling.small_samples import LEAST_UNITS


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
        hint = f"; {IN_DOCUMENTS}" if self.kind == "documents" else ""
        if self.number < LEAST_UNITS:
            return [f"no interval: {self.number} {self.kind}, needs at least {LEAST_UNITS}{hint}"]
        if self.kind == "documents" and self.number < FEW_DOCUMENTS:
            return [f"warning: {100 * level:g} % intervals over only {self.number} documents{hint}"]
        return [f"{100 * level:g} % intervals over {self.number} {self.kind}"]


def agreement_units(annotations: Annotations, wanted: str) -> AgreementUnits:
    """Return the units: `wanted`, or documents if more than one is marked, else sentences."""
    documents = annotations.documents
    marked = len(np.unique(documents)) > 1
    if wanted == "documents" and not marked:
        raise TreegaugeError(
            "units: the annotations do not mark two or more documents; expected '# newdoc' "
            "comments, or --units sentences"
        )
    if wanted != "sentences" and marked:
        return AgreementUnits("documents", documents)
    return AgreementUnits("sentences", np.arange(annotations.sentences))
