"""Draw the pictures of docs/concepts: `python -m tools.docs.concept_figures`.

Numbers come from treegauge itself. Texts and axes take the colour of the text around them
(`tools/docs/site.py` puts the drawings into the pages), so that they can be read in light and
dark; the file alone follows the reader's system.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np

import treegauge as tg
from treegauge.learning.curves.equivalents import equivalent_size
from treegauge.learning.curves.score_grid import area_between
from treegauge.learning.dynamics.cartography import Regions
from treegauge.measures.structure import relation_class
from treegauge.reporting.figures.theme import PALETTE
from treegauge.statistics.bootstrap import bootstrap
from treegauge.statistics.probabilities import reliability_bins
from treegauge.treebanks.svg import compare_svg, number, svg_tree, text_width, xml

HOME = Path(__file__).parents[2] / "docs"
OUT = HOME / "images" / "concepts"
BLUE, GREEN, RED = PALETTE[0], PALETTE[2], PALETTE[5]
#: For a file that is opened by itself; within a page the text around decides.
ALONE = "<style>:root{color:#1b1f24}@media(prefers-color-scheme:dark){:root{color:#eceff3}}</style>"
SMALL = 12
Point = tuple[float, float]


class Chart:
    """A small chart: a frame with two axes, marks and texts.

    `x` and `y` are the ends of the axes; with `log`, the horizontal one is logarithmic.
    """

    def __init__(
        self, x: Point, y: Point, *, width: int = 300, height: int = 200, left: int = 46,
        bottom: int = 42, top: int = 24, right: int = 14, log: bool = False,
    ) -> None:  # fmt: skip
        self.x, self.y, self.log = x, y, log
        self.width, self.height = width, height
        self.box = (left, top, width - right, height - bottom)
        self.parts: list[str] = []

    def at(self, x: float, y: float) -> Point:
        """Return where a point is drawn."""
        left, top, right, bottom = self.box
        ends, place = (map(math.log, self.x), math.log(x)) if self.log else (self.x, x)
        low, high = ends
        share = (place - low) / (high - low)
        rise = (y - self.y[0]) / (self.y[1] - self.y[0])
        return left + share * (right - left), bottom - rise * (bottom - top)

    def axes(self, across: str, up: str, xs: Iterable[float] = (), ys: Iterable[float] = ()) -> None:
        """Draw both axes, with ticks and titles."""
        left, top, right, bottom = self.box
        self.stroke([(left, bottom), (right, bottom)], opacity=0.6)
        for tick in xs:
            place, _ = self.at(tick, self.y[0])
            self.write(place, bottom + 15, f"{tick:g}")
        for tick in ys:
            _, place = self.at(self.x[0], tick)
            self.stroke([(left, place), (right, place)], opacity=0.15)
            self.write(left - 6, place + 4, f"{tick:g}", anchor="end")
        self.write((left + right) / 2, self.height - 8, across)
        self.write(left - 36, top - 10, up, anchor="start")

    def write(
        self, x: float, y: float, text: str, *, anchor: str = "middle", color: str = "", bold: bool = False
    ) -> None:
        """Write a text at a place of the drawing, after a square of the colour that it explains.

        The text itself has the colour of the page: no other has enough contrast in light and dark.
        """
        look = ' font-weight="bold"' if bold else ""
        square = f'<tspan fill="{color}">■</tspan> ' if color else ""
        self.parts.append(
            f'<text x="{number(x)}" y="{number(y)}" text-anchor="{anchor}" '
            f'fill="currentColor"{look}>{square}{xml(text)}</text>'
        )

    def note(self, x: float, y: float, text: str, *, rise: float = -8, **look: object) -> None:
        """Write a text next to a point of the chart."""
        place = self.at(x, y)
        self.write(place[0], place[1] + rise, text, **look)  # type: ignore[arg-type]

    def stroke(
        self, points: Sequence[Point], *, color: str = "currentColor", width: float = 1,
        dash: str = "", opacity: float = 1,
    ) -> None:  # fmt: skip
        """Draw a line through places of the drawing."""
        path = "L".join(f"{number(x)} {number(y)}" for x, y in points)
        more = f' stroke-dasharray="{dash}"' if dash else ""
        more += f' opacity="{opacity:g}"' if opacity < 1 else ""
        self.parts.append(f'<path d="M{path}" fill="none" stroke="{color}" stroke-width="{width:g}"{more}/>')

    def line(self, points: Iterable[Point], color: str, *, dash: str = "", dots: bool = True) -> None:
        """Draw a line through points of the chart."""
        places = [self.at(*point) for point in points]
        self.stroke(places, color=color, width=2, dash=dash)
        for place in places if dots else ():
            self.dot(place, color)

    def dot(self, place: Point, color: str, radius: float = 3.5) -> None:
        """Draw a dot at a place of the drawing."""
        x, y = map(number, place)
        self.parts.append(f'<circle cx="{x}" cy="{y}" r="{radius:g}" fill="{color}"/>')

    def area(self, corners: Iterable[Point], color: str, opacity: float = 0.25) -> None:
        """Fill an area of the chart."""
        path = "L".join(f"{number(x)} {number(y)}" for x, y in (self.at(*one) for one in corners))
        self.parts.append(f'<path d="M{path}Z" fill="{color}" opacity="{opacity:g}"/>')

    def bar(self, x: Point, y: Point, color: str, opacity: float = 1) -> None:
        """Fill a rectangle of the chart."""
        self.area([(x[0], y[0]), (x[1], y[0]), (x[1], y[1]), (x[0], y[1])], color, opacity)

    def svg(self) -> str:
        """Return the drawing."""
        return framed("".join(self.parts), self.width, self.height)


def framed(inside: str, width: float, height: float) -> str:
    """Return parts of a drawing as one."""
    size = f'width="{number(width)}" height="{number(height)}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" {size} '
        f'viewBox="0 0 {number(width)} {number(height)}" font-family="system-ui, sans-serif" '
        f'font-size="{SMALL}">{inside}</svg>'
    )


def next_to(*charts: Chart) -> str:
    """Put charts next to each other."""
    parts, left = [], 0
    for chart in charts:
        parts.append(f'<g transform="translate({left})">{"".join(chart.parts)}</g>')
        left += chart.width + 16
    return framed("".join(parts), left - 16, max(chart.height for chart in charts))


def rows_of_bars(rows: Sequence[tuple[str, float, str, str]], limit: float, *, left: int, width: int = 460) -> str:
    """Draw horizontal bars: a name, a value, a text behind the bar and a colour each."""
    high = 22 * len(rows) + 12
    room = max(text_width(text, SMALL) for *_, text, _ in rows) + 14
    chart = Chart((0, limit), (0, len(rows)), width=width, height=high, left=left, bottom=6, top=6, right=int(room))
    for place, (name, value, text, color) in enumerate(rows):
        bottom = len(rows) - place - 1
        chart.bar((0, value), (bottom + 0.15, bottom + 0.85), color)
        _, y = chart.at(0, bottom + 0.5)
        chart.write(left - 6, y + 4, name, anchor="end")
        chart.write(chart.at(value, 0)[0] + 6, y + 4, text, anchor="start")
    return chart.svg()


# What a score means


FORMS = "The cats slept on old mats .".split()
GOLD = ([2, 3, 0, 6, 6, 3, 3], "det nsubj root case amod obl punct".split())
SYSTEM = ([2, 3, 0, 6, 6, 2, 3], "det obj root case amod nmod punct".split())
#: Correct and counted words of docs/concepts/scores.md, in its order.
COUNTS = {"UAS": (6, 7), "LAS": (5, 7), "CLAS": (2, 4), "MLAS": (1, 4), "BLEX": (1, 4)}


def score_tree() -> str:
    """Draw the example's gold tree and the arcs that the parser has instead."""
    return compare_svg(FORMS, *GOLD, *SYSTEM)


