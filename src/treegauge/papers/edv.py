"""The EDV paper on one's own data: displacement distances, scores, and splits by EDV."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from treegauge.core.errors import TreegaugeError
from treegauge.core.lazy import pl, scipy
from treegauge.core.messages import note, progress
from treegauge.core.result import sign
from treegauge.core.tables import make_table
from treegauge.measures.displacement import edv, edv_masses, slv
from treegauge.measures.measure import measure
from treegauge.papers.study import Draft, Rows, StudyChoices, sorted_inputs
from treegauge.reporting.figures.analysis import point_panel, predictions, scatter
from treegauge.reporting.figures.theme import SIDE, Spec, chart, mark, quantity, themed
from treegauge.splitting.assignment import LEVELS, make_split, pool
from treegauge.statistics.analyse import correlation_matrix
from treegauge.statistics.correlation import correlate
from treegauge.statistics.correlation_coefficients import Inference, LeastSquares, correlated_pair
from treegauge.statistics.data_table import Sample, as_table
from treegauge.statistics.draws import FloatArray
from treegauge.statistics.hierarchy import hierarchy
from treegauge.statistics.linear_model import regress
from treegauge.statistics.student_intervals import median_interval, student_mean
from treegauge.statistics.units import GENUS, LEAST_RUNS, TOO_FEW, treebank_units, unit_codes
from treegauge.treebanks.data.conllu import read_conllu
from treegauge.treebanks.sources.languages import kin_of, treebank_key

if TYPE_CHECKING:
    from treegauge.experiments.cells import Cell
    from treegauge.treebanks.sources.inputs import Input

SIZES = ("train_words", "train_sentences", "mean_train_length", "test_words", "test_sentences", "mean_test_length")
DISTANCES = ("slv", "edv", "edv_masses")
OF_TRAIN = ("mc_published", "mean_crossings", "ttr")
GIVEN = ("train_words", "mean_test_length")
LOG = ("train_words",)
PAIRS = (("train_words", "edv"), ("mean_test_length", "edv"), ("mean_train_length", "edv"), ("test_words", "edv"),
         ("slv", "edv"), ("test_words", "train_words"), ("mean_test_length", "train_words"))  # fmt: skip
MODELS = (LOG, GIVEN, (*LOG, "edv"), (*GIVEN, "edv"))
VARIANT = "edv is the distance; edv_masses compares masses, as the paper's printed values do."
ALONE = "Rows count as independent, as in the paper; p_genera takes treebanks of one genus as one unit."
FEWEST_SPLITS = 4
LEAST_TRAINING = 100
"""Training sentences from which a treebank is split again, as in the paper."""


def edv_study(draft: Draft, inputs: Sequence[Any], choices: StudyChoices) -> None:
    """Make the tables and figures of the EDV paper."""
    tables, texts = sorted_inputs(inputs)
    frame = _variables(tables, texts, choices)
    edv_tables(draft, frame)
    _figures(draft, frame, texts)
    _splits(draft, texts, choices)
    why = "needs scores by sentence length: breakdown --by length of each treebank"
    for item in ("Figure 10", "Figure A.7"):
        draft.skip(item, "EDV and LAS by sentence length", why)


def _variables(tables: Sequence[Any], texts: "Sequence[Input]", choices: StudyChoices) -> "pl.DataFrame":
    """Return one row per treebank: score, sizes and distances; those of the table where there is no text."""
    if len(tables) != 1:
        raise TreegaugeError(f"study edv: found {len(tables)} tables of scores, expected one and treebanks")
    table = as_table(tables[0], where=choices.reading.where)
    scores = table.frame
    wanted = choices.metric.casefold()
    found = [name for name in scores.columns if name.casefold().partition(":")[0] == wanted]
    if len(found) != 1 or "treebank" not in scores.columns:
        raise TreegaugeError(
            f"study edv: found {', '.join(found) or 'no column'} for {choices.metric}, expected one row per treebank "
            "with one score: choose a system with --where system=NAME"
        )
    sizes = [name for name in (*SIZES, *DISTANCES, *OF_TRAIN) if name in scores.columns]
    numbers = [
        pl.Series(name, table.numbers(column))
        for name, column in {"las": found[0], **{name: name for name in sizes}}.items()
    ]
    frame = scores.select("treebank").with_columns(*numbers, key=_keys(scores)).fill_nan(None)
    if frame["key"].is_duplicated().any():
        raise TreegaugeError("study edv: a treebank has several scores; choose a release with --where release=2.5")
    if texts:
        own = _measured(texts)
        frame = frame.join(own.drop("treebank"), on="key", how="left", suffix="_own")
        for name in sizes:
            frame = frame.with_columns(pl.coalesce(name, f"{name}_own")).drop(f"{name}_own")
        lost = own.filter(~pl.col("key").is_in(frame["key"].implode()))["treebank"]
        if len(lost):
            note(f"no score for {', '.join(lost)}")
    return frame.drop("key").drop_nulls("las")


def _keys(frame: "pl.DataFrame") -> "pl.Series":
    return pl.Series("key", [treebank_key(str(name)) for name in frame["treebank"]])


def _measured(texts: "Sequence[Input]") -> "pl.DataFrame":
    paths = [one.path for one in texts]
    sizes = {"words": "{}_words", "sentences": "{}_sentences", "mean_length": "mean_{}_length"}
    frame = measure([*DISTANCES, *OF_TRAIN], *paths).wide
    for split in ("train", "test"):
        own = measure(list(sizes), *paths, split=split).wide
        frame = frame.join(own.rename({old: new.format(split) for old, new in sizes.items()}), on="treebank")
    return frame.with_columns(key=_keys(frame))


def edv_tables(draft: Draft, frame: "pl.DataFrame") -> None:
    """Make the tables of variables: one row per treebank with `las`, sizes and, where known, distances."""
    have = [name for name in (*SIZES, *DISTANCES) if name in frame.columns]
    here = frame.drop_nulls("edv") if "edv" in frame.columns else frame.clear()
    few = f"EDV of {here.height} of {frame.height} treebanks is known; rows with EDV or SLV are of these."
    notes = (VARIANT, few)
    draft.table("Table 1", "Shapiro-Wilk test of normality", lambda: normality(frame, ("las", *have)),
                key=["variable"], notes=notes)  # fmt: skip
    draft.table("Table 2", "Spearman's rho of LAS and each variable", lambda: _associated(frame, "las", have),
                key=["variable"], notes=(*notes, ALONE))  # fmt: skip
    draft.table("Table 3", "Spearman's rho of pairs of variables", lambda: _paired(frame),
                key=["x", "y"], notes=(VARIANT,))  # fmt: skip
    draft.table("Table 4", "Partial correlation of EDV and LAS", lambda: _partial(here, "all"),
                key=["variable", "given"], notes=(*notes, ALONE))  # fmt: skip
    draft.table("Table 5", "Linear models of LAS", lambda: _models(frame), key=["model", "predictor"], notes=notes)
    draft.table("Table 6", "EDV and LAS in morphologically complex treebanks", lambda: _by_complexity(here),
                key=["set", "variable", "given"], notes=(VARIANT, "Complex: above the mean mc_published."))  # fmt: skip
    draft.table("Table B.1", "Crossings, types per token and EDV",
                lambda: _associated(here, "edv", ("mean_crossings", "ttr")), key=["variable"])  # fmt: skip
    draft.table("Appendix C", "Morphological complexity of training sets",
                lambda: _present(here, "mc_published").select("treebank", "mc_published")
                .sort("mc_published", descending=True, nulls_last=True).with_columns(
                    complex=pl.col("mc_published") > pl.col("mc_published").mean()).to_dicts())  # fmt: skip
    draft.table("Figures 7 and 8", "Background removal: rho with what is left of LAS", lambda: _backgrounds(frame),
                key=["variable", "divided by"])  # fmt: skip


def _present(frame: "pl.DataFrame", column: str) -> "pl.DataFrame":
    """Return a frame with rows that have this column."""
    if column not in frame.columns or not frame[column].count():
        raise TreegaugeError(f"needs {column} of treebanks with texts that have scores, too")
    return frame


def normality(frame: "pl.DataFrame", names: Sequence[str]) -> Rows:
    """Return Shapiro and Wilk's W of each variable, and its p-value.

    Examples
    --------
    >>> from treegauge.data import ud25
    >>> {row["variable"]: round(row["W"], 3) for row in normality(ud25(), ["las", "mean_test_length"])}
    {'las': 0.92, 'mean_test_length': 0.978}
    """
    rows = []
    for name in names:
        values = frame[name].drop_nulls().to_numpy()
        if len(values) > 2 and np.ptp(values) > 0:
            w, p = scipy.stats.shapiro(values)
            rows.append({"variable": name, "n": len(values), "W": float(w), "p_value": float(p)})
    return rows


def _associated(frame: "pl.DataFrame", target: str, names: Sequence[str]) -> Rows:
    """Return coefficients with rows as units, and the p-value with genera as units."""
    plain, genera = (
        correlate(_present(frame, target), target, list(names), resamples=0, cluster=cluster)
        for cluster in ("none", "genus")
    )
    return [
        {"variable": one.variable, "n": one.n, "rho": one.inference.r, "low": one.inference.low,
         "high": one.inference.high, "p_value": one.inference.p_value, "p_genera": other.inference.p_value}
        for one, other in zip(plain.rows, genera.rows, strict=True)
    ]  # fmt: skip


def _paired(frame: "pl.DataFrame") -> Rows:
    names = [name for name in (*SIZES, *DISTANCES) if name in frame.columns]
    pairs = {frozenset((pair["x"], pair["y"])): pair for pair in correlation_matrix(frame, names, cluster="none").pairs}
    wanted = [*PAIRS, *((x, "edv_masses") for x, y in PAIRS if y == "edv"), ("edv", "edv_masses")]
    found = [(x, y, pairs[frozenset((x, y))]) for x, y in wanted if frozenset((x, y)) in pairs]
    return [{"x": x, "y": y, "n": one["n"], "rho": one["r"], "p_value": one["p_value"]} for x, y, one in found]


def _partial(frame: "pl.DataFrame", name: str, given: Sequence[str] = GIVEN) -> Rows:
    found, genera = (
        correlate(_present(frame, "edv"), "las", ["edv", "edv_masses"], list(given), resamples=0, cluster=cluster)
        for cluster in ("none", "genus")
    )
    rows: Rows = []
    for one, other in zip(found.rows, genera.rows, strict=True):
        values = {key: getattr(one.inference, key) for key in ("r", "low", "high", "r2", "adjusted_r2", "p_value")}
        row: dict[str, Any] = {} if name == "all" else {"set": name}
        row |= {"variable": one.variable, "given": " + ".join(one.given) or "nothing", "n": one.n}
        rows.append(row | values | {"p_genera": other.inference.p_value, "power": one.inference.power})
    return rows


def _models(frame: "pl.DataFrame") -> Rows:
    rows: Rows = []
    for model in MODELS:
        for variant in ("edv", "edv_masses") if "edv" in model else ("",):
            terms = [variant if name == "edv" else name for name in model]
            if not set(terms) <= set(frame.columns):
                continue
            fitted = regress(frame, "las", terms, log=LOG, cluster="none")
            label = " + ".join(f"log({name})" if name in LOG else name for name in terms)
            rows += [
                {"model": label, "predictor": one["predictor"], "n": fitted.summary["n"],
                 "adjusted_r2": fitted.fit["adj_r2"], "importance": one["importance"], "p_value": one["p_value"],
                 "error": fitted.fit["loo_mae"]}
                for one in fitted.rows
            ]  # fmt: skip
    return rows


def _by_complexity(frame: "pl.DataFrame") -> Rows:
    high = pl.col("mc_published") > _present(frame, "mc_published")["mc_published"].mean()
    sets = {"complex": frame.filter(high), "not": frame.filter(~high), "full": frame}
    return [row for name, some in sets.items() for row in _partial(some, name, LOG)]


class Stage(NamedTuple):
    """The target after division by a covariate's line (None: unchanged), that line, and what is correlated."""

    removed: str | None
    intercept: float | None
    slope: float | None
    r2: float | None
    values: FloatArray
    inference: Inference


