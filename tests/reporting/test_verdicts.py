"""One comparison has the same sentence, p-value, interval and sign wherever it is shown."""

import json
import re
from functools import partial

import pytest

import treegauge as tg
from tests.commands import invoke
from tests.reporting.browsing import page_data, table
from treegauge.core.tables import latex, markdown
from treegauge.scoring.verdicts import pair_verdict
from treegauge.testing.simulated_parser import Accuracy, simulated_parse
from treegauge.testing.synthetic import synthetic

LANGUAGES = ("Greek", "Czech", "Latin", "Wolof", "Welsh", "Turkish", "English")
QUALITY = {"good": 0.92, "bad": 0.8}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Seven treebanks of seven genera, and two systems."""
    home = tmp_path_factory.mktemp("verdicts")
    for number, language in enumerate(LANGUAGES):
        text = synthetic(40, seed=number).to_bytes().decode()
        gold = re.sub(r"# new(doc|par).*\n", "", text)
        for place, (system, quality) in enumerate(QUALITY.items()):
            (home / system).mkdir(exist_ok=True)
            parsed = simulated_parse(gold, Accuracy(heads=quality), seed=10 * number + place)
            (home / system / f"UD_{language}-X.conllu").write_text(parsed)
        (home / "gold").mkdir(exist_ok=True)
        (home / "gold" / f"UD_{language}-X.conllu").write_text(gold)
    return home


@pytest.fixture(scope="module")
def scores(folder):
    return tg.score(folder / "gold", folder / "good", folder / "bad")


@pytest.fixture(scope="module")
def verdicts(scores):
    """The two verdicts as Python has them."""
    return scores.attached["comparisons"].verdicts_of("LAS", "good", "bad")


def test_the_verdicts_say_what_the_numbers_say(scores, verdicts):
    (row,) = scores.attached["comparisons"].pairs
    text, new = verdicts
    assert (text.state, text.sign, new.state, new.sign) == ("a_better", ">", "a_better", ">")
    assert row["sign"] == ">"
    assert text.sentence == (
        f"On new text from these treebanks: good is better than bad by {row['difference']:.2f} LAS points "
        f"(95 % interval {row['low']:.2f} to {row['high']:.2f}; {text.p})."
    )
    assert text.p == "p < 0.0001" and row["p_corrected"] < 0.0001
    # Seven means of one sign: 2 / 2^7.
    assert new.sentence == (
        f"On new treebanks: yes, good is better than bad by {row['difference']:.2f} LAS points "
        "(p = 0.0156, over 7 genera)."
    )


def test_the_terminal_tables_json_and_certificate_have_the_same(folder, scores, verdicts, tmp_path):
    words = ["score", folder / "gold", folder / "good", folder / "bad"]
    text, new = (one.sentence for one in verdicts)
    printed = " ".join(invoke([*map(str, words)]).stdout.split())
    assert text in printed and new in printed
    assert "0.0000" not in printed
    scores.save(tmp_path / "table.tex")
    scores.save(tmp_path / "table.md")
    assert latex(text) in (tex := (tmp_path / "table.tex").read_text("utf-8")) and latex(new) in tex
    assert markdown(text) in (md := (tmp_path / "table.md").read_text("utf-8")) and markdown(new) in md
    scores.save(tmp_path / "scores.json")
    saved = json.loads((tmp_path / "scores.json").read_text("utf-8"))["comparisons"]["verdicts"]
    assert saved == [one._asdict() for one in verdicts]
    certificate = tg.certify(tmp_path / "scores.json", claim="good > bad")
    assert certificate.verdicts[1].sentence == new
    assert certificate.verdicts[1].p == verdicts[1].p and certificate.verdicts[1].sign == ">"
    assert str(certificate).split("\n")[1] == new
    assert certificate.verdicts[0].sign == "?", "a table has no text"
    bad, good = (100 - scores[system]["LAS"].f1 for system in ("bad", "good"))
    assert certificate.error_reduction == pytest.approx(100 * (bad - good) / bad), "of the mean scores"
    compared = tg.rank.compare(tmp_path / "scores.json", test="wins")
    assert compared.numbers["wins"][0, 1] == 7


def test_the_page_shows_what_python_wrote(folder, tab, verdicts):
    tg.report(folder / "good", folder / "bad", gold=str(folder / "gold"), out=folder / "page.html", subsets=50)
    text = (folder / "page.html").read_text("utf-8")
    data = page_data(text)
    (row,) = data["overview"]["pairs"]
    assert [(one["sentence"], one["p"], one["sign"], one["better"]) for one in row["verdicts"]] == [
        (one.sentence, one.p, one.sign, "good") for one in verdicts
    ]
    (board,) = data["ranking"]["boards"]
    assert board["pairs"]["verdicts"][0][1]["sentence"] == verdicts[1].sentence
    for first, second, side in (("good", "bad", "a"), ("bad", "good", "b")):
        page = tab(folder / "page.html", f"#compare?left={first}&right={second}")
        shown = page.locator("#compare-result .verdict")
        assert shown.all_inner_texts() == [one.sentence for one in verdicts]
        assert [one.get_attribute("data-p") for one in shown.all()] == [one.p for one in verdicts]
        assert [one.get_attribute("data-better") for one in shown.all()] == [side, side]
        whole = page.locator("#view-compare").inner_text()
        assert whole.count("p < 0.0001") + whole.count("p = 0.0156") == 2, "further tests are folded"
        assert "0.0000" not in whole
    page = tab(folder / "page.html")
    assert all(one.sentence in page.locator(".summary").inner_text() for one in verdicts)
    alone = tg.score(folder / "gold" / "UD_Greek-X.conllu", *(folder / s / "UD_Greek-X.conllu" for s in QUALITY))
    part = next(one for one in data["scores"]["treebanks"] if one["treebank"] == "UD_Greek-X")
    sign = alone.attached["comparisons"].verdicts[0].sign
    assert part["tests"][0]["verdicts"][0]["sign"] == sign
    page.locator("#rail").get_by_role("link", name="Systems", exact=True).click()
    page = tab(folder / "page.html", "#systems?treebank=UD_Greek-X")
    rows = [cells for cells in table(page, "#view-systems") if sign in cells]
    assert rows, "the sign is in the table of paired tests"


def test_an_interval_without_zero_next_to_a_corrected_p_value_says_what_it_is_of():
    """The interval is of one test: it may leave out 0 where the corrected p-value is above .05."""
    tests = partial(pair_verdict, "new text", "A", "B", 1.2, "LAS", interval=(0.03, 2.3))
    corrected = tests(0.09, over="corrected for 2 tests").sentence
    assert "(95 % interval of this test alone 0.03 to 2.30; p = 0.09, corrected" in corrected
    assert "(95 % interval 0.03 to 2.30; p = 0.045)" in tests(0.045).sentence


@pytest.mark.parametrize(
    ("name", "why"),
    [("UD_Greek-X", "1 treebank of 1 genus; a test needs 6 genera"), ("mine", "1 treebank; a test needs 6")],
)
def test_one_treebank_says_nothing_of_new_ones(folder, tmp_path, name, why):
    """Greek has a genus; a name of one's own has none, and treebanks are the units."""
    gold = tmp_path / f"{name}.conllu"
    gold.write_bytes((folder / "gold" / "UD_Greek-X.conllu").read_bytes())
    outputs = {system: folder / system / "UD_Greek-X.conllu" for system in QUALITY}
    new = tg.score(gold, outputs).attached["comparisons"].verdicts[1]
    assert new.sentence == f"On new treebanks: too few to say ({why})."
    assert (new.state, new.p) == ("untested", "")
