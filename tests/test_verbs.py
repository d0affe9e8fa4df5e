"""A verb is a command, a function, a file, a page and a test of the same name."""

import ast
import inspect
import re
from collections import Counter, defaultdict
from pathlib import Path

import pytest

import treegauge as tg
from treegauge.cli.commands import verb_options
from treegauge.cli.verbs import QUESTION, VERBS, Command
from treegauge.core.verbs import verb_help, verb_parameters

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
#: What every command adds to its verb: how the result is printed, saved and drawn.
PRESENTATION = {"fmt", "out", "plot", "force", "list", "signature", "help"}
#: One word for one thing: these say the same as another word and are not used.
OTHER_WORDS = {
    "draws": "resamples or permutations", "shuffles": "samples",
    "threads": "workers", "jobs": "workers", "alpha": "level", "adjust": "correction",
    "keep": "store", "part": "split", "side": "direction", "how": "a name",
    "progress": "results.messages.progress", "say": "results.messages.note",
}  # fmt: skip


def commands() -> dict[str, tuple[object, Command]]:
    """Return every command by its words, with its function."""
    known = {}
    for verbs in VERBS.values():
        for name, command in verbs.items():
            function = getattr(tg, name)
            known[name] = (function, command)
            for sub, one in command.subverbs.items():
                known[f"{name} {sub}"] = (getattr(function, sub), one)
    return known


COMMANDS = commands()


def options_of(words: str):
    """Return the options of a command as the command line has them."""
    return verb_options(*words.split())


@pytest.mark.parametrize("words", COMMANDS)
def test_a_command_is_a_function_with_the_same_parameters(words):
    function, _ = COMMANDS[words]
    parameters = verb_parameters(function)
    options = {option.name: option for option in options_of(words)}
    assert set(options) - PRESENTATION <= set(parameters)
    assert set(parameters) <= set(options)
    for name, parameter in parameters.items():
        empty = parameter.default is inspect.Parameter.empty
        variadic = parameter.kind is inspect.Parameter.VAR_POSITIONAL
        assert options[name].required == empty or variadic, name
        if options[name].kind is not bool and isinstance(parameter.default, int | float | str):
            assert options[name].shown == str(parameter.default), name


@pytest.mark.parametrize("words", COMMANDS)
def test_every_parameter_is_explained_and_has_one_name(words):
    function, command = COMMANDS[words]
    for name in verb_parameters(function):
        assert verb_help(function).get(name), f"{words}: {name} is not documented"
        assert name not in OTHER_WORDS, f"{words}: {name} should be {OTHER_WORDS[name]}"
    assert " " in words or inspect.getdoc(function).partition("\n")[0] == command.help


@pytest.mark.parametrize("verb", QUESTION)
def test_a_verb_is_a_file_a_page_and_a_test(verb):
    home = Path(inspect.getfile(inspect.unwrap(getattr(tg, verb))))
    assert home.stem == verb, f"tg.{verb} is in {home.name}, expected {verb}.py"
    room = home.parent.name
    room = home.relative_to(ROOT / "src" / "treegauge").parts[0]
    assert any((ROOT / "tests" / room).rglob(f"test_{verb}.py"))
    assert (DOCS / "howto" / f"{verb}.md").is_file()
    assert f"howto/{verb}.md" in (ROOT / "mkdocs.yml").read_text(encoding="utf-8")


def test_rooms_do_not_take_the_name_of_a_verb():
    rooms = {path.name for path in (ROOT / "src" / "treegauge").iterdir() if path.is_dir()}
    assert not rooms & set(QUESTION)


def test_every_function_in_front_that_is_a_verb_is_a_command():
    verbs = {name for name in dir(tg) if hasattr(getattr(tg, name), "subverbs")}
    assert verbs == set(QUESTION)


@pytest.mark.parametrize("words", COMMANDS)
def test_o_is_out_everywhere(words):
    for option in options_of(words):
        short = [flag for flag in option.flags if re.fullmatch("-[a-z]", flag)]
        assert ("-o" in short) == (option.name == "out"), option.name


def public_names(kind: type[ast.ClassDef | ast.FunctionDef]) -> dict[str, set[str]]:
    """Return the modules that define each public class or function, not counting kernels.

    A kernel (.pyx, .pyi) has the name of the function whose loop it compiles. Overloads, and
    definitions under a condition, count once per module.
    """
    modules = defaultdict(set)
    for path in (ROOT / "src").rglob("*.py"):
        blocks = [ast.parse(path.read_text(encoding="utf-8"))]
        while blocks:
            for node in ast.iter_child_nodes(blocks.pop()):
                if isinstance(node, kind) and not node.name.startswith("_"):
                    modules[node.name].add(str(path.relative_to(ROOT / "src")))
                elif isinstance(node, ast.If | ast.Try | ast.ExceptHandler | ast.With):
                    blocks.append(node)
    return modules


def test_a_class_name_means_one_thing():
    assert not {name: homes for name, homes in public_names(ast.ClassDef).items() if len(homes) > 1}


def test_a_function_name_means_one_thing():
    several = {name: homes for name, homes in public_names(ast.FunctionDef).items() if len(homes) > 1}
    # `recommend` and `transfer recommend` are commands, and a function has its command's name
    assert several.pop("recommend") == {"treegauge/ranking/recommend.py", "treegauge/learning/transfer.py"}
    # the packaged table, and the verb that shows what it has on a treebank
    assert several.pop("published") == {"treegauge/data/__init__.py", "treegauge/treebanks/published.py"}
    assert not several


def test_the_command_line_has_no_file_of_its_own_for_a_verb():
    files = {path.stem for path in (ROOT / "src" / "treegauge" / "cli").glob("*.py")}
    assert files == {"__init__", "app", "commands", "options", "verbs"}


def test_the_source_is_small_enough_to_walk_through():
    files = sorted((ROOT / "src").rglob("*.py"))
    assert len(files) <= 320
    folders = Counter(path.parent for path in files)
    assert max(folders.values()) <= 20, folders.most_common(1)
    for path in files:
        depth = len(path.relative_to(ROOT / "src" / "treegauge").parts) - 1
        assert depth <= 2, f"{path}: rooms have two levels"


def test_the_surface_is_small_enough_to_learn():
    sizes = {words: len(inspect.signature(function).parameters) for words, (function, _) in COMMANDS.items()}
    assert len(sizes) <= 44
    assert max(sizes.values()) <= 20
    assert sum(sizes.values()) <= 480