def score_bars() -> str:
    """Draw five scores of the example."""
    rows = []
    for name, (correct, counted) in COUNTS.items():
        text = f"{correct} of {counted} words: {100 * correct / counted:.2f}"
        rows.append((name, correct / counted, text, BLUE if counted == len(FORMS) else GREEN))
    return rows_of_bars(rows, 1, left=56)


# Intervals


DOCUMENTS = np.repeat([9, 6], 10)
SENTENCES = np.repeat(DOCUMENTS, 5)
RESAMPLES = 2000


def las_of(sums: np.ndarray) -> np.ndarray:
    """Return LAS from the sums of correct and of all words."""
    return 100 * sums[..., [0]] / sums[..., [1]]


def unit_histograms() -> str:
    """Draw LAS of bootstrap samples of sentences, and of documents."""
    charts = []
    for name, correct, words, color in (
        ("100 sentences", SENTENCES, 10, BLUE),
        ("20 documents", 5 * DOCUMENTS, 50, RED),
    ):
        counts = np.column_stack([correct, np.full(len(correct), words)])
        drawn = bootstrap(counts, las_of, resamples=RESAMPLES, keep=True)
        edges = np.arange(62.25, 87.8, 1.5)
        shares = np.histogram(drawn.values[:, 0], edges)[0] / RESAMPLES * 100
        chart = Chart((62.25, 87.75), (0, 50))
        chart.axes("LAS of a bootstrap sample", "% of samples", range(65, 90, 5), range(0, 50, 10))
        for edge, share in zip(edges[:-1], shares, strict=True):
            if share:
                chart.bar((edge + 0.1, edge + 1.4), (0, share), color)
        low, high = float(drawn.low[0]), float(drawn.high[0])
        chart.stroke([chart.at(low, 44), chart.at(high, 44)], color=color, width=3)
        chart.note((low + high) / 2, 44, f"{name}: {low:.1f} to {high:.1f}", bold=True)
        charts.append(chart)
    return next_to(*charts)