class Background(NamedTuple):
    """The chain of fits with the coefficient after each: first the unchanged target."""

    stages: tuple[Stage, ...]
    sample: Sample


def remove_background(
    frame: "pl.DataFrame", target: str, of: str, given: Sequence[str], *, log: Sequence[str] = ()
) -> Background:
    """Divide the target by its line on each covariate in turn, and correlate what is left (Spearman).

    With y the target, each step fits y = a + b x by least squares to a covariate x and continues
    with y / (a + b x), as in Section 4.2.2 of the paper. Only the unchanged target has an interval
    and a p-value: the usual test would find almost nothing later.
    """
    table = as_table(frame)
    sample = table.complete([target, of, *given], log=log)
    sample.check(table.source, 4)
    first, variable, *covariates = sample.values.T

    def correlated(left: FloatArray) -> Inference:
        # A line that fits perfectly leaves rounding errors, whose ranks are still ranks.
        if np.ptp(left) <= 1e-9 * np.abs(left).max():
            raise TreegaugeError(f"nothing of {target} is left to correlate")
        coefficient = correlated_pair(np.column_stack([left, variable]))
        return coefficient if left is first else Inference(r=coefficient.r)

    stages = [Stage(None, None, None, None, first, correlated(first))]
    for name, covariate in zip(sample.names[2:], covariates, strict=True):
        before = stages[-1].values
        line = LeastSquares.of(np.column_stack([before, covariate]))
        slope = float(line.slopes[0] / line.scale[0])
        intercept = line.mean - slope * float(line.centre[0])
        predicted = intercept + slope * covariate
        wrong = np.flatnonzero(predicted * np.sign(line.mean) <= 1e-9 * abs(line.mean))
        if len(wrong):
            raise TreegaugeError(
                f"the line through {name} predicts {predicted[wrong[0]]:.3g} for {sample.labels[wrong[0]]}; "
                "a background must not change sign to be divided out"
            )
        r2 = 1 - float(line.residuals @ line.residuals) / float(np.square(before - line.mean).sum())
        left = before / predicted
        stages.append(Stage(name, intercept, slope, r2, left, correlated(left)))
    return Background(tuple(stages), sample)


