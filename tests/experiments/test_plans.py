"""Plans as files and in Python, and their cells."""

import hashlib
import shutil
from itertools import product

import pytest

from treegauge.core.errors import TreegaugeError
from treegauge.experiments.plans import Plan, grid
from treegauge.experiments.pools import CellLimits
from treegauge.experiments.run import read_plan
from treegauge.experiments.tasks import inventory
from treegauge.treebanks.data.conllu import read_conllu

CURVE = {"parsers": ["beam"], "sizes": [10, 20]}


def written(tmp_path, text):
    path = tmp_path / "p.toml"
    path.write_text(text)
    return path


def test_a_grid_is_every_combination(room):
    mst = {"name": "mst", "options": {"epochs": [1, 2]}}
    one = grid(
        "curve", ["UD_A-X", "UD_B-X"], parsers=["beam", mst], sizes=[20, 10, 10], samples=3,
        seeds=[4, 7], parameters={"nested": [True, False]},
    )  # fmt: skip
    plan = Plan((one,), root=str(room))
    cells = plan.expand()
    found = {
        (c.setup.name, c.parser, c.options.get("epochs"), c.extra["nested"], c.size, c.sample, c.seed)
        for c in cells.cells()
    }
    parsers = [("beam", 10), ("mst", 1), ("mst", 2)]
    wanted = {
        (treebank, *parser, nested, size, sample, seed)
        for treebank, parser, nested, size, sample, seed in product(
            ("UD_A-X", "UD_B-X"), parsers, (True, False), (10, 20), (0, 1, 2), (4, 7)
        )
    }
    assert found == wanted
    assert len(cells) == len(wanted) == len({cell.key for cell in cells.cells()})


def test_a_file_says_the_same_as_python(room, tmp_path):
    path = written(tmp_path, f'''
        [plan]
        name = "both"
        root = "{room}"
        task = "curve"
        treebanks = ["UD_[AB]-*"]
        parsers = ["beam"]
        samples = 2
        [[grid]]
        sizes = [10]
        [[grid]]
        sizes = [10, 20]
        parsers = [{{ name = "beam", options = {{ beam = 1 }} }}]
        parameters = {{ train_limit = 30 }}
        [run]
        workers = 2
        timeout = "5m"
        memory = "1GB"
    ''')  # fmt: skip
    told = read_plan(path)
    python = Plan((
        grid("curve", "UD_[AB]-*", parsers="beam", sizes=[10], samples=2),
        grid("curve", "UD_[AB]-*", parsers=[{"name": "beam", "options": {"beam": 1}}],
             sizes=[10, 20], samples=2, parameters={"train_limit": 30}),
    ), "both", str(room))  # fmt: skip
    assert told.plan == python
    limits = CellLimits.read(told.run["timeout"], told.run["memory"])
    assert limits == CellLimits(300, 1 << 30)
    assert len(told.plan.expand()) == 2 * 2 + 2 * 2 * 2


def test_overlapping_grids_count_cells_once(room):
    first = grid("curve", "UD_A-X", samples=2, **CURVE)
    second = grid("curve", "UD_A-X", parsers=["beam"], sizes=[20, 30], samples=[1, 2])
    cells = Plan((first, second), root=str(room)).expand()
    points = {(cell.size, cell.sample) for cell in cells.cells()}
    assert points == {*product((10, 20), (0, 1)), *product((20, 30), (1, 2))}
    assert len(cells) == len(points) == 7


def test_defaults_spelled_out_are_the_same_cells(room):
    plain = Plan((grid("curve", "UD_A-X", **CURVE),), root=str(room)).expand()
    beam = {"name": "beam", "options": {"beam": 8}}
    same = grid("curve", "UD_A-X", parsers=[beam], sizes=[10, 20], parameters={"nested": False})
    spelled = Plan((same,), root=str(room)).expand()
    assert [c.key for c in plain.cells()] == [c.key for c in spelled.cells()]
    assert {c.setup.shown_options for c in spelled.cells()} == {"learners=1"}  # fixed within a curve


def test_a_whole_number_for_a_fraction_is_the_same_cell(room):
    keys = set()
    for value in (2, 2.0):
        mst = {"name": "mst", "options": {"rate": value}}
        plan = Plan((grid("score", "UD_A-X", parsers=[mst]),), root=str(room))
        keys |= {cell.key for cell in plan.expand().cells()}
    assert len(keys) == 1


