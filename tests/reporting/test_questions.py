"""The thirteen questions of a first-time reader are answered in at most three clicks."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs" / "page_questions.md"

#: By question: the place of the answer on the page, and what it must say.
ANSWERS = {
    "Which system is better, and is the difference significant?": (
        ".view:visible .result",
        r"^On new text from th(is|ese) treebanks?: .* LAS points \(95 % interval .*; p [=<] 0\.\d+",
    ),
    "What does a system get wrong?": (
        ".view:visible .result",
        r"careful makes the fewest errors, in \d+\.\d % of 3,096 words \(LAS \d\d\.\d\d, 95 % interval \d\d\.\d\d to",
    ),
    "What changed from one version to the next?": (
        ".view:visible .result",
        r"of 3,096 gold words, \d+ become correct and \d+ incorrect; LAS \+\d\.\d\d points \(95 % interval \+",
    ),
    "What do these errors look like?": (".drawer .differences li", r"^\w+ .*‘.+’.*; gold: "),
    "Would the ranking be the same on other treebanks?": (".view:visible", r"the leader is the same in \d+\.\d %"),
    "Can scores on a treebank be trusted?": (".view:visible .card", r"UD_Imaginary-VSO(?s:.*)% of test also in train"),
    "Which annotations should I check first?": (".candidate .suggestion", r"is annotated as .*; suggested: "),
    "How do I correct them?": (".view-candidates .progress", r"^1 accepted"),
    "Where is an object with an adjective?": (".results strong", r"[1-9]\d* matches in \d+ of \d[\d,]* sentences"),
    "Which words are hard to learn?": ("#maps-count", r"[1-9][\d,]* words? of [\d,]+ in the frame"),
    "How much would more annotated sentences gain?": (
        "#learning-advice",
        r"\(3,096 test words\), 400 more sentences .* raise .* \(\+\d\.\d, 95 % interval \+\d\.\d to \+\d\.\d\)",
    ),
    "How do I cite a number?": (
        "dialog.cite-dialog",
        r"Sentence(?s:.*)points(?s:.*)interval(?s:.*)@software\{treegauge"
        r"(?s:.*)Signature(?s:.*)treegauge:(?s:.*)treegauge score ",
    ),
    "How was a number computed?": (".view:visible", r"treegauge score "),
}


def paths():
    rows = re.findall(r"^\| (.+\?) \| (.+?) \| .+ \|$", DOCS.read_text("utf-8"), re.MULTILINE)
    return {question: clicks.split(" → ") for question, clicks in rows}


def test_there_are_thirteen_questions_of_at_most_three_clicks():
    assert paths().keys() == ANSWERS.keys()
    assert len(ANSWERS) == 13
    assert all(1 <= len(clicks) <= 3 for clicks in paths().values())


@pytest.fixture(scope="module")
def reader(browser, demo):
    """Every question starts from the page as it opens; one page serves all."""
    context = browser.new_context(accept_downloads=True)
    page = context.new_page()
    page.set_default_timeout(30_000)
    complaints = []
    page.on("console", lambda said: complaints.append(said.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto((demo / "index.html").resolve().as_uri())
    yield page
    context.close()
    assert complaints == []


@pytest.mark.parametrize("question", ANSWERS)
def test_the_clicks_lead_to_the_answer(reader, question):
    reader.evaluate("document.querySelector('dialog[open]')?.close()")
    reader.evaluate("location.hash = '#overview'")  # no treebank is chosen any more
    reader.wait_for_selector("#view-overview:not([hidden])")
    view, *clicks = paths()[question]
    reader.locator("#rail").get_by_role("link", name=view, exact=True).click()
    if view != "Overview":  # the page changes views after the click has returned
        reader.wait_for_selector("#view-overview", state="hidden")
    shown = reader.locator(".view:visible")
    for name in clicks:
        either = shown.get_by_role("button", name=name).or_(shown.get_by_role("link", name=name))
        either.first.click()
    place, expected = ANSWERS[question]
    assert re.search(expected, text_when(reader.locator(place).first, expected), re.MULTILINE)


def text_when(place, expected):
    """Return the text of a place once it is as expected, or what it is after 30 s."""
    text = place.inner_text()
    for _ in range(600):
        if re.search(expected, text, re.MULTILINE):
            break
        place.page.wait_for_timeout(50)
        text = place.inner_text()
    return text
