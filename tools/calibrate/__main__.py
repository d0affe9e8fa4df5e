"""``python -m tools.calibrate [NAME...]``: check all statements or those named, and keep the results.

Each case is kept as soon as it is done, so that a run that was stopped continues with ``--resume``.
``--cases`` selects cases: ``open`` (as last judged), ``missing``, or patterns of STATEMENT/CASE.
``--quick`` runs few repetitions against a loose band and keeps nothing. ``--write`` runs nothing:
it writes docs/calibration.md and docs/calibration.csv from the kept results. A case that was
skipped, as its real data are not here, is not kept.
"""

import argparse
import os
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from fnmatch import fnmatchcase

from tools.calibrate import page
from tools.calibrate.registry import LOOSE, Checked, Statement, check_case, load


def _chosen(options: argparse.Namespace, statements: dict[str, Statement]) -> Iterator[tuple[str, str]]:
    """Yield the names of statements and cases to check."""
    rooms = {name: statement.simulate.__module__.split(".")[-1] for name, statement in statements.items()}
    for name in options.names:
        if name not in {*rooms, *rooms.values()}:
            raise SystemExit(f"no statement {name!r}; there are {', '.join(rooms)}")
    for name, statement in statements.items():
        if options.names and not {name, rooms[name]} & set(options.names):
            continue
        kept = {row.case: row for row in (page.kept(name) or (0, []))[1]}
        for case in statement.cases:
            row = kept.get(case)
            state = row.verdict(statement.band) if row else "missing"
            patterns = options.cases or ["*"]
            if not any(state == one or fnmatchcase(f"{name}/{case}", one) for one in patterns):
                continue
            if options.resume and row and row.repetitions >= 0.9 * statement.repetitions * options.times:
                continue
            yield name, case


def _check(name: str, case: str, seed: int, quick: bool, times: float) -> Checked:
    return check_case(load()[name], case, seed=seed, quick=quick, times=times)


def _report(name: str, row: Checked, statement: Statement, *, quick: bool) -> bool:
    """Print a case; return whether it fails although no reason is stated."""
    if row.skipped:
        print(f"skipped  {name}/{row.case}: {row.skipped}", flush=True)
        return False
    loose = "holds" if row.holds(statement.band, errors=LOOSE) else "fails"
    verdict = loose if quick else row.verdict(statement.band)
    width = f" ({row.relative_width:.2f} of an oracle's)" if row.relative_width else ""
    print(
        f"{verdict:5}  {name}/{row.case}: {row.rate:.4f} ± {row.error:.4f} (nominal {statement.nominal:g}), "
        f"{row.limits[0]:.4f} to {row.limits[1]:.4f}; {statement.secondary} {row.secondary:.3g}{width}; "
        f"{row.seconds:.1f} s",
        flush=True,
    )
    return verdict == "fails" and row.case not in statement.fails


def main() -> int:
    """Check cases; return 1 if one does not hold."""
    parser = argparse.ArgumentParser(prog="python -m tools.calibrate", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="statements, or rooms (scoring)")
    parser.add_argument("--cases", nargs="+", metavar="CASE", help="open, missing, or patterns of STATEMENT/CASE")
    parser.add_argument("--jobs", type=int, default=1, help="cases that run at once (1)")
    parser.add_argument("--times", type=float, default=1, help="multiply repetitions by this (1)")
    parser.add_argument("--resume", action="store_true", help="leave out cases whose full run was kept")
    parser.add_argument("--quick", action="store_true", help="few repetitions, loose bands")
    parser.add_argument("--seed", type=int, default=0, help="seed of the simulations (0)")
    parser.add_argument("--list", action="store_true", help="only list the cases")
    parser.add_argument("--write", action="store_true", help=f"only write {page.PAGE}")
    options = parser.parse_args()
    statements = load()
    if options.write:
        page.write(statements)
        return 0
    chosen = list(_chosen(options, statements))
    if options.list:
        print("\n".join("/".join(one) for one in chosen))
        return 0
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # of the processes that are started
    failed = 0
    with ProcessPoolExecutor(options.jobs) as pool:
        how = (options.seed, options.quick, options.times)
        running = {pool.submit(_check, *one, *how): one[0] for one in chosen}
        for done in as_completed(running):
            name, row = running[done], done.result()
            failed += _report(name, row, statements[name], quick=options.quick)
            if not options.quick and not row.skipped:
                page.keep(statements[name], row, options.seed)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
