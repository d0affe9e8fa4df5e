"""External programs: real ones in separate processes, and all kinds of failures."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.parsing.programs.command import CommandModel, CommandOptions, CommandParser
from treegauge.parsing.programs.command_templates import CommandTemplate, filled_command, find_template, template_names
from treegauge.parsing.programs.external_process import (
    LOG,
    CommandError,
    run_program,
    to_conllx,
    to_unparsed,
    with_output,
)
from treegauge.parsing.programs.udpipe import UDPipeParser
from treegauge.parsing.programs.udpipe_settings import UDPipeOptions
from treegauge.parsing.registry import load_model, make_parser, parsers
from treegauge.testing.grammar import Grammar
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data import trees
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.data.conllu import parse_conllu

HERE = Path(__file__).parent
SCRIPT = (sys.executable, str(HERE / "external_parser.py"))
OWN = CommandTemplate(
    "own",
    train=((*SCRIPT, "train", "{train}", "{model}"),),
    parse=((*SCRIPT, "parse", "{model}", "{input}", "{output}"),),
)
TRAIN, TEST = synthetic(60, seed=1), synthetic(20, Grammar(contractions=0.5), seed=2)


def bad(mode: str, *gaps: str) -> CommandTemplate:
    return replace(OWN, parse=((*SCRIPT, mode, *gaps),))


def parsed(template: CommandTemplate, treebank: Treebank = TEST, **options: object) -> Treebank:
    return CommandModel(CommandOptions(**options), template, {"model": b"{}"}).parse(treebank)


# programs that work


@pytest.mark.parametrize("form", ["conllu", "conllx"])
def test_a_program_learns_and_parses(form):
    template = replace(OWN, format=form, heads="0" if form == "conllx" else "_")
    model = CommandParser(template=template).fit(TRAIN, seed=0)
    result = model.parse(TEST)
    assert trees.is_tree(result.head, result.offsets).all()
    assert result["form"].to_list() == TEST["form"].to_list()
    # The rest of every line, comments and multiword tokens are as they were.
    restored = result.with_columns({"head": TEST.head, "deprel": TEST["deprel"]})
    assert restored.to_bytes() == TEST.to_bytes()
    tags = TEST["upos"].to_list()
    for start, stop in pairwise(TEST.offsets.tolist()):
        verbs = [word for word in range(start, stop) if tags[word] == "VERB"]
        assert result.head[verbs[0] if verbs else start] == 0
    learned = set(result["deprel"]) - {"dep", "root"}
    assert learned and learned <= set(TRAIN["deprel"])


def test_udpipe_in_another_process_gives_the_same_trees():
    options = UDPipeOptions(preset="sized", iterations=2, hidden_layer=16)
    values = (
        "iterations=2;hidden_layer=16;batch_size=10;structured_interval=0;learning_rate=0.02;"
        "learning_rate_final=0.001;l2=0.3;embedding_upostag=12;embedding_feats=12;"
        "embedding_form=32;embedding_deprel=12"
    )
    script = (sys.executable, str(HERE / "external_udpipe.py"))
    outside = CommandTemplate(
        "udpipe1", train=((*script, "train", values, "{train}", "{model}"),), parse=((*script, "parse", "{model}"),)
    )
    order = np.random.default_rng(5).permutation(len(TRAIN))
    there = CommandParser(template=outside).fit(TRAIN.take(order), seed=0).parse(TEST)
    here = UDPipeParser(options).fit(TRAIN, seed=5).parse(TEST)
    assert there.to_bytes() == here.to_bytes()


def test_a_folder_is_a_model_too(tmp_path, monkeypatch):
    template = replace(
        OWN,
        model="folder",
        train=((*SCRIPT, "train", "{train}", "{model}/a.json"),),
        parse=((*SCRIPT, "parse", "{model}/a.json", "{input}", "{output}"),),
    )
    model = CommandParser(template=template).fit(TRAIN, seed=0)
    assert list(model.files) == ["a.json"]
    model.save(tmp_path / "m")
    monkeypatch.setattr("treegauge.parsing.programs.command.find_template", lambda name: template)
    assert load_model(tmp_path / "m", trust=True).parse(TEST) == model.parse(TEST)


def test_same_seed_same_bytes(tmp_path):
    for name in "ab":
        CommandParser(template=OWN).fit(TRAIN, seed=3).save(tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_a_program_that_is_trained_already_needs_no_training():
    template = CommandTemplate("fixed", parse=((*SCRIPT, "to_first", "{input}", "{output}"),))
    result = CommandParser(template=template).fit(TRAIN, seed=0).parse(TEST)
    assert set(result.head.tolist()) == {0, 1}


def test_words_are_never_split_by_a_shell(tmp_path):
    assert filled_command(["{a}", "x{a}"], {"a": "$(touch y); *"}) == ["$(touch y); *", "x$(touch y); *"]
    marked = tmp_path / "marked"
    template = replace(OWN, train=((*SCRIPT, "nothing", f"; touch {marked}", f"$(touch {marked})"),))
    with pytest.raises(CommandError, match="wrote no file"):
        CommandParser(template=template).fit(TRAIN, seed=0)
    assert not marked.exists()


# programs that do not


def test_one_that_hangs_is_killed_with_its_children(tmp_path):
    note = tmp_path / "pids"
    start = time.monotonic()
    with pytest.raises(CommandError, match=r"own \(parsing\) was stopped.* 1.5 seconds.*\n.*still"):
        parsed(bad("hang", str(note)), timeout=1.5)
    assert time.monotonic() - start < 20
    assert_ended(note)


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT", "SIGHUP"])
def test_programs_end_with_whoever_started_them(tmp_path, name):
    """As when a queue's time is up, or a terminal is closed."""
    note = tmp_path / "pids"
    words = [*SCRIPT, "hang", str(note)]
    code = (
        "import signal; signal.signal(signal.SIGHUP, signal.SIG_DFL);"  # nohup would ignore it
        "from pathlib import Path; from treegauge.parsing.programs.external_process import run_program;"
        f"run_program({words!r}, what='x', folder=Path({str(tmp_path)!r}),"
        f"log=Path({os.devnull!r}))"
    )
    with subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.DEVNULL) as process:
        wait_for(note)
        process.send_signal(getattr(signal, name))
        assert process.wait(20) != 0
    assert_ended(note)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="orphans are found on Linux")
