"""Learning curves in a browser, against numbers computed in Python."""

import re

import polars as pl
import pytest

from tests.reporting.browsing import page_data
from treegauge.learning.curve import advise, curve
from treegauge.learning.curves.class_counts import COLUMNS, attachments
from treegauge.learning.curves.equivalents import equivalent_size
from treegauge.reporting.report import report


def test_learning_curves_place_scores(tab, tmp_path):
    rows = [
        (name, "mst", size, sample, kind, round(share * total), total)
        for name in ("UD_A-A", "UD_B-B")
        for i, size in enumerate((5, 10, 20, 40))
        for sample in (0, 1)
        for kind, total, share in (
            ("all", 1000, 0.4 + 0.1 * i + 0.01 * sample),
            ("NOUN", 400, 0.3 + 0.12 * i),
            ("VERB", 300, 0.5 + 0.1 * (i != 2) * i),
        )
    ]
    counts = attachments(pl.DataFrame(rows, schema=COLUMNS, orient="row"))
    counts.save(tmp_path / "counts.csv")
    (tmp_path / "page.html").write_text(report(str(tmp_path / "counts.csv"), out=None).html)
    page = tab(tmp_path / "page.html", "#learning?score=55.5")
    curves = curve(counts).table

    def worth(kind, score):
        curve = curves.filter(pl.col("class") == kind).sort("size")
        return float(equivalent_size(curve["size"], curve["score"], score))

    said = page.locator("#learning-worth")
    assert f"all words corresponds to {worth('all', 55.5):.0f} annotated" in said.inner_text()
    page.locator("#view-learning").get_by_role("combobox", name="on").select_option("VERB")
    page.locator("#view-learning input[type=number]").first.fill("58")
    assert f"VERB corresponds to {worth('VERB', 58):.0f} annotated" in said.inner_text()
    page.locator("#view-learning input[type=number]").first.fill("99")
    assert "more than 40" in said.inner_text()
    texts = page.locator("#view-learning .chart").first.locator("circle title").all_text_contents()
    assert any(one.startswith(f"all, 5 sentences: {curves['score'][0]:.1f}") for one in texts)
    whole = curves.filter(pl.col("class") == "all").sort("size")["score"].to_list()
    answer = page.locator("#learning-answer").inner_text()
    assert f"With 40 sentences, mst reaches score {whole[-1]:.1f}" in answer
    assert f"+{whole[-1] - whole[-2]:.1f} points compared with 20 sentences" in answer


def test_a_curve_names_its_treebank_and_follows_the_filter(tab, tmp_path):
    def saved(names, file):
        rows = [
            (name, "mst", size, 0, kind, round((0.4 + 0.1 * i + 0.05 * at) * total), total)
            for at, name in enumerate(names)
            for i, size in enumerate((5, 10, 20))
            for kind, total in (("all", 1000), ("NOUN", 400))
        ]
        attachments(pl.DataFrame(rows, schema=COLUMNS, orient="row")).save(tmp_path / file)
        return str(tmp_path / file)

    alone = report(saved(["UD_Tamil-TTB"], "one.csv"), out=tmp_path / "one.html")
    assert " on UD_Tamil-TTB with 20 sentences" in alone.sections[0].short[0]
    page = tab(tmp_path / "one.html", "#learning")
    assert "mst reaches score 60.0 on UD_Tamil-TTB" in page.locator("#learning-answer").inner_text()
    assert "On UD_Tamil-TTB, score" in page.locator("#learning-worth").inner_text()

    both = report(saved(["UD_Tamil-TTB", "UD_Wolof-WTF"], "two.csv"), out=tmp_path / "two.html")
    assert "on average over 2 treebanks" in both.sections[0].short[0]
    page = tab(tmp_path / "two.html", "#learning")
    answer = page.locator("#learning-answer")
    assert "score 62.5 on average over 2 treebanks" in answer.inner_text()
    page.get_by_role("combobox", name="Treebank").select_option("UD_Wolof-WTF")
    assert "score 65.0 on UD_Wolof-WTF" in answer.inner_text()
    page = tab(tmp_path / "two.html", "#learning?treebank=UD_Tamil-TTB")
    assert "score 60.0 on UD_Tamil-TTB" in page.locator("#learning-answer").inner_text()


