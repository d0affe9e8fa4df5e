"""No plan file makes the reader of plans crash, and none runs anything."""

from random import Random

from tools.fuzz.mutation import spliced
from tools.fuzz.places import folder, written
from tools.fuzz.targets import Target
from treegauge.core.errors import TreegaugeError
from treegauge.experiments.pools import CellLimits, PoolSettings
from treegauge.experiments.run import read_plan

_GRID = ("task", "treebanks", "parsers", "sizes", "samples", "seeds", "parameters")
_KEYS = {
    "[plan]": ("name", "root", *_GRID), "[[grid]]": _GRID,
    "[run]": ("pool", "workers", "timeout", "memory", "retries"),
    "[slurm]": ("queue", "cores", "directives", "walltime"), "[odd]": ("name",),
}  # fmt: skip
_VALUES = (
    '"curve"', '"score"', '"no such"', '"UD_*"', '["UD_A-X"]', '["UD_*", "!UD_B"]', '"beam"',
    '["mst", { name = "beam", options = { epochs = 1 } }]', '[{ name = "beam" }]', "[10, 20]",
    "[0]", "-1", "3", "0", "[1, 1]", "true", "{}", "[]", '""', '"\\u0000"', "1.5", "inf", "nan",
    '"2GB"', '"15m"', '"1e400"', "99999999999999999999999", "1979-05-27", '"process"', '"slurm"',
    '"dask://x"', "{ sizes = 3 }", "[[1], [2]]", '{ from = 1, to = 9, steps = 3 }', '["full", 5]',
)  # fmt: skip
_PIECES = [b"[", b"]", b"{", b"}", b"=", b'"', b"\n", b"\0", b"\xff", b"'''", b"#", b"\\", b".",
           b"[[grid]]\n", b"[run]\n", b"e999", b"_", b"[" * 2000, b"{a=" * 500]  # fmt: skip


def make(random: Random) -> bytes:
    """Make a plan of random keys and values, as TOML or damaged."""
    lines = []
    for table in ("[plan]", *random.choices(("[[grid]]", "[run]", "[slurm]", "[odd]"), k=1)):
        lines.append(table)
        keys = random.sample(_KEYS[table], random.randrange(min(5, 1 + len(_KEYS[table]))))
        if random.random() < 0.05:
            keys.append("odd")
        lines += [f"{key} = {random.choice(_VALUES)}" for key in keys]
        if table == "[plan]" and random.random() < 0.7:
            missing = {"task": '"curve"', "treebanks": '["UD_A-X"]', "parsers": '["beam"]'}
            lines += [f"{key} = {value}" for key, value in missing.items() if key not in keys]
    data = "\n".join(lines).encode()
    for _ in range(random.choice((0, 0, 1, 2))):
        data = spliced(data, random, _PIECES)
    return data


def vary(data: bytes, random: Random) -> bytes:
    """Damage the file."""
    return spliced(data, random, _PIECES)


def check(data: bytes) -> str:
    """Read a plan, its limits and its pool, and expand it over a folder without treebanks."""
    path = written("plan.toml", data)
    try:
        file = read_plan(path)
    except TreegaugeError as error:
        assert path.name in str(error)
        return "refused"
    try:
        limits = CellLimits.read(file.run.get("timeout"), file.run.get("memory"))
        PoolSettings(file.run.get("pool", "process"), file.run.get("workers"), limits, file.slurm)
        file.plan.expand(folder())
    except TreegaugeError:
        return "read"
    return "expanded"


TARGET = Target("reads a plan or names the file and what is wrong with it", make, check, vary)
