"""Every chart and table of the page can be taken along; every number explains itself."""

import csv
import re
from io import StringIO
from pathlib import Path
from xml.etree import ElementTree

import pytest

import treegauge as tg
from tests.reporting.browsing import address, until
from tests.reporting.conftest import SAMPLES
from treegauge.testing.simulated_parser import simulated_parse
from treegauge.testing.synthetic import synthetic

SOFTWARE = Path(__file__).parents[2] / "CITATION.cff"
VIEWS = "overview systems compare errors ranking treebanks maps learning transfer".split()
FIGURES = ".live .wide table, .live svg.chart:not(table svg):not(.map svg), .live .map"


def open_menus(page, view):
    """Go to a view and open its menus of exports."""
    page.evaluate(f"location.hash = '#{view}'")
    until(page, f"document.querySelector('#view-{view}:not([hidden])')")
    page.evaluate(
        f"for (const fold of document.querySelectorAll('#view-{view} .live > details, "
        f"#view-{view} .live > div > details')) fold.open = true"
    )
    page.wait_for_timeout(50)  # drawings wait for their width
    for menu in page.locator(f"#view-{view} .live .exports").all():
        if menu.is_visible():
            menu.evaluate("menu => { menu.open = true }")


def saved(page, menu, name):
    """Return the name and content of what an item of a menu saves."""
    with page.expect_download() as loading:
        menu.get_by_role("button", name=name, exact=True).click()
    return loading.value.suggested_filename, loading.value.path().read_bytes()


def test_every_chart_and_table_has_a_menu_that_saves_it(demo, tab):
    page = tab(demo / "index.html")
    seen = 0
    for view in VIEWS:
        open_menus(page, view)
        menus = page.locator(f"#view-{view} .live .exports:visible")
        figures = page.locator(f"#view-{view} :is({FIGURES})").locator("visible=true")
        assert 0 < figures.count() <= menus.count(), view
        for menu in menus.all()[:3]:
            file, content = saved(page, menu, "CSV")
            assert file.endswith(".csv")
            rows = list(csv.reader(StringIO(content.decode())))
            assert len(rows) > 1, (view, file)
            assert len({len(row) for row in rows}) == 1, (view, file)
            _, content = saved(page, menu, "LaTeX")
            tabular = content.decode()
            assert r"\toprule" in tabular
            assert not re.search(r"(?<!\\)[&#%_].*\\caption", tabular.partition("\n")[2])
            seen += 1
            _, content = saved(page, menu, "Markdown")
            lines = content.decode().splitlines()
            assert len({len(re.findall(r"(?<!\\)\|", line)) for line in lines[2:]}) == 1, (view, file)
        menu = menus.first
        _, content = saved(page, menu, "SVG")
        picture = ElementTree.fromstring(content)
        assert picture.tag.endswith("svg")
        assert b"var(--" not in content
        _, content = saved(page, menu, "PNG")
        assert content[:8] == b"\x89PNG\r\n\x1a\n"
    assert seen >= len(VIEWS)


def test_exports_have_all_rows_and_whole_numbers(small, tab):
    page = tab(small / "page.html", "#maps?layer=head&x0=0&x1=0.5&y0=0&y1=1")
    menu = page.locator("#maps-words .exports")
    menu.locator("summary").click()
    _, content = saved(page, menu, "CSV")
    rows = list(csv.DictReader(StringIO(content.decode())))
    assert len(rows) == 300
    assert rows[0]["word"] == "<script>window.hacked=1</script>"
    assert re.fullmatch(r"0\.\d{4,}", rows[0]["confidence"])
    assert not any(re.match(r"[=+@-]", row["word"]) for row in rows)
    page.locator("#maps-words input.filter").fill("punct")
    _, content = saved(page, menu, "CSV")
    fewer = list(csv.DictReader(StringIO(content.decode())))
    assert 0 < len(fewer) < 300
    assert {row["relation"] for row in fewer} == {"punct"}


def test_the_link_leads_back_to_what_is_shown(demo, tab):
    page = tab(demo / "index.html", "#ranking?size=12")
    page.evaluate("document.execCommand = () => { window.copied = getSelection().toString(); return true }")
    menu = page.locator("#view-ranking .exports:visible").first
    menu.locator("summary").click()
    menu.get_by_role("button", name="Copy link").click()
    assert menu.get_by_role("button", name="Link copied").is_visible()
    assert "size=12" in address(page)
    page.keyboard.press("Escape")
    assert menu.get_attribute("open") is None