@pytest.mark.parametrize("how", ["SIGKILL", "the program ends", "the limit"])
def test_processes_in_sessions_of_their_own_end_too(tmp_path, how):
    """Also by kill -9, and the temporary folder is removed then."""
    note = tmp_path / "pids"
    folder = tmp_path / "room"
    folder.mkdir()
    words = [*SCRIPT, "leave" if how == "the program ends" else "hang_apart", str(note)]
    code = (
        "from pathlib import Path;"
        "from treegauge.parsing.programs.external_process import ProgramLimits, run_program;"
        f"run_program({words!r}, what='x', folder=Path({str(folder)!r}), log=Path({os.devnull!r}),"
        f"limits=ProgramLimits(timeout={3 if how == 'the limit' else 0}))"
    )
    with subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.DEVNULL) as process:
        if how == "SIGKILL":
            wait_for(note)
            process.kill()
        assert process.wait(60) == {"SIGKILL": -9, "the program ends": 0, "the limit": 1}[how]
    assert_ended(note)
    for _ in range(100):
        if how != "SIGKILL" or not folder.exists():
            break
        time.sleep(0.05)
    assert folder.exists() == (how != "SIGKILL")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs PR_SET_PDEATHSIG")
def test_a_program_ends_with_its_supervisor(tmp_path):
    note, log = tmp_path / "pids", tmp_path / "log"
    code = (
        "import os, signal, sys, time;"
        "open(sys.argv[1], 'w').write(f'{os.getpid()} {os.getpid()}');"
        "os.kill(os.getppid(), signal.SIGKILL); time.sleep(60)"
    )
    with pytest.raises(CommandError, match="was killed by SIGKILL"):
        run_program([sys.executable, "-c", code, str(note)], what="x", folder=tmp_path, log=log)
    assert_ended(note)


def test_udpipe_trains_no_longer_than_its_parent_lives(tmp_path):
    """Its library blocks the process, so that the system must end it."""
    note = tmp_path / "pids"
    (tmp_path / "blocked.py").write_text(
        "import os, pathlib, sys, time\nfrom treegauge.parsing.programs import udpipe\n"
        "def train(*job):\n"
        f"    pathlib.Path({str(note)!r}).write_text(f'{{os.getpid()}} {{os.getpid()}}')\n"
        "    time.sleep(60)\n"
        "udpipe._train = train\n"
        "if __name__ == '__main__':\n"
        "    log = pathlib.Path(sys.argv[1]); log.touch()\n"
        "    udpipe._watch(log, (log, log, None, None, '', ''))\n"
    )
    words = [sys.executable, str(tmp_path / "blocked.py"), str(tmp_path / "log")]
    with subprocess.Popen(words, stderr=subprocess.DEVNULL) as process:
        wait_for(note)
        process.kill()
    assert_ended(note)


