"""Types of the functions of every encoding: a writer, a reader and a weigher of labels."""

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from treegauge.treebanks.data.columns import Codes

Ints = npt.NDArray[np.int32]
Bools = npt.NDArray[np.bool_]
Doubles = npt.NDArray[np.float64]

Writer = Callable[[Ints, Ints, Codes], list[Codes]]
"""Takes heads, offsets and tags; gives one column of codes or several."""
Reader = Callable[[Ints, Bools], Ints]
"""Takes codes (columns, words) and who has the relation root; gives heads, -1 for none."""
Weigher = Callable[[Sequence[Doubles], Doubles], list[Doubles]]
"""Takes p(label) of each column and p(root relation) of each word; gives p(head) by sentence."""
MakeReader = Callable[[Sequence[Sequence[str]], Ints, Codes], Reader]
MakeWeigher = Callable[[Sequence[Sequence[str]], Ints, Codes], Weigher]