# Rankings


TWO = {"t1": (90, 88), "t2": (88, 87), "t3": (86, 85), "t4": (40, 50)}


def subset_bars() -> str:
    """Draw by how much A leads B in mean score, for each subset of two treebanks."""
    from itertools import combinations

    rows = []
    for pair in combinations(TWO, 2):
        lead = sum(TWO[name][0] - TWO[name][1] for name in pair) / 2
        rows.append((" + ".join(pair), lead))
    chart = Chart((-5.5, 3), (0, len(rows)), width=420, height=190, left=70, bottom=40, top=20)
    left, top, _, bottom = chart.box
    chart.axes("mean score of A minus mean score of B", "", range(-5, 4))
    middle, _ = chart.at(0, 0)
    chart.stroke([(middle, top), (middle, bottom)], opacity=0.6)
    chart.write(middle - 8, top - 6, "B leads", anchor="end", color=RED, bold=True)
    chart.write(middle + 8, top - 6, "A leads", anchor="start", color=BLUE, bold=True)
    for place, (name, lead) in enumerate(rows):
        y = len(rows) - place - 1
        chart.bar((min(lead, 0), max(lead, 0)), (y + 0.15, y + 0.85), BLUE if lead > 0 else RED)
        chart.write(left - 6, chart.at(0, y + 0.5)[1] + 4, name, anchor="end")
    return chart.svg()


def rank_ranges() -> str:
    """Draw the ranks of the first systems of CoNLL 2018 over subsets of ten treebanks."""
    frame = tg.rank("conll18", metric="las", size=10, subsets=20_000, seed=0).table.sort("full").head(10)
    chart = Chart((0.5, 20.5), (0, len(frame)), width=520, height=264, left=120, top=8)
    chart.axes("rank by mean LAS in 20,000 subsets of ten treebanks", "", range(1, 21))
    left = chart.box[0]
    for place, row in enumerate(frame.iter_rows(named=True)):
        y = len(frame) - place - 0.5
        chart.stroke([chart.at(row["best"], y), chart.at(row["worst"], y)], color=BLUE, width=2)
        chart.bar((row["q1"] - 0.12, row["q3"] + 0.12), (y - 0.3, y + 0.3), BLUE, 0.35)
        chart.dot(chart.at(row["median"], y), RED, 4.5)
        chart.write(left - 6, chart.at(1, y)[1] + 4, row["system"], anchor="end")
    return chart.svg()