def test_every_explanation_has_definition_signature_and_command(demo, tab):
    page = tab(demo / "index.html")
    for view in [*VIEWS, "candidates"]:
        page.evaluate(f"location.hash = '#{view}'")
        until(page, f"document.querySelector('#view-{view}:not([hidden])')")
        keys = page.locator(f"#view-{view} a.info").evaluate_all("links => links.map((link) => link.dataset.key)")
        assert keys, view
        for key in set(keys):
            entry = page.locator(f"#method-{key}")
            assert entry.count() == 1, (view, key)
            assert {"Signature", "Command"} <= set(entry.locator("dt").all_text_contents()), key


def test_an_explanation_opens_and_closes_by_keys(demo, tab):
    page = tab(demo / "index.html", "#treebanks?treebank=UD_Imaginary-SVO")
    link = page.locator("#view-treebanks th a.info").nth(1)
    link.focus()
    page.keyboard.press("Enter")
    dialog = page.locator("dialog.explain")
    assert dialog.locator("h3").inner_text() == "Words"
    said = dialog.inner_text()
    assert "words: " in said
    assert "treegauge measure words UD_Imaginary-SVO" in said
    page.keyboard.press("Escape")
    assert dialog.is_hidden()
    assert link.evaluate("node => node === document.activeElement")
    link.click()
    dialog.get_by_role("link", name="All methods").click()
    until(page, "document.querySelector('#view-methods:not([hidden])')")
    assert page.locator(".method.chosen h4").inner_text() == "Measures"
    page.locator("#view-methods input.filter").fill("holm")
    shown = page.locator("#view-methods .method:visible").all_inner_texts()
    assert 1 < len(shown) < page.locator(".method").count()
    assert all("holm" in one.lower() for one in shown)


def test_an_explanation_names_the_chosen_treebank_only(scored, tab):
    page = tab(scored / "page.html", "#systems?treebank=UD_Two-B")
    page.locator("#view-systems h3 a.info").first.click()
    said = page.locator("dialog.explain").inner_text()
    assert "UD_Two-B/test" in said
    assert "UD_One-A" not in said
    page.keyboard.press("Escape")
    assert page.locator("#method-scores .made").count() == 3


@pytest.mark.parametrize("view", ["maps?layer=head&x0=0&x1=0.5&y0=0&y1=1", "treebanks"])
def test_paper_has_all_rows_and_what_is_folded(small, tab, view):
    page = tab(small / "page.html", f"#{view}")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    assert page.locator(".view:not([hidden]) .more:not([hidden])").count() == 0
    assert page.locator(".view:not([hidden]) details:not(.exports):not([open])").count() == 0
    for part in ("#rail", ".exports", ".info", "footer"):
        assert page.locator(part).first.is_hidden(), part
    if view.startswith("maps"):
        assert page.locator("#maps-words tbody tr").count() == 300
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert page.locator(".view:not([hidden]) details[open]").count() == 0


COPIED = """document.execCommand = () => {
  window.copied = document.activeElement.value || getSelection().toString();
  return true;
}"""


def test_every_format_can_be_copied(demo, tab):
    page = tab(demo / "index.html", "#systems?treebank=UD_Imaginary-SVO")
    page.evaluate(COPIED)
    menu = page.locator("#view-systems .exports:visible").nth(1)
    menu.locator("summary").click()
    starts = {"LaTeX": "% \\usepackage{booktabs}", "Markdown": "**Scores, ", "CSV": "metric,careful", "SVG": "<svg"}
    for name, start in starts.items():
        menu.get_by_role("button", name=f"Copy {name}", exact=True).click()
        assert page.evaluate("window.copied").startswith(start), name
    with page.expect_download() as loading:  # where pictures cannot be copied they are saved
        page.evaluate("delete Navigator.prototype.clipboard")
        menu.get_by_role("button", name="Copy PNG", exact=True).click()
    assert loading.value.path().read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"