def test_a_link_keeps_its_name(room, tmp_path):
    (tmp_path / "UD_Link-X").symlink_to(room / "UD_A-X")
    plan = Plan((grid("score", "UD_Link-X", parsers=["beam"]),), root=str(tmp_path))
    assert [cell.setup.name for cell in plan.expand().cells()] == ["UD_Link-X"]


def test_too_small_treebanks_are_left_out_by_name(room):
    plan = Plan((grid("curve", "UD_*", parsers=["beam"], sizes=[10, 20, 50], samples=2),), root=str(room))
    cells = plan.expand()
    assert cells.refused == (
        "UD_B-X has 40 training sentences, too few for size 50",
        "UD_C-Tiny has 12 training sentences, too few for sizes 20, 50",
    )
    assert cells.refused_cells == 2 + 4
    assert len(cells) == 18 - 6
    limited = Plan((grid("curve", "UD_A-X", parameters={"train_limit": 15}, **CURVE),), root=str(room))
    assert limited.expand().refused == ("UD_A-X has 15 training sentences (train_limit=15), too few for size 20",)


def test_a_missing_part_is_told(room, tmp_path):
    shutil.copytree(room / "UD_A-X", tmp_path / "UD_D-X")
    (tmp_path / "UD_D-X" / "a_x-ud-train.conllu").unlink()
    plan = Plan((grid("score", "UD_D-X", parsers=["beam"], seeds=[1, 2]),), root=str(tmp_path))
    assert plan.expand().refused == ("UD_D-X has no training set",)
    assert plan.expand().refused_cells == 2


def test_where_treebanks_are_looked_for(room, tmp_path, monkeypatch):
    plan = Plan((grid("score", "UD_A-X", parsers=["beam"]),))
    with pytest.raises(TreegaugeError, match="UD_A-X: no such file or folder; to give treebanks by name"):
        plan.expand()
    monkeypatch.setenv("TREEGAUGE_UD", str(room))
    assert len(plan.expand()) == 1
    monkeypatch.setenv("TREEGAUGE_UD", str(tmp_path))
    assert len(plan.expand(room)) == 1
    beside = written(room, "[plan]\nroot='.'\ntask='score'\ntreebanks=['UD_A-X']\nparsers=['beam']")
    assert len(read_plan(beside).plan.expand()) == 1


def test_inventories_agree_with_reading(room, ud):
    for folder in (room / "UD_A-X", ud / "r2.9" / "UD_Coptic-Scriptorium"):
        found = inventory(str(folder))
        for path in folder.glob("*.conllu"):
            assert found.files[path.stem] == hashlib.sha256(path.read_bytes()).hexdigest()
        for part in ("train", "dev", "test"):
            treebank = read_conllu(folder, split=part)
            assert found.sentences[part] == len(treebank)
            assert found.words[part] == len(treebank.kinds)


def test_a_changed_file_is_noticed_and_a_packed_one_is_the_same(room, tmp_path):
    import gzip

    folder = tmp_path / "UD_A-X"
    shutil.copytree(room / "UD_A-X", folder)
    before = inventory(str(folder))
    test = folder / "a_x-ud-test.conllu"
    data = test.read_bytes()
    test.unlink()
    (folder / "a_x-ud-test.conllu.gz").write_bytes(gzip.compress(data))
    assert inventory(str(folder)).files == before.files
    (folder / "a_x-ud-test.conllu.gz").write_bytes(gzip.compress(data + data))
    assert inventory(str(folder)).files["a_x-ud-test"] != before.files["a_x-ud-test"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[plans]", "p.toml: unknown table 'plans'; did you mean 'plan'?"),
        ("[plan]\nsise=[1]", "unknown key of .plan. 'sise'; did you mean 'sizes'?"),
        ("[[grid]]\nroot='x'", "unknown key of ..grid.. 'root'"),
        ("[grid]\ntask='score'", "write ..grid.."),
        ("[plan]\ntask='score'", "no treebanks: expected it in .plan. or in every"),
        ("[plan]\ntask='score'\ntreebanks=['x']\nseeds=3", "seeds is 3; expected a list of whole"),
        ("[plan]\ntask='score'\ntreebanks=['x']\nseeds=[-1]", "seeds has -1; expected whole"),
        ("[plan]\ntask='score'\ntreebanks=['x']\nsamples=0", "samples is 0; expected a number"),
        (
            f"[plan]\ntask='score'\ntreebanks=['x']\nsamples={10**22}",
            "expected a number from 1 to 1,000,000, or a list",
        ),
        ("[plan]\ntask='score'\ntreebanks=['x']\nparsers=[{nam=''}]", "unknown key of a parser"),
        ("[plan]\ntask='score'\ntreebanks=['x']\n[run]\nwrokers=1", "did you mean 'workers'"),
        ("[plan]\ntask='score'\ntreebanks=['x']\nseeds=[]", "seeds is an empty list"),
        ("[plan]\ntask='score'\ntreebanks=['x']\nsamples=[]", "samples is an empty list"),
        (f"[plan]\ntask='score'\ntreebanks=['x']\nseeds=[{2**63}]", "at least 0 and below 2.63"),
        ("[plan]\ntask='score'\ntreebanks=[3]", "treebanks has 3; expected texts"),
        ("[plan]\ntask='score'\ntreebanks=['x']\nparsers=[{name='beam', options=3}]",
         "options of a parser are 3; expected names and values"),
        ("grid=[3]", "grid is .3.; expected tables"),
        ("grid=[]\n[plan]\ntask='score'\ntreebanks=['x']", "grid is ..; expected tables"),
        ("[plan]\ntask='score'\ntreebanks=['x']\n[run]\nworkers=true", "workers is True; expected"),
        ("[plan]\ntask=", "not valid TOML"),
        ("[plan]\ntask=3", "task is 3; expected a text"),
        ("[plan]\ntask='score'\ntreebanks=['x']\nparsers=[3]", "a parser is 3; expected a name"),
        ("[plan]\nparameters=3", "parameters is 3; expected a table"),
        ("[run]\nworkers='two'", "workers is 'two'; expected a whole number"),
    ],
)  # fmt: skip
def test_mistakes_in_files(tmp_path, text, message):
    with pytest.raises(TreegaugeError, match=message):
        read_plan(written(tmp_path, text))


