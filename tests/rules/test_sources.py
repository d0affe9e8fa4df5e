"""The same words mean the same treebanks in every verb and in plans, with the same sentence for an error."""

import sys
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

import treegauge as tg
from treegauge.cli.verbs import VERBS
from treegauge.core.errors import TreegaugeError
from treegauge.core.messages import listening
from treegauge.core.verbs import verb_parameters
from treegauge.experiments.plans import Plan, grid
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.sources import resolver
from treegauge.treebanks.sources.resolver import find

#: Parameters that take treebanks, wherever they occur.
NAMES = {
    "treebank", "treebanks", "source", "sources", "gold", "target", "roots", "annotations", "old", "new",
    "against", "dev",
}  # fmt: skip
SYSTEM = synthetic(2, seed=9)
#: What else each verb needs to be called with; the word is put where `...` is.
CALLS: dict[str, dict[str, tuple[tuple[Any, ...], dict[str, Any]]]] = {
    "check": {"sources": ((...,), {})},
    "agree": {"annotations": ((..., SYSTEM), {})},
    "triage": {"gold": ((SYSTEM, SYSTEM), {"gold": ...})},
    "audit": {"treebanks": ((...,), {}), "against": ((SYSTEM,), {"against": [...]})},
    "diff": {"old": ((..., SYSTEM), {}), "new": ((SYSTEM, ...), {})},
    "review": {"treebank": ((...,), {})},
    "measure": {"sources": (("words", ...), {})},
    "split": {"source": ((...,), {})},
    "show": {"source": ((...,), {})},
    "convert": {"source": ((...,), {})},
    "catalogue": {"roots": ((...,), {"count": False})},
    "score": {"gold": ((..., SYSTEM), {})},
    "breakdown": {"gold": ((..., SYSTEM), {})},
    "vote": {"gold": ((..., SYSTEM), {})},
    "design": {"gold": ((SYSTEM,), {"gold": ...})},
    "leaderboard": {"gold": ((..., {"A": Path(__file__)}), {})},
    "train": {"treebank": (("mst", ...), {"out": "m"}), "dev": (("mst", SYSTEM), {"out": "m", "dev": ...})},
    "parse": {"treebank": (("MODEL", ...), {})},
    "tag": {"files": ((...,), {"out": "t"})},
    "map": {"treebanks": ((...,), {})},
    "difficulty": {"treebanks": ((...,), {}), "dev": ((SYSTEM,), {"dev": ...})},
    "curve": {"sources": ((...,), {})},
    "curve counts": {"sources": ((...,), {})},
    "curve complexity": {"sources": ((...,), {})},
    "curve equivalent": {"sources": ((...,), {"score": 50})},
    "curve advise": {"sources": ((...,), {"budget": 1000})},
    "transfer": {"target": ((..., SYSTEM), {}), "sources": ((SYSTEM, ...), {})},
    "transfer recommend": {"target": ((..., SYSTEM), {}), "sources": ((SYSTEM, ...), {})},
    "rank": {"gold": ((SYSTEM,), {"gold": ...})},
    "rank compare": {"gold": ((SYSTEM,), {"gold": ...})},
    "rank outliers": {"gold": ((SYSTEM,), {"gold": ..., "system": "a"})},
    "certify": {"gold": ((SYSTEM,), {"gold": ..., "claim": "a > b"})},
    "recommend": {"gold": ((SYSTEM,), {"gold": ...})},
    "study": {
        "inputs": (("difficulty", ...), {"out": None}),
        "gold": (("fragility", SYSTEM), {"gold": ..., "out": None}),
    },
    "report": {"sources": ((...,), {"out": None}), "gold": ((), {"gold": [...], "out": None})},
}
#: Parameters of these names that take something else.
OTHERS = {
    ("fetch", "source"): "an address",
    ("curve", "treebank"): "a name in the table of counts",
    ("curve equivalent", "treebank"): "a name in the table of counts",
    ("curve advise", "treebank"): "a name in the table of counts",
    ("results", "treebank"): "a name in the store",
    ("analyse", "target"): "a column",
    ("rank", "treebanks"): "a name in the table of scores",
    ("rank compare", "treebanks"): "a name in the table of scores",
    ("certify", "treebanks"): "a name in the table of scores",
    ("published", "treebanks"): "a name in the published scores",
}


class Stop(BaseException):
    """Ends a verb when its word was resolved: what it means is known then."""