def test_every_chart_and_table_can_be_cited(demo, tab):
    """A sentence for a paper, BibTeX, signature and command."""
    page = tab(demo / "index.html")
    page.evaluate(COPIED)
    title, version = re.findall(r'^(?:title: "(.*)"|version: (.*))$', SOFTWARE.read_text("utf-8"), re.MULTILINE)
    dialog = page.locator("dialog.cite-dialog")
    seen = 0
    for view in VIEWS:
        open_menus(page, view)
        figures = page.locator(f"#view-{view} :is({FIGURES})").locator("visible=true")
        buttons = page.locator(f"#view-{view} .live .taken .cite:visible")
        assert 0 < figures.count() <= buttons.count(), view
        for button in (buttons.first, buttons.last):
            button.click()
            parts = dict(
                zip(
                    dialog.locator("h4").all_inner_texts(), dialog.locator(":is(p, pre)").all_inner_texts(), strict=True
                )
            )
            assert parts.keys() == {"Sentence", "BibTeX", "Signature", "Command"}, (view, parts)
            assert re.search(r"[^.] \(treegauge \d+\.\d+.*\)\.$|\. \(treegauge \d+\.\d+.*\)$", parts["Sentence"]), (
                parts["Sentence"]
            )
            assert f"title = {{{title[0]}}}" in parts["BibTeX"]
            assert f"version = {{{version[1]}}}" in parts["BibTeX"]
            assert "treegauge:" in parts["Signature"]
            assert re.search(r"^(treegauge|python) ", parts["Command"])
            dialog.get_by_role("button", name="Copy").nth(1).click()
            assert page.evaluate("window.copied").strip() == parts["BibTeX"].strip()
            seen += 1
            page.keyboard.press("Escape")
    assert seen == 2 * len(VIEWS)


@pytest.fixture(scope="module")
def boards(once, demo):
    """Pages: the demo, a packaged table of scores, and a leaderboard."""

    def make(out):
        tg.report("conll18", out=out / "conll18.html", subsets=SAMPLES)
        for number, code in enumerate(("el_gdt", "te_mtg", "af_afribooms", "hu_szeged", "vi_vtb", "mr_ufal")):
            gold = synthetic(40, seed=number)
            for seed, team in enumerate(("gold", "teams/one", "teams/two", "teams/three")):
                (out / team).mkdir(parents=True, exist_ok=True)
                file = out / team / f"{code}-ud-test.conllu"
                file.write_text(simulated_parse(gold.to_bytes().decode(), seed=100 * number + seed), "utf-8")
                if not seed:
                    tg.write_conllu(gold, file)
        tg.leaderboard(out / "gold", out / "teams", out=out / "board", subsets=SAMPLES)

    home = once("report_boards", make)
    return {"demo": demo / "index.html", "conll18": home / "conll18.html", "leaderboard": home / "board" / "index.html"}


@pytest.mark.parametrize("kind", ["demo", "conll18", "leaderboard"])
def test_every_information_link_of_every_view_leads_to_a_method(boards, tab, kind):
    page = tab(boards[kind])
    seen = 0
    for view in page.locator("#rail a").evaluate_all("links => links.map((link) => link.getAttribute('href'))"):
        page.evaluate(f"location.hash = '{view}'")
        until(page, f"document.querySelector('#view-{view[1:].partition('?')[0]}:not([hidden])')")
        links = page.locator(".view:not([hidden]) a.info")
        for place in range(links.count()):
            links.nth(place).evaluate("link => link.click()")
            dialog = page.locator("dialog.explain")
            assert dialog.is_visible(), links.nth(place).get_attribute("href")
            assert {"Signature", "Command"} <= set(dialog.locator("dt").all_text_contents())
            page.keyboard.press("Escape")
            seen += 1
    assert seen >= 8


@pytest.mark.parametrize("kind", ["demo", "conll18", "leaderboard"])
def test_the_links_at_means_and_letters_describe_the_test_and_the_table(boards, tab, kind):
    page = tab(boards[kind], "#overview?board=table0")
    dialog = page.locator("dialog.explain")
    links = page.locator("#view-overview a.info:not(.health a)")
    keys = links.evaluate_all("links => links.map((link) => link.dataset.key)")
    expected = ["standings"] if kind == "leaderboard" else ["chosen_treebanks", "tie_groups"]
    assert keys[: len(expected)] == expected
    links.nth(len(expected) - 1).click()
    said = dialog.inner_text()
    assert "signed-rank tests of all pairs" in said and "UD_Imaginary" not in said
    assert ("scores:submissions#" if kind == "leaderboard" else "scores:conll18#") in said
    page.keyboard.press("Escape")
    page.evaluate("location.hash = '#compare?table=table0'")
    for key in ("equivalence", "detectable"):
        page.locator(f"#view-compare .cards a.info[data-key={key}]").click()
        said = dialog.inner_text()
        assert "treegauge certify" in said and "UD_Imaginary" not in said, said
        page.keyboard.press("Escape")


