"""What holds for every pair of analyses of a text."""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treegauge.scoring.alignment.align import align
from treegauge.scoring.alignment.paired_reading import SideReader, read_pairs
from treegauge.scoring.classes.class_scores import class_scores
from treegauge.scoring.classes.classification import REGISTRY
from treegauge.scoring.evaluation import evaluate
from treegauge.scoring.metrics.correct_words import WORD_METRICS
from treegauge.scoring.metrics.las_counts import join, tally
from treegauge.scoring.metrics.registry import NUMBER
from treegauge.scoring.settings import ScoreOptions
from treegauge.treebanks.data.conllu import parse_conllu
from treegauge.treebanks.data.relations import CONTENT

from .oracle import TOTALS, assert_parity, chain, conllu, counts, four, official, ours, repeats_edges
from .strategies import analyses

EVERYTHING = ScoreOptions(enhanced=True, weights={"nsubj": 0.5})
moderate = settings(max_examples=40, deadline=None)


@settings(max_examples=200, deadline=None)
@given(analyses())
def test_counts_equal_the_official_ones(sides):
    assert_parity(*sides)


@moderate
@given(analyses(), st.sampled_from([1, 60, 200, 1000]))
def test_pieces_of_any_size_give_the_same_statistics(sides, chunk):
    with TemporaryDirectory() as folder:
        paths = [Path(folder) / name for name in ("gold.conllu", "system.conllu")]
        for path, text in zip(paths, sides, strict=True):
            path.write_bytes(text.encode())
        readers = [SideReader.of(path, EVERYTHING, chunk=chunk) for path in paths]
        pieces = join((tally(part, EVERYTHING) for part in read_pairs(*readers)), EVERYTHING)
    whole = tally(align(*map(parse_conllu, sides)), EVERYTHING)
    assert pieces.sentences == whole.sentences
    assert np.array_equal(pieces.rows, whole.rows)


@moderate
@given(st.lists(analyses(), min_size=2, max_size=4))
def test_statistics_of_shards_add(shards):
    # A token that both sides share closes each shard: alignment starts afresh after it.
    closed = [[side + conllu(chain("end")) for side in sides] for sides in shards]
    whole = tally(align(*(parse_conllu("".join(side)) for side in zip(*closed, strict=True))), EVERYTHING)
    parts = [tally(align(*map(parse_conllu, sides)), EVERYTHING) for sides in closed]
    assert np.array_equal(join(parts, EVERYTHING).rows, whole.rows)
    assert np.allclose(sum(part.totals for part in parts), whole.totals)
    assert np.array_equal(whole.summed().totals, whole.totals)


@moderate
@given(analyses(count=1))
def test_gold_against_itself_is_perfect(sides):
    found = ours(sides[0], sides[0], enhanced=True, weights={"nsubj": 0.5}).systems[0].metrics
    for metric in found.values():
        assert metric.correct == metric.gold == metric.system
        assert metric.aligned in {None, metric.gold}
        assert metric.f1 == (100.0 if metric.gold else 0.0)


@moderate
@given(analyses())
def test_swapping_the_sides_swaps_what_is_counted_on_one_side(sides):
    there, back = counts(ours(*sides, enhanced=True)), counts(ours(*sides[::-1], enhanced=True))
    for name, (correct, gold, system, _) in there.items():
        assert back[name][1:3] == (system, gold)
        if name in {"Tokens", "Sentences"}:
            assert back[name][0] == correct


@moderate
@given(analyses(multiword=0))
def test_without_multiword_tokens_what_is_right_is_right_both_ways(sides):
    there, back = counts(ours(*sides, enhanced=True)), counts(ours(*sides[::-1], enhanced=True))
    for name in set(there) - {"Lemmas", "BLEX"}:  # an underscore in gold is always right
        assert back[name][0] == there[name][0]