def commands() -> dict[str, Any]:
    known = {}
    for verbs in VERBS.values():
        for name, command in verbs.items():
            known[name] = getattr(tg, name)
            known |= {f"{name} {sub}": getattr(known[name], sub) for sub in command.subverbs}
    return known


COMMANDS = commands()
TAKING = [
    (words, name)
    for words, function in COMMANDS.items()
    for name in verb_parameters(function)
    if (name in NAMES or name in CALLS.get(words, ())) and (words, name) not in OTHERS
]


@pytest.fixture
def shelf(tmp_path, monkeypatch):
    """Two releases: one treebank is in both, one in the second only; one folder is empty, one unreadable."""
    root = tmp_path / "ud"
    for release, names in {"r2.5": ["Greek-GDT"], "r2.9": ["Greek-GDT", "Greek-GUD", "Turkish-IMST"]}.items():
        for name in names:
            folder = root / release / f"UD_{name}"
            folder.mkdir(parents=True)
            code = {"Greek": "el", "Turkish": "tr"}[name.partition("-")[0]] + "_" + name.partition("-")[2].lower()
            for seed, split in enumerate(("train", "dev", "test"), int(release[-1])):
                tg.write_conllu(synthetic(4, seed=seed), folder / f"{code}-ud-{split}.conllu")
    (root / "empty").mkdir()
    (root / "locked").mkdir()
    original = Path.iterdir

    def iterdir(path: Path) -> Any:
        if path.name == "locked":
            raise PermissionError(13, "Permission denied")
        return original(path)

    monkeypatch.setattr(Path, "iterdir", iterdir)  # the superuser may read every folder
    monkeypatch.setenv("TREEGAUGE_UD", str(root))
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return root


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "model"
    tg.make_parser("mst", epochs=1).fit(synthetic(20, seed=1), seed=1).save(path)
    return path


WORDS = {
    "UD_Greek-GDT": ["r2.9/UD_Greek-GDT"],
    "UD_Greek-GDT@2.5": ["r2.5/UD_Greek-GDT"],
    "Greek-GDT@r2.9": ["r2.9/UD_Greek-GDT"],
    "r2.5/UD_Greek-GDT": ["r2.5/UD_Greek-GDT"],
    "el_gdt": ["r2.9/UD_Greek-GDT"],
    "tr_imst@2.9": ["r2.9/UD_Turkish-IMST"],
    "Turkish": ["r2.9/UD_Turkish-IMST"],
    "r2.9/UD_T*": ["r2.9/UD_Turkish-IMST"],
    "UD_T*": ["r2.9/UD_Turkish-IMST"],
    "UD_Greek-G*@2.5": ["r2.5/UD_Greek-GDT"],
    "$TREEGAUGE_UD/r2.5/UD_Greek-GDT": ["r2.5/UD_Greek-GDT"],
}
SEVERAL = {
    "UD_Greek-*": ["r2.9/UD_Greek-GDT", "r2.9/UD_Greek-GUD"],
    "*/UD_Greek-GDT": ["r2.5/UD_Greek-GDT", "r2.9/UD_Greek-GDT"],
    "r2.9": ["r2.9/UD_Greek-GDT", "r2.9/UD_Greek-GUD", "r2.9/UD_Turkish-IMST"],
}
ERRORS = {
    "UD_Greek-GTD": "UD_Greek-GTD: no such file or folder; under {root}: unknown treebank 'UD_Greek-GTD'; did you mean",
    "el_gdt@2.7": "el_gdt@2.7: no such file or folder; under {root}: unknown release of el_gdt '2.7'; did you mean",
    "Greek": "'Greek' may be any of UD_Greek-GDT@2.5, UD_Greek-GDT@2.9, UD_Greek-GUD@2.9: name one of them in full",
    "r2.9/UD_Klingon": "r2.9/UD_Klingon: no such file or folder",
    "UD_K*": "UD_K*: nothing matches this pattern",
    "r2.7/UD_*": "r2.7/UD_*: nothing matches this pattern",
    "el_gdt@new": "found release 'new' in 'el_gdt@new', expected a number such as in UD_Greek-GDT@2.9",
    "empty": "{root}/empty: found no treebank in this folder; expected .conllu files, or folders of treebanks such as",
    "locked": "{root}/locked: cannot read this folder: Permission denied",
}