def _background(frame: "pl.DataFrame", of: str, given: Sequence[str]) -> Background:
    return remove_background(_present(frame, of), "las", of, given, log=[name for name in LOG if name in given])


def _backgrounds(frame: "pl.DataFrame") -> Rows:
    """Return the coefficient of variables and LAS before and after each division."""
    distances = [name for name in ("edv", "edv_masses") if name in frame.columns]
    return [
        {"variable": of, "divided by": stage.removed or "nothing", "n": len(stage.values), "rho": stage.inference.r}
        for of, given in (("test_words", LOG), *((name, GIVEN) for name in distances))
        for stage in _background(frame, of, given).stages
    ]


def background_figure(found: Background) -> Spec:
    """Draw each fit that was divided out, then the remainder (Figures 7 and 8)."""
    panels, labels = [], found.sample.labels
    target, variable, *given = found.sample.names
    name = target
    for place, stage in enumerate(found.stages[:-1]):
        x = found.sample.values[:, 2 + place]
        panels.append(point_panel(x, stage.values, labels, given[place], name, f"divided out: {given[place]}"))
        name = f"{target}, normalised"
    last = found.stages[-1]
    title = f"what is left: r = {last.inference.r:.3f}"
    panels.append(point_panel(found.sample.values[:, 1], last.values, labels, variable, name, title))
    signature = sign(figure="background", of=variable, given="+".join(given))
    return themed({"hconcat": panels}, f"{target} without its background", signature, False)


