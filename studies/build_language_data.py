"""Pack the language data of UD validation: ``python -m studies.build_language_data FOLDER``.

The folder holds the official files ``feats.json``, ``deprels.json``, ``edeprels.json``,
``data.json`` and ``tospace.json``, as in ``valrules`` of UniversalDependencies/docs-automation.
Examples, comments and the history of edits are left out. The same input gives the same bytes.
"""

import gzip
import json
import sys
from pathlib import Path

from treegauge.core.files import atomic
from treegauge.validation.language_data import FORMAT, PACKAGED, official_tables, packed_rules


def pack(folder: Path) -> bytes:
    """Return the packed file of the official files in a folder."""
    tables, date = official_tables(folder)
    about = {
        "format": FORMAT,
        "date": date,
        "license": "Apache-2.0",
        "source": "UniversalDependencies/docs-automation, valrules",
    }
    lines = [json.dumps(about)]
    lines += [
        f"{code}\t{json.dumps(rules, ensure_ascii=False, sort_keys=True, separators=(',', ':'))}"
        for code, rules in packed_rules(tables)
    ]
    return gzip.compress("".join(f"{line}\n" for line in lines).encode(), mtime=0)


if __name__ == "__main__":
    packed = pack(Path(sys.argv[1]))
    with atomic(PACKAGED) as target:
        target.write(packed)
    print(f"{PACKAGED.name}: {len(packed):,} bytes")
