"""Concept pages: short, with pictures that the script draws, and numbers that are computed."""

import doctest
import re

import pytest

from tests.test_docs import DOCS, commands, fenced, follow, page_script

figures = page_script("concept_figures")
PAGES = sorted(path for path in (DOCS / "concepts").glob("*.md") if path.stem != "index")
PICTURE = re.compile(r"^!\[([^\]]+)\]\(\.\./images/concepts/(\w+)\.svg\)$", re.MULTILINE)
WORDS = 450


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_the_example_of_a_concept_can_be_checked(path, tmp_path, monkeypatch):
    text = path.read_text(encoding="utf-8")
    follow(text, tmp_path, monkeypatch)
    session = "".join(fenced(text, "pycon"))
    assert session or commands(text)
    example = doctest.DocTestParser().get_doctest(session, {}, path.name, str(path), 0)
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
    result = runner.run(example, out=pytest.fail)
    assert not result.failed


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_a_concept_is_short_and_has_pictures(path):
    text = path.read_text(encoding="utf-8")
    pictures = PICTURE.findall(text)
    assert 1 <= len(pictures) <= 2
    assert all(len(alt.split()) >= 10 for alt, _ in pictures), "say what the picture shows"
    prose = PICTURE.sub("", re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE))
    assert len(prose.split()) <= WORDS


def test_every_picture_is_on_a_page_and_is_what_the_script_draws():
    shown = [name for path in PAGES for _, name in PICTURE.findall(path.read_text("utf-8"))]
    assert sorted(shown) == sorted(figures.FIGURES)
    saved = {path.stem for path in figures.OUT.glob("*.svg")}
    assert saved == set(figures.FIGURES)
    for name in figures.FIGURES:
        assert (figures.OUT / f"{name}.svg").read_text("utf-8") == figures.drawn(name), name


def test_a_picture_is_put_into_its_page(tmp_path):
    inline = page_script("site").inline
    file = tmp_path / "a.svg"
    file.write_text(figures.drawn("score_tree"))
    html = inline(file, "A tree & its arcs")
    assert html.startswith('<div class="picture"><svg ') and html.endswith("</svg></div>")
    assert 'aria-label="A tree &amp; its arcs" role="img"' in html
    assert "<style>" not in html and "currentColor" in html