def _figures(draft: Draft, frame: "pl.DataFrame", texts: "Sequence[Input]") -> None:
    have = [name for name in (*SIZES, *DISTANCES) if name in frame.columns]
    words = [name for name in ("train_words", "test_words") if name in have]
    draft.figure("Figure 2", "Displacements of the treebanks with the smallest and the largest EDV",
                 lambda: _displacements(frame, texts))  # fmt: skip
    draft.figure("Figure 3", "EDV by sentence length", lambda: _by_length(texts))
    draft.figure("Figure 4", "Distributions of the variables", lambda: _histograms(frame, ["las", *have]))
    draft.figure("Figure 5", "LAS and each variable", lambda: scatter(frame, "las", have, log=words))
    draft.figure("Figure 6", "EDV and other variables", lambda: scatter(
        _present(frame, "edv"), "edv", [*words, "mean_test_length", "slv"], log=words))  # fmt: skip
    title = "LAS without its background"
    draft.figure("Figure 7", title, lambda: background_figure(_background(frame, "test_words", LOG)))
    draft.figure("Figure 8", title, lambda: background_figure(_background(frame, "edv", GIVEN)))
    draft.figure("Figure 9", "LAS predicted from the other treebanks (leave one out)", lambda: predictions(
        regress(_present(frame, "edv"), "las", [*GIVEN, "edv"], log=LOG, cluster="none")))  # fmt: skip
    draft.figure("Figure 11", "EDV and LAS by morphological complexity", lambda: _complexity_figure(frame))
    draft.table("Table D.1", "EDV of random samples of the training set",
                lambda: _samples(texts), notes=("Mean and sd of 20 samples.",))  # fmt: skip


