"""Compare UD 2.5 and 2.9: ``TREEGAUGE_UD=FOLDER python -m tools.docs.releases`` writes releases.md.

All treebanks that are in both releases are compared, `git apply` applies the patch of each to the old files,
and the result is compared with the new files byte by byte. Only counts and the names of tags,
features and relations are written, no text of a treebank.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import treegauge as tg
from studies.corrections.attachment_changes import attachment_changes
from studies.treebanks import absent, release_folder, treebank_folders
from tools.docs import tables
from treegauge.auditing.changes.unified_diff import FileText

TARGET = Path(__file__).parents[2] / "docs" / "releases.md"
OLD, NEW = "r2.5", "r2.9"
LAYERS = ("lemma", "upos", "xpos", "feats", "head", "deprel")
LEXICAL = ("lemma=", "form=", "head-lemma=")
HEAD = """# UD 2.5 and 2.9 compared

Written by `python -m tools.docs.releases`, which runs `treegauge diff` on all treebanks at hand that are
in both releases. [Comparing versions](diff.md) explains the columns.
"""


def row(cells: Sequence[object]) -> str:
    """Return a row of a table."""
    return f"| {' | '.join(f'{c:,}' if isinstance(c, int) else str(c) for c in cells)} |\n"


def table(heads: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Return a table, its first column to the left and the others to the right."""
    layout = ["---", *("---:" for _ in heads[1:])]
    return row(heads) + row(layout) + "".join(map(row, rows))


def patched(files: Sequence[FileText], patch: bytes) -> dict[str, bytes]:
    """Return the files that ``git apply`` makes of these, by name."""
    with tempfile.TemporaryDirectory() as folder:
        for file in files:
            (Path(folder) / file.name).write_bytes(file.data)
        if patch:
            command = ["git", "apply", "--whitespace=nowarn", "-"]
            subprocess.run(command, input=patch, cwd=folder, check=True)
        return {path.name: path.read_bytes() for path in Path(folder).iterdir()}


def compared(name: str, root: Path) -> dict[str, Any]:
    """Compare one treebank and apply its patch."""
    start = time.process_time()
    result = tg.diff(root / OLD / name, root / NEW / name)
    seconds = time.process_time() - start
    patch = result.to_patch()
    made = patched(result.files[0], patch)
    size = sum(len(one.data) for one in result.files[1])
    pairs = result.pairs
    attached = attachment_changes(pairs.old, pairs.new, pairs=pairs)
    attached = attached.filter(attached["upos"] != "PUNCT")
    return {
        "attached": (len(attached), int(attached["systematic"].sum())),
        "sentences": {one["sentences"]: one for one in result.attached["sentences"].rows},
        "layers": {one["layer"]: one for one in result.attached["layers"].rows},
        "rules": result.attached["rules"].rows,
        "exact": made == {one.name: one.data for one in result.files[1]},
        "patch": 100 * len(patch) / size,
        "seconds": seconds,
        "megabytes": (size + sum(len(one.data) for one in result.files[0])) / 1e6,
    }


def is_lexical(rule: dict[str, Any]) -> bool:
    """Whether a rule names words of the treebank."""
    return rule["layer"] == "lemma" or any(mark in rule["where"] for mark in LEXICAL)


def text(results: dict[str, dict[str, Any]]) -> str:
    """Return the page."""
    kinds = ("unchanged", "changed", "re-tokenised", "text changed", "split", "inserted", "deleted")
    sentences, words, rules = [], [], []
    for name, one in results.items():
        found = one["sentences"]
        counts = [found.get(kind, {"old": 0, "new": 0}) for kind in kinds]
        shown = [max(count["old"], count["new"]) for count in counts]
        sentences.append([name, *shown, f"{one['patch']:.1f}", "yes" if one["exact"] else "NO"])
        layers = [one["layers"][layer] for layer in LAYERS]
        if any(layer["changed"] for layer in layers):
            cells = [f"{layer['changed']:,} ({layer['systematic']:,})" for layer in layers]
            total, ruled = one["attached"]
            words.append([name, layers[0]["words"], *cells, f"{total:,} ({ruled:,})"])
        plain = [rule for rule in one["rules"] if not is_lexical(rule)]
        rules += [
            [name, rule["layer"], rule["where"] or "everywhere", f"{rule['old']} → {rule['new']}",
             rule["changed"], rule["places"]]
            for rule in plain[:5]
        ]  # fmt: skip
    exact = sum(one["exact"] for one in results.values())
    seconds = sum(one["seconds"] for one in results.values())
    megabytes = sum(one["megabytes"] for one in results.values())
    lexical = sum(is_lexical(rule) for one in results.values() for rule in one["rules"])
    total = sum(len(one["rules"]) for one in results.values())
    rules = [[cell.replace("|", "\\|") if isinstance(cell, str) else cell for cell in one] for one in rules]
    return "\n".join(
        [
            HEAD,
            f"{len(results)} treebanks, {megabytes:.0f} MB in both releases together. The "
            f"comparisons took {seconds:.0f} s of processor time. The unified diff of 2.5 and 2.9, "
            f"applied to 2.5 by git apply, gives 2.9 byte for byte in {exact} of {len(results)} treebanks.\n",
            "## Sentences\n",
            "The size of the patch is in percent of the new files.\n",
            table(["treebank", *kinds, "patch %", "byte for byte"], sentences),
            "## Words\n",
            "Changed words by layer, with systematic changes in parentheses. Treebanks "
            "without a change are left out. The last column has words other than punctuation whose "
            "head or relation changed; they are systematic if whatever changed of the two did so "
            "systematically.\n",
            table(["treebank", "words", *LAYERS, "head or deprel, no punctuation"], words),
            "## Systematic changes\n",
            f"{total:,} systematic changes were found, {lexical:,} of them of certain words or "
            "lemmas, which are not listed here. Of the others, up to five of each treebank, those "
            "of most words first: the words that changed, and all words with the old value in this "
            "context.\n",
            table(["treebank", "layer", "where", "change", "changed", "places"], rules),
        ]
    )


def main() -> None:
    """Compare all treebanks and write the page."""
    root = release_folder(OLD).parent
    if lacking := absent(OLD, NEW):
        sys.exit(f"{root} lacks {', '.join(lacking)}; set TREEGAUGE_UD")
    old, new = ({one.name for one in treebank_folders(release)} for release in (OLD, NEW))
    names = sorted(old & new)
    results = {name: compared(name, root) for name in names}
    tables.write(TARGET, text(results))
    exact = sum(one["exact"] for one in results.values())
    print(f"wrote {TARGET.name}: {exact} of {len(names)} exact")


if __name__ == "__main__":
    main()
