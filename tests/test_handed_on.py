"""What is printed or handed on: no control characters, and no path of the machine that made it."""

import re
from contextlib import suppress
from pathlib import Path

import pytest

from studies.corrections.injected_errors import inject_errors
from tests.commands import invoke
from tests.test_hostile import WORDS
from treegauge.cli.commands import FORMATS, emit, render, verb_options
from treegauge.core.errors import CONTROLS, TreegaugeError, lines_of_text, one_line
from treegauge.core.messages import note
from treegauge.core.result import SAVED
from treegauge.core.tables import make_table
from treegauge.core.text_formats import json_text, parse_json, plain_cell, to_csv_text
from treegauge.experiments.run import run
from treegauge.parsing.train import train
from treegauge.reporting.figures.drawing import draw
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.conllu import parse_conllu, write_conllu

#: Clears the screen, sets the title of the window, moves back, C1, reverses the line, ends it.
EVIL = "\x1b[2J\x1b]0;owned\x07\r\x9b31m\x85\u202e\u2066\u2028=1+1"
NAME = EVIL.replace("\r", "\x08").replace("\x1b[2J", "").removesuffix("=1+1")
RAW = re.compile(CONTROLS.pattern.replace("\x1f", "\x08\x0b-\x1f"))


def hostile(treebank):
    """Forms, lemmas, relations, features, misc, sent_ids and texts with control characters."""
    evil = EVIL.replace("\r", "")
    lines = []
    for number, plain in enumerate(treebank.to_bytes().decode().split("\n")):
        line, cells = plain, plain.split("\t")
        if line.startswith("# sent_id"):
            line += evil.replace(" ", "")
        elif line.startswith("# text"):
            line = f"# newdoc id = {evil}{number // 80}\n# genre = {evil}"
        elif len(cells) == 10 and number % 3 == 0:
            cells[1] += evil
            cells[2] += evil
            cells[3] += evil
            cells[7] += f":{evil}" if cells[7] != "root" else ""
            cells[9] = f"Note={evil}"
            line = "\t".join(cells)
        lines.append(line)
    return parse_conllu("\n".join(lines))


@pytest.fixture(scope="module")
def room(tmp_path_factory) -> Path:
    """The files of the commands in :data:`WORDS`, all with hostile names and contents."""
    home = tmp_path_factory.mktemp("hostile")
    gold = hostile(synthetic(20, seed=1))
    wrong = [name if i % 5 or name == "root" else f"dep:{NAME}" for i, name in enumerate(gold["deprel"])]
    other = gold.with_columns({"deprel": wrong})
    for folder in ("UD_X-Y", "gold", f"teams/A{NAME}", "teams/B"):
        (home / folder).mkdir(parents=True)
        write_conllu(gold, home / folder / f"x{NAME}_y-ud-test.conllu")
    for split in ("train", "dev"):
        write_conllu(gold, home / "UD_X-Y" / f"x_y-ud-{split}.conllu")
    write_conllu(gold, home / f"gold{NAME}.conllu")
    write_conllu(other, home / f"sys{NAME}.conllu")
    many = hostile(synthetic(40, seed=2))
    write_conllu(many, home / f"many{NAME}.conllu")
    for system, share in (("good", 0.1), ("poor", 0.3)):
        write_conllu(inject_errors(many, share, seed=1).treebank, home / f"{system}{NAME}.conllu")
    names = [*"012345", f"t{NAME}"], [*(f"S{number}" for number in range(6)), f"S{NAME}"]
    rows = [
        f"{treebank},{system},{50 + 7 * t + s + t * s % 3}"
        for t, treebank in enumerate(names[0])
        for s, system in enumerate(names[1])
    ]
    (home / f"scores{NAME}.csv").write_text("\n".join(["treebank,system,las", *rows]) + "\n")
    rows = [f"t{NAME}{i},{i},{i * i % 7},{i % 3 + 3}" for i in range(12)]
    (home / f"table{NAME}.csv").write_text("\n".join(["treebank,x,y,length", *rows]) + "\n")
    header = "treebank,parser,size,sample,class,correct,total"
    sizes = [(n, k) for n in (50, 100, 200, 400) for k in (0, 1)]
    rows = [f"t{NAME},mst,{n},{k},{c},{20 + n // 10 + k},100" for n, k in sizes for c in ("all", f"b{NAME}")]
    (home / f"counts{NAME}.csv").write_text("\n".join([header, *rows]) + "\n")
    train("mst", gold, out=home / f"m{NAME}.model", option={"epochs": 1})
    plan = '[plan]\nname = "p"\ntask = "score"\ntreebanks = ["UD_X-Y"]\nparsers = ["mst"]\n'
    (home / f"plan{NAME}.toml").write_text(plan)
    for store in ("store", "other"):
        run(home / f"plan{NAME}.toml", store=home / f"{store}{NAME}", root=home, pool="inline")
    return home


def hostile_line(words: str, room: Path) -> list[str]:
    """The command line of :data:`WORDS` on the files of the room."""
    line = []
    for word in WORDS[words].split():
        name, equals, value = word.partition("=")
        plain = value if equals and (room / named(value)).exists() else word
        real = named(plain)
        line.append(f"{name}{NAME}={real}" if plain is value else real if (room / real).exists() else word)
    return line


def named(word: str) -> str:
    stem, dot, ending = word.partition(".")
    return f"{stem}{NAME}{dot}{ending}" if "/" not in stem else word


def check_text(text: str, words: object) -> None:
    found = RAW.search(text)
    assert not found, (words, text[max(0, found.start() - 80) : found.start() + 40])


