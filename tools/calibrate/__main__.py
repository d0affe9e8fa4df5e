"""``python -m tools.calibrate [NAME...]``: check all statements or those named, and keep the results.

``--quick`` runs few repetitions against a loose band and stores nothing. ``--write`` runs nothing:
it writes docs/calibration.md and docs/calibration.csv from the stored results. A statement with a
case that was skipped, as its real data are not here, is not stored.
"""

import argparse
import json
import sys

from tools.calibrate import page
from tools.calibrate.registry import LOOSE, check, load, saved


def main() -> int:
    """Check statements; return 1 if one does not hold."""
    parser = argparse.ArgumentParser(prog="python -m tools.calibrate", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="statements, or rooms (scoring)")
    parser.add_argument("--quick", action="store_true", help="few repetitions, loose bands")
    parser.add_argument("--seed", type=int, default=0, help="seed of the simulations (0)")
    parser.add_argument("--write", action="store_true", help=f"only write {page.PAGE}")
    options = parser.parse_args()
    statements = load()
    if options.write:
        page.write(statements)
        return 0
    rooms = {name: statement.simulate.__module__.split(".")[-1] for name, statement in statements.items()}
    for name in options.names:
        if name not in {*rooms, *rooms.values()}:
            parser.error(f"no statement {name!r}; there are {', '.join(rooms)}")
    failed = 0
    for name, statement in statements.items():
        if options.names and not {name, rooms[name]} & set(options.names):
            continue
        rows = check(statement, seed=options.seed, quick=options.quick)
        for row in rows:
            if row.skipped:
                print(f"skipped  {name}, {row.case}: {row.skipped}", flush=True)
                continue
            loose = "holds" if row.holds(statement.band, errors=LOOSE) else "fails"
            verdict = loose if options.quick else row.verdict(statement.band)
            failed += verdict == "fails" and row.case not in statement.fails
            width = f" ({row.relative_width:.2f} of an oracle's)" if row.relative_width else ""
            print(
                f"{verdict:5}  {name}, {row.case}: {row.rate:.3f} ± {row.error:.3f} (nominal "
                f"{statement.nominal:g}); {statement.secondary} {row.secondary:.3g}{width}; {row.seconds:.1f} s",
                flush=True,
            )
        if not options.quick and not any(row.skipped for row in rows):
            text = json.dumps(saved(statement, rows, options.seed), indent=2)
            page.kept_at(name).write_text(f"{text}\n", "utf-8")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