# Displacement


TRAIN = [("The dog barks", [2, 3, 0]), ("Dogs bark loudly", [2, 0, 2])]
TEST = [("The dogs bark very loudly", [2, 3, 0, 5, 3])]
RELATIONS = {"the": "det", "dog": "nsubj", "dogs": "nsubj", "very": "advmod", "loudly": "advmod"}


def displacement_tree() -> str:
    """Draw the test sentence with the displacement of each word below it."""
    text, heads = TEST[0]
    forms = text.split()
    relations = [RELATIONS.get(form.lower(), "root") for form in forms]
    below = [f"{place - head:+d}" if head else "" for place, head in enumerate(heads, 1)]
    return svg_tree(forms, heads, relations, upos=below, highlight=[len(forms)])


def displacement_shares() -> str:
    """Draw the shares of displacements in the training and in the test sentences."""
    charts = []
    for name, sentences, color in (("train", TRAIN, BLUE), ("test", TEST, RED)):
        arcs = [i - h for _, heads in sentences for i, h in enumerate(heads, 1) if h]
        chart = Chart((-2.6, 2.6), (0, 1), width=230, height=180)
        chart.axes("displacement", "share of arcs", (-2, -1, 1, 2), (0, 0.5, 1))
        for value in sorted(set(arcs)):
            share = arcs.count(value) / len(arcs)
            chart.bar((value - 0.35, value + 0.35), (0, share), color)
            chart.note(value, share, f"{share:g}", rise=-5)
        chart.note(0, 1, name, rise=-4, bold=True, color=color)
        charts.append(chart)
    return next_to(*charts)


# Data maps


#: Probability of the gold head after each of five epochs.
EPOCHS = {
    "The": [0.94, 0.97, 0.98, 0.98, 0.98],
    "old": [0.20, 0.50, 0.70, 0.80, 0.80],
    "on": [0.10, 0.90, 0.20, 0.90, 0.90],
    "mats": [0.05, 0.10, 0.10, 0.15, 0.10],
}


def training_map() -> str:
    """Draw the probabilities of four words over training, and the words as points of a map."""
    colors = dict(zip(EPOCHS, (BLUE, GREEN, PALETTE[3], RED), strict=True))
    lines = Chart((1, 6.1), (0, 1.05), width=310, height=220)
    lines.axes("epoch", "probability of the gold head", range(1, 6), (0, 0.25, 0.5, 0.75, 1))
    regions = Regions()
    chart = Chart((0, 0.5), (0, 1.05), width=290, height=220)
    chart.axes("variability", "confidence", (0, 0.1, 0.2, 0.3, 0.4, 0.5), (0, 0.25, 0.5, 0.75, 1))
    chart.bar((0, regions.steady), (regions.easy, 1.05), BLUE, 0.2)
    chart.bar((0, regions.steady), (0, regions.hard), RED, 0.2)
    chart.bar((regions.wavering, 0.5), (0, 1.05), PALETTE[3], 0.2)
    chart.note(0.105, 0.97, "easy", rise=4, anchor="start", color=BLUE)
    chart.note(0.105, 0.2, "hard", rise=4, anchor="start", color=RED)
    chart.note(0.4, 0.97, "ambiguous", rise=4, color=PALETTE[3])
    ends = {"The": 0.98, "old": 0.8, "on": 0.9, "mats": 0.1}
    for word, values in EPOCHS.items():
        color = colors[word]
        lines.line(enumerate(values, 1), color)
        lines.note(5.15, ends[word], word, rise=4, anchor="start", color=color, bold=True)
        confidence, variability = float(np.mean(values)), float(np.std(values))
        chart.dot(chart.at(variability, confidence), color, 5)
        chart.note(variability + 0.015, confidence, word, rise=16, anchor="start", color=color, bold=True)
    return next_to(lines, chart)


# Usable information and description length


#: Probability of the gold head without the words, and with them.
SIGHT = {"The": (1 / 4, 1), "cats": (1 / 4, 1 / 2), "slept": (1 / 2, 1 / 2), "mats": (1 / 4, 1 / 8)}


