"""What the tutorial and the how-to pages show is what happens, command by command."""

import json
import re
import shlex
import shutil
import tarfile
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml

from tests.commands import invoke
from treegauge.cli.commands import verb_options
from treegauge.cli.verbs import QUESTION, VERBS

DOCS = Path(__file__).parents[1] / "docs"
FOLLOWED = [DOCS / "coming_from.md", DOCS / "dataframes.md", DOCS / "scoring.md"]
HOWTO = sorted(path for path in (DOCS / "howto").glob("*.md") if path.stem != "index")


def page_script(name: str):
    """Load one of the scripts that write pages."""
    return import_module(f"tools.docs.{name}")


console = page_script("console")
commands, fenced, same = console.commands, console.fenced, console.same


def follow(text: str, folder: Path, monkeypatch) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.delenv("TREEGAUGE_UD", raising=False)  # a reader has no such folder yet
    for plan in fenced(text, "toml"):
        Path("plan.toml").write_text(plan)
    console.write_examples(text)
    for language, block in console.STEP.findall(text):
        if language == "python":
            exec(block, {})
        else:
            _follow_commands(f"```console\n{block}```\n", monkeypatch, trained=console.TRAINED in text)


def _follow_commands(text: str, monkeypatch, *, trained: bool) -> None:
    for command, expected in commands(text):
        if command == console.DEMO:  # the folder of all pages was made by this command
            said = Path("demo/said.txt").read_text(encoding="utf-8").splitlines()
            assert same(expected, said[-1], trained=True)
            continue
        if command == console.ENTER:
            monkeypatch.chdir("demo")
            continue
        name, *words = shlex.split(command)
        assert name == "treegauge"
        result = invoke(words)
        assert bool(result.exit_code) == console.failing(expected), (command, result.output)
        assert same(expected, result.stdout, trained=trained), f"$ {command}\n{result.stdout}"


def test_the_tutorial_can_be_followed_without_a_network(tmp_path, monkeypatch):
    text = console.REAL.sub("", (DOCS / "tutorial.md").read_text(encoding="utf-8"))
    assert len(commands(text)) > 10
    follow(text, tmp_path, monkeypatch)


def test_the_tutorial_can_be_followed_with_a_real_treebank(ud, tmp_path, monkeypatch):
    """The treebank is fetched from an archive like that of its repository's tag, on this disk."""
    text = (DOCS / "tutorial.md").read_text(encoding="utf-8")
    found = console.REAL.search(text)
    name, release, real = found.groups()
    mirror = tmp_path / "mirror" / f"{name}-r{release}.tar.gz"
    mirror.parent.mkdir()
    with tarfile.open(mirror, "w:gz") as archive:
        archive.add(ud / f"r{release}" / name, f"{name}-r{release}")
    monkeypatch.chdir(tmp_path)
    ((command, source),) = re.findall(r"^    (treegauge fetch .*--source '(\S+)'.*)$", real, re.M)
    assert source.endswith("/{name}/archive/refs/tags/r{release}.tar.gz")
    words = shlex.split(command.replace(source, f"{mirror.parent}/{{name}}-r{{release}}.tar.gz"))
    assert invoke(words[1:]).exit_code == 0
    follow(console.TRAINED + real, tmp_path, monkeypatch)
    assert "<html" in (tmp_path / "page.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", [*HOWTO, *FOLLOWED], ids=lambda path: path.stem)
def test_a_how_to_does_what_it_says(path, demo, tmp_path, monkeypatch):
    text = path.read_text(encoding="utf-8")
    assert commands(text)
    shutil.copytree(demo, tmp_path / "demo")
    follow(text, tmp_path if path.stem == "demo" else tmp_path / "demo", monkeypatch)


@pytest.mark.parametrize("name", console.FIRST)
def test_a_first_page_leads_to_a_page_and_a_table(name, demo, tmp_path, monkeypatch):
    text = (DOCS / f"{name}.md").read_text(encoding="utf-8")
    shutil.copytree(demo, tmp_path / "demo")
    follow(text, tmp_path, monkeypatch)
    assert 6 <= len(commands(text)) <= 10
    assert any("latex" in command for command, _ in commands(text))
    page = "board/index.html" if name == "shared_task" else "page.html"
    assert "<html" in Path(page).read_text(encoding="utf-8") and f"`{page}`" in text
    prose = console.FENCE.sub("", text)
    assert len(prose.split()) <= 600