def counted(names, file, sizes=(5, 10, 20, 40, 80)):
    """Save counts of curves that rise by four points with each doubling; the treebanks differ by five points."""
    rows = [
        (name, "mst", size, sample, kind, round((0.4 + 0.04 * i + 0.05 * at + 0.005 * sample) * total), total)
        for at, name in enumerate(names)
        for i, size in enumerate(sizes)
        for sample in (0, 1, 2)
        for kind, total in (("all", 1000), ("NOUN", 400))
    ]
    attachments(pl.DataFrame(rows, schema=COLUMNS, orient="row")).save(file)
    return file


def test_the_gain_from_more_sentences_is_what_advise_says(tab, tmp_path):
    counts = counted(["UD_Tamil-TTB", "UD_Wolof-WTF"], tmp_path / "two.csv")
    made = report(str(counts), out=tmp_path / "two.html")
    outlooks = page_data(made.html)["learning"]["advice"]
    assert [one["treebank"] for one in outlooks] == ["UD_Tamil-TTB", "UD_Wolof-WTF"]
    for one in outlooks:
        assert {80, 100, 720} - {point[0] for point in one["points"]} == {720}
        for budget, then, *rest in one["points"][::4]:
            said = advise(counts, budget=budget, treebank=one["treebank"])
            row = said.frame.row(0, named=True)
            assert [then, *rest] == pytest.approx([row["then"], row["gain"], row["low"], row["high"]], abs=1e-3)
        assert one["doubling"] == pytest.approx(advise(counts, treebank=one["treebank"]).doubling)
    page = tab(tmp_path / "two.html", "#learning?budget=100")
    names = page.locator("#view-learning [aria-label='Gain from 100 more sentences'] tbody th").all_inner_texts()
    assert names == ["UD_Tamil-TTB", "UD_Wolof-WTF"]
    page.get_by_role("combobox", name="Treebank").select_option("UD_Wolof-WTF")
    point = next(point for point in outlooks[1]["points"] if point[0] == 100)
    text = page.locator("#learning-advice").inner_text()
    assert "On UD_Wolof-WTF (1,000 test words), 100 more sentences in addition to 80" in text
    assert f"({point[2]:+.1f}, 95 % interval {point[3]:+.1f} to {point[4]:+.1f})".replace("-", "−") in text
    dots = page.locator(".predicted circle title").all_text_contents()
    assert dots[-1].startswith(f"predicted, 180 sentences: {point[1]:.1f} (95 % interval")
    slider = page.get_by_role("slider", name="Budget of further sentences")
    slider.press("ArrowRight")
    after = page.locator("#learning-advice").inner_text()
    assert re.search(r"test words\), 150 more sentences", after)
    assert page.locator(".predicted circle title").last.text_content().startswith("predicted, 230 sentences")
    again = tab(tmp_path / "two.html", "#" + page.evaluate("location.hash.slice(1)"))
    assert again.locator("#learning-advice").inner_text() == after


def test_a_treebank_without_curves_is_named_and_no_other_is_shown(tab, tmp_path):
    from treegauge.testing.synthetic import synthetic

    counts = counted(["UD_Tamil-TTB"], tmp_path / "one.csv", sizes=(5, 10))
    (tmp_path / "UD_Wolof-WTF").mkdir()
    (tmp_path / "UD_Wolof-WTF" / "wo_wtf-ud-test.conllu").write_bytes(synthetic(10, seed=1).to_bytes())
    report(str(counts), tmp_path / "UD_Wolof-WTF", out=tmp_path / "page.html")
    page = tab(tmp_path / "page.html", "#learning?treebank=UD_Wolof-WTF")
    said = page.locator("#view-learning .live").inner_text()
    assert "No parser was trained on parts of UD_Wolof-WTF" in said
    assert "reaches" not in said
    page.locator("#view-learning").get_by_role("link", name="UD_Tamil-TTB").click()
    page.wait_for_selector("#learning-answer")
    assert "on UD_Tamil-TTB" in page.locator("#learning-answer").inner_text()
    assert "needs a curve of three training set sizes" in page.locator("#view-learning .live").inner_text()