def information_bars() -> str:
    """Draw the bits of four words without and with the input, and their difference."""
    chart = Chart((0, len(SIGHT)), (0, 3.5), width=430, height=230)
    chart.axes("", "bits to encode the gold head", (), range(4))
    for place, (word, (nothing, words)) in enumerate(SIGHT.items()):
        before, after = -math.log2(nothing), -math.log2(words)
        chart.bar((place + 0.18, place + 0.46), (0, before), GREEN)
        chart.bar((place + 0.54, place + 0.82), (0, max(after, 0.02)), BLUE)
        _, bottom = chart.at(0, 0)
        middle, _ = chart.at(place + 0.5, 0)
        chart.write(middle, bottom + 16, word, bold=True)
        chart.write(middle, bottom + 31, f"PVI {before - after:+g}".replace("+0", "0"))
    right = chart.box[2]
    chart.write(right, 14, "without the words", anchor="end", color=GREEN, bold=True)
    chart.write(right, 30, "with the words", anchor="end", color=BLUE, bold=True)
    return chart.svg()


#: Words of each block, and the bits per word of its code.
BLOCKS = ((8, 2.0), (16, 1.0), (32, 0.5))


def code_lengths() -> str:
    """Draw the bits sent so far, by a parser that learns and by a code that knows nothing."""
    sent = np.cumsum([0, *(words for words, _ in BLOCKS)])
    bits = np.cumsum([0, *(words * each for words, each in BLOCKS)])
    chart = Chart((0, 60), (0, 120), width=380, height=230)
    chart.axes("words sent", "bits sent", (0, 8, 24, 56), range(0, 121, 40))
    uniform = [(float(words), 2.0 * words) for words in sent]
    chart.line(uniform, RED, dash="5 4")
    chart.line(zip(sent.tolist(), bits.tolist(), strict=True), BLUE)
    chart.note(54, 2 * 56, "uniform code: 112", anchor="end", rise=4, color=RED, bold=True)
    chart.note(58, 14, f"a parser that learns: {bits[-1]:g}", anchor="end", color=BLUE, bold=True)
    return chart.svg()


# Learning curves


SIZES = (10, 100, 1000)
CURVES = {"all words": (50, 70, 80), "det": (72, 86, 90), "conj": (20, 40, 50)}


def learning_curves() -> str:
    """Draw three learning curves, where a score of 60 meets the first, and the relative curves."""
    colors = dict(zip(CURVES, ("currentColor", BLUE, RED), strict=True))
    whole = Chart((10, 1000), (0, 100), width=322, height=220, log=True, right=86)
    whole.axes("training sentences", "LAS", SIZES, range(0, 101, 20))
    shares = Chart((10, 1000), (0.3, 1.05), width=330, height=220, log=True, right=106)
    shares.axes("training sentences", "LAS / LAS at 1000", SIZES, (0.4, 0.6, 0.8, 1))
    relative = {name: np.array(scores) / scores[-1] for name, scores in CURVES.items()}
    overall = relative["all words"]
    for name, scores in CURVES.items():
        whole.line(zip(SIZES, scores, strict=True), colors[name])
        end, height = whole.at(1000, scores[-1])
        whole.write(end + 7, height + 4, name, anchor="start", color=colors[name], bold=True)
        points = list(zip(SIZES, relative[name].tolist(), strict=True))
        if name != "all words":
            there = list(zip(SIZES, overall.tolist(), strict=True))
            shares.area([*points, *reversed(there)], colors[name])
            area = float(area_between(SIZES, overall, relative[name]))
            label = f"{name}: {area:+.1f}"
            height = 0.9 if name == "det" else 0.6
            shares.note(
                150, height, label, anchor="start", rise=0 if name == "conj" else 30, color=colors[name], bold=True
            )
        shares.line(points, colors[name])
    size = float(equivalent_size(SIZES, CURVES["all words"], 60))
    whole.stroke([whole.at(10, 60), whole.at(size, 60), whole.at(size, 0)], dash="4 3", color=GREEN, width=2)
    place, bottom = whole.at(size, 0)
    text = f"60 = {size:.0f} sentences"
    whole.write(place + 6, bottom - 6, text, anchor="start", color=GREEN, bold=True)
    return next_to(whole, shares)


