"""``treegauge triage``: counts by other code, the formula by hand, and what is refused."""

import math

import numpy as np
import pytest

import treegauge as tg
from treegauge.auditing.review import review
from treegauge.auditing.triage import Parts, expected_error, triage
from treegauge.core.errors import TreegaugeError
from treegauge.statistics.student import student_quantile
from treegauge.testing.simulated_parser import simulated_parse
from treegauge.testing.synthetic import synthetic_conllu

TRUTH = synthetic_conllu(200, seed=3)


def rows(text):
    return [
        [line.split("\t") for line in one.split("\n") if line.split("\t")[0].isdigit()]
        for one in text.strip().split("\n\n")
    ]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    home = tmp_path_factory.mktemp("triage")
    sentences = TRUTH.strip("\n").split("\n\n")
    texts = {"gold": "\n\n".join(sentences[:80]) + "\n\n"}
    texts["a"] = simulated_parse(TRUTH, seed=0)
    texts["b"] = simulated_parse(texts["a"], seed=1)  # which shares the errors of a
    for name, text in texts.items():
        (home / f"{name}.conllu").write_text(text)
    return home


def test_counts_are_those_of_other_code(files):
    result = triage(files / "a.conllu", files / "b.conllu", gold=files / "gold.conllu", units="sentences")
    (row,) = result.rows
    accepted = errors = sampled = words = 0
    asked = []
    a, b = (rows((files / f"{name}.conllu").read_text()) for name in "ab")
    for number, (one, other, right) in enumerate(zip(a, b, rows(TRUTH), strict=True)):
        for x, y, z in zip(one, other, right, strict=True):
            same = (x[6], x[7]) == (y[6], y[7])
            if number < 80:
                sampled += same
                errors += same and (x[6], x[7]) != (z[6], z[7])
            else:
                words += 1
                accepted += same
                if not same:
                    pairs = [(n, p, q) for n, p, q in (("head", x[6], y[6]), ("deprel", x[7], y[7])) if p != q]
                    cells = [" ".join(f"{pair[0]}={pair[side]}" for pair in pairs) for side in (1, 2)]
                    asked.append((int(x[0]), x[1], *cells))
    assert (row["words"], row["to_review"]) == (accepted, words - accepted)
    assert row["accepted"] == pytest.approx(100 * accepted / words)
    assert row["error"] == pytest.approx(100 * errors / sampled)
    assert row["hours"] == pytest.approx(accepted * 10 / 3600)
    review = result.attached["to_review"].rows
    names = ("word", "form", "annotated", "proposed")
    assert [tuple(entry[name] for name in names) for entry in review] == asked
    assert row["error_low"] < row["error"] < row["error_high"]


def test_the_interval_by_hand():
    sampled, errors, rest = np.full(20, 10), np.array([0, 1, 2, 3] * 5), np.full(40, 10)
    parts = Parts(np.r_[sampled, 0 * rest], np.r_[errors, 0 * rest], np.r_[0 * sampled, rest])
    low, high = (float(limit) for limit in expected_error(parts).interval(0.95, share=True))
    # 30 errors of 200 words; squared residuals 5 * (1.5^2 + .5^2 + .5^2 + 1.5^2) = 25; 15 units have an error.
    error = math.sqrt(25 / 200**2 * 20 / 19 * (1 + 200 / 400)) / (0.15 * 0.85)
    reach = float(student_quantile(0.975, 14)) * error
    odds = math.log(0.15 / 0.85)
    assert low == pytest.approx(1 / (1 + math.exp(-(odds - reach))))
    assert high == pytest.approx(1 / (1 + math.exp(-(odds + reach))))


def test_too_few_units_and_too_few_errors_have_no_interval():
    few = Parts(np.full(9, 10), np.ones(9, int), np.full(9, 10))
    rare = Parts(np.full(50, 10), np.r_[np.ones(4, int), np.zeros(46, int)], np.full(50, 10))
    for parts in (few, rare):
        assert np.isnan(expected_error(parts).interval(share=True)[0])


def test_a_largest_error_chooses_how_many_words_must_agree(files):
    places = files / "a.conllu", files / "b.conllu"
    loose = triage(*places, gold=files / "gold.conllu", units="sentences", error=50)
    assert [row["chosen"] for row in loose.rows] == [""] * 8 + ["yes"]
    accepted = [row["words"] for row in loose.rows]
    assert accepted == sorted(accepted) and accepted[0] < accepted[-1]
    highs = [row["error_high"] for row in loose.rows]
    limit = max(high for high in highs if high is not None) - 0.01
    strict = triage(*places, gold=files / "gold.conllu", units="sentences", error=limit)
    chosen = next((n for n, row in enumerate(strict.rows) if row["chosen"]), None)
    passed = [n for n, high in enumerate(highs) if high is not None and high <= limit]
    assert chosen is None or (chosen in passed and chosen < 8)
    none = triage(*places, gold=files / "gold.conllu", units="sentences", error=0.01)
    assert not any(row["chosen"] for row in none.rows) and "review all words" in str(none)
    assert len(none.attached["to_review"].rows) == sum(map(len, rows(TRUTH)[80:]))


def test_the_command_prints_and_writes(files, command, tmp_path):
    words = ("triage", files / "a.conllu", files / "b.conllu", "--gold", files / "gold.conllu")
    text = command(*words, "--units", "sentences").out
    assert "error interval" in text and "words to review" in text and "units:sentences" in text
    command(*words, "-o", tmp_path / "list.csv")
    assert (tmp_path / "list.csv").read_text().startswith("kind,sentence,sent_id,word,form,annotated,proposed,")


def test_the_words_to_review_are_items_of_a_work_list(files, tmp_path):
    """All that differ from the first annotation come back as proposals, in that order of urgency."""
    result = triage(files / "a.conllu", files / "b.conllu", gold=files / "gold.conllu", units="sentences", error=50)
    result.attached["to_review"].save(tmp_path / "list.csv")
    found = review(files / "a.conllu", findings=[tmp_path / "list.csv"], kinds="parser", count=10**6)
    listed = result.attached["to_review"].rows
    assert len(found) == len(listed) > 20
    told = {(one.sent_id, one.word): (one.annotated, one.proposed) for one in found.items}
    assert told == {(row["sent_id"], row["word"]): (row["annotated"], row["proposed"]) for row in listed}
    assert [bool(one.proposed) for one in found.items] == sorted(
        (bool(row["proposed"]) for row in listed), reverse=True
    )


def test_what_does_not_fit_is_refused(files, tmp_path):
    a, gold = files / "a.conllu", files / "gold.conllu"
    other = tmp_path / "other.conllu"
    other.write_text(synthetic_conllu(200, seed=4))
    with pytest.raises(TreegaugeError, match="have different words"):
        triage(a, other, gold=gold)
    with pytest.raises(TreegaugeError, match="other words than those"):
        triage(a, a, gold=other)
    other.write_text(gold.read_text().replace("sent_id = ", "sent_id = x"))
    with pytest.raises(TreegaugeError, match="is not in the annotations"):
        triage(a, a, gold=other)
    with pytest.raises(TreegaugeError, match="error in percent"):
        triage(a, a, gold=gold, error=0)
    assert tg.triage is triage
