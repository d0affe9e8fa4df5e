"""Our problems beside those of the official validator, on cases, treebanks and random damage.

    python -m tests.validation.compare cases
    python -m tests.validation.compare official
    python -m tests.validation.compare files --level 3
    python -m tests.validation.compare damage --sentences 20000
    python -m tests.validation.compare invented --sentences 6000

Official results of whole treebanks are kept in the cache folder (``TREEGAUGE_CACHE``).
"""

import argparse
import sys
import tarfile
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from studies.treebanks import treebank_files
from tests.validation.cases import LEVEL_1, LEVEL_2, Case
from tests.validation.cases_content import CORNERS, LEVEL_3, LEVELS_4_AND_5
from tests.validation.damage import damaged_files
from tests.validation.invented import invented
from tests.validation.official import Incident, OfficialRun, archive, official

CASES = {**LEVEL_1, **LEVEL_2, **LEVEL_3, **LEVELS_4_AND_5, **CORNERS}
TREEBANKS = ("cs_cltt en_lines fr_sequoia el_gdt ga_idt kk_ktb qtd_sagt sme_giella ta_ttb cop_scriptorium").split()
"""Ten treebanks for random damage: scripts, multiword tokens, features, DEPS and Lang differ."""
SIZE = 40
"""Damaged sentences per file."""
Paths = Sequence[Path]


class Comparison(NamedTuple):
    """What differs: problems that only one of both reports, or a crash of the official program."""

    missing: Counter[Incident]
    extra: Counter[Incident]
    verdicts: tuple[bool, bool]
    reported: int
    crash: str

    @property
    def same(self) -> bool:
        """Whether both report the same problems and the same verdict."""
        return not (self.missing or self.extra) and self.verdicts[0] == self.verdicts[1]

    def __str__(self) -> str:
        lines = [f"  only official: {one} x {n}" for one, n in self.missing.items()]
        lines += [f"  only ours: {one} x {n}" for one, n in self.extra.items()]
        if self.verdicts[0] != self.verdicts[1]:
            lines.append(f"  valid: ours {self.verdicts[0]}, official {self.verdicts[1]}")
        return "\n".join(lines)


def ours(paths: Paths, lang: str, level: int) -> tuple[Counter[Incident], bool]:
    """Return our problems as the official program names them, and the verdict."""
    import treegauge as tg

    report = tg.check(*paths, lang=lang, ud_level=level)
    problems = Counter(
        Incident(
            Path(one.file).name, one.line, one.level, "WARNING" if one.severity == "warning" else one.test_class, one.id
        )
        for one in report.problems
    )
    return problems, report.exit_code == 0


def compared(paths: Paths, lang: str, level: int, *, keep: bool = False) -> Comparison:
    """Compare both programs on files as one treebank."""
    return _comparison(official(paths, lang, level, keep=keep), *ours(paths, lang, level))


def _comparison(theirs: OfficialRun, own: Counter[Incident], valid: bool) -> Comparison:
    missing, extra = theirs.incidents - own, own - theirs.incidents
    verdicts = valid, theirs.valid
    return Comparison(missing, extra, verdicts, theirs.incidents.total(), theirs.crash)


def written(case: Case, folder: Path) -> list[Path]:
    """Write the files of a case."""
    paths = [folder / f"{number}.conllu" for number in range(len(case.texts))]
    for path, text in zip(paths, case.texts, strict=True):
        path.write_bytes(text.encode())
    return paths


def official_cases(folder: Path) -> Iterator[tuple[Path, int, str]]:
    """Unpack the official cases: each with its level and language."""
    with tarfile.open(archive()) as packed:
        for member in packed.getmembers():
            parts = Path(member.name).parts
            if "test-cases" not in parts or "eval" in parts or not member.name.endswith(".conllu"):
                continue
            if (stream := packed.extractfile(member)) is None:
                continue
            kind, name = parts[-2:]
            path = folder / f"{kind}_{name}"
            path.write_bytes(stream.read())
            digits = [int(mark) for mark in kind if mark.isdigit()]
            language = name.partition("_")[0] if "_" in name[:4] else "ud"
            yield path, max(digits, default=5 if language != "ud" else 3), language


