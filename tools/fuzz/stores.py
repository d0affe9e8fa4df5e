"""No damaged store makes its readers crash: the ledger, tables of words, and recordings.

An input is the name of a file of the store, a zero byte, and the file's new content.
"""

from functools import cache
from pathlib import Path
from random import Random

from tools.fuzz.mutation import spliced
from tools.fuzz.places import folder
from tools.fuzz.targets import Target
from treegauge.core.errors import TreegaugeError

_PIECES = [b"\0" * 16, b"\xff" * 16, b"PAR1", b"SQLite format 3\0", b"{", b'"', b"null"]


@cache
def _files() -> dict[str, bytes]:
    """Make a small store and return its files by their paths inside it."""
    import io

    import polars as pl

    from treegauge.experiments.cell_store import Store
    from treegauge.experiments.cells import Cell, Setup
    from treegauge.experiments.tasks import LedgerEntry, Report

    words = io.BytesIO()
    pl.DataFrame({"x": [1, 2, 3]}).write_parquet(words)
    store = Store(folder() / "store")
    report = Report({"las": 75.5, "text": "ü"}, words.getvalue(), {"all": b"recording"}, seconds=1)
    with store.writing() as writer:
        run = writer.begin("plan", "inline", 1, 2, 0)
        cells = [Cell(Setup("curve", "UD_A-X", "beam"), seed=seed) for seed in range(2)]
        writer.record([LedgerEntry(cell, report) for cell in cells], run)
        writer.record([LedgerEntry(Cell(cells[0].setup, seed=9), Report(error="failed"))], run)
        writer.end(run, "finished")
    paths = [path for path in store.path.rglob("*") if path.is_file()]
    files = {str(path.relative_to(store.path)): path.read_bytes() for path in paths}
    return dict(sorted((name, data) for name, data in files.items() if data))


def make(random: Random) -> bytes:
    """Damage one file of the store."""
    name = random.choice(list(_files()))
    data = _files()[name]
    for _ in range(random.choice((0, 1, 1, 2, 8))):
        data = spliced(data, random, _PIECES)
    return name.encode() + b"\0" + data


def vary(data: bytes, random: Random) -> bytes:
    """Damage the file further."""
    name, _, content = data.partition(b"\0")
    return name + b"\0" + spliced(content, random, _PIECES)


def check(data: bytes) -> str:
    """Read a whole store with one damaged file."""
    from treegauge.experiments.cell_store import Store
    from treegauge.experiments.store import store as status

    name, _, content = data.partition(b"\0")
    files = _files()
    path = folder() / "store"
    for other, whole in files.items():
        target = path / other
        wanted = content if other.encode() == name else whole
        if not target.exists() or target.read_bytes() != wanted:
            target.write_bytes(wanted)
    for rest in ("ledger.sqlite-wal", "ledger.sqlite-shm", "ledger.sqlite-journal"):
        (path / rest).unlink(missing_ok=True)
    store = Store(Path(path))
    try:
        frame = store.results()
        store.failures()
        len(store)
        status(store)
        for key in frame["key"]:
            store.words(key)
            store.recordings(key)
    except TreegaugeError as error:
        assert "store" in str(error)
        return "refused"
    return "read"


TARGET = Target("reads a store or names the file that is damaged", make, check, vary)
