"""An external parser in a separate process: learns the most frequent attachment of each tag.

    python external_parser.py train TRAIN MODEL
    python external_parser.py parse MODEL INPUT OUTPUT

Reads CoNLL-U and CoNLL-X, knows nothing of treegauge. Further modes do what parsers do on bad days.
"""

import json
import os
import subprocess
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path


def sentences(path):
    rows = []
    for line in Path(path).read_text(encoding="utf-8").split("\n"):
        fields = line.split("\t")
        if not line and rows:
            yield rows
            rows = []
        elif fields[0].isdigit():
            rows.append(fields)


def train(source, model):
    counts = defaultdict(Counter)
    for rows in sentences(source):
        for row in rows:
            head = int(row[6])
            offset = None if head == 0 else head - int(row[0])
            counts[row[3]][json.dumps([offset, row[7]])] += 1
    table = {tag: counter.most_common() for tag, counter in counts.items()}
    Path(model).write_text(json.dumps(table), encoding="utf-8")


def parse(model, source, target):
    table = json.loads(Path(model).read_text(encoding="utf-8"))
    with Path(target).open("w", encoding="utf-8") as out:
        for rows in sentences(source):
            assert all(row[6] in ("_", "0") and row[7] == "_" for row in rows), "trees leaked"
            root = next((i for i, row in enumerate(rows, 1) if row[3] == "VERB"), 1)
            for i, row in enumerate(rows, 1):
                row[6:8] = [str(root), "dep"] if i != root else ["0", "root"]
                for text, _ in table.get(row[3], []):
                    offset, relation = json.loads(text)
                    # Only rightwards to the root or leftwards to it: never a cycle.
                    if i != root and offset is not None and i + offset == root:
                        row[7] = relation
                        break
                out.write("\t".join(row) + "\n")
            out.write("\n")


def copy(source, target, change):
    """Write the input as it came, with something done to its words' rows."""
    with Path(target).open("w", encoding="utf-8") as out:
        for number, rows in enumerate(sentences(source)):
            for row in change(number, [*rows]):
                out.write("\t".join(row) + "\n")
            out.write("\n")


def to_first(number, rows):
    for row in rows:
        row[6:8] = ["0", "root"] if row[0] == "1" else ["1", "dep"]
    return rows


def without_last_word(number, rows):
    return to_first(number, rows)[:-1]


def another_word(number, rows):
    rows[0][1] += "x"
    return to_first(number, rows)


def cycle(number, rows):
    for row in to_first(number, rows)[:2]:
        row[6] = str(3 - int(row[0])) if len(rows) > 1 else "0"
    return rows


def two_roots(number, rows):
    for row in to_first(number, rows)[:2]:
        row[6] = "0"
    return rows


def far_head(number, rows):
    to_first(number, rows)[0][6] = "999"
    return rows


def too_few_columns(number, rows):
    return [row[:5] for row in rows]


def main(mode, *args):
    if mode == "train":
        train(*args)
    elif mode == "parse":
        parse(*args)
    elif mode == "hang":
        pause = "import time; time.sleep(60)"
        child = subprocess.Popen([sys.executable, "-c", pause])
        Path(args[0]).write_text(f"{os.getpid()} {child.pid}")
        print("still thinking", file=sys.stderr, flush=True)
        time.sleep(60)
    elif mode in {"hang_apart", "leave"}:
        pause = "import time; time.sleep(60)"
        child = subprocess.Popen([sys.executable, "-c", pause], start_new_session=True)
        Path(args[0]).write_text(f"{os.getpid()} {child.pid}")
        time.sleep(60 if mode == "hang_apart" else 0)
    elif mode == "die":
        print("out of luck", file=sys.stderr, flush=True)
        sys.exit(3)
    elif mode == "crash":
        os.abort()
    elif mode == "eat":
        hoard = [b"x" * (64 << 20) for _ in range(64)]
        print(len(hoard))
    elif mode == "garbage":
        Path(args[0]).write_bytes(bytes(range(256)) * 50)
    elif mode == "chatter":
        Path(args[0]).write_text("Loading model ... done\n")
    elif mode == "half":
        text = Path(args[0]).read_text(encoding="utf-8")
        Path(args[1]).write_text(text[: text.rindex("\n\n", 0, len(text) // 2) + 2])
    elif mode != "nothing":
        copy(*args, globals()[mode])


main(*sys.argv[1:])