@moderate
@given(analyses())
def test_no_metric_counts_more_than_there_is(sides):
    found = ours(*sides, enhanced=True, subtypes=True, punct=False).systems[0].metrics
    for metric in found.values():
        bounds = [metric.gold, metric.system, metric.gold if metric.aligned is None else metric.aligned]
        if metric.name in {"CLAS", "MLAS", "BLEX", "ContentLAS", "FunctionLAS", "UAS", "LAS"}:
            assert metric.aligned <= metric.gold
        assert 0 <= metric.correct <= min(bounds)
        assert 0 <= metric.f1 <= 100


@moderate
@given(analyses(), st.sampled_from(sorted(REGISTRY)), st.sampled_from(sorted(WORD_METRICS)))
def test_classes_of_a_breakdown_add_up(sides, by, metric):
    gold, system = map(parse_conllu, sides)
    table = class_scores(gold, system, by=by, metric=metric).table
    found = ours(*sides).systems[0].metrics
    assert table["gold"].sum() == found["Words"].gold
    assert table["system"].sum() == found["Words"].system
    assert table["aligned"].sum() == found["Words"].correct
    if metric in found:
        assert table["correct"].sum() == found[metric].correct
    assert table["share"].sum() == pytest.approx(100)


@moderate
@given(analyses(), st.booleans())
def test_weights_of_one_give_las(sides, punct):
    found = ours(*sides, punct=punct, weights={}).systems[0].metrics
    for part in ("correct", "gold", "system", "aligned"):
        assert getattr(found["WLAS"], part) == getattr(found["LAS"], part)


@moderate
@given(analyses())
def test_weights_of_content_relations_alone_give_clas(sides):
    weights = dict.fromkeys(CONTENT, 1.0)
    found = ours(*sides, weights=weights, default_weight=0.0).systems[0].metrics
    for part in ("correct", "gold", "system", "aligned"):
        assert getattr(found["WLAS"], part) == getattr(found["CLAS"], part)


@moderate
@given(analyses(), st.integers(1, 3))
def test_repeated_edges_count_once(sides, times):
    # Every field is written several times over; without one-to-one matching F1 grows with it.
    def repeat(text: str) -> str:
        rows = [line.split("\t") for line in text.split("\n")]
        for fields in rows:
            if len(fields) == 10 and fields[8] != "_":
                fields[8] = "|".join([fields[8]] * times)
        return "\n".join("\t".join(fields) for fields in rows)

    once = four(ours(*sides, enhanced=True), "ELAS")
    many = [repeat(side) for side in sides]
    found = four(ours(*many, enhanced=True), "ELAS")
    assert found[:3] == tuple(times * count for count in once[:3])
    if times > 1 and once[0]:
        assert repeats_edges(many[0])
        assert official(*many)["ELAS"].correct == times * times * once[0]


@moderate
@given(analyses())
def test_intervals_lie_between_nothing_and_all_and_around_the_score(sides):
    gold, system = map(parse_conllu, sides)
    assert evaluate(gold, system, options=TOTALS).systems[0]["LAS"].interval is None
    for metric in evaluate(gold, system).systems[0].metrics.values():
        if metric.interval is not None:
            low, high = metric.interval
            assert 0 < low <= metric.f1 <= high < 100


def test_a_token_over_the_end_of_a_sentence_counts_where_its_partners_are():
    gold = parse_conllu("1\tA\t_\tX\t_\t_\t0\troot\t_\t_\n\n1\tB\t_\tX\t_\t_\t0\troot\t_\t_\n\n")
    system = parse_conllu(
        "1-2\tAB\t_\t_\t_\t_\t_\t_\t_\t_\n1\tB\t_\tX\t_\t_\t0\troot\t_\t_\n2\tC\t_\tX\t_\t_\t1\tdep\t_\t_\n\n"
    )
    rows = tally(align(gold, system), ScoreOptions()).rows
    right, ours, theirs = (rows[:, NUMBER[f"words_{one}"]].tolist() for one in "ags")
    assert (right, ours, theirs) == ([0, 1], [1, 1], [1, 1])
