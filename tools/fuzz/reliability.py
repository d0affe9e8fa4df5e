"""``python -m tools.fuzz.reliability``: write docs/reliability.md from the results that were kept."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from tools.bench import soak
from tools.docs import tables
from tools.fuzz import faults, results
from tools.fuzz.targets import NAMES, load

PAGE = Path(__file__).parents[2] / "docs" / "reliability.md"
WANTED = {"reader and validator": 5_000_000, "scorer": 200_000}
TEXT = Path(__file__).with_suffix(".md").read_text()


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table; all columns except the first hold numbers."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def inputs_table() -> tuple[str, str]:
    """Return the table of inputs tried, and a sentence on totals and targets."""
    rows, totals = [], dict.fromkeys(WANTED, 0)
    for name in NAMES:
        kept = results.read(name)
        tried = sum(results.inputs(row) for row in kept)
        guided = sum(results.inputs(row) for row in kept if "start" not in row)
        seconds = sum(row["seconds"] for row in kept)
        ranges = ", ".join(f"{row['start']:,} to {row['stop'] - 1:,}" for row in kept if "start" in row)
        found = sum(len(row.get("fixed", ())) for row in kept)
        still = sum(len(row["findings"]) for row in kept)
        rows.append([
            name.replace("_", ", "), f"{tried:,}", f"{guided:,}", f"{seconds / 60:.1f}", ranges,
            str(found), str(still),
        ])  # fmt: skip
        for total in totals:
            if name.partition("_")[0] in total:
                totals[total] += tried
    head = ("fuzzer", "inputs", "guided", "processor min", "seeds", "fixed later", "open findings")
    words = [f"{total}: {count:,} inputs (target {WANTED[total]:,})" for total, count in totals.items()]
    return table(head, rows), f"{'; '.join(words).capitalize()}."


def faults_table() -> str:
    """Return the table of faults."""
    rows = []
    for fault, counts in sorted(faults.kept().items()):
        numbers = [counts.get(one, 0) for one in ("points", "passed", "skipped", "failed")]
        rows.append([fault, *map(str, numbers)])
    return table(("fault", "times injected", "tests survived", "skipped", "failed"), rows)


def loads_table() -> str:
    """Return the table of loads, each size after the smaller one of the same load."""
    rows = []
    for name in dict.fromkeys(one.load for one in soak.kept()):
        before = None
        for one in sorted((o for o in soak.kept() if o.load == name), key=lambda o: o.size):
            growth = ""
            if before is not None:
                ratio = one.processor / max(before.processor, 0.1)
                growth = f"{ratio:.1f} for {one.size / before.size:g}"
            rows.append([
                one.load, f"{one.size:,.0f} {one.unit}", f"{one.seconds:,.0f}",
                f"{one.processor:,.1f}", f"{one.megabytes:,.0f}", growth,
            ])  # fmt: skip
            before = one
    return table(("load", "size", "s", "processor s", "peak MB", "growth"), rows)


def text() -> str:
    """Return the page."""
    inputs, totals = inputs_table()
    holds = table(
        ("fuzzer", "what must hold"), [(name.replace("_", ", "), load(name).holds) for name in NAMES]
    ).replace("---:", "---")
    return TEXT.format(inputs=inputs, totals=totals, holds=holds, faults=faults_table(), loads=loads_table())


if __name__ == "__main__":
    tables.write(PAGE, text(), rows=tables.FEW)
