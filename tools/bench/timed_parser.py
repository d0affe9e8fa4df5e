"""Times of one parser, printed as JSON; :mod:`benchmarks.two_versions` runs it in each version.

    PYTHONPATH=src python tools/bench/timed_parser.py PARSER TREEBANK

The seconds of training, of parsing the test set once, of calibration on the dev set, and of writing
probabilities, and a digest of the trees.
"""

import json
import sys
import time
from hashlib import sha256
from itertools import pairwise
from typing import Any

from treegauge.parsing.probabilities.held_out import calibrate_model
from treegauge.parsing.probabilities.word_confidence import with_confidence
from treegauge.parsing.registry import make_parser
from treegauge.treebanks.data.conllu import read_splits

PARSES = 5


def main(name: str, folder: str) -> None:
    """Train, parse, calibrate and write probabilities once each."""
    sets = read_splits(folder)
    parser: Any = make_parser(name)
    moments = [time.process_time()]
    model = parser.fit(sets["train"], seed=0)
    moments.append(time.process_time())
    for _ in range(PARSES):
        parsed = model.parse(sets["test"])
    moments.append(time.process_time())
    fitted = calibrate_model("dev", parser, model, sets["train"], sets["dev"], 0)
    moments.append(time.process_time())
    if fitted is not None:
        with_confidence(model, parsed, fitted)
    moments.append(time.process_time())
    seconds = [end - start for start, end in pairwise(moments)]
    seconds[1] /= PARSES
    print(json.dumps([seconds, sha256(parsed.to_bytes()).hexdigest()]))


if __name__ == "__main__":
    main(*sys.argv[1:])