def wait_for(note: Path) -> None:
    """Wait until a program has written the numbers of its processes."""
    for _ in range(600):
        if note.exists() and note.read_text():
            return
        time.sleep(0.05)
    raise AssertionError("it did not start")


def assert_ended(note: Path) -> None:
    """Check that the processes whose numbers are in a file end within seconds."""
    numbers = [int(number) for number in note.read_text().split()]
    assert len(numbers) == 2
    for pid in numbers:
        for _ in range(100):
            if not alive(pid):
                break
            time.sleep(0.05)
        assert not alive(pid)


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (ProcessLookupError, FileNotFoundError):
        return False
    return state != "Z"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits of memory need Linux")
def test_one_that_eats_memory_is_stopped():
    with pytest.raises(CommandError, match=r"allowed 0.3 GiB: option memory[\s\S]*MemoryError"):
        parsed(bad("eat"), memory=0.3)


@pytest.mark.parametrize(
    ("template", "message"),
    [
        (bad("die"), r"own \(parsing\) ended with status 3; its last messages:\n  out of luck"),
        (bad("crash"), "was killed by SIGABRT"),
        (bad("nothing"), "no output|ends after 0 of 20"),
        (bad("nothing", "{output}"), "succeeded but wrote no output"),
        (bad("garbage", "{output}"), "not UTF-8"),
        (bad("chatter", "{output}"), "line 1 of its output: found 'Loading model ... done'"),
        (bad("half", "{input}", "{output}"), r"ends after \d+ of 20 sentences"),
        (bad("without_last_word", "{input}", "{output}"), r"sentence 1 ends after \d+ words"),
        (bad("another_word", "{input}", "{output}"), "found the word '.*x', expected"),
        (bad("too_few_columns", "{input}", "{output}"), "found 5 columns, expected at least 8"),
        (bad("cycle", "{input}", "{output}"), r"(?s)not trees \(.*errors=repair.*cycle"),
        (bad("two_roots", "{input}", "{output}"), r"(?s)errors=repair.*several-roots"),
        (bad("far_head", "{input}", "{output}"), r"(?s)errors=repair.*HEAD '999'"),
        (replace(OWN, parse=(("/no/such/program",),)), "cannot start '/no/such/program'"),
    ],
    ids=lambda value: value.parse[0][2] if isinstance(value, CommandTemplate) and len(value.parse[0]) > 2 else None,
)
def test_failures_are_told(template, message):
    with pytest.raises(CommandError, match=message):
        parsed(template)


@pytest.mark.parametrize("mode", ["cycle", "two_roots", "far_head"])
def test_trees_can_be_mended(mode):
    result = parsed(bad(mode, "{input}", "{output}"), errors="repair")
    assert trees.is_tree(result.head, result.offsets).all()
    assert {problem.action for problem in result.problems} == {"repaired"}
    assert result.policy == "repair"
    assert result["form"].to_list() == TEST["form"].to_list()


@pytest.mark.parametrize("where", ["stdout", "output", "room"])
def test_what_a_program_writes_is_bounded(where, monkeypatch):
    """It writes without end: to its standard output, to the output file, or to its folder."""
    monkeypatch.setattr("treegauge.parsing.programs.command._FREE", 1 << 20)
    endless = "import sys\nwhile True: sys.stdout.buffer.write(bytes(1 << 16))"
    large = (
        "import sys, time\nfor name in (sys.argv[1], 'more'):\n"
        "  with open(name, 'wb') as file: file.write(bytes(5 << 23))\n"
        "time.sleep(60)"
    )
    code = endless if where == "stdout" else large
    place = {"stdout": "stdout", "output": "{output}", "room": "junk"}[where]
    own = replace(OWN, parse=((sys.executable, "-c", code, place),))
    monkeypatch.setattr("treegauge.parsing.programs.command.LARGEST", 1 << 26)
    found = "its output has more than 1,048,576 bytes"
    if where == "room":
        found = "its files have more than 67,108,864 bytes"
    start = time.monotonic()
    with pytest.raises(CommandError, match=found):
        parsed(own)
    assert time.monotonic() - start < 60


