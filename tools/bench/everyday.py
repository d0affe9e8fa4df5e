"""Whole commands on small files: the first use after installation, and later uses."""

import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from statistics import median

from tools.bench.corpus import EVERYDAY, Corpus
from tools.bench.measuring import TREEGAUGE, Measured, contest, process
from tools.bench.scoring import OURS
from tools.bench.tables import Section, Target, faster, took

Command = tuple[str | Path, ...]
FIRST_USES = 3
TITLES = {"megabyte": "1 MB", "kilobytes": "100 KB", "sentence": "one sentence"}


def _peer(name: str) -> str:
    return str(Path(sys.executable).with_name(name))


def _reader(code: str) -> Callable[[Path, Path], Command]:
    return lambda gold, system: (sys.executable, "-c", code, gold)


_CONLLU = "import sys, conllu; list(conllu.parse_incr(open(sys.argv[1], encoding='utf-8')))"
_PYCONLL = "import sys; from pyconll.load import load_from_file; load_from_file(sys.argv[1])"
_UDAPI = "import sys; from udapi.core.document import Document; Document(sys.argv[1])"
_RUSTLING = "import sys; from rustling.conllu import CoNLLU; CoNLLU.from_files([sys.argv[1]])"
_READ = "import sys, treegauge; treegauge.read_conllu(sys.argv[1])"

SCORE, UDEVAL = "`treegauge score`", "`udeval`"
CHECK, UDVALIDATE = "`treegauge check --ud-level 2`", "`udvalidate --level 2`"
COMMANDS: Mapping[str, Callable[[Path, Path], Command]] = {
    SCORE: lambda gold, system: (*TREEGAUGE, "score", gold, system),
    UDEVAL: lambda gold, system: (_peer("udeval"), gold, system),
    CHECK: lambda gold, system: (*TREEGAUGE, "check", "--ud-level", "2", gold),
    UDVALIDATE: lambda gold, system: (*(_peer("udvalidate"), "--quiet", "--lang", "ud", "--level", "2", gold),),
    "reading: treegauge": _reader(_READ),
    "reading: conllu": _reader(_CONLLU),
    "reading: pyconll": _reader(_PYCONLL),
    "reading: udapi": _reader(_UDAPI),
    "reading: rustling": _reader(_RUSTLING),
}
OWN = ("treegauge", "udtools", "conllu", "pyconll", "udapi", "rustling")
"""Packages of the programs: at their first use, bytecode of all other modules is there."""
STARTS: Mapping[str, Command] = {
    "`treegauge --help`": (*TREEGAUGE, "--help"),
    "`import treegauge`": (sys.executable, "-c", "import treegauge"),
    "`import numpy`": (sys.executable, "-c", "import numpy"),
    "`python -c pass`": (sys.executable, "-c", "pass"),
}


def run(corpus: Corpus, repeats: int) -> Section:
    """Time whole commands on small files, ours and the peers' in turns."""
    programs: dict[tuple[str, str], Command] = {
        (size, name): make(*corpus.everyday(size)) for size in EVERYDAY for name, make in COMMANDS.items()
    }
    programs |= {("start", name): program for name, program in STARTS.items()}
    first, later = measured(programs, max(repeats, 5))
    rows = []
    for (size, name), one in later.items():
        ours = later.get((size, CHECK if name in {CHECK, UDVALIDATE} else SCORE), one)
        if name.startswith("reading"):
            ours = later[size, "reading: treegauge"]
        rows.append(
            [
                f"{TITLES[size]}: {name}" if size in TITLES else name,
                took(one.processor),
                took(one.seconds),
                took(first[size, name].processor),
                f"{one.peak:.0f}",
                f"{one.processor / ours.processor:.1f}" if size in TITLES else "",
            ]
        )
    pair = corpus.everyday("megabyte")
    names = [OURS, "udtools"]
    calls = contest("scoring", "scoring", names, *pair, small=corpus.small, repeats=repeats)
    for name, one in calls.items():
        ratio = f"{one.seconds / calls[OURS].seconds:.1f}"
        rows.append([f"1 MB, the call alone: {name}", "", took(one.seconds), "", "", ratio])
    text = (
        f"Whole commands, start of Python included; the median of {max(repeats, 5)} rounds. *First "
        f"use*: processor time without bytecode of the program's own files, the median of "
        f"{FIRST_USES}. Last column: processor time relative to treegauge."
    )
    head = ("small files", "processor s", "wall s", "first use s", "peak MB", "times treegauge")
    targets = [*_targets(first, later), *faster("udtools", OURS, calls, 15)]
    return Section("Everyday files", text, head, rows, targets)


def measured(
    programs: Mapping[tuple[str, str], Command], rounds: int
) -> tuple[dict[tuple[str, str], Measured], dict[tuple[str, str], Measured]]:
    """Measure the first use of each program, and later uses in turns."""
    first: dict[tuple[str, str], Measured] = {}
    for key, program in programs.items():
        with tempfile.TemporaryDirectory() as cache:
            environment = {"PYTHONPYCACHEPREFIX": cache}
            process(*program, environment=environment)
            uses = []
            for _ in range(FIRST_USES):
                for path in Path(cache).rglob("*.pyc"):
                    if not {*path.parts}.isdisjoint(OWN):
                        path.unlink()
                uses.append(process(*program, environment=environment))
            first[key] = Measured.middle(uses)
    runs: dict[tuple[str, str], list[Measured]] = {key: [] for key in programs}
    for _ in range(rounds):
        for key, program in programs.items():
            runs[key].append(process(*program))
    later = {
        key: Measured(
            median(one.seconds for one in some),
            median(one.peak for one in some),
            processor=median(one.processor for one in some),
        )
        for key, some in runs.items()
    }
    return first, later


def _targets(first: Mapping[tuple[str, str], Measured], later: Mapping[tuple[str, str], Measured]) -> Iterator[Target]:
    for when, found in (("first use", first), ("later uses", later)):
        for ours, peer, share in ((SCORE, UDEVAL, 1 / 2), (CHECK, UDVALIDATE, 1 / 3)):
            ratio = found["megabyte", ours].processor / found["megabyte", peer].processor
            aim = f"{ours}, 1 MB, {when}: at most {share:.2f} of the processor time of {peer}"
            yield Target(aim, f"{ratio:.2f}", ratio <= share)
    base = later["start", "`python -c pass`"].processor
    for key, limit in (
        (("start", "`treegauge --help`"), 0.15),
        (("sentence", SCORE), 0.30),
        (("start", "`import treegauge`"), 0.05 + base),
    ):
        seconds = later[key].processor
        what = key[1] if key[0] == "start" else f"{key[1]}, {TITLES[key[0]]}"
        aim = f"{what}: at most {limit:.2f} s of processor time"
        yield Target(aim, f"{seconds:.2f} s", seconds <= limit)
