"""Models of strangers: nothing that is in them, and no program, runs before they are trusted."""

import json
import os
import pickle
import shutil
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import treegauge as tg
from tests.commands import invoke
from tests.test_hostile import WORDS, bench  # noqa: F401 -- a fixture
from treegauge.core.errors import TreegaugeError
from treegauge.parsing.base import to_npz
from treegauge.parsing.programs.command import CommandModel, CommandOptions, CommandParser
from treegauge.parsing.programs.command_templates import CommandTemplate, find_template, template_names
from treegauge.parsing.programs.external_process import CommandError
from treegauge.parsing.registry import find_parser, load_model
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.conllu import write_conllu

TEST = synthetic(3, seed=1)
TEMPLATES = template_names(os.devnull)
SYMLINKS = pytest.mark.skipif(os.name == "nt", reason="links need a privilege on Windows")
SHELL = pytest.mark.skipif(os.name == "nt", reason="the programs are scripts of a shell")


class Payload:
    """Makes a file when it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        return os.mkdir, (str(self.mark),)


def torch_file(mark: Path) -> bytes:
    """Return what ``torch.save`` writes, with a payload."""
    torch = pytest.importorskip("torch")
    path = mark.with_name("payload.pt")
    torch.save({"name": "x", "model": Payload(mark)}, path)
    return path.read_bytes()


@pytest.fixture
def mark(tmp_path, monkeypatch) -> Path:
    """What exists once foreign code has run; programs of all templates are there and make it."""
    monkeypatch.delenv("TREEGAUGE_TRUST", raising=False)
    mark = tmp_path / "mark"
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("java", "python3", "program"):
        file = programs / name
        file.write_text(f"#!/bin/sh\nexec {sys.executable} -c 'import os; os.mkdir(\"{mark}\")'\n")
        file.chmod(0o755)
    monkeypatch.setenv("PATH", str(programs), prepend=os.pathsep)
    own = tmp_path / "parsers.toml"
    own.write_text("".join(f'[{name}]\nprogram = "{programs}/program"\n' for name in TEMPLATES))
    monkeypatch.setenv("TREEGAUGE_PARSERS", str(own))
    return mark


#: Files of the kinds that each program reads.
FILES = {
    "maltparser": ["malt.mco"], "mstparser": ["model"], "stanza": ["parser.pt"],
    "udpipe2": ["mappings.pickle", "options.json", "weights.index"],
    "spacy": ["config.cfg", "meta.json", "tokenizer", "parser/model", "vocab/lookups.bin"],
    "trankit": ["model"], "supar": ["model"],
}  # fmt: skip


def stranger(name: str, path: Path, mark: Path) -> Path:
    """Write a model of a template whose files are pickles with a payload."""
    files = dict.fromkeys(FILES[name], pickle.dumps(Payload(mark)))
    CommandModel(CommandOptions(), find_template(name), files).save(path)
    return path


@SHELL
@pytest.mark.parametrize("name", TEMPLATES)
def test_a_strangers_model_of_each_template_runs_nothing_without_trust(name, mark, tmp_path):
    model = stranger(name, tmp_path / "m", mark)
    write_conllu(TEST, tmp_path / "in.conllu")
    refusal = rf"m: it would run code \(a model of parser command.* {name}\).*--trust"
    for use in (load_model, lambda path: tg.parse(path, TEST)):
        with pytest.raises(TreegaugeError, match=refusal):
            use(model)
    done = invoke(["parse", model, tmp_path / "in.conllu"])
    assert done.exit_code == 2
    assert "--trust" in done.stderr
    assert not mark.exists()
    with pytest.raises(CommandError):  # it runs, and gives no trees
        tg.parse(model, TEST, trust=True)
    assert mark.exists()


@SHELL
def test_the_environment_trusts_all_models(mark, tmp_path, monkeypatch):
    model = stranger("supar", tmp_path / "m", mark)
    for value in ("", "0"):
        monkeypatch.setenv("TREEGAUGE_TRUST", value)
        with pytest.raises(TreegaugeError, match="--trust"):
            load_model(model)
    monkeypatch.setenv("TREEGAUGE_TRUST", "1")
    assert load_model(model)


def test_every_parser_that_runs_programs_says_so():
    """The module of a parser that starts programs imports those that do."""
    for name in ("beam", "mst", "udpipe", "biaffine", "pointer", "labelling", "baseline"):
        assert not find_parser(name).runs_programs
    assert find_parser("command").runs_programs


def of_all_kinds(home: Path, mark: Path) -> list[Path]:
    """Write files of each kind that verbs read as data, with payloads; return them."""
    payload = pickle.dumps(Payload(mark))
    objects = np.array([Payload(mark)], object)
    files = [stranger("supar", home / "bad.model", mark)]
    for ending in (".npz", ".model", ".parquet", ".arrow", ".json", ".csv", ".conllu", ".toml"):
        (home / f"raw{ending}").write_bytes(payload)
        files.append(home / f"raw{ending}")
    np.savez(home / "objects.npz", header=np.frombuffer(b"{}", np.uint8), a=objects)
    calibrated = to_npz({"format": 2, "parser": "mst"}, {})
    (home / "calibration.model").write_bytes(calibrated)
    with zipfile.ZipFile(home / "calibration.model", "a") as archive:
        np.save(home / "calibration.npy", objects)
        archive.write(home / "calibration.npy", "calibration.npy")
    metadata = {  # pyarrow unpickled these before 14.0.1
        "ARROW:extension:name": "arrow.py_extension_type",
        "ARROW:extension:metadata": payload,
    }
    field = pa.field("treebank", pa.string(), metadata=metadata)
    table = pa.table([["a"]], schema=pa.schema([field]))
    pq.write_table(table, home / "extension.parquet")
    with pa.ipc.new_file(home / "extension.arrow", table.schema) as file:
        file.write(table)
    (home / "page.json").write_text(json.dumps({"py/reduce": [{"py/function": "os.mkdir"}]}))
    return [
        *files, home / "objects.npz", home / "calibration.model", home / "extension.parquet",
        home / "extension.arrow", home / "page.json",
    ]  # fmt: skip


@SHELL
@pytest.mark.parametrize("words", WORDS)
def test_no_verb_runs_what_is_in_a_file(words, bench, mark, tmp_path, monkeypatch):  # noqa: F811
    """Each verb gets each kind of hostile file in the place of each of its inputs."""
    home = tmp_path / "bench"
    shutil.copytree(bench, home)
    monkeypatch.chdir(home)
    line = WORDS[words].split()
    inputs = [
        place
        for place, word in enumerate(line)
        if (home / word.rpartition("=")[2]).exists() and line[place - 1 if place else 0] != "--out"
    ]
    for file in of_all_kinds(tmp_path, mark):
        for place in inputs if file.name == "bad.model" else inputs[:1]:
            prefix = line[place].rpartition("=")[0]
            word = f"{prefix}={file}" if prefix else str(file)
            invoke([*words.split(), *line[:place], word, *line[place + 1 :]])
            assert not mark.exists(), (words, file.name)


@SHELL
def test_no_file_of_a_store_is_unpickled(bench, mark, tmp_path, monkeypatch):  # noqa: F811
    monkeypatch.chdir(bench)
    for number, file in enumerate(sorted((bench / "store").rglob("*"))):
        if not file.is_file():
            continue
        store = tmp_path / f"store{number}"
        shutil.copytree(bench / "store", store)
        (store / file.relative_to(bench / "store")).write_bytes(pickle.dumps(Payload(mark)))
        for verb in ("results", "curve", "report"):
            invoke([verb, store])
        invoke(["store", store])
        invoke(["store", "gc", store])
        invoke(["store", "merge", store, tmp_path / f"merged{number}"])
        assert not mark.exists(), file.name


# the template of a model


def test_the_digest_covers_everything_that_runs(tmp_path):
    own = CommandTemplate("own", parse=(("{program}",),), program="mine")
    for change in ({"parse": (("{program}", "-x"),)}, {"program": "other"}, {"script": "1"}, {"heads": "0"}):
        values = {"parse": own.parse, "program": own.program} | change
        assert CommandTemplate("own", **values).digest != own.digest
    assert CommandTemplate("own", "about", parse=own.parse, program="mine").digest == own.digest
    places = [tmp_path / "a.jar", tmp_path / "b.jar"]
    first, second = (CommandTemplate("own", parse=own.parse, program=str(one)) for one in places)
    for place in places:
        place.write_bytes(b"the same program")
    assert first.digest == second.digest
    places[1].write_bytes(b"another one")
    assert first.digest != second.digest


@SHELL
def test_a_model_for_another_program_is_refused(mark, tmp_path):
    model = stranger("udpipe2", tmp_path / "m", mark)
    (tmp_path / "bin/program").write_text("#!/bin/sh\n")
    with pytest.raises(TreegaugeError, match="another template named udpipe2, or by another prog"):
        load_model(model, trust=True)


# links and names


@SYMLINKS
@pytest.mark.parametrize("kind", ["folder", "file"])
@pytest.mark.parametrize("what", ["secret", ".", "nothing"])
def test_no_link_is_packed_into_a_model(kind, what, tmp_path):
    (tmp_path / "secret").write_text("secret")
    code = "import os, sys; os.symlink(sys.argv[1], sys.argv[2])"
    place = "{model}/link" if kind == "folder" else "{model}"
    own = CommandTemplate(
        "own", train=((sys.executable, "-c", code, str(tmp_path / what), place),), parse=(("true",),), model=kind
    )
    with pytest.raises(CommandError, match=r"a link to .*; models hold files only"):
        CommandParser(template=own).fit(TEST, seed=0)


@pytest.mark.parametrize("name", ["../x", "/tmp/x", "a/../../x", "..\\x", "C:x", "", ".", "a/", "a//b", "nul", "a\0b"])
def test_files_of_a_model_stay_inside_of_it(name, mark, tmp_path):
    files = {name: b"x"}
    CommandModel(CommandOptions(), find_template("spacy"), files).save(tmp_path / "m")
    with pytest.raises(TreegaugeError, match="expected a name inside of it"):
        load_model(tmp_path / "m", trust=True)


def test_a_file_of_a_model_is_not_a_folder_as_well(mark, tmp_path):
    files = {"a": b"x", "a/b": b"x"}
    CommandModel(CommandOptions(), find_template("spacy"), files).save(tmp_path / "m")
    with pytest.raises(TreegaugeError, match="inside of another file"):
        load_model(tmp_path / "m", trust=True)


# loaders of programs that have a safe mode, which trusted models use all the same

SUPAR = """
import torch
class Config: pass
Field = RawField = SubwordField = Vocab = type("Field", (), {})
class CoNLL:
    get_arcs = None