# Word dependency entropy


def entropy_bars() -> str:
    """Draw the average WDE of frequent relations over the treebanks of UD 2.9 at hand."""
    names = "det case aux cc mark cop advmod nummod nsubj amod obl obj advcl nmod conj".split()
    weights = tg.packaged_weights()
    colors = {"function": RED, "content": BLUE}
    ordered = sorted(names, key=lambda name: weights[name])
    return rows_of_bars(
        [(name, weights[name], f"{weights[name]:.2f}", colors[relation_class(name)]) for name in ordered],
        1,
        left=70,
        width=420,
    )


# Calibration


def reliability() -> str:
    """Draw reliability diagrams of a calibrated parser and of an overconfident one."""
    random = np.random.default_rng(1)
    truth = random.random(4000) ** 0.4
    correct = random.random(4000) < truth
    odds = (truth / (1 - truth)) ** 2
    charts = []
    for name, given, color in (("calibrated", truth, BLUE), ("overconfident", odds / (1 + odds), RED)):
        chart = Chart((0, 1.02), (0, 1.05), width=240, height=220)
        chart.axes("probability that the parser gives", "share correct", (0, 0.5, 1), (0, 0.5, 1))
        chart.stroke([chart.at(0, 0), chart.at(1, 1)], dash="4 3", opacity=0.6)
        bins = reliability_bins(given, correct, bins=10)
        for p, share in zip(bins.probability, bins.observed, strict=True):
            chart.stroke([chart.at(p, p), chart.at(p, share)], color=color, width=2, opacity=0.5)
            chart.dot(chart.at(float(p), float(share)), color)
        chart.note(0.05, 0.93, name, anchor="start", color=color, bold=True)
        charts.append(chart)
    return next_to(*charts)


# Leakage


#: LAS on the copied test sentences, and on the new ones, of two parsers.
LEAK = {"Memory": (100, 80), "Grammar": (85, 81)}
COPIED, NEW = 20, 180


def leakage_lines() -> str:
    """Draw LAS with the copies, and without them, of two parsers."""
    chart = Chart((-0.35, 1.8), (79, 83), width=420, height=210)
    chart.axes("", "LAS", (), range(79, 84))
    for (name, (copied, new)), color in zip(LEAK.items(), (RED, BLUE), strict=True):
        whole = (COPIED * copied + NEW * new) / (COPIED + NEW)
        chart.line([(0, whole), (1, new)], color)
        chart.note(-0.04, whole, f"{whole:.1f}", rise=4, anchor="end", color=color, bold=True)
        chart.note(1.04, new, f"{name} {new:.1f}", rise=4, anchor="start", color=color, bold=True)
    bottom = chart.box[3]
    for place, text in enumerate(("all 200 sentences", "180 new sentences")):
        chart.write(chart.at(place, 79)[0], bottom + 18, text)
    return chart.svg()


FIGURES: dict[str, Callable[[], str]] = {
    "score_tree": score_tree,
    "score_bars": score_bars,
    "unit_histograms": unit_histograms,
    "subset_bars": subset_bars,
    "rank_ranges": rank_ranges,
    "displacement_tree": displacement_tree,
    "displacement_shares": displacement_shares,
    "training_map": training_map,
    "information_bars": information_bars,
    "code_lengths": code_lengths,
    "learning_curves": learning_curves,
    "entropy_bars": entropy_bars,
    "reliability": reliability,
    "leakage_lines": leakage_lines,
}


def drawn(name: str) -> str:
    """Return a figure as it is in its file."""
    return FIGURES[name]().replace(">", f">{ALONE}", 1) + "\n"


def main() -> None:
    """Write all figures."""
    OUT.mkdir(parents=True, exist_ok=True)
    for name in FIGURES:
        (OUT / f"{name}.svg").write_text(drawn(name), encoding="utf-8")
        print(OUT / f"{name}.svg")


if __name__ == "__main__":
    main()
