"""What is asked of ``score`` beside scores."""

from typing import NamedTuple


class Asked(NamedTuple):
    """What is asked for beside the scores."""

    by: tuple[str, ...] = ()
    examples: str | None = None
    confusion: str | None = None
    overlap: int = 0
    combine: bool = False

    @property
    def anything(self) -> bool:
        """Whether systems have to be aligned for it."""
        return bool(self.by or self.confusion or self.overlap or self.combine)
