"""Digests of the numbers of all verbs, in this version and another one.

``python -m tools.bench.digests OTHER/src [JOB...]``: OTHER is a checkout with compiled kernels. Both
versions make the demo's treebanks and run the same jobs on them, all or those named; each job gets a
line that says whether its numbers are the same. A digest covers all numbers of a result in their
order, or all bytes of a file, and no names, so that a renamed column does not count as a changed number.
"""

import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

SVO, FREE = "UD_Imaginary-SVO", "UD_Imaginary-Free"
SMALL = ("--option", "bits=16", "--option", "epochs=2")
SYSTEMS = ("careful.conllu", "average.conllu", "hasty.conllu")
RANKED = ("conll18", "--metric", "LAS")
#: Files that a job writes, whose bytes are part of its digest.
WRITTEN = "written"

JOBS: dict[str, Sequence[str]] = {
    "check": ("check", SVO),
    "agree": ("agree", "careful.conllu", "average.conllu", "--disagreements"),
    "audit": ("audit", SVO, "--only", "consistency"),
    "diff": ("diff", "gold.conllu", "hasty.conllu"),
    "measure": ("measure", "all", SVO, FREE),
    "measure interval": ("measure", "mdd", SVO, "--interval"),
    "split": ("split", SVO, "--out", f"{WRITTEN}/split"),
    "split edv": ("split", SVO, "--objective", "high", "--out", f"{WRITTEN}/edv"),
    "convert": ("convert", "gold.conllu", "--sample", "20", "--out", f"{WRITTEN}/sample.conllu"),
    "score": ("score", "gold.conllu", *SYSTEMS),
    "score all": ("score", "gold.conllu", *SYSTEMS, "--metric", "all,WLAS,ELAS"),
    "score runs": ("score", "gold.conllu", "a=careful.conllu", "a=average.conllu",
                   "b=hasty.conllu"),
    "score bootstrap": ("score", "gold.conllu", *SYSTEMS[:2], "--test", "bootstrap"),
    "score folders": ("score", "shared_task/gold", "shared_task/teams/careful",
                      "shared_task/teams/average"),
    "breakdown": ("breakdown", "gold.conllu", *SYSTEMS[:2], "--by", "relation"),
    "confusion": ("breakdown", "gold.conllu", SYSTEMS[2], "--confusion", "relation"),
    "overlap": ("breakdown", "gold.conllu", *SYSTEMS, "--overlap", "2"),
    "vote": ("vote", "gold.conllu", *SYSTEMS),
    "calibration": ("breakdown", "gold.conllu", SYSTEMS[0], "--calibration"),
    "rank": ("rank", *RANKED, "--size", "10", "--subsets", "20000"),
    "rank exact": ("rank", *RANKED, "--size", "10", "--subsets", "all"),
    "rank compare": ("rank", "compare", *RANKED),
    "rank outliers": ("rank", "outliers", *RANKED, "--system", "HIT-SCIR", "--size", "2"),
    "rank subsets": ("rank", *RANKED, "--subsets", "named"),
    "leaderboard": ("leaderboard", "shared_task/gold", "shared_task/teams", "--failed", "zero",
                    "--out", f"{WRITTEN}/board"),
    "certify": ("certify", *RANKED, "--claim", "HIT-SCIR > TurkuNLP"),
    "recommend": ("recommend", *RANKED, "--size", "5"),
    "analyse": ("analyse", "ud25", "--target", "las"),
    "train beam": ("train", "beam", SVO, "--option", "epochs=2", "--out", f"{WRITTEN}/beam.model"),
    "train mst": ("train", "mst", SVO, *SMALL, "--out", f"{WRITTEN}/mst.model"),
    "parse beam": ("parse", f"{WRITTEN}/beam.model", "gold.conllu",
                   "--out", f"{WRITTEN}/beam.conllu"),
    "parse mst": ("parse", f"{WRITTEN}/mst.model", "gold.conllu", "--out", f"{WRITTEN}/mst.conllu"),
    "tag": ("tag", SVO, "--out", f"{WRITTEN}/tagged", "--folds", "3"),
    "map": ("map", SVO, *SMALL),
    "vinfo": ("difficulty", SVO, "--measure", "vinfo", *SMALL),
    "mdl": ("difficulty", SVO, "--measure", "mdl", *SMALL, "--blocks", "auto"),
    "difficulty": ("difficulty", FREE, *SMALL, "--blocks", "auto"),
    "curve complexity": ("curve", "complexity", "counts.csv"),
    "curve fit": ("curve", "counts.csv", "--law", "power", "--law", "log"),
    "curve equivalent": ("curve", "equivalent", "counts.csv", "--score", "60"),
    "curve counts": ("curve", "counts", SVO, "--parser", "mst", *SMALL, "--sizes", "20,80"),
    "transfer": ("transfer", FREE, SVO, "UD_Imaginary-SOV", "--parser", "mst", *SMALL,
                 "--limit", "50"),
}  # fmt: skip
"""What each job is, in the words of the command line of this version."""
BEFORE: dict[str, Sequence[str]] = {
    "rank": ("rank", *RANKED, "--size", "10", "--samples", "20000"),
    "rank exact": ("rank", *RANKED, "--size", "10", "--exact"),
    "rank subsets": ("rank", "subsets", *RANKED),
    "vinfo": ("vinfo", SVO, *SMALL),
    "mdl": ("mdl", SVO, *SMALL, "--blocks", "auto"),
    "audit": ("audit", SVO, "--consistency"),
    "score all": ("score", "gold.conllu", *SYSTEMS, "--all", "--weights", "wde", "--enhanced"),
    "curve fit": ("curve", "fit", "counts.csv"),
    "breakdown": ("score", "gold.conllu", *SYSTEMS[:2], "--by", "relation"),
    "confusion": ("score", "gold.conllu", SYSTEMS[2], "--confusion", "relation"),
    "overlap": ("score", "gold.conllu", *SYSTEMS, "--overlap", "2"),
    "vote": ("score", "gold.conllu", *SYSTEMS, "--combine"),
    "calibration": ("score", "gold.conllu", SYSTEMS[0], "--calibration"),
}
"""Words of the other version, for jobs whose words have changed since."""