def test_only_the_end_of_messages_is_kept(tmp_path):
    code = "import sys\nfor _ in range(1000): sys.stderr.write('x' * 10000)\nprint('the end')"
    log = tmp_path / "log"
    run_program([sys.executable, "-c", code], what="x", folder=tmp_path, log=log)
    assert log.stat().st_size <= LOG
    assert log.read_text().rstrip("x").endswith("the end\n")


def test_a_program_has_a_day_unless_told_otherwise():
    assert CommandOptions().timeout == 24 * 60 * 60
    (row,) = [row for row in parsers("command").rows if row["option"] == "timeout"]
    assert "by default a day" in row["meaning"]


def test_an_invalid_template_does_not_disable_the_others(tmp_path, monkeypatch):
    file = tmp_path / "parsers.toml"
    file.write_text('[bad]\nparse = "java"\n[spacy]\nformat = "x"\n[good]\nparse = [["true"]]\n[worse]\n')
    monkeypatch.setenv("TREEGAUGE_PARSERS", str(file))
    assert find_template("good").parse == (("true",),)
    assert find_template("stanza").model == "folder"
    shown = {row["option"]: row["meaning"] for row in parsers("command").rows}
    for name, found in (("bad", "list of commands"), ("spacy", "format"), ("worse", "no command")):
        with pytest.raises(TreegaugeError, match=rf"parsers\.toml: .*{name}.*{found}|{found}.*{name}"):
            find_template(name)
        assert shown[f"template={name}"].startswith(f"cannot be used: {file}: ")
    assert shown["template=good"] == ""


def test_missing_words_are_not_mended():
    with pytest.raises(CommandError, match="sentence 1 ends"):
        parsed(bad("without_last_word", "{input}", "{output}"), errors="repair")


def test_other_forms_may_pass():
    template = replace(bad("another_word", "{input}", "{output}"), forms="any")
    assert parsed(template)["form"].to_list() == TEST["form"].to_list()


def test_training_that_fails_is_told():
    with pytest.raises(CommandError, match=r"own \(training\) ended with status 3.*\n.*out of luck"):
        CommandParser(template=replace(OWN, train=((*SCRIPT, "die"),))).fit(TRAIN, seed=0)


def test_bad_requests():
    with pytest.raises(ChoiceError, match="maltparser"):
        make_parser("command", template="maltparse")
    with pytest.raises(ChoiceError, match="did you mean 'timeout'"):
        make_parser("command", timout=3)
    with pytest.raises(TreegaugeError, match="memory is inf; expected a number from 0 to 100000"):
        make_parser("command", template="stanza", memory=float("inf"))
    with pytest.raises(TreegaugeError, match="needs a dev set"):
        CommandParser(template=replace(OWN, train=(("x", "{dev}"),))).fit(TRAIN, seed=0)
    text = "1\ta\t_\tX\t_\t_\t2\tx\t_\t_\n2\tb\t_\tX\t_\t_\t1\tx\t_\t_\n\n"
    with pytest.raises(TreegaugeError, match="not a tree"):
        CommandParser(template=OWN).fit(parse_conllu(text, allow=["cycle", "no-root"]), seed=0)
    with pytest.raises(TreegaugeError, match="seed: expected"):
        CommandParser(template=OWN).fit(TRAIN, seed=-1)


# templates


def test_a_program_without_a_place_is_asked_for():
    with pytest.raises(TreegaugeError, match=r"(?s)where maltparser is.*parsers.toml.*program = "):
        make_parser("command", template="maltparser").fit(TRAIN, seed=0)


def test_ready_made_templates():
    found = template_names(os.devnull)
    assert found == ["maltparser", "mstparser", "udpipe2", "stanza", "spacy", "trankit", "supar"]
    for template in [find_template(name, os.devnull) for name in found]:
        assert template.about.endswith(".")
        assert template.needs("program")
        assert template.needs("script") == bool(template.script)
        compile(template.script, template.name, "exec")
    assert {f"template={name}" for name in found} <= set(parsers("command").table["option"])