def _displacements(frame: "pl.DataFrame", texts: "Sequence[Input]") -> Spec:
    from treegauge.reporting.figures.treebanks import displacement_spectrum

    known = _present(frame, "edv").drop_nulls("edv").sort("edv")["treebank"].to_list()
    chosen = {treebank_key(name) for name in (known[0], known[-1])}
    sets = [
        read_conllu(one.path, split=split, name=f"{one.name}, {split}")
        for one in texts
        if treebank_key(one.name) in chosen
        for split in ("train", "test")
    ]
    return displacement_spectrum(measure("displacements", *sets))


def _by_length(texts: "Sequence[Input]") -> Spec:
    _need_texts(texts)
    found = measure("edv_by_length", *(one.path for one in texts))
    rows = [
        {"treebank": f"{one.treebank} {length}", "length": int(length), "edv": value}
        for one in found.measured
        if isinstance(one.value, dict)
        for length, value in one.value.items()
        if value is not None
    ]
    return scatter(make_table(rows), "edv", ["length"])


def _need_texts(texts: "Sequence[Input]") -> None:
    if not texts:
        raise TreegaugeError("needs treebanks with texts")


def _histograms(frame: "pl.DataFrame", names: Sequence[str]) -> Spec:
    panels = []
    for name in names:
        rows = [{"value": value} for value in frame[name].drop_nulls().to_list()]
        bars = {"x": quantity("value", name, bin={"maxbins": 20}), "y": {"aggregate": "count", "title": "treebanks"}}
        panels.append(chart(rows, SIDE, SIDE * 0.6, **mark("bar", bars)))
    return themed({"concat": panels, "columns": 3}, "Distributions", "", False)


def _complexity_figure(frame: "pl.DataFrame") -> Spec:
    high = pl.col("mc_published") > _present(frame, "mc_published")["mc_published"].mean()
    panels = []
    for title, some in (("complex", frame.filter(high)), ("not complex", frame.filter(~high))):
        panel = scatter(some, "las", ["edv"])["concat"][0]
        panels.append(panel | {"title": f"{title}, {panel['title']}"})
    return themed({"concat": panels}, "LAS", "", False)


def _samples(texts: "Sequence[Input]") -> Rows:
    _need_texts(texts)
    found = measure("edv_samples", *(one.path for one in texts))
    rows = [{"treebank": one.treebank, **one.value} for one in found.measured if isinstance(one.value, dict)]
    if not rows:
        raise TreegaugeError(found.warnings[0] if found.warnings else "no treebank is large enough")
    return rows