#: Files that are treebanks or binary.
DATA = (".conllu", ".model", ".npz", ".parquet", ".sqlite", ".zst")
#: Verbs that print a treebank, and commands that refuse names such as these.
PRINT_TREEBANKS = {"parse", "convert", "transfer"}
REFUSED = {"fetch"}


@pytest.mark.parametrize("words", WORDS)
def test_no_control_character_is_printed_or_written(words, room, monkeypatch, tmp_path):
    """Whatever names, forms, relations, identifiers and cells are: printed, saved and drawn."""
    monkeypatch.chdir(room)
    options = {one.name: one for one in verb_options(*words.split())}
    before, results = set(room.rglob("*")), []

    def kept(result, fmt, out, *_, **__):
        results.append(result)
        return emit(result, fmt, out)

    monkeypatch.setattr("treegauge.cli.commands.emit", kept)
    line = hostile_line(words, room)
    for name in ("words", "patch", "write_baseline", "candidates_out"):
        if name in options and not any(word in line for word in options[name].flags):
            line += [options[name].flags[0], str(tmp_path / f"{name}.csv")]
    done = invoke([*words.split(), *line])
    assert (done.exit_code in {0, 1}) == (words not in REFUSED), done
    check_text(done.stderr, words)
    if words not in PRINT_TREEBANKS:
        check_text(done.stdout, words)
    for result in results if words not in PRINT_TREEBANKS else ():
        check_text(repr(result), words)
        for fmt in FORMATS:
            check_text(render(result, fmt), (words, fmt))
        for fmt in result.own_formats:
            with suppress(TreegaugeError):  # an audit is an SVG only with its card
                shown = render(result, fmt)
                if isinstance(shown, str):  # a patch has the treebank itself
                    check_text(shown, (words, fmt))
        for ending in set(SAVED) - {".parquet"}:
            result.save(tmp_path / f"saved{ending}")
        if "plot" in options:
            for ending in (".svg", ".json", ".html"):
                with suppress(TreegaugeError):  # not every result has a figure
                    draw(result, tmp_path / f"figure{ending}")
    for made in {*room.rglob("*"), *tmp_path.rglob("*")} - before:
        if made.is_file() and not made.name.endswith(DATA):
            check_text(made.read_text(encoding="utf-8"), made)


@pytest.mark.parametrize("words", sorted(WORDS.keys() - {"fetch", "run", "catalogue", "check"}))
def test_no_path_of_the_machine_is_in_what_is_handed_on(words, room, monkeypatch, tmp_path):
    """With absolute paths as inputs.

    `catalogue` lists where treebanks are, on request, and `check` names files as they were given,
    so that an editor can open them.
    """
    monkeypatch.chdir(tmp_path)
    results = []
    monkeypatch.setattr("treegauge.cli.commands.emit", lambda result, *_, **__: results.append(result) or [])
    line: list[str] = []
    for word in hostile_line(words, room):
        name, equals, value = word.partition("=")
        if line and line[-1] in {"-o", "--out"}:  # another test may have written it already
            line.append(word)
        elif equals and (room / value).exists():
            line.append(f"{name}={room / value}")
        else:
            line.append(str(room / word) if (room / word).exists() else word)
    done = invoke([*words.split(), *line])
    assert done.exit_code in {0, 1}, done.stderr
    for result in results:
        for fmt in FORMATS if hasattr(result, "to_json") else ():
            text = render(result, fmt)
            place = text.find(str(room))
            assert place < 0, (fmt, text[max(0, place - 80) : place + 120])
    for made in tmp_path.rglob("*"):
        assert not made.is_file() or str(room).encode() not in made.read_bytes(), made


def test_repeated_names_of_systems_show_no_path_on_the_page(room, tmp_path):
    gold = room / f"gold{NAME}.conllu"
    for run_name in ("1", "2"):
        (tmp_path / "mst" / run_name).mkdir(parents=True)
        data = (room / f"sys{NAME}.conllu").read_bytes()
        (tmp_path / "mst" / run_name / "out.conllu").write_bytes(data)
    runs = [f"mst={tmp_path / 'mst' / name}" for name in ("1", "2")]
    page = tmp_path / "page.html"
    done = invoke(["report", "--gold", gold, *runs, "--subsets", 5, "-o", page])
    assert done.exit_code == 0, done.stderr
    text = page.read_text(encoding="utf-8")
    assert "mst/1" in text
    assert str(tmp_path) not in text
    assert str(room) not in text


def test_every_way_out_escapes_control_characters(capsys, caplog):
    assert one_line(EVIL) == (r"\x1b[2J\x1b]0;owned\x07\r\x9b31m\x85\u202e\u2066\u2028=1+1")
    assert lines_of_text("a\tb\nc") == "a\tb\nc"
    assert one_line("a\tb\nc \u00a0\u200c中") == "a\\tb\\nc \u00a0\u200c中"
    check_text(str(TreegaugeError(EVIL)), "error")
    assert parse_json(json_text({EVIL: [EVIL]})) == {EVIL: [EVIL]}
    check_text(json_text({EVIL: [EVIL]}), "JSON")
    check_text(to_csv_text(make_table({EVIL: [EVIL]})), "CSV")
    with caplog.at_level("INFO", "treegauge"):
        note(EVIL)
    check_text(caplog.text, "log")


@pytest.mark.parametrize("sign", "=+-@＝＋－＠")
def test_a_cell_that_a_spreadsheet_would_run_is_escaped_at_any_width(sign):
    text = to_csv_text(make_table({"form": [f"{sign}1+1", sign]}))
    assert text == f"form\n'{sign}1+1\n{sign}\n"
    assert plain_cell(f"'{sign}1+1") == f"{sign}1+1"