def test_the_sentence_of_every_view_says_where_what_and_of_whom(demo, tab):
    page = tab(demo / "index.html")
    said = {}
    for view in VIEWS:
        page.locator("#rail").get_by_role("link", name=view.capitalize() if view != "maps" else "Data maps").click()
        page.locator("header").get_by_role("button", name="Cite").click()
        said[view] = page.locator("dialog.cite-dialog p").first.inner_text()
        page.keyboard.press("Escape")
        words = said[view].partition(" (treegauge ")[0]
        assert not re.search(r"[a-z)\]][.?:;!][A-Z]|SVO[A-Z]|  ", words), words
    page.evaluate("location.hash = '#compare'")
    lines = page.locator("#compare-result .verdict").all_inner_texts()
    assert said["compare"].startswith(f"On UD_Imaginary-SVO (LAS): o{' '.join(lines)[1:]} (treegauge ")
    assert re.search(r"\(treegauge [\d.]+; signature treegauge:\S[^;]*\)$", said["compare"])
    (tests,) = re.findall(r"signature (.*)\)$", said["compare"])
    assert tests in page.locator("#method-paired_tests").text_content()
    assert said["systems"].startswith("LAS on UD_Imaginary-SVO/test: 200 sentences")
    assert all(f"{name} " in said["systems"] for name in ("careful", "average", "hasty"))
    assert re.match(r"HIT-SCIR has the highest mean LAS, 75\.84, of 26 systems over 82 treebanks ", said["ranking"])
    assert said["maps"].startswith("On UD_Imaginary-SVO")


def outline(content):
    """Return the titles in the outline of a PDF."""
    found = re.findall(rb"/Title (\((?:\\.|[^\\)])*\)|<[0-9A-F]+>)", content)
    texts = [
        bytes.fromhex(one[1:-1].decode()).decode("utf-16")
        if one[:1] == b"<"
        else re.sub(rb"\\(.)", rb"\1", one[1:-1]).decode("latin-1")
        for one in found
    ]
    return [text for text in texts if re.match(r"(Table|Figure) \d+\. ", text)]


def test_print_all_has_every_table_and_figure_of_every_view_with_contents(scored, tab, tmp_path):
    page = tab(scored / "page.html", "#compare")
    views = page.locator("#rail a").all_inner_texts()
    shown = {}
    for link in page.locator("#rail a").all():
        link.click()
        page.wait_for_timeout(100)
        name = link.inner_text()
        held = page.locator(".view:not([hidden])")
        # Folded ones, too: paper has no folds.
        held.evaluate("node => { for (const fold of node.querySelectorAll('details:not(.exports)')) fold.open = true }")
        tables = held.locator(".wide table").count()
        shown[name] = (tables, held.locator(":is(.drawing, .small) svg.chart:not(table svg), .map").count())
    page.evaluate("location.hash = '#compare'")
    page.evaluate("window.print = () => { window.printed = true }")
    page.get_by_role("button", name="Print all").click()
    until(page, "window.printed")
    contents = page.locator(".print-contents")
    assert contents.locator("p").all_text_contents() == views
    listed = contents.locator("li").all_text_contents()
    file = tmp_path / "all.pdf"
    page.pdf(path=file, outline=True, tagged=True)
    printed = outline(file.read_bytes())
    assert sorted(printed) == sorted(listed)
    kinds = [sum(text.startswith(kind) for text in printed) for kind in ("Table", "Figure")]
    assert kinds == [sum(tables for tables, _ in shown.values()), sum(figures for _, figures in shown.values())]
    assert min(kinds) >= 5
    until(page, "!document.documentElement.dataset.print")
    assert page.locator(".view:visible h2").all_inner_texts() == ["Compare"]
    assert page.locator(".print-caption, .print-contents").count() == 0