def test_what_people_should_type_instead_exists():
    text = (DOCS / "coming_from.md").read_text(encoding="utf-8")
    name, sub, seen = "", "", 0
    for row in re.findall(r"^\| .* \| (.*) \|$", text, re.MULTILINE):
        for typed in re.findall(r"`((?:treegauge |--)[^`]*)`", row):
            if typed.startswith("treegauge "):
                name, *words = typed.split()[1:]
                sub = next((word for word in words[:1] if word in VERBS[QUESTION[name]][name].subverbs), "")
            known = {flag for one in verb_options(name, sub) for flag in one.flags}
            for option in re.findall(r"--[a-z][a-z-]*", typed):
                assert option in known, f"{name} {sub} has no {option}"
                seen += 1
    assert seen > 30


def test_every_how_to_is_listed():
    listed = (DOCS / "howto" / "index.md").read_text(encoding="utf-8")
    assert set(re.findall(r"\]\((\w+)\.md\)", listed)) == {path.stem for path in HOWTO}


def test_texts_that_differ_are_told_apart():
    said = "LAS  87.40  86.30–88.47\n---\nall 5 rows"
    assert same("LAS 87.40 86.30–88.47\n-----\n...rows", said, trained=False)
    assert not same("LAS 87.41 86.30–88.47\n-----\n...", said, trained=False)
    assert same("LAS 87.41 86.30–88.47\n-----\n...", said, trained=True)
    assert not same("LAS 97.41 86.30–88.47\n-----\n...", said, trained=True)
    assert not same("UAS 87.40 ...", said, trained=False)
    assert not same("LAS 87.40", said, trained=False)


def test_signatures_on_the_pages_have_each_choice_once():
    seen = 0
    for path in DOCS.rglob("*.md"):
        for signature in re.findall(r"^treegauge:\d.*", path.read_text(encoding="utf-8"), re.MULTILINE):
            keys = [part.partition(":")[0] for part in signature.split("|")]
            assert len(keys) == len(set(keys)), f"{path.name}: {signature}"
            seen += 1
    assert seen > 50


def test_the_glossary_has_the_words_that_people_search_for():
    text = (DOCS / "glossary.md").read_text(encoding="utf-8").lower()
    searched = (
        "significance", "bootstrap", "confidence interval", "p-value", "leaderboard", "leakage",
        "train/test overlap", "inter-annotator agreement", "kappa", "calibration", "mdl", "probing",
        "confusion matrix", "learning curve", "data map", "entropy", "contamination", "error bars",
    )  # fmt: skip
    assert [word for word in searched if word not in text] == []
    rows = re.findall(r"^\| (.+) \| .+ \| (.+) \|$", text, re.MULTILINE)[1:]
    assert all("](" in page for _, page in rows)
    assert rows == sorted(rows), "in alphabetical order"


def test_every_number_is_listed_with_a_page_that_explains_it():
    made = page_script("numbers")
    written, files = made.tables.moved(made.text(), made.TARGET)
    assert made.TARGET.read_text("utf-8") == written, "python -m tools.docs.numbers writes it again"
    assert {name: (made.tables.HOME / f"{name}.csv").read_text("utf-8") for name in files} == files
    text = made.tables.shown(written)
    for file, anchor in re.findall(r"\]\(([\w/]+\.md)(?:#([\w-]+))?\)", text):
        headings = re.findall(r"^#+ (.*)$", (DOCS / file).read_text(encoding="utf-8"), re.MULTILINE)
        known = {re.sub(r"[^\w -]", "", one).strip().lower().replace(" ", "-") for one in headings}
        assert not anchor or anchor in known, f"{file} lacks #{anchor}"


def test_the_start_page_and_the_readme_list_every_command():
    start = (DOCS / "index.md").read_text(encoding="utf-8")
    readme = (DOCS.parent / "README.md").read_text(encoding="utf-8")
    for question, verbs in VERBS.items():
        table = start.partition(f"**{question}**")[2].partition("\n\n**")[0]
        listed = re.findall(r"^\| \[`(\w+)`\]\(howto/\1\.md\) \| (.*?) \|", table, re.MULTILINE)
        assert dict(listed) == {verb: command.help for verb, command in verbs.items()}
        assert f"| {question} | {', '.join(f'`{verb}`' for verb in verbs)} |" in readme


def test_the_terminal_of_the_readme_shows_what_the_page_shows():
    terminal = page_script("terminal")
    page = terminal.PAGE.read_text(encoding="utf-8")
    drawn = terminal.svg(terminal.shown(page))
    assert terminal.OUT.read_text(encoding="utf-8") == drawn, "python -m tools.docs.terminal draws it"