def _splits(draft: Draft, texts: "Sequence[Input]", choices: StudyChoices) -> None:
    """Split treebanks at low and at high EDV, train on both, and compare (Section 6); then at graded EDV."""
    titles = {
        "Table 7": "Spearman's rho with the difference in LAS between splits of high and low EDV",
        "Figure 12": "LAS of splits of high EDV minus that of low EDV", "Figure 13": "LAS of both kinds of splits",
        "Figure 14": "Difference in LAS and difference in EDV",
        "Graded EDV": "Scores of splits at five levels of EDV", "LAS by EDV": "Change of LAS per unit of EDV",
    }  # fmt: skip
    if not choices.parser or not texts:
        for item, title in titles.items():
            draft.skip(item, title, "needs treebanks with texts and a parser to train, such as --parser udpipe")
        return
    kinds = [("low", "sampled-low", choices.seed), ("high", "sampled-high", choices.seed)]
    rows = draft.table("Section 6", "Scores of splits of low and high EDV", lambda: _trained(texts, choices, kinds))
    if not rows:
        return
    frame = make_table(_pairs(rows))
    notes = (ALONE, "Differences are those of the high split minus those of the low one; words and length are means.")
    draft.table("Table 7", titles["Table 7"], lambda: _of_differences(frame), key=["variable", "with", "given"],
                notes=notes)  # fmt: skip
    for item, columns in (("Figure 12", ("dLAS",)), ("Figure 13", ("las low", "las high"))):
        draft.figure(item, titles[item], lambda columns=columns: _histograms(frame, columns))  # type: ignore[misc]
    draft.figure("Figure 14", titles["Figure 14"], lambda: scatter(frame, "dLAS", ["dEDV", "dEDV masses", "length"]))
    seeds = range(choices.seed, choices.seed + (1 if choices.quick else LEAST_RUNS))
    graded = draft.table("Graded EDV", titles["Graded EDV"], lambda: _trained(
        texts, choices, [(level, level, seed) for seed in seeds for level in LEVELS]),
        notes=(f"quick: one sample, else {LEAST_RUNS}",) if choices.quick else ())  # fmt: skip
    if graded is None:
        draft.skip("LAS by EDV", titles["LAS by EDV"], "needs splits at graded EDV")
        return
    draft.table("LAS by EDV", titles["LAS by EDV"], lambda: slopes_on_edv(graded), notes=(SLOPES,))


def _trained(texts: "Sequence[Input]", choices: StudyChoices, kinds: Sequence[tuple[str, str, int]]) -> Rows:
    """Return one row per treebank and kind of split: a name, an objective and a seed."""
    from treegauge.experiments.grid import cells_of
    from treegauge.experiments.plans import make_setup
    from treegauge.experiments.training import run_cells
    from treegauge.parsing.options import given_options
    from treegauge.parsing.registry import find_parser

    if len(choices.parser) > 1:
        raise TreegaugeError(f"study edv: found {len(choices.parser)} parsers, expected one")
    parser, *words = choices.parser[0].split()
    options = given_options(find_parser(parser).options, [*choices.option, *words])
    rows: Rows = []
    cells: list[Cell] = []
    with progress("splits", len(kinds) * len(texts)) as task:
        for one in texts:
            sentences = pool(one.path)
            enough = len(read_conllu(one.path, split="train")) >= LEAST_TRAINING
            for kind, objective, seed in kinds:
                task.advance(1)
                if not enough:
                    continue
                made = make_split(sentences, objective, seed=seed, documents=False, min_words=3)  # type: ignore[arg-type]
                sets = {name: made.pool.treebank.take(index) for name, index in made.parts.items()}
                train, test = sets["train"], sets["test"]
                rows.append(
                    {"treebank": one.name, "EDV": kind, "sample": seed, "train_words": train.n_words,
                     "length": test.n_words / len(test), "edv": edv(train, test),
                     "edv_masses": edv_masses(train, test), "slv": slv(train, test)}
                )  # fmt: skip
                setup = make_setup("score", sets, parser, options=options, name=f"{one.name}-{kind}")
                cells += cells_of(setup, seeds=[seed])
    for row, outcome in zip(rows, run_cells(cells, choices.store, workers=choices.workers, what="cells"), strict=True):
        row["las"] = outcome.scalars["LAS"]
    return rows


