"""Validate exported scores against the schema that Every Eval Ever publishes on PyPI.

``python -m tools.every_eval_ever [WHEEL]``: the wheel is downloaded if it is not given. The package needs a newer
Python and many others, so the tests do not depend on it, and nothing of it is kept here.
"""

import json
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

from jsonschema import Draft7Validator  # type: ignore[import-untyped]

import treegauge as tg
from treegauge.scoring.paper import EVERY_EVAL_EVER as VERSION
from treegauge.scoring.paper import every_eval_ever_records
from treegauge.testing.simulated_parser import simulated_parse
from treegauge.treebanks.data.columns import Treebank

SCHEMA = "every_eval_ever/schemas/eval.schema.json"


def schema(wheel: Path | None) -> dict[str, Any]:
    """Return the schema in a wheel, by default that of the version that is written."""
    with tempfile.TemporaryDirectory() as home:
        if wheel is None:
            words = [
                "download",
                "--quiet",
                "--no-deps",
                "--only-binary=:all:",
                "--python-version",
                "3.12",
                "--dest",
                home,
            ]
            subprocess.run([sys.executable, "-m", "pip", *words, f"every-eval-ever=={VERSION}"], check=True)
            (wheel,) = Path(home).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            read: dict[str, Any] = json.loads(archive.read(SCHEMA))
    return read


def parsed(gold: Treebank, seed: int) -> Treebank:
    """Return gold with simulated errors."""
    return tg.parse_conllu(simulated_parse(gold.to_bytes().decode(), seed=seed))


def examples() -> dict[str, Any]:
    """Return scores of every form: one system, runs, bootstrap, answers, folders, without intervals."""
    gold = tg.synthetic(300, seed=1)
    systems = {"a": parsed(gold, 1), "b": parsed(gold, 2)}
    found: dict[str, Any] = {
        "one system": tg.score(gold, {"a": systems["a"]}, metric="all"),
        "two systems": tg.score(gold, systems, convention="no-punct"),
        "runs": tg.score(gold, {"a": [parsed(gold, seed) for seed in range(3)]}),
        "bootstrap": tg.score(gold, {"a": systems["a"]}, interval="bca", units="sentences", resamples=200),
        "no interval": tg.score(gold, {"a": systems["a"]}, resamples=0),
        "few units": tg.score(gold[:5], {"a": systems["a"][:5]}),
    }
    with tempfile.TemporaryDirectory() as home:
        for name, part in (("a", slice(150)), ("b", slice(150, 300))):
            for folder, trees in (("gold", gold), ("system", systems["a"])):
                path = Path(home) / folder / f"UD_X-{name.upper()}"
                path.mkdir(parents=True)
                tg.write_conllu(trees[part], path / f"x_{name}-ud-test.conllu")
        found["folders"] = tg.score(Path(home) / "gold", Path(home) / "system")
        answer = Path(home) / "answer.txt"
        answer.write_bytes(b"Sure!\n\n" + systems["a"][:250].to_bytes())
        found["an answer"] = tg.score(gold, {"model": str(answer)}, align="loose")
    return found


def main() -> int:
    """Validate all examples; return 1 if one is refused."""
    published = schema(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
    Draft7Validator.check_schema(published)
    assert published["version"] == VERSION, f"the schema is {published['version']}, and records are {VERSION}"
    failed = 0
    for name, scores in examples().items():
        errors, results, certain = [], 0, 0
        for record in map(json.loads, map(json.dumps, every_eval_ever_records(scores))):
            errors += [
                f"{one.json_path}: {one.message[:200]}" for one in Draft7Validator(published).iter_errors(record)
            ]
            results += len(record["evaluation_results"])
            certain += sum("uncertainty" in one["score_details"] for one in record["evaluation_results"])
        print(f"{name}: {results} results, {certain} with uncertainty, {'valid' if not errors else errors[:3]}")
        failed += bool(errors)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