PARTS = {
    "breakdown": "breakdowns", "confusion": "confusions", "overlap": "overlap", "vote": "combination",
    "calibration": "calibration",
    "score all": "systems",  # the tests are those of the named metrics
    "curve fit": "fits",
}  # fmt: skip
"""The part of a result to compare, where one version attaches it to another result."""


def numbers(value: Any) -> Iterator[str]:
    """Yield all numbers of a JSON value in their order."""
    if isinstance(value, dict):
        for item in value.values():
            yield from numbers(item)
    elif isinstance(value, list):
        for item in value:
            yield from numbers(item)
    elif isinstance(value, int | float):
        yield repr(value)


def files(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the names and bytes of data files; other formats hold the version or a time."""
    for path in sorted(folder.rglob("*")):
        if path.suffix in {".conllu", ".csv"}:
            yield str(path.relative_to(folder)), path.read_bytes()


def digest(name: str, words: Sequence[str], folder: Path) -> str:
    """Return the digest of a job's numbers and of the files that it wrote."""
    command = [sys.executable, "-m", "treegauge", *words]
    known = dict(files(folder / WRITTEN))
    done = subprocess.run([*command, "--format", "json"], cwd=folder, capture_output=True, text=True, check=False)
    fresh = [data for name, data in files(folder / WRITTEN) if known.get(name) != data]
    if done.returncode not in {0, 1} or not (done.stdout or fresh):
        return f"failed: {done.stderr.strip()[-300:]}"
    try:
        content = json.loads(done.stdout)
        shown = " ".join(numbers(content.get(PARTS.get(name, ""), content) if isinstance(content, dict) else content))
    except json.JSONDecodeError:
        shown = ""
    return hashlib.sha256(b"\0".join([shown.encode(), *fresh])).hexdigest()[:16]


def digests(jobs: dict[str, Sequence[str]]) -> dict[str, str]:
    """Return the digest of every job on the treebanks of the demo."""
    from treegauge.reporting.demo import make_inputs

    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        make_inputs(folder, seed=1)
        (folder / WRITTEN).mkdir()
        return {name: digest(name, words, folder) for name, words in jobs.items()}


def main() -> None:
    """Print a line per job, and exit with 1 if numbers differ."""
    if sys.argv[1:] == ["--own"]:
        print(json.dumps(digests(json.load(sys.stdin))))
        return
    other, *names = sys.argv[1:]
    chosen = {name: JOBS[name] for name in names or JOBS}
    first_grammar = not (Path(other) / "treegauge" / "scoring" / "breakdown.py").exists()
    before_words = {name: BEFORE.get(name, words) for name, words in chosen.items()} if first_grammar else chosen
    results = []
    for source, jobs in ((other, before_words), (str(Path("src").resolve()), chosen)):
        done = subprocess.run(
            [sys.executable, "-m", "tools.bench.digests", "--own"], input=json.dumps(jobs),
            env={**os.environ, "PYTHONPATH": source}, stdout=subprocess.PIPE, text=True, check=True,
        )  # fmt: skip
        results.append(json.loads(done.stdout))
    before, now = results
    for name in chosen:
        broken = [one[name] for one in (before, now) if one[name].startswith("failed")]
        same = "same" if before[name] == now[name] else "DIFFERENT"
        print(f"{name:<18} {now[name]} {'; '.join(broken) or same}")
    sys.exit(any(before[name] != now[name] or "failed" in now[name] for name in chosen))


if __name__ == "__main__":
    main()