def _pairs(rows: Rows) -> Rows:
    """Return one row per treebank: high split minus low split, and means of both."""
    pairs: Rows = []
    names = {"dLAS": "las", "dEDV": "edv", "dEDV masses": "edv_masses", "dSLV": "slv", "dwords": "train_words",
             "dlength": "length"}  # fmt: skip
    for low, high in zip(rows[::2], rows[1::2], strict=True):
        pair = {"treebank": low["treebank"], "las low": low["las"], "las high": high["las"]}
        pair |= {name: high[key] - low[key] for name, key in names.items()}
        means = {"words": "train_words", "length": "length"}
        pairs.append(pair | {name: (low[key] + high[key]) / 2 for name, key in means.items()})
    return pairs


SLOPES = (
    "A sample is a seed of splits and training; its slope is least squares over five levels. Treebanks have the mean "
    f"of their samples, whose interval is for other samples. The mean over {TOO_FEW} has no interval."
)


def slopes_on_edv(rows: Rows) -> Rows:
    """Return the LAS per unit of EDV of each treebank, and over treebanks, with intervals.

    Intervals of a treebank are for other samples (Student's t), those over treebanks for others: of the
    mean as in ``certify``, of the median of genera without assumptions on the distribution.

    Examples
    --------
    >>> points = [("UD_Greek-X", sample, edv, 80 - 2 * edv) for sample in range(3) for edv in (0.1, 0.4, 1.0)]
    >>> made = slopes_on_edv([dict(zip(("treebank", "sample", "edv", "las"), one)) for one in points])
    >>> made[0]["treebank"], made[0]["over"], round(made[0]["slope"], 6)
    ('UD_Greek-X', '3 samples', -2.0)
    """
    points: dict[str, dict[int, list[tuple[float, float]]]] = {}
    for row in rows:
        points.setdefault(row["treebank"], {}).setdefault(row["sample"], []).append((row["edv"], row["las"]))
    made: Rows = []

    def add(name: str, slope: float, limits: Sequence[Any] | None, over: str) -> None:
        low, high = (float(end) for end in limits) if limits is not None else (math.nan, math.nan)
        known = {"low": None if math.isnan(low) else low, "high": None if math.isnan(high) else high}
        made.append({"treebank": name, "slope": slope, **known, "over": over})

    for treebank, samples in points.items():
        lines = [np.transpose(sample) for sample in samples.values()]
        slopes = [np.polyfit(edvs, scores, 1)[0] for edvs, scores in lines]
        estimate = student_mean(slopes)
        limits = estimate.interval() if len(slopes) >= LEAST_RUNS else None
        add(treebank, float(estimate.value), limits, f"{len(slopes)} samples")
    if len(made) > 1:
        values = np.array([row["slope"] for row in made])
        genera = treebank_units([*points], [kin_of(name, GENUS) for name in points]).names
        codes = unit_codes(genera, len(genera))
        by_genus = np.bincount(codes, values) / np.bincount(codes)
        over = f"{len(values)} treebanks in {len(by_genus)} genera"
        add("mean", float(values.mean()), hierarchy(values, genera).alike.interval(), over)
        add("median", float(np.median(by_genus)), median_interval(by_genus), f"{len(by_genus)} genera")
    return made


TABLE7 = (("words", "dLAS", ()), ("length", "dLAS", ()), ("dwords", "dLAS", ()), ("dlength", "dLAS", ()),
          ("dSLV", "dLAS", ()), ("dEDV", "dLAS", ()), ("dEDV masses", "dLAS", ()), ("length", "dEDV", ()),
          ("dSLV", "dEDV", ()), ("dEDV", "dLAS", ("length",)), ("dEDV", "dLAS", ("dSLV",)))  # fmt: skip


def _of_differences(frame: "pl.DataFrame") -> Rows:
    rows: Rows = []
    for variable, target, given in TABLE7:
        (*_, one) = correlate(frame, target, [variable], list(given), resamples=0, cluster="none").rows
        values = {key: getattr(one.inference, key) for key in ("r", "low", "high", "p_value")}
        names = {"variable": variable, "with": target, "given": " + ".join(given) or "nothing", "n": one.n}
        rows.append(names | values)
    return rows
