"""``python -m tools.fuzz.faults``: run all tests that inject a fault, and count them for the docs."""

import json
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path

from tools.fuzz.results import FOLDER
from treegauge.core.files import atomic

RESULTS = FOLDER / "faults.json"
Counts = dict[str, dict[str, int]]


def kept() -> Counts:
    """Return, for each fault, the number of tests passed, skipped and failed, and its points."""
    counts: Counts = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    return counts


class Collected:
    """Plug-in of pytest that writes each test's fault into its report."""

    def pytest_collection_modifyitems(self, items: list) -> None:  # type: ignore[type-arg]
        """Note the fault of each test as a property of its report."""
        for item in items:
            mark = item.get_closest_marker("fault")
            if mark is not None:
                item.user_properties.append(("fault", mark.args[0]))


def main() -> int:
    """Run the tests and store the counts; return 1 if one failed."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        code = (
            "import sys, pytest; from tools.fuzz.faults import Collected; "
            "sys.exit(pytest.main(sys.argv[1:], plugins=[Collected()]))"
        )
        files = sorted(str(p) for p in Path("tests").rglob("*.py") if "mark.fault(" in p.read_text())
        line = [sys.executable, "-c", code, "-q", "-m", "fault", "-p", "no:xdist", *files,
                "-o", "junit_family=xunit1", f"--junitxml={report}"]  # fmt: skip
        ended = subprocess.run(line, check=False).returncode
        counts: dict[str, Counter[str]] = {}
        for case in ET.parse(report).iter("testcase"):
            noted = {one.get("name"): one.get("value", "") for one in case.iter("property")}
            if "fault" in noted:
                fault = noted["fault"]
                failed = any(case.find(kind) is not None for kind in ("failure", "error"))
                skipped = case.find("skipped") is not None
                outcome = "failed" if failed else "skipped" if skipped else "passed"
                counts.setdefault(fault, Counter())[outcome] += 1
                counts[fault]["points"] += int(noted.get("points", 1))
    with atomic(RESULTS) as file:
        file.write(json.dumps(counts, indent=0, sort_keys=True).encode() + b"\n")
    return 1 if ended else 0


if __name__ == "__main__":
    raise SystemExit(main())