@pytest.mark.parametrize(
    ("task", "options", "message"),
    [
        ("scoer", {}, "unknown task 'scoer'; did you mean 'score'?"),
        ("score", {}, "task score needs parsers"),
        ("score", {"parsers": ["beem"]}, "unknown parser 'beem'; did you mean 'beam'?"),
        ("score", {"parsers": [{"name": "beam", "options": {"beem": 1}}]}, "option of beam 'beem'"),
        ("score", {"parsers": [{"name": "beam", "options": {"beam": 0}}]}, "option beam is 0"),
        ("score", {"parsers": [{"name": "beam", "options": {"beam": []}}]}, "beam is an empty list"),
        ("score", {"parsers": ["beam"], "sizes": [1]}, "task score takes no sizes"),
        ("curve", {"parsers": ["beam"]}, "task curve needs sizes"),
        ("curve", CURVE | {"parameters": {"neste": 1}}, "did you mean 'nested'"),
        ("curve", CURVE | {"parameters": {"nested": 1}}, "parameter nested of task curve is 1"),
        ("curve", CURVE | {"parameters": {"train_limit": "x"}}, "expected a value such as 500"),
        ("measure", {}, "task measure needs parameter measures; its parameters: measures, split"),
        ("measure", {"parsers": ["beam"], "parameters": {"measures": "edv"}}, "takes no parser"),
        ("nowhere:f", {}, "task nowhere:f: No module named 'nowhere'"),
        ("chores:nothing", {}, "has no attribute 'nothing'"),
    ],
)
def test_mistakes_in_grids(room, task, options, message):
    with pytest.raises(TreegaugeError, match=message):
        Plan((grid(task, "UD_A-X", **options),), root=str(room)).expand()


@pytest.mark.parametrize(
    ("code", "message"),
    [("1 / 0", "loading faulty ends with ZeroDivisionError: division by zero"),
     ("def f(:", "loading faulty ends with SyntaxError: invalid syntax"),
     ("raise SystemExit(0)", "loading faulty ends with SystemExit: 0"),
     ("import nowhere", "No module named 'nowhere'")],
)  # fmt: skip
def test_a_module_that_cannot_be_loaded(tmp_path, room, monkeypatch, code, message):
    (tmp_path / "faulty.py").write_text(code)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(TreegaugeError, match=message):
        Plan((grid("faulty:f", "UD_A-X"),), root=str(room)).expand()


def test_a_task_of_ones_own_takes_what_it_likes(room):
    plan = Plan((
        grid("chores:trivial", "UD_A-X", parsers=[{"name": "mine", "options": {"x": [1, 2]}}],
             sizes=[3], parameters={"y": "z"}),
    ), root=str(room))  # fmt: skip
    cells = list(plan.expand().cells())
    assert [cell.name for cell in cells] == [
        f"chores:trivial UD_A-X mine x={x} y=z size=3 sample=0 seed=0" for x in (1, 2)
    ]
