"""Every verb that trains, called on one small treebank: what the rules of grids and training walk."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import treegauge as tg
from treegauge.cli.verbs import VERBS
from treegauge.core.file_kinds import STORE
from treegauge.testing.synthetic import synthetic

NAME, SIZE = "UD_A-X", 24
OPTIONS = {"epochs": 2, "bits": 14, "label_bits": 12}
MST = {"parser": "mst", "option": OPTIONS}
RECORDED = {"option": {"bits": 14, "label_bits": 12}, "epochs": 2}
SMALL = "mst epochs=2 bits=14 label_bits=12"


def make_world(root: Path) -> Path:
    """Write a treebank with all sets, and one of another language."""
    for number, name in enumerate((NAME, "UD_B-X")):
        folder = root / name
        folder.mkdir()
        for split, count in (("train", SIZE), ("dev", 6), ("test", 8)):
            treebank = synthetic(count, tg.Grammar(language=number), seed=10 * number + len(split))
            tg.write_conllu(treebank, folder / f"{name[3].lower()}_x-ud-{split}.conllu")
    return root


def _run(home: Path, task: str, **grid: Any) -> Callable[..., Any]:
    def call(**how: Any) -> Any:
        plan = tg.Plan((tg.grid(task, NAME, **grid),), root=str(home))
        return tg.run(plan, how["store"], pool="inline")

    return call


def calls(home: Path) -> dict[str, Callable[..., Any]]:
    """Return each verb that trains with its store and workers still open, as it is called here."""
    a, b = home / NAME, home / "UD_B-X"

    def verb(function: Any, *given: Any, **usual: Any) -> Callable[..., Any]:
        return lambda **how: function(*given, **usual, **how)

    return {
        "map": verb(tg.map, a, seeds=2, **RECORDED),
        "difficulty": verb(tg.difficulty, a, seeds=2, blocks="4,8", orders=1, **RECORDED),
        "curve counts": verb(tg.curve.counts, a, sizes=[8, SIZE], samples=3, **MST),
        "curve advise": verb(tg.curve.advise, a, budget=9, parser=SMALL),
        "transfer": verb(tg.transfer, a, b, **MST),
        "study": verb(tg.study, "challenges", a, quick=True, out=None, **MST),
        "run": _run(
            home,
            "curve",
            parsers=[{"name": "mst", "options": OPTIONS}],
            sizes=[8, SIZE],
            samples=3,
            parameters={"train_limit": SIZE},
        ),
    }


def storing_verbs() -> set[str]:
    """Return the commands that can keep what they train in a store."""
    found = set()
    for verbs in VERBS.values():
        for name, command in verbs.items():
            function = getattr(tg, name)
            each = {name: function} | {f"{name} {sub}": getattr(function, sub) for sub in command.subverbs}
            found |= {words for words, one in each.items() if one.outputs.get("store") == STORE}
    return found