def call(words: str, name: str, word: str, model: Any) -> Any:
    positional, named = CALLS[words][name]

    def put(value: Any) -> Any:
        if value == "MODEL":
            return model
        return word if value is ... else [put(each) for each in value] if isinstance(value, list) else value

    return COMMANDS[words](*map(put, positional), **{key: put(value) for key, value in named.items()})


def test_every_verb_that_takes_treebanks_is_walked():
    assert {(words, name) for words, name in TAKING} <= {(w, n) for w, calls in CALLS.items() for n in calls}
    assert len(TAKING) > 25


@pytest.fixture
def meant(shelf):
    """What the words of these tests mean to the resolver, which ends the verb that asks it."""

    def spy(source: Any, root: Any = None, **options: Any) -> Any:
        places = original(source, root, **options)
        if str(source) in {*WORDS, *SEVERAL}:
            answers.append([str(Path(path).relative_to(shelf)) for path in places])
            raise Stop
        return places

    def put(old: Any, new: Any) -> None:
        for module in [module for name, module in sys.modules.items() if name.startswith("treegauge")]:
            if vars(module).get("resolve_source") is old:
                setattr(module, "resolve_source", new)  # noqa: B010 -- modules that verbs import on first use, too

    answers: list[list[str]] = []
    original = resolver.resolve_source
    put(original, spy)
    yield answers
    put(spy, original)


@pytest.mark.parametrize(("words", "name"), TAKING)
def test_every_verb_asks_the_one_resolver(words, name, model, meant):
    for word, expected in {**WORDS, "UD_Greek-*": SEVERAL["UD_Greek-*"]}.items():
        with pytest.raises(Stop):
            call(words, name, word, model)
        assert meant.pop() == expected, word


@pytest.mark.parametrize(("words", "name"), TAKING)
@pytest.mark.parametrize("word", ERRORS)
def test_every_verb_gives_the_same_error(words, name, word, shelf, model):
    with pytest.raises(TreegaugeError) as caught:
        call(words, name, word, model)
    assert ERRORS[word].format(root=shelf) in str(caught.value)


@pytest.mark.parametrize("word", [*WORDS, *SEVERAL])
def test_a_plan_means_the_same_treebanks(word, shelf):
    expected = (WORDS | SEVERAL)[word]
    for root in (None, shelf):
        cells = Plan((grid("score", [word], parsers=["mst"]),)).expand(root)
        assert list(dict.fromkeys(cell.setup.treebank for cell in cells.cells())) == [str(shelf / e) for e in expected]


@pytest.mark.parametrize("word", ERRORS)
def test_a_plan_gives_the_same_error(word, shelf):
    with pytest.raises(TreegaugeError) as caught:
        Plan((grid("score", [word], parsers=["mst"]),)).expand()
    assert ERRORS[word].format(root=shelf) in str(caught.value)


def test_lists_in_verbs_and_plans(shelf):
    words = ["UD_Turkish-IMST", "r2.5/UD_Greek-GDT", "UD_Turkish-*"]
    expected = ["UD_Turkish-IMST", "UD_Greek-GDT"]
    cells = Plan((grid("score", words, parsers=["mst"]),)).expand()
    assert list(dict.fromkeys(cell.setup.name for cell in cells.cells())) == expected
    assert tg.measure("words", *words[:2]).table["treebank"].unique(maintain_order=True).to_list() == expected
    assert [entry.name for entry in tg.catalogue(words, count=False)] == ["UD_Greek-GDT", "UD_Turkish-IMST"]


@pytest.mark.parametrize("word", [*WORDS, *SEVERAL])
def test_files_are_those_of_the_treebanks(word, shelf):
    expected = [str(path) for place in (WORDS | SEVERAL)[word] for path in sorted((shelf / place).iterdir())]
    assert sorted(find(word)) == sorted(expected)
    assert all(path.endswith("-ud-train.conllu") for path in find(word, split="train"))


class Notes(list[str]):
    """Collects notes on releases."""

    def note(self, text: str) -> None:
        if "is the newest" in text:
            self.append(text)

    @contextmanager
    def task(self, what: str, total: int | None) -> Any:
        yield Mock()


def test_the_newest_release_is_taken_with_one_note(shelf):
    notes = Notes()
    with listening(notes):
        result = tg.measure("words", "el_gdt")
    assert result.table["treebank"].to_list() == ["UD_Greek-GDT@2.9"]
    assert notes == ["UD_Greek-GDT: release 2.9 is the newest; others are 2.5"]
    with listening(notes):
        tg.measure("words", "el_gdt@2.5")
    assert len(notes) == 1
