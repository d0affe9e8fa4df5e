"""Learning curves in a browser, against numbers computed in Python."""

import polars as pl

from treegauge.learning.curve import curve
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
    page.locator("#view-learning label.field input").first.fill("58")
    assert f"VERB corresponds to {worth('VERB', 58):.0f} annotated" in said.inner_text()
    page.locator("#view-learning label.field input").first.fill("99")
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