class BiaffineDependencyParser:
    @classmethod
    def load(cls, path):
        return torch.load(path)
"""


def trusted(name: str, files: dict[str, bytes]) -> str:
    """Parse with a model that is trusted; return the error."""
    with pytest.raises(CommandError) as caught:
        CommandModel(CommandOptions(), find_template(name, os.devnull), files).parse(TEST)
    return str(caught.value)


def test_supar_reads_models_as_data(tmp_path, monkeypatch):
    for module in ("", "utils", "utils/config", "utils/field", "utils/transform", "utils/vocab"):
        place = tmp_path / "supar" / module
        place.mkdir(parents=True, exist_ok=True)
        (place / "__init__.py").write_text(SUPAR)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    error = trusted("supar", {"model": torch_file(tmp_path / "mark")})
    assert "Weights only load failed" in error
    assert not (tmp_path / "mark").exists()


def test_stanza_reads_models_as_data(tmp_path):
    pytest.importorskip("stanza", reason="stanza is not installed; it is in the dependency group dev")
    error = trusted("stanza", {"parser.pt": torch_file(tmp_path / "mark")})
    assert "Weights only load failed" in error
    assert not (tmp_path / "mark").exists()


def test_spacy_unpickles_nothing(tmp_path):
    pytest.importorskip("spacy", reason="spacy is not installed; it is in the dependency group dev")
    payload = pickle.dumps(Payload(tmp_path / "mark"))
    config = '[nlp]\nlang = "xx"\npipeline = ["parser"]\n[components.parser]\nfactory = "parser"\n'
    binary = ("tokenizer", "parser/model", "parser/moves", "vocab/lookups.bin", "vocab/vectors")
    files = {"config.cfg": config.encode(), "meta.json": b'{"lang": "xx", "name": "x"}'}
    for name in binary:
        assert "spacy (parsing)" in trusted("spacy", files | {name: payload})
        assert not (tmp_path / "mark").exists(), name


def test_any_program_that_reads_models_by_torch_reads_weights_only(tmp_path, monkeypatch):
    code = "import sys, torch; torch.load(sys.argv[1], weights_only=False)"
    own = CommandTemplate("own", parse=((sys.executable, "-c", code, "{model}"),))
    model = CommandModel(CommandOptions(), own, {"model": torch_file(tmp_path / "mark")})
    with pytest.raises(CommandError, match="Weights only load failed"):
        model.parse(TEST)
    assert not (tmp_path / "mark").exists()
    monkeypatch.setenv("TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD", "1")  # a user who knows the program
    with pytest.raises(CommandError, match="ends after 0 of 3"):
        model.parse(TEST)
    assert (tmp_path / "mark").exists()


# plans

HOSTILE_PLANS = {
    'pool = "dask://evil.example:8786"': "pool dask://evil.example:8786",
    '[slurm]\nqueue = "x\\ntouch y"': "queue of Slurm",
    '[slurm]\naccount = "$(id)"': "account of Slurm",
    '[slurm]\nlocal_directory = "/tmp; id"': "local_directory of Slurm",
    '[slurm]\ninterface = "--preload=x"': "interface of Slurm",
    '[slurm]\nlog_directory = "/tmp/`id`"': "log_directory of Slurm",
    '[slurm]\nwalltime = "1:00\\nid"': "walltime of Slurm",
}


@pytest.mark.parametrize("lines", HOSTILE_PLANS)
def test_a_plan_runs_no_code_by_its_pool(lines, tmp_path, monkeypatch):
    """A scheduler sends pickles; settings of Slurm are lines of a script for the shell."""
    from treegauge.experiments.run import read_plan

    monkeypatch.delenv("TREEGAUGE_TRUST", raising=False)
    plan = tmp_path / "p.toml"
    start = '[plan]\ntask = "score"\ntreebanks = ["UD_*"]\nparsers = ["mst"]\n'
    plan.write_text(f"{start}{'' if lines[0] == '[' else '[run]'}\n{lines}\n")
    with pytest.raises(TreegaugeError) as caught:
        read_plan(plan)
    assert f"would run code ({HOSTILE_PLANS[lines]})" in str(caught.value)
    assert read_plan(plan, trust=True)
    harmless = 'queue = "long"\nwalltime = "2-10:00:00"\nmemory = "4 GB"\nlog_directory = "/a/b"'
    plan.write_text(f"{start}[slurm]\n{harmless}\n")
    assert read_plan(plan)