def damage_files(code: str, count: int, seed: int) -> list[str]:
    """Return files of damaged sentences of a treebank, the newest named release of it."""
    path = max(treebank_files(f"{code}-ud-test.conllu"))
    text = path.read_bytes().decode()
    return damaged_files(text, seed, count, SIZE, crashes=0.002)


def split_at_crashes(text: str, lang: str, level: int, folder: Path) -> Iterator[Comparison]:
    """Compare on a file; where the official program crashes, on its halves instead."""
    path = folder / f"{lang}.conllu"
    path.write_bytes(text.encode())
    result = compared([path], lang, level, keep=True)
    blocks = [f"{one}\n\n" for one in text.split("\n\n")]
    if not result.crash or len(blocks) < 2:
        if result.crash:
            (folder / "crash.conllu").write_bytes(text.encode())
        elif not result.same:
            number = len(list(folder.glob("different*")))
            (folder / f"different-{lang}-{level}-{number}.conllu").write_bytes(text.encode())
        yield result
        return
    for half in (blocks[: len(blocks) // 2], blocks[len(blocks) // 2 :]):
        yield from split_at_crashes("".join(half).removesuffix("\n\n"), lang, level, folder)


def language_of(path: Path) -> str:
    """Return the language in the name of a treebank file."""
    return path.name.partition("_")[0]


def _report(name: str, results: Iterator[tuple[str, Comparison]]) -> int:
    start, same, number, reported, crashes = time.monotonic(), 0, 0, 0, Counter[str]()
    for label, one in results:
        number += 1
        if one.crash:
            crashes[one.crash] += 1
            continue
        same += one.same
        reported += one.reported
        if not one.same:
            print(f"{label}\n{one}", flush=True)
    print(
        f"{name}: {same} of {number - crashes.total()} equal, {reported} problems, "
        f"{crashes.total()} crashes of the official program, {time.monotonic() - start:.0f} s"
    )
    for crash, count in crashes.items():
        print(f"  crash x {count}: {crash}")
    return int(same != number - crashes.total())


def _results(options: argparse.Namespace, folder: Path) -> Iterator[tuple[str, Comparison]]:
    if options.what == "cases":
        for name, case in CASES.items():
            if options.only in name:
                yield name, compared(written(case, folder), case.lang, case.level, keep=True)
    elif options.what == "official":
        for path, level, lang in official_cases(folder):
            yield path.name, compared([path], lang, level, keep=True)
    elif options.what == "files":
        for path in treebank_files():
            if options.only in path.name:
                name = f"{path.parent.parent.name} {path.name}"
                yield name, compared([path], language_of(path), options.level, keep=True)
    elif options.what == "invented":
        for seed in range(options.seed, options.seed + options.sentences // 60):
            text, lang = invented(seed)
            for one in split_at_crashes(text, lang, options.level, folder):
                yield f"seed {seed} [{lang}]", one
    else:
        per_treebank = options.sentences // len(TREEBANKS)
        for code in TREEBANKS:
            if options.only in code:
                for number, text in enumerate(damage_files(code, per_treebank, options.seed)):
                    lang = code.partition("_")[0]
                    for one in split_at_crashes(text, lang, options.level, folder):
                        yield f"{code} file {number}", one


def main() -> int:
    """Compare, print what differs, and return 1 if anything does."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["cases", "official", "files", "damage", "invented"])
    parser.add_argument("--level", type=int, default=5)
    parser.add_argument("--sentences", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="only names that contain this")
    parser.add_argument("--keep", help="leave files that differ in this folder")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(options.keep or temporary)
        folder.mkdir(parents=True, exist_ok=True)
        return _report(options.what, _results(options, folder))


if __name__ == "__main__":
    sys.exit(main())