def test_users_add_and_change(tmp_path, monkeypatch):
    file = tmp_path / "parsers.toml"
    file.write_text(
        '[maltparser]\nprogram = "lib/malt.jar"\n[mine]\nparse = [["{program}", "{input}"]]\nprogram = "mine"\n'
    )
    monkeypatch.setenv("TREEGAUGE_PARSERS", str(file))
    malt = find_template("maltparser")
    assert malt.program == str(tmp_path / "lib/malt.jar")
    assert find_template("mine").program == "mine"
    monkeypatch.setenv("TREEGAUGE_PARSERS", str(tmp_path / "none.toml"))
    with pytest.raises(TreegaugeError, match=r"none\.toml: cannot read"):
        find_template("mine")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = ", "cannot read"),
        ("x = 1", r"a\.toml: found x = 1, expected a table \[x\]"),
        ("[x]", "parse has no command"),
        ('[x]\nparse = "java -jar"', "expected a list of commands"),
        ('[x]\nparse = [["a", 1]]', "expected a list of commands"),
        ('[x]\nparse = [["a", "{trian}"]]', "gap in parse of template x '{trian}'"),
        ('[x]\ntrain = [["{tain}"]]\nparse = [["a"]]', "did you mean '{train}'"),
        ('[x]\nparse = [["a"]]\nformat = "conll"', "choices: conllu, conllx"),
        ('[x]\nparse = [["a"]]\nmodel = 3', "expected text"),
        ('[x]\nparse = [["a"]]\nparser = "b"', "did you mean 'parse'"),
    ],
)
def test_bad_templates(tmp_path, text, message):
    file = tmp_path / "a.toml"
    file.write_text(text)
    with pytest.raises(TreegaugeError, match=message):
        find_template("x", file)


def test_a_model_brings_no_commands_of_its_own(tmp_path, monkeypatch):
    marked = tmp_path / "marked"
    evil = replace(OWN, parse=(("touch", str(marked)),))
    CommandParser(template=evil).fit(TRAIN, seed=0).save(tmp_path / "m")
    with pytest.raises(TreegaugeError, match="unknown template 'own'"):
        load_model(tmp_path / "m", trust=True)
    file = tmp_path / "parsers.toml"
    file.write_text('[own]\nparse = [["true"]]')
    monkeypatch.setenv("TREEGAUGE_PARSERS", str(file))
    with pytest.raises(TreegaugeError, match="another template named own"):
        load_model(tmp_path / "m", trust=True)
    assert not marked.exists()


def test_a_model_writes_nowhere_else(tmp_path, monkeypatch):
    monkeypatch.setattr("treegauge.parsing.programs.command.find_template", lambda name: OWN)
    for name in ("../x", "/tmp/x"):
        CommandModel(CommandOptions(), OWN, {name: b"x"}).save(tmp_path / "m")
        with pytest.raises(TreegaugeError, match="expected a name inside of it"):
            load_model(tmp_path / "m", trust=True)


# formats


FIELDS = st.text(st.characters(blacklist_categories=["Cs", "Cc"]), min_size=1, max_size=5).filter(str.strip)


@given(st.lists(st.lists(FIELDS, min_size=1, max_size=4), min_size=1, max_size=3))
@settings(max_examples=40, deadline=None)
def test_conllx_and_back(sentences):
    lines = []
    for words in sentences:
        lines += [f"# text = {len(words)}"]
        for i, form in enumerate(words, 1):
            lines.append(f"{i}\t{form}\t{form}\tX\tY\t_\t{i - 1}\t{'dep' if i > 1 else 'root'}\t_\t_")
        lines.append("")
    treebank = parse_conllu("\n".join([*lines, ""]))
    data = to_conllx(treebank)
    rows = [line.split("\t") for line in data.decode().split("\n") if line]
    assert all(len(row) == 10 and row[3] == row[4] == "X" for row in rows)
    assert all(not any(sign.isspace() for sign in row[1]) for row in rows)
    assert len(data.decode().split()) == 10 * treebank.n_words
    unparsed = parse_conllu(to_unparsed(treebank, heads="_"), need_heads=False)
    assert set(unparsed.head.tolist()) == {-1}
    assert with_output(unparsed, data, fmt="conllx", what="x") == treebank


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_no_tree_leaks_whatever_lines_end_with(end):
    text = TEST.to_bytes().decode().replace("\n", end)
    treebank = parse_conllu(text)
    unparsed = parse_conllu(to_unparsed(treebank, heads="_"), need_heads=False)
    assert set(unparsed.head.tolist()) == {-1}
    assert set(unparsed["deprel"]) == set(unparsed["deps"]) == {"_"}
    again = with_output(unparsed, to_conllx(TEST), fmt="conllx", what="x")
    assert again.head.tolist() == TEST.head.tolist()
