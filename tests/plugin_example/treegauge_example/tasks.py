"""A task of ``treegauge run``: any function from a cell to an outcome."""

from treegauge.experiments.cells import Cell, Outcome
from treegauge.experiments.tasks import Task


def head_direction(cell: Cell) -> Outcome:
    """Return the share of heads to the right, in percent."""
    train = cell.read("train")
    places = [place for size in train.lengths.tolist() for place in range(1, size + 1)]
    return Outcome({"right": 100 * float((train.head > places).mean())})


HEAD_DIRECTION = Task(
    "head_direction", "share of heads to the right", "treegauge_example.tasks:head_direction",
    ("train",), parser=False, sized=False, parameters={},
)  # fmt: skip
