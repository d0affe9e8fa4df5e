"""What may be written where: every verb writes its declared outputs only, and never over an input."""

import inspect
import shutil
from pathlib import Path

import pytest

import treegauge as tg
from tests.commands import invoke
from tests.test_hostile import WORDS, bench, commands, digests  # noqa: F401 -- bench is a fixture
from treegauge.cli.commands import find_verb, verb_options
from treegauge.cli.options import read_words
from treegauge.core.arguments import LIMITS, MOST
from treegauge.core.errors import TreegaugeError
from treegauge.core.file_kinds import FOLDER, STORE
from treegauge.core.verbs import Verb

VERBS: dict[str, Verb] = {words: find_verb(*words.split())[0] for words in commands()}
OUTPUTS = [(words, name) for words, verb in VERBS.items() for name in verb.outputs]
#: Commands that need the network or an archive; what they leave after an error is checked.
UNREACHABLE = {"fetch"}


@pytest.fixture
def place(bench, tmp_path, monkeypatch) -> Path:  # noqa: F811
    """A copy of a folder with one small input of each kind, as the current folder."""
    shutil.copytree(bench, tmp_path / "bench")
    monkeypatch.chdir(tmp_path / "bench")
    return tmp_path / "bench"


def given(words: str, line: list[str]) -> dict[str, object]:
    """Return the arguments on a command line, with defaults."""
    function, options = find_verb(*words.split())[0], verb_options(*words.split())
    defaults = {name: parameter.default for name, parameter in inspect.signature(function).parameters.items()}
    return defaults | read_words(line, options)


def inputs(words: str) -> list[str]:
    """Return the files that a command of the walk reads, as its arguments name them."""
    values = given(words, WORDS[words].split())
    names = values.keys() - VERBS[words].outputs.keys()
    texts = [str(one) for name in names for one in (values[name] if isinstance(values[name], list) else [values[name]])]
    return [name for text in texts for name in [text.rpartition("=")[2]] if name and Path(name).is_file()]


@pytest.mark.parametrize("words", VERBS)
def test_a_verb_writes_its_declared_outputs_and_nothing_else(words, place):
    before = digests(place)
    line = WORDS[words].split()
    done = invoke([*words.split(), *line])
    assert done.exit_code in {0, 1} or words in UNREACHABLE, done
    after = digests(place)
    values = given(words, line)
    declared = [(place / str(values[name])).resolve() for name in VERBS[words].outputs if values[name]]
    # Whoever reads or writes a store holds its lock.
    changed = {Path(path) for path in after if after[path] != before.get(path) and Path(path).name != "lock"}
    assert not [path for path in changed if not any(path.is_relative_to(one) for one in declared)]
    assert before.keys() <= after.keys()


@pytest.mark.parametrize(("words", "name"), OUTPUTS)
def test_an_input_is_never_an_output(words, name, place):
    known = inputs(words)
    kind, flag = VERBS[words].outputs[name], f"--{name.replace('_', '-')}"
    before = digests(place)
    line = [word for word in WORDS[words].split() if word != "--dry-run"]
    if flag in line:
        del line[line.index(flag) : line.index(flag) + 2]
    for source in known:
        for force in ([], ["--force"]):
            done = invoke([*words.split(), *line, f"{flag}={source}", *force])
            assert done.exit_code == 2, done
            expected = "is a file; expected" if kind in {FOLDER, STORE} else "is an input and would be overwritten"
            assert expected in done.stderr or "is an input" in done.stderr, done
    assert digests(place) == before


def test_most_outputs_are_tried_on_an_input(place):
    assert len([words for words, _ in OUTPUTS if inputs(words)]) > len(OUTPUTS) / 2


@pytest.mark.parametrize(("words", "name"), [one for one in OUTPUTS if VERBS[one[0]].outputs[one[1]] != STORE])
def test_a_file_of_another_kind_needs_force(words, name, place):
    kind, flag = VERBS[words].outputs[name], f"--{name.replace('_', '-')}"
    (place / "notes.html").write_text("[settings]\nname = 'x'\n")
    before = (place / "notes.html").read_bytes()
    line = [word for word in WORDS[words].split() if word != "--dry-run"]
    if flag in line:
        del line[line.index(flag) : line.index(flag) + 2]
    done = invoke([*words.split(), *line, f"{flag}={place / 'notes.html'}"])
    assert done.exit_code == 2, done
    assert "is a file; expected" in done.stderr if kind == FOLDER else "notes.html" in done.stderr, done
    assert (place / "notes.html").read_bytes() == before


@pytest.mark.parametrize("words", VERBS)
def test_a_number_out_of_its_limits_is_refused_before_any_work(words):
    verb = VERBS[words]
    assert verb.limits.keys() | verb.outputs.keys() <= inspect.signature(verb).parameters.keys()
    for option in verb_options(*words.split()):
        if option.kind is not int or option.name not in inspect.signature(verb).parameters:
            continue
        least, most = {**LIMITS, **verb.limits}.get(option.name, (0, MOST))
        for value in (least - 1, most + 1):
            with pytest.raises(TreegaugeError, match=rf"^{option.name}: expected a whole number of at (least|most) "):
                verb(**{option.name: value})


def test_python_refuses_as_the_command_line_does(place):
    before = digests(place)
    for call in (
        lambda: tg.convert("gold.conllu", out="gold.conllu", force=True),
        lambda: tg.train("mst", "gold.conllu", out=place / "gold.conllu"),
    ):
        with pytest.raises(TreegaugeError, match="is an input and would be overwritten"):
            call()
        assert digests(place) == before
