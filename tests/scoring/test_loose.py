"""Loose alignment: exact where characters are the same, close to the truth where they are not."""

import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treegauge as tg
from treegauge.scoring.alignment.loose import align_loosely, character_map
from treegauge.scoring.metrics.registry import Metric
from treegauge.testing.simulated_parser import Accuracy, simulated_parse
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.conllu import parse_conllu

from .perturb import CHANGES, perturb
from .test_parity import first

ROW = "{}\t{}\t_\tX\t_\t_\t{}\t{}\t_\t_\n"


def sentence(*forms: str) -> str:
    heads = [0] + [1] * (len(forms) - 1)
    rows = zip(forms, heads, strict=True)
    return "".join(ROW.format(i, f, h, "dep" if h else "root") for i, (f, h) in enumerate(rows, 1))


def partners(gold: str, system: str) -> list[int]:
    ours, theirs = (parse_conllu(text + "\n") for text in (gold, system))
    return align_loosely(ours, theirs).to_system.tolist()


def edits(a: str, b: str) -> int:
    """Levenshtein's distance, straight from its definition."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        corner, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            corner, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, corner + (x != y))
    return row[-1]


@given(st.text("abc", max_size=12), st.text("abc", max_size=12))
def test_characters_are_aligned_with_the_fewest_edits(a: str, b: str) -> None:
    places = character_map(*(np.frombuffer(text.encode(), np.uint8) for text in (a, b)))
    known = [(i, j) for j, i in enumerate(places.tolist()) if i >= 0]
    assert known == sorted(known) and len({i for i, _ in known}) == len(known)
    replaced = sum(a[i] != b[j] for i, j in known)
    assert replaced + len(a) + len(b) - 2 * len(known) == edits(a, b)


@pytest.mark.parametrize(
    ("gold", "system", "expected"),
    [
        (("the", "cat", "sleeps"), ("the", "cat", "slept"), [0, 1, 2]),
        (("see", "eel"), ("se", "eel"), [0, 1]),
        (("a", "cat"), ("a", "very", "cat"), [0, 2]),
        (("a", "very", "cat"), ("a", "cat"), [0, -1, 1]),
        (("cannot", "go", "X"), ("can", "not", "go", "Y"), [-1, 2, 3]),
        (("can", "not", "go", "X"), ("cannot", "go", "Y"), [-1, -1, 1, 2]),
        (("abcdef", "x"), ("ghijkl", "y"), [0, 1]),
        (("été", "là"), ("ete", "la"), [0, 1]),
    ],
)
def test_words_by_hand(gold: tuple[str, ...], system: tuple[str, ...], expected: list[int]) -> None:
    assert partners(sentence(*gold), sentence(*system)) == expected


def test_multiword_tokens_are_matched_by_the_forms_of_their_words() -> None:
    gold = "1-2\tdu\t_\t_\t_\t_\t_\t_\t_\t_\n" + sentence("de", "le", "pain", "!")
    system = "1-2\tdu\t_\t_\t_\t_\t_\t_\t_\t_\n" + sentence("de", "le", "pian", "?")
    assert partners(gold, system) == [0, 1, 2, 3]
    assert partners(gold, sentence("du", "pain", "?")) == [-1, -1, 1, 2]


def test_the_same_characters_are_scored_as_always() -> None:
    gold = synthetic(60, seed=3)
    system = simulated_parse(gold.to_bytes().decode(), Accuracy(heads=0.8), seed=1)
    exact = tg.score(gold, {"x": parse_conllu(system)}, resamples=0)
    loose = tg.score(gold, {"x": parse_conllu(system)}, resamples=0, align="loose")
    assert loose.table.equals(exact.table)
    assert "align:loose" in loose.signature and "align" not in exact.signature


def changed(text: str, share: float, seed: int) -> str:
    """Replace, drop or add characters of forms."""
    rng = random.Random(seed)
    lines = text.split("\n")
    for number, line in enumerate(lines):
        fields = line.split("\t")
        if len(fields) == 10 and "-" not in fields[0]:
            form = ""
            for char in fields[1]:
                what = rng.choice("rda") if rng.random() < share else ""
                form += {"": char, "r": "q", "d": "", "a": char + "q"}[what]
            fields[1] = form or "q"
            lines[number] = "\t".join(fields)
    return "\n".join(lines)


def test_one_changed_character_in_a_hundred_changes_scores_by_less_than_half_a_point() -> None:
    gold = synthetic(400, seed=4)
    system = simulated_parse(gold.to_bytes().decode(), Accuracy(heads=0.85), seed=2)
    truth = tg.score(gold, {"x": parse_conllu(system)}, resamples=0)["x"]
    text = changed(system, 0.01, seed=5)
    assert text != system
    with pytest.raises(tg.TreegaugeError, match="do not contain the same text"):
        tg.score(gold, {"x": parse_conllu(text)}, resamples=0)
    found = tg.score(gold, {"x": parse_conllu(text)}, resamples=0, align="loose")
    assert abs(found["x"]["LAS"].f1 - truth["LAS"].f1) < 0.5
    assert abs(found["x"]["Words"].f1 - 100) < 0.5


def test_changed_forms_are_counted_and_shown() -> None:
    """With every form changed, the scores of words were 100 and nothing was said."""
    gold = "1-2\tdu\t_\t_\t_\t_\t_\t_\t_\t_\n" + sentence("de", "le", "pain", "frais", "ici")
    system = gold.replace("pain", "pian").replace("frais", "fraix").replace("\tdu\t", "\tdü\t")
    system = system.replace("\tle\t", "\tLE\t")  # case inside a multiword token is ignored
    gold, system = (f"{text}\n" * 2 for text in (gold, system))
    scores = tg.score(parse_conllu(gold), {"x": parse_conllu(system)}, align="loose")
    assert scores["x"]["Words"].f1 == scores["x"]["Tokens"].f1 == 100
    changes = scores["x"].changes
    assert changes and changes.changed_forms == 6
    assert changes.forms == {("pain", "pian"): 2, ("frais", "fraix"): 2, ("du", "dü"): 2}
    (said,) = [note for note in scores.notes if "loose" in note]
    assert said == (
        "x: loose alignment: 6 aligned forms changed, such as 'pain' as 'pian' (2 times), "
        "'frais' as 'fraix' (2 times), 'du' as 'dü' (2 times)"
    )
    assert said in str(scores)
    (listed,) = scores.to_dict()["systems"]
    assert listed["text"]["changed_forms"] == 6
    assert listed["text"]["examples"][0] == {"gold": "pain", "predicted": "pian", "count": 2}
    same = tg.score(parse_conllu(gold), {"x": parse_conllu(gold)}, align="loose")
    assert same["x"].changes and same["x"].changes.changed_forms == 0
    assert "loose alignment" not in str(same)
    runs = [parse_conllu(system), parse_conllu(system)]
    several = tg.score(parse_conllu(gold), {"x": runs}, align="loose")["x"].changes
    assert several and several.changed_forms == 12 and several.gold == 20


def test_changed_forms_are_shown_for_folders_and_leaderboards(tmp_path: Path) -> None:
    for folder, text in (("gold", "the cat"), ("out/a", "thy cat"), ("out/b", "the cat")):
        (tmp_path / folder).mkdir(parents=True)
        for code in ("el_gdt", "te_mtg"):
            data = sentence(*text.split()) + "\n"
            (tmp_path / folder / f"{code}.conllu").write_text(data * 3)
    said = "loose alignment: 3 aligned forms changed, such as 'the' as 'thy' (3 times)"
    suite = tg.score(tmp_path / "gold", tmp_path / "out/a", tmp_path / "out/b", align="loose")
    assert f"a on el_gdt, te_mtg: {said}" in str(suite)
    assert "b on" not in str(suite)
    for _ in range(2):  # the second reads the stored scores
        board = tg.leaderboard(tmp_path / "gold", tmp_path / "out", out=tmp_path / "board", align="loose")
        assert board.cells["remarks"].to_list() == [said, None] * 2
        assert "Outputs with changed text or without some layer: 2" in str(board)


def test_lost_sentences_count_as_incorrect_and_are_reported() -> None:
    gold = synthetic(100, seed=6)
    lost = gold[20:60].n_words
    system = parse_conllu(gold[:20].to_bytes() + gold[60:].to_bytes())
    scores = tg.score(gold, {"x": system}, align="loose")
    assert tg.breakdown(gold, {"x": system}, align="loose")["x"].table["gold"].sum() == gold.n_words
    metric = scores["x"]["LAS"]
    assert metric.correct == gold.n_words - lost and metric.gold == gold.n_words
    assert f"{lost:,} of {gold.n_words:,} gold words and 0 of" in " ".join(scores.notes)


@pytest.mark.parametrize("number", [1, 7, 20, 39])
def test_nothing_of_an_incomplete_output_is_lost(number: int) -> None:
    gold = synthetic(40, seed=3)
    part = gold[:number]
    for left, right in ((gold, part), (part, gold)):
        scores = tg.score(left, {"s": right}, align="loose", resamples=0)["s"]
        for name in ("Sentences", "Words", "LAS"):
            shared = len(part) if name == "Sentences" else None
            assert scores[name].correct == (shared or part.n_words), name


def test_added_words_at_the_end_count_as_incorrect() -> None:
    gold = synthetic(10, seed=7)
    more = parse_conllu(gold.to_bytes() + (sentence("zzz", "qqq") + "\n").encode())
    metric = tg.score(gold, {"x": more}, resamples=0, align="loose")["x"]["LAS"]
    assert (metric.correct, metric.gold, metric.system) == (gold.n_words,) * 2 + (gold.n_words + 2,)


EXTRA = "1\tzzzz\t_\tX\t_\t_\t0\troot\t_\t_\n\n"


def test_real_treebanks(real_text: str, seed: int = 1) -> None:
    """Counts are exact for all but the one word that differs; changed characters hardly matter."""
    gold = first(real_text, characters=12_000)
    tokens_agree = [change for change in CHANGES if "multiword" not in change]
    for change in tokens_agree:
        system = perturb(gold, change, seed=seed)
        exact = ours(gold, system)
        loose = ours(gold + EXTRA, system + EXTRA.replace("zzzz", "zzzy"), align="loose")
        for metric in ("Tokens", "Words", "UPOS", "UAS", "LAS", "Sentences"):
            assert loose[metric].correct == exact[metric].correct + 1, (change, metric)
            assert loose[metric].system == exact[metric].system + 1
    gold = first(real_text, characters=60_000)  # a word must be less than half a point
    truth = ours(gold, perturb(gold, "annotation", seed=seed))["LAS"].f1
    text = changed(perturb(gold, "annotation", seed=seed), 0.01, seed=seed)
    assert abs(ours(gold, text, align="loose")["LAS"].f1 - truth) < 0.5


@pytest.mark.parametrize("number", range(4))
def test_cut_and_joined_sentences_are_counted_as_always(number: int) -> None:
    """Pieces were paired with the whole or with an equal sentence elsewhere; the rest was lost."""
    gold = (synthetic(60, seed=number).to_bytes().decode() + sentence("yes", ".") + "\n") * 2
    system = perturb(gold, "cut and joined sentences", seed=number)
    exact = ours(gold, system)
    assert ours(gold, system, align="loose") == exact
    loose = ours(gold + EXTRA, system + EXTRA.replace("zzzz", "zzzy"), align="loose")
    for metric in ("Tokens", "Words", "UPOS", "UAS", "LAS", "Sentences"):
        assert loose[metric].correct == exact[metric].correct + 1, metric
        assert loose[metric].system == exact[metric].system + 1


def ours(gold: str, system: str, **reading: str) -> dict[str, Metric]:
    treebanks = [parse_conllu(text) for text in (gold, system)]
    return tg.score(treebanks[0], {"x": treebanks[1]}, resamples=0, **reading)["x"].metrics


def test_long_texts_without_a_common_character_have_no_partners() -> None:
    texts = [sentence(*[form] * 3000) for form in ("abc", "xyz")]
    assert partners(*texts) == [-1] * 3000
    gold, system = (parse_conllu(text + "\n") for text in texts)
    assert tg.score(gold, {"x": system}, align="loose", resamples=0)["x"]["LAS"].f1 == 0
