"""Statements of `curve advise`, on real treebanks: what it promised, and what came.

A treebank of 100, 200 or 400 sentences is drawn from the training set of a real one, and advice is
asked about it as a user would. Then half or all of that number of further sentences are added from
the same training set, three times. The mean score of parsers that learn from all is what came.
Settings are chosen on :data:`CHOOSING` and judged on :data:`JUDGING`; no treebank is in both.

``python -m tools.calibrate.advice --jobs 16`` trains (nine hours on one core, of which UDPipe takes
most) and adds each finished case to ``data/advice.jsonl``; it resumes where it stopped. What is
there is judged by ``python -m tools.calibrate advice``, without training. ``--choose`` writes the
factors of intervals into the package.
"""

import argparse
import json
import tempfile
import zlib
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from tools.calibrate.plasmode import home
from treegauge.learning.curves.attachments import Attachments
from treegauge.learning.curves.gathering import gathered_counts
from treegauge.learning.training_settings import CurveTraining
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.data.conllu import read_conllu, write_conllu

CHOOSING = (
    "r2.9/UD_Afrikaans-AfriBooms", "r2.9/UD_Coptic-Scriptorium", "r2.9/UD_French-Sequoia", "r2.9/UD_Greek-GDT",
    "r2.9/UD_Hungarian-Szeged", "r2.9/UD_Korean-GSD", "r2.9/UD_Latin-Perseus", "r2.9/UD_North_Sami-Giella",
    "r2.9/UD_Slovenian-SST", "r2.9/UD_Telugu-MTG", "r2.9/UD_Turkish-IMST", "r2.9/UD_Uyghur-UDT",
    "r2.9/UD_Vietnamese-VTB",
)  # fmt: skip
JUDGING = (
    "r2.5/UD_Estonian-EWT", "r2.5/UD_Wolof-WTB", "r2.5/UD_Gothic-PROIEL", "r2.5/UD_Irish-IDT",
    "r2.5/UD_Maltese-MUDT", "r2.5/UD_Tamil-TTB", "r2.5/UD_Russian-Taiga", "r2.5/UD_Scottish_Gaelic-ARCOSG",
    "r2.5/UD_French-Spoken", "r2.5/UD_English-GUM", "r2.5/UD_Italian-TWITTIRO", "r2.5/UD_Belarusian-HSE",
    "r2.6/UD_Old_Russian-RNC",
)  # fmt: skip
PARSERS = {"beam": "beam", "mst": "mst", "udpipe": "udpipe preset=fast"}
#: Numbers of annotated sentences, how many times as many there are later, and repetitions of that.
HAVE, TIMES, AGAIN = (100, 200, 400), (1.5, 2.0), 3
#: Test sentences that are used.
TESTED = 500
POINTS = Path(__file__).parent / "data" / "advice.jsonl"
Case = tuple[str, str, int]


def kept() -> dict[Case, dict[str, Any]]:
    """Return the finished cases: counts of correct words by class, size and sample."""
    lines = POINTS.read_text("utf-8").splitlines() if POINTS.exists() else []
    rows = [json.loads(line) for line in lines]
    return {(row["treebank"], row["parser"], row["have"]): row for row in rows}


def trained(case: Case, folder: Path) -> dict[str, Any]:
    """Return the counts of one case: the curve that advice reads, and the scores that came."""
    name, parser, have = case
    train, test = (read_conllu(home() / name, split=split) for split in ("train", "test"))
    random = np.random.default_rng([have, zlib.crc32(name.encode())])
    order = random.permutation(len(train))
    own, others = order[:have], order[have:]

    def counted(sentences: Any, **how: Any) -> Attachments:
        treebank = folder / f"UD_{len(list(folder.iterdir()))}-X"
        treebank.mkdir()
        parts: dict[str, Treebank] = {"train": train.take(np.sort(sentences)), "test": test[:TESTED]}
        for split, part in parts.items():
            write_conllu(part, treebank / f"x-ud-{split}.conllu")
        return gathered_counts([treebank], CurveTraining(parser=PARSERS[parser], workers=1, **how))

    parts = [(counted(own), 0)]
    for times, again in product(TIMES, range(AGAIN)):
        later = int(have * times)
        if later <= len(train):
            more = random.choice(others, later - have, replace=False)
            parts.append((counted(np.concatenate([own, more]), sizes=str(later), samples=1), again))
    totals: dict[str, int] = {}
    counts: dict[str, dict[str, list[int]]] = {}
    for part, _ in parts:
        for row in part.frame.iter_rows(named=True):
            if row["total"] >= 100 or row["class"] == "all":
                totals[row["class"]] = row["total"]
                counts.setdefault(row["class"], {}).setdefault(str(row["size"]), []).append(row["correct"])
    return {"treebank": name, "parser": parser, "have": have, "totals": totals, "correct": counts}


def one(case: Case) -> dict[str, Any]:
    """Train a case in a folder that is removed."""
    with tempfile.TemporaryDirectory() as folder:
        return trained(case, Path(folder))


def collect(jobs: int, parsers: Sequence[str], have: Sequence[int], treebanks: Sequence[str]) -> None:
    """Train the cases that are not kept yet, and add each when it is finished."""
    done = kept()
    todo = [case for case in wanted(parsers, have, treebanks) if case not in done]
    with ProcessPoolExecutor(jobs) as pool, POINTS.open("a", encoding="utf-8") as file:
        for number, finished in enumerate(as_completed([pool.submit(one, case) for case in todo]), 1):
            row = finished.result()
            file.write(json.dumps(row, separators=(",", ":")) + "\n")
            file.flush()
            print(f"{number} of {len(todo)}: {row['treebank']} {row['parser']} {row['have']}", flush=True)


def wanted(parsers: Sequence[str], have: Sequence[int], treebanks: Sequence[str]) -> Iterator[Case]:
    """Yield the cases for which a treebank has enough sentences, small ones first."""
    for number, parser, name in product(have, parsers, treebanks):
        if len(read_conllu(home() / name, split="train")) >= number * min(TIMES):
            yield name, parser, number


def main() -> None:
    """Train."""
    options = argparse.ArgumentParser(prog="python -m tools.calibrate.advice", description=__doc__)
    options.add_argument("--jobs", type=int, default=1, help="processes (1)")
    options.add_argument("--parsers", default=",".join(PARSERS), help="beam,mst,udpipe")
    options.add_argument("--have", default=",".join(map(str, HAVE)), help="100,200,400")
    options.add_argument("--treebanks", choices=("all", "choosing", "judging"), default="all")
    given = options.parse_args()
    names = {"choosing": CHOOSING, "judging": JUDGING, "all": JUDGING + CHOOSING}[given.treebanks]
    collect(given.jobs, given.parsers.split(","), [int(have) for have in given.have.split(",")], names)


if __name__ == "__main__":
    main()
