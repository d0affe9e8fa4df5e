"""Results that were saved are shown on the page, and are not computed again."""

import json
import re
from functools import wraps
from importlib import import_module
from pathlib import Path

import pytest

import treegauge as tg
from tests.reporting.browsing import page_data
from treegauge.core.errors import TreegaugeError
from treegauge.reporting.report import report
from treegauge.testing.simulated_parser import Accuracy, simulated_parse
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.conllu import parse_conllu, write_conllu

#: What computes a result, as the page calls it.
WORK = {
    "audit": "treegauge.reporting.sections.treebanks.audit_treebanks",
    "measure": "treegauge.reporting.sections.treebanks.measure",
    "check": "treegauge.validation.check.check",
    "score": "treegauge.reporting.sections.scores.score",
}


def results_of(home: Path) -> dict[str, object]:
    return {"audit": tg.audit(home), "check": tg.check(home), "measure": tg.measure("all", home)}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Two treebanks, the saved results of each, the output of two systems and their saved scores."""
    home = tmp_path_factory.mktemp("saved")
    for number in range(2):
        folder = home / f"UD_T{number}-Small"
        folder.mkdir()
        for k, (part, size) in enumerate({"train": 40, "dev": 12, "test": 30}.items()):
            write_conllu(synthetic(size, seed=10 * number + k), folder / f"t{number}_small-ud-{part}.conllu")
        for name, result in results_of(folder).items():
            result.save(home / f"{name}{number}.json")
    gold = home / "UD_T0-Small" / "t0_small-ud-test.conllu"
    for seed, (name, quality) in enumerate({"alpha": 0.95, "beta": 0.75}.items()):
        parsed = simulated_parse(gold.read_text(), Accuracy(heads=quality), seed=seed)
        write_conllu(parse_conllu(parsed), home / f"{name}.conllu")
    tg.score(gold, home / "alpha.conllu", home / "beta.conllu").save(home / "score.json")
    return home


@pytest.fixture
def calls(monkeypatch):
    """How often each result was computed."""
    counts = dict.fromkeys(WORK, 0)

    def counting(kind, function):
        @wraps(function)
        def counted(*args, **options):
            counts[kind] += 1
            return function(*args, **options)

        return counted

    for kind, place in WORK.items():
        module, _, attribute = place.rpartition(".")
        monkeypatch.setattr(place, counting(kind, getattr(import_module(module), attribute)))
    return counts


def made_of(files, *names):
    return report(*(files / name for name in names), out=None).html


def test_saved_results_are_not_computed_again_and_the_page_is_the_same(files, calls):
    both = ["UD_T0-Small", "UD_T1-Small"]
    fresh = made_of(files, *both)
    assert calls == {"audit": 2, "check": 2, "measure": 2, "score": 0}
    assert (
        made_of(files, *both, *(f"{name}{number}.json" for name in ("audit", "check", "measure") for number in (0, 1)))
        == fresh
    )
    assert calls == {"audit": 2, "check": 2, "measure": 2, "score": 0}
    assert made_of(files, *both, "check1.json", "audit0.json") == fresh
    assert calls == {"audit": 3, "check": 3, "measure": 4, "score": 0}


def test_results_themselves_can_be_given_and_a_card_stands_for_the_profile(files, calls):
    home = files / "UD_T0-Small"
    fresh = report(home, out=None).html
    results = results_of(home)
    before = dict(calls)
    assert report(home, *results.values(), out=None).html == fresh
    card = tg.audit(home, only="card")
    card.save(files / "card.json")
    before["check"] += 1
    del results["check"]
    for given in (card, files / "card.json"):
        assert report(home, given, *results.values(), out=None).html == fresh
    assert calls == {**before, "check": calls["check"]}


def test_measures_of_several_treebanks_are_assigned_to_each(files, calls, tmp_path):
    folders = [files / "UD_T1-Small", files / "UD_T0-Small"]
    tg.measure("words,edv", *folders).save(tmp_path / "measures.json")
    before = calls["measure"]
    page = report(folders[1], folders[0], tmp_path / "measures.json", out=None)
    assert calls["measure"] == before
    data = page_data(page.html)["treebanks"]
    for row, number in zip(data["treebanks"], (0, 1), strict=True):
        own = tg.measure("words,edv", files / f"UD_T{number}-Small")
        assert row["values"] == {one.measure: one.value for one in own.measured}
    assert "treegauge measure words,edv " in page.html
    with pytest.raises(TreegaugeError, match="for other treebanks, or for these before they changed"):
        report(folders[0], tmp_path / "measures.json", out=None)


def test_choices_of_a_saved_result_are_in_its_command(files, tmp_path):
    home = files / "UD_T0-Small"
    found = tg.audit(home, resamples=99, seed=3)
    measured = tg.measure("mdd", home, interval=True, resamples=200)
    page = report(home, found, measured, out=None).html
    assert re.search(r"treegauge audit \S+ --all --resamples 99 --seed 3<", page)
    assert re.search(r"treegauge measure mdd \S+ --interval --resamples 200 --level 0.95<", page)
    assert "99 random splits, seed 3" in page


def test_results_that_do_not_fit_are_refused(files, tmp_path):
    home = files / "UD_T0-Small"
    for given, why in (
        (files / "audit1.json", "is a result of `treegauge audit` for other treebanks"),
        (tg.audit(home, files / "UD_T1-Small"), "for other treebanks"),
        (tg.check(home, ud_level=2), "is a check at level 2, and a page shows level 3"),
        (tg.check(home, exclude="leaf-det"), "has only some of the problems; run `treegauge check` without --exclude"),
        (tg.measure("words", home, split="dev"), "has measures of the dev set"),
    ):
        with pytest.raises(TreegaugeError, match=why):
            report(home, given, out=None)
    with pytest.raises(TreegaugeError, match="UD_T0-Small has another result of `treegauge audit`"):
        report(home, files / "audit0.json", tg.audit(home), out=None)
    content = json.loads((files / "audit0.json").read_text())
    del content["rows"][0]["message"]
    (tmp_path / "audit.json").write_text(json.dumps(content))
    with pytest.raises(TreegaugeError, match="found another kind of file; expected a file written by treegauge audit"):
        report(home, tmp_path / "audit.json", out=None)


def test_saved_scores_are_shown_and_not_computed(files, calls):
    page = report(files / "score.json", files / "UD_T0-Small", out=None)
    assert calls["score"] == 0
    (section,) = [one for one in page.sections if one.key == "saved"]
    fresh = tg.score(files / "UD_T0-Small" / "t0_small-ud-test.conllu", files / "alpha.conllu", files / "beta.conllu")
    shown = dict(section.shown)
    for own, part in zip(shown.values(), (fresh, fresh.attached["comparisons"]), strict=True):
        assert own.signature == part.signature
        assert own.table.equals(part.table)
        assert own.to_html() in page.html
    assert "has the highest LAS" in section.short[0]
    assert page.html.count("saved scores on one treebank") == 2


def test_output_of_systems_is_scored_although_its_scores_were_saved(files, calls, caplog):
    given = ("UD_T0-Small", "alpha.conllu", "beta.conllu")
    with caplog.at_level("INFO", logger="treegauge"):
        page = made_of(files, *given, "score.json")
    assert page == made_of(files, *given)
    assert "score: left out, as output of systems for the same text is given" in caplog.text


def test_the_views_of_saved_results(files, tab, tmp_path):
    target = tmp_path / "page.html"
    home = files / "UD_T0-Small"
    report(home, files / "score.json", tg.measure("words,mdd", home), out=target)
    page = tab(target)
    assert page.locator("h3", has_text="Paired tests on").is_visible()
    assert page.locator("td", has_text="alpha").first.is_visible()
    page = tab(target, "#treebanks")
    assert page.locator("h3", has_text="Measures").is_visible()
    assert not page.locator("h3", has_text="Distance from words").count()  # not measured


def test_saved_breakdowns_and_certificates_are_shown(files, tmp_path):
    gold = files / "UD_T0-Small" / "t0_small-ud-test.conllu"
    classes = tg.breakdown(gold, files / "alpha.conllu", files / "beta.conllu", by=["upos", "direction"])
    rows = [
        {"treebank": f"UD_T{i}-Small", "system": s, "LAS": 80 + i + (s == "alpha")}
        for i in range(8)
        for s in ("alpha", "beta")
    ]
    (tmp_path / "scores.json").write_text(json.dumps({"rows": rows}))
    claim = tg.certify(tmp_path / "scores.json", claim="alpha > beta")
    classes.save(tmp_path / "classes.json")
    claim.save(tmp_path / "claim.json")
    from_files = report(tmp_path / "classes.json", tmp_path / "claim.json", out=None)
    assert report(classes, claim, out=None).html == from_files.html
    (section,) = [one for one in from_files.sections if one.key == "findings"]
    assert f"alpha > beta: {claim.text}" in section.text.split("\n")
    shown = dict(section.shown)
    assert list(shown) == [
        "LAS by upos on t0_small-ud-test",
        "LAS by direction on t0_small-ud-test",
        "alpha > beta: win rates over subsets of treebanks",
    ]
    assert shown["LAS by upos on t0_small-ud-test"].to_html() == classes.paper().html()
    assert shown["alpha > beta: win rates over subsets of treebanks"].table.equals(claim.table)
    assert "This page shows saved results." in from_files.html


def test_conditions_choose_rows_of_tables_of_scores(tmp_path):
    """As in rank, and in the commands of the page."""
    rows = [
        f"UD_T{i}-S,{system},{release},{70 + i + len(system) + 3 * (release == '2.9')}"
        for i in range(4)
        for system in ("a", "bb")
        for release in ("2.5", "2.9")
    ]
    (tmp_path / "scores.csv").write_text("\n".join(["treebank,system,release,LAS", *rows, ""]))
    page = report(tmp_path / "scores.csv", where=["release=2.9"], subsets=20, out=None)
    (board,) = [one.data["boards"][0] for one in page.sections if one.key == "ranking"]
    assert board["systems"] == ["a", "bb"]
    assert board["name"] == "scores where release=2.9"
    assert "scores.csv --where release=2.9 --metric LAS --subsets all" in page.html
    assert "where:release=2.9" in page.signature
    with pytest.raises(TreegaugeError, match="--where chooses rows of a table of scores, and there is none"):
        report(synthetic(20, seed=1), where=["release=2.9"], out=None)


def test_words_that_a_saved_breakdown_found_are_shown(files, tmp_path):
    gold = files / "UD_T0-Small" / "t0_small-ud-test.conllu"
    found = tg.breakdown(gold, files / "alpha.conllu", files / "beta.conllu", where=["wrong=1"], confusion="relation")
    found.save(tmp_path / "found.json")
    from_file = report(tmp_path / "found.json", out=None)
    assert report(found, out=None).html == from_file.html
    (section,) = [one for one in from_file.sections if one.key == "findings"]
    shown = dict(section.shown)
    words = shown["Words that were found on t0_small-ud-test"]
    assert len(words.rows) == len(found.attached["found"].table) > 0
    forms = [row["form"] for row in words.rows]
    assert forms == found.attached["found"].table["form"].to_list()
    assert [title for title in shown if title.startswith("Confusions of")] == [
        "Confusions of alpha on t0_small-ud-test", "Confusions of beta on t0_small-ud-test"
    ]  # fmt: skip
