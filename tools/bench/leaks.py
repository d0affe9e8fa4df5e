"""Near-duplicates: detection of planted edits, and all available treebanks against themselves."""

import tempfile
from pathlib import Path
from statistics import mean

from studies.treebanks import TREEBANKS, treebank_files, treebank_folders
from tools.bench.measuring import command, tell
from tools.bench.planted import ALIKE, EDITS, RATES, TUNED, Judged, folders, judge, total
from tools.bench.tables import Section, Target

RECALL = {0.05: 0.99, 0.1: 0.95, 0.2: 0.80}
PRECISION = 0.95
SECONDS = 60


def run(repeats: int) -> Section:
    """Plant edits in all treebanks except those used for tuning, then compare all with all."""
    del repeats
    if not folders():
        return Section("Leaks", "Not measured: there are no treebanks under TREEGAUGE_UD.")
    judged: list[Judged] = []
    for folder in folders():
        tell(f"planting edits in {folder.name}")
        judged += judge(folder)
    rows, targets = [], []
    for edits in EDITS:
        for rate in RATES:
            one = total(judged, edits, rate)
            each = [j.precision for j in judged if (j.edits, j.rate) == (edits, rate)]
            rows.append(
                [
                    f"{rate:.0%} of the {edits}",
                    f"{one.planted:,}",
                    f"{one.recall:.3f}",
                    f"{one.precision_aside:.3f}",
                    f"{one.precision:.3f}",
                    f"{mean(each):.3f}",
                ]
            )
            aim = f"{rate:.0%} of the {edits} edited: recall of at least {RECALL[rate]:.2f}"
            targets.append(Target(aim, f"{one.recall:.3f}", one.recall >= RECALL[rate]))
            for said, value in (("precision", one.precision), ("precision, templates aside,", one.precision_aside)):
                aim = f"{rate:.0%} of the {edits} edited: {said} of at least {PRECISION}"
                targets.append(Target(aim, f"{value:.3f}", value >= PRECISION))
    with tempfile.TemporaryDirectory() as place:
        out = Path(place) / "pairs.csv"
        named = [one for release in TREEBANKS for one in treebank_folders(release) if one.is_dir()]
        whole = command("audit", "--only", "leaks", *named, "--fail", "never", "--out", out)
    size = sum(path.stat().st_size for path in treebank_files())
    targets.append(
        Target(
            f"all treebanks against themselves: at most {SECONDS} s", f"{whole.seconds:.1f} s", whole.seconds <= SECONDS
        )
    )
    worst = max(judged, key=lambda one: one.reported / one.decoys)
    text = (
        f"Edited copies planted in {len({one.treebank for one in judged})} treebanks; settings "
        f"were chosen on others ({', '.join(TUNED)}). Half of the sentences are training data; the "
        "test set is an edited copy of each (characters or words replaced, inserted or deleted) "
        "and, as decoys, the other half. *Recall*: copies reported with their original. "
        "*Precision*: reported sentences that are copies; the first column leaves out decoys that "
        f"share at least {ALIKE:.0%} of their words, in order, with their match: treebanks contain "
        f"near-duplicates of their own ({worst.reported / worst.decoys:.0%} of the decoys in "
        f"{worst.treebank}).\n\n"
        f"`treegauge audit --only leaks` on {size / 1e6:.0f} MB (UD 2.5 and 2.9), every set against all "
        f"others: {whole.seconds:.1f} s, {whole.processor:.1f} s of processor time, "
        f"{whole.peak:.0f} MB."
    )
    head = ("planted edits", "copies", "recall", "precision, templates aside", "precision", "mean of treebanks")
    return Section("Leaks", text, head, rows, targets)