def test_the_reference_of_commands_has_them_all():
    pages = page_script("commands").pages()
    assert pages.keys() == {"commands/index.md", *(f"commands/{verb}.md" for verb in QUESTION)}
    for words in ("score", "rank compare", "curve advise", "split"):
        text = pages[f"commands/{words.split()[0]}.md"]
        assert f"\n\n```text\nUsage: treegauge {words} " in text
        assert f"](../howto/{words.split()[0]}.md)" in text


def test_the_check_of_english_finds_what_it_should():
    prose = page_script("prose")
    long = " ".join(["word"] * 50)
    texts = ("One row a treebank.", "It stands in a file.", "The train\npart.", "This is no tree.")
    for text in (*texts, "A gray color.", f"A {long}."):
        assert list(prose.findings(prose.Passage(Path("a.md"), 1, text))), text
    page = "There is no tree: correct words of the training set.\n\n| train part |\n\n`train part`"
    clean = prose.NOT_PROSE.sub(prose.blank, page)
    assert not list(prose.findings(prose.Passage(Path("a.md"), 1, clean)))


def test_a_seed_draws_the_same_sentences(monkeypatch):
    prose = page_script("prose")
    text = "One.\n\n" + "\n\n".join(f"These are words of sentence number {i}." for i in range(50))
    passage = prose.Passage(prose.ROOT / "a.md", 1, text)
    monkeypatch.setattr(prose, "passages", lambda: [passage])
    assert prose.sample(3, 23) == prose.sample(3, 23) != prose.sample(3, 24)
    assert "a.md:3: These are words of sentence number 0." in prose.sample(100, 1)
    assert len(prose.sample(100, 1)) == 50


def test_the_docs_are_short_enough_to_be_read():
    counter = page_script("words")
    text = "Two words.\n\n| a | table |\n\n<!-- result: x -->\n\nNo.\n\n<!-- end -->\n\n```\nno\n```\n"
    assert counter.words(text) == (2, 9)
    book = {"cells": [{"cell_type": "markdown", "source": ["Two words."]},
                      {"cell_type": "code", "source": "x = 1", "outputs": [{"text": ["printed"]}]}]}  # fmt: skip
    assert counter.notebook(json.dumps(book)) == (2, 5)
    whole = counter.total()
    assert whole.prose <= counter.PROSE, "python -m tools.docs.words counts by page"
    assert whole.all <= counter.ALL, "python -m tools.docs.words counts by page"


def test_tables_in_files_are_shown_on_a_page_and_come_back_as_they_were():
    tables = page_script("tables")
    assert tables.unused() == set()
    rows = "".join(f"| `a\\|{n}` | {n}.5 |\n" for n in range(30))
    page = f"# T\n\n## A & b\n\nSome text.\n\n| name | value |\n|---|--:|\n{rows}\nMore.\n"
    short, made = tables.moved(page, DOCS / "howto" / "t.md")
    assert short == "# T\n\n## A & b\n\nSome text.\n\n[A & b: 30 rows](../tables/t-a-b.csv)\n\nMore.\n"
    assert tables.as_markdown(made["t-a-b"]).split("\n") == page.split("\n")[6:38]
    assert tables.moved(page, DOCS / "t.md", rows=30) == (page, {})


def test_programs_that_read_the_docs_find_every_page():
    """llms.txt has each page of the navigation with the address of its source."""
    site = page_script("site")
    text = (DOCS.parent / "mkdocs.yml").read_text(encoding="utf-8")
    nav = yaml.safe_load(text[text.index("nav:") : text.index("\n\n", text.index("nav:"))])["nav"]
    listed = site.llms_text(nav)
    sources = re.findall(r"\]\(https://raw.githubusercontent.com/\S+?/main/(\S+?)\)", listed)
    assert {source for source in sources if not (DOCS.parent / source).exists()} == set()
    pages = set(re.findall(r"[\w/]+\.md", text[text.index("nav:") : text.index("\n\n", text.index("nav:"))]))
    assert len(sources) == len(pages) > 80
    assert "Answers of language models](https://raw" in listed
    assert listed.startswith("# treegauge\n\n> ")


def test_the_reference_shows_modules_that_exist():
    shown = {name: re.findall(r"^::: (\S+)", text, re.MULTILINE) for name, text in page_script("api").pages().items()}
    assert {name for name in shown if not shown[name]} == {"api/index.md"}
    for path in (path for paths in shown.values() for path in paths):
        module, _, name = path.rpartition(".")
        home = import_module(module)
        assert find_spec(path) if hasattr(home, "__path__") else hasattr(home, name), path


def test_every_page_of_the_reference_is_in_the_navigation():
    text = (DOCS.parent / "mkdocs.yml").read_text()
    assert sorted(set(re.findall(r"api/\w+\.md", text))) == sorted(page_script("api").pages())
