"""Random pairs of analyses of one text, as strange as the official script allows."""

from hypothesis import strategies as st

from tools.fuzz.analyses import LETTERS, analysis


@st.composite
def analyses(draw: st.DrawFn, count: int = 2, *, multiword: float = 0.3) -> list[str]:
    """Draw a text and several independent analyses of it."""
    text = draw(st.text(LETTERS, min_size=1, max_size=16))
    random = draw(st.randoms(use_true_random=False))
    return [analysis(text, random, multiword) for _ in range(count)]
