"""The command line accepts every command that pages, messages and docs print."""

import ast
import re
import shlex
from functools import reduce
from pathlib import Path

import pytest

import treegauge
from treegauge.cli.commands import verb_options
from treegauge.cli.options import UsageError, read_words
from treegauge.cli.verbs import QUESTION, VERBS
from treegauge.core.verbs import command

HERE = Path(__file__).parents[1]
DOCS = HERE / "docs"
SOURCE = HERE / "src" / "treegauge"
COMMANDS = [(name, sub) for verbs in VERBS.values() for name, made in verbs.items() for sub in ("", *made.subverbs)]
VALUES = {int: "3", float: "0.5", str: "X"}


def parsed(text):
    """Return the values that the command line reads from a command."""
    program, verb, *words = shlex.split(text)
    assert program == "treegauge"
    subverbs = VERBS[QUESTION[verb]][verb].subverbs
    sub = words.pop(0) if words and words[0] in subverbs else ""
    return read_words(words, verb_options(verb, sub))


@pytest.mark.parametrize(("name", "sub"), COMMANDS, ids=lambda part: part or "-")
def test_a_built_command_is_read_as_it_was_meant(name, sub):
    verb = reduce(getattr, filter(None, (name, sub)), treegauge)
    options = verb_options(name, sub)
    needed = [one for one in options if one.required and one.name not in {"fmt", "help"}]
    words = [one.choices[0] if one.choices else VALUES[one.kind] for one in needed if not one.flags]
    named = {one.name: one.choices[0] if one.choices else VALUES[one.kind] for one in needed if one.flags}
    expected = {one.name for one in needed}
    if name == "check":  # needs sources unless it explains a test
        words, expected = ["x.conllu"], {"sources"}
    values = parsed(command(verb, *words, **named, format="json"))
    assert values.pop("fmt") == "json"
    assert set(values) == expected
    with pytest.raises(TypeError, match="unexpected keyword argument 'no_such_option'"):
        command(verb, *words, **named, no_such_option=1)
    if needed:
        with pytest.raises(TypeError, match="missing"):
            command(verb)


def test_flags_lists_and_odd_values_are_written_as_the_command_line_reads_them():
    files = ["a b.conllu", "it's=out.conllu"]
    text = command(treegauge.breakdown, "gold", *files, by=["upos", "deprel"], calibration=True, overlap=0)
    values = parsed(text)
    assert values["systems"] == files
    assert (values["by"], values["calibration"], values["overlap"]) == (["upos", "deprel"], True, 0)
    assert "--common" not in command(treegauge.score, "gold", "a", common=False, margin=None)
    with pytest.raises(TypeError, match="'out' is an option; give it by name"):
        command(treegauge.convert, "a.conllu", "b.conllu")


def commands_in(text):
    """Return the commands in code spans that say more than the name of a verb."""
    spans = re.findall(r"(?<!`)`{1,2}(treegauge [^`]+)`", text)
    verbs = "|".join(QUESTION)
    spans = [" ".join(one.split()) for one in spans]
    return [one for one in spans if re.match(rf"treegauge (?:{verbs})\b .", one)]


def strings(path):
    """Return the texts of a module: messages with X for what is filled in, and docstrings."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.JoinedStr):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "X" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


@pytest.mark.parametrize("path", sorted(DOCS.rglob("*.md")), ids=lambda path: path.relative_to(DOCS).as_posix())
def test_commands_in_the_prose_of_the_docs_are_accepted(path):
    for one in commands_in(path.read_text(encoding="utf-8")):
        accepted(one)


def accepted(text):
    """Check a command; one with ``...`` or without arguments need not be complete."""
    shown = re.sub(r"\$\([^)]*\)", "X", text)
    verb, *words = shown.split()[1:]
    words = words[1:] if words and words[0] in VERBS[QUESTION[verb]][verb].subverbs else words
    partial = "..." in shown or not words or words[0].startswith("-")
    try:
        parsed(shown.replace(" ...", ""))
    except UsageError as error:
        missing = str(error).startswith("Missing") or "requires an argument" in str(error)
        assert partial and missing, f"{text}: {error}"


def test_commands_in_messages_have_options_that_exist():
    seen = 0
    for path in sorted(SOURCE.rglob("*.py")):
        for text in strings(path):
            for verb, rest in re.findall(r"treegauge (\w+)((?: [\w=./<>-]*[\w>])*)", text):
                if verb not in QUESTION:
                    continue
                words = rest.split()
                sub = words[0] if words and words[0] in VERBS[QUESTION[verb]][verb].subverbs else ""
                known = {flag for one in verb_options(verb, sub) for flag in one.flags}
                used = {word.partition("=")[0] for word in words if re.match("--[a-z]", word)}
                assert used <= known, f"{path.name}: treegauge {verb}{rest}"
                seen += bool(used)
    assert seen >= 10


def test_the_page_has_no_command_of_its_own():
    """Scripts and sections take commands from `command`, which checks them."""
    verbs = "|".join(QUESTION)
    for path in [*SOURCE.rglob("*.js"), *(SOURCE / "reporting").glob("*.py")]:
        code = path.read_text(encoding="utf-8")
        if path.suffix == ".py":
            kept = [text for text in strings(path) if text not in _docstrings(code)]
            code = "\n".join(kept)
        else:
            code = re.sub(r"^\s*//.*$", "", code, flags=re.MULTILINE)
        found = re.findall(rf"treegauge (?:{verbs})\b (?!--format json`).*", code)
        assert not found, f"{path.name}: {found}"


def _docstrings(code):
    """Return the docstrings of a module as they are in its syntax tree."""
    nodes = (ast.Module, ast.ClassDef, ast.FunctionDef)
    return {ast.get_docstring(node, clean=False) for node in ast.walk(ast.parse(code)) if isinstance(node, nodes)}


def test_an_argument_that_may_be_left_out_is_written_as_one():
    assert command(treegauge.diff, "old.conllu", "new.conllu") == "treegauge diff old.conllu new.conllu"
    assert command(treegauge.diff, ".", between="r2.6..r2.9") == "treegauge diff . --between r2.6..r2.9"
