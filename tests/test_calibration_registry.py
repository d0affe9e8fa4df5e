"""A verb prints no interval, p-value or verdict that no statement of the suite covers."""

import ast
import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import treegauge as tg
from tools.calibrate.registry import load
from treegauge.cli.verbs import VERBS
from treegauge.core.result import Result
from treegauge.learning.curves.class_counts import ALL, COLUMNS, attachments
from treegauge.testing.grammar import Grammar
from treegauge.testing.simulated_parser import simulated_parse, with_simulated_confidence
from treegauge.testing.synthetic import synthetic

ROOT = Path(__file__).parents[1]
#: Names of columns and JSON keys that hold the end of an interval, a p-value or a verdict.
INFERENCE = re.compile(
    r"(\w+_)?(low|high|lower|upper|intervals?|band|ci|p|p_values?|significant|better|tail|corrected)"
    r"|p_\w+"
)
#: Fields that hold p-values under other names.
NAMED = (
    "certificate.tests.*", "diff.kind", "plan.needed", "plan.promised", "plan.power", "plan.type_?", "*.detectable",
    "triage.chosen",
)  # fmt: skip
#: Where JSON keeps the rows of the table.
ROWS = re.compile(r"\.(rows|measures)\.")
#: Fields with such a name that say nothing about uncertainty.
OTHER = ("candidates.p_*",)  # probabilities that a parser gives
#: The same of words in the source, by room: options, names of methods and of directions.
OTHER_WORDS = {
    "auditing": {"p_gold", "p_instead"},  # columns of candidates
    "core": {"low", "high"},  # parameters that have limits
    "measures": {"interval"}, "papers": {"rank_low", "rank_high"},
    "parsing": {"p", "low", "high", "structured_interval"},
    "ranking": {"lower", "better"}, "scoring": {"ci", "lower", "upper", "lower_is_better", "confidence_interval"},
    "splitting": {"low", "high"},
    "statistics": {"ci", "p_equivalent", "share_better"}, "testing": {"low", "high"},
    "treebanks": {"tail"},
}  # fmt: skip
#: Words of verdicts in sentences, and the statement that covers each sentence with one.
VERDICTS = re.compile(
    r"\b(better|worse|lower|higher|larger|smaller|significan\w*|typical|unusual|equivalent|beats|best of|closest"
    r"|distinguish|detected|ahead|systematic|decided|contained|over-represented|suggests|disappears)\b"
)
PROSE = {
    r"(larger than in|typical of) ([0-9.]+ % of )?random splits": "audit-split-documents",
    r"systematic changes": "diff-systematic",
    r"decided after .* confidence sequence": "sequence-seeds",
    r" (not worse|better|equivalent)$": "score-margin",
    r"^On new text from th[a-z]+ treebanks?: .*(corrected for|p [=<] 0\.\d+\)\.$)": "score-corrected",
    r"^On new treebanks: (yes|not shown|.* equivalent|.* at most)": "certify-verdict",
    r"pairs by verdict on new treebanks": "compare-equivalence",
    r"best of \d+: .* corrected for selection": "score-best",
    r"is better than .* on at least": "score-claims",
    r"corrected for being the best of \d+": "rank-best-of-many",
    r"share a letter if and only if they do not differ significantly": "compare-critical-differences",
    r"class is significantly over-represented|is over-represented": "outliers-classes",
    r"95 % interval for other treebanks .* could be detected": "certify-difference",
    r"better than random": "recommend-verdict",
    r"is closest, (but|and) .* sentences": "transfer-weights",
    r"intervals contained|do not show where a doubling": "curve-prediction",
}
#: Sentences with such a word that count what is there, or explain a table.
COUNTED = (
    r"the row (wins|scores higher)", r"log odds of scoring higher", r"beats \d+ ?% of the random subsets",
    r"no subset can be worse", r"KLcpos3 is too large", r"^(best|closest) {2,}",
)  # fmt: skip
#: Verbs whose statements also cover what a verb prints, since it prints their numbers.
BORROWED = {
    "agree": {"score"}, "breakdown": {"breakdown --calibration"}, "certify": {"rank compare"},
    "curve": {"curve advise"}, "leaderboard": {"rank", "score"}, "rank compare": {"certify"},
    "transfer": {"transfer recommend"},
}  # fmt: skip
#: Tables of several verbs: a column is covered by the statements of the verbs that the paper's study calls.
COMPOSED = {"study table"}
STUDIES = {"fragility": {"rank outliers"}, "edv": {"analyse", "study"}}
#: Verbs that print no interval and no p-value.
WITHOUT = {
    "check", "vote", "split", "show", "convert", "fetch", "catalogue", "published", "review",
    "train", "parse", "tag", "curve counts", "results",
    "store", "store merge", "store gc", "report", "demo",
}  # fmt: skip
UNTIL = "mst bits=12 epochs=2 label_bits=10 > mst bits=12 epochs=1 label_bits=10"
QUICK = {"parser": "mst", "option": {"bits": 12, "label_bits": 10}}


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """Four small treebanks with documents, and the output of two systems on their test sets."""
    home = tmp_path_factory.mktemp("calibrated")
    for number, name in enumerate(("Czech-One", "Greek-Two", "Latin-Three", "Polish-Four")):
        folder = home / f"UD_{name}"
        folder.mkdir()
        whole = synthetic(140, Grammar(language=number), seed=number)
        for split, cut in {"train": slice(80), "dev": slice(80, 100), "test": slice(100, 140)}.items():
            tg.write_conllu(whole[cut], folder / f"{name.lower()}-ud-{split}.conllu")
        text = (folder / f"{name.lower()}-ud-test.conllu").read_text("utf-8")
        for system in ("first", "second"):
            (home / system).mkdir(exist_ok=True)
            parsed = simulated_parse(text, seed=number + 10 * (system == "first"))
            (home / system / f"UD_{name}.conllu").write_text(parsed, "utf-8")
        (home / "sure").mkdir(exist_ok=True)
        sure = with_simulated_confidence(tg.parse_conllu(parsed), whole[100:], seed=number)
        tg.write_conllu(sure, home / "sure" / f"UD_{name}.conllu")
    return home


@pytest.fixture(scope="module")
def counts():
    """Counts of correct words: two treebanks, two parsers, three classes."""
    random = np.random.default_rng(0)
    curves = {"fast": lambda n: 90 - 50 / n, "middle": lambda n: 80 - 120 / n, "slow": lambda n: 10 + 12 * np.log(n)}
    rows = []
    for treebank in ("UD_Greek-Two", "UD_Latin-Three"):
        for parser in ("beam", "mst"):
            for size in (5, 10, 20, 50, 100, 200):
                for sample in range(5):
                    right = {c: round(6 * f(size) + 3 * random.normal()) for c, f in curves.items()}
                    key = (treebank, parser, size, sample)
                    rows += [(*key, c, correct, 600) for c, correct in right.items()]
                    rows.append((*key, ALL, sum(right.values()), 1800))
    return attachments(pl.DataFrame(rows, schema=COLUMNS, orient="row"), metric="LAS")


@pytest.fixture(scope="module")
def numbers():
    """A table of numbers: one row per treebank and length."""
    random = np.random.default_rng(0)
    size, edv = random.lognormal(6, 1, 40), random.random(40)
    las = 60 + 3 * np.log(size) - 9 * edv + random.normal(size=40)
    return pl.DataFrame({"treebank": [f"UD_X-{i}" for i in range(40)], "size": size, "edv": edv, "las": las})


@pytest.fixture(scope="module")
def examples(world, counts, numbers):
    """By command, calls that together make it print all that it can say about uncertainty."""
    gold = synthetic(500, seed=9)
    text = gold.to_bytes().decode()
    three = {seed: tg.parse_conllu(simulated_parse(text, seed=int(seed))) for seed in "012"}
    treebanks = sorted(world.glob("UD_*"))
    systems = [world / "first", world / "second"]
    one = [treebanks[0] / "czech-one-ud-test.conllu", *(s / "UD_Czech-One.conllu" for s in systems)]
    training = {**QUICK, "epochs": 1}
    return {
        "triage": [partial(tg.triage, *one[1:3], gold=tg.read_conllu(one[0])[::2], units="sentences", error=20.0)],
        "agree": [partial(tg.agree, *one[1:], by=["upos"], disagreements=True, units="sentences")],
        "audit": [partial(tg.audit, treebanks[0], resamples=19, all=True)],
        "diff": [partial(tg.diff, *treebanks[:2])],
        "measure": [partial(tg.measure, "all", treebanks[0], interval=True, resamples=20)],
        "run": [partial(tg.run, until_plan(treebanks[0]), world / "a.store", until=UNTIL, pool="inline")],
        "score": [
            partial(tg.score, *one, metric="all"),
            partial(tg.score, *one, test="bootstrap", resamples=50),
            partial(tg.score, gold, three, units="sentences", margin=1),
            partial(tg.score, world, *systems, split="test", margin=1),
            partial(tg.score, *one, fresh=str(treebanks[1])),
        ],
        "breakdown": [
            partial(tg.breakdown, *one, by=["deprel"]),
            partial(tg.breakdown, gold, with_simulated_confidence(three["0"], gold, seed=0), calibration=True),
        ],
        "design": [
            partial(tg.design, three, gold=gold, units="sentences"),
            partial(tg.design, *systems, gold=world),
            partial(tg.design, "conll18", difference=3),
        ],
        "rank": [
            partial(tg.rank, "conll18", size=10, subsets=200),
            partial(tg.rank, "conll18", size=10, subsets="all"),
        ],
        "rank compare": [
            partial(tg.rank.compare, "conll18", test=test)
            for test in ("nemenyi", "wilcoxon-holm", "wins", "improvement", "bradley-terry", "profile", "mixed")
        ]
        + [partial(tg.rank.compare, "conll18", test="difference", margin=1.0)],
        "rank outliers": [partial(tg.rank.outliers, "conll18", system=["HIT-SCIR"], size=10, subsets=2000)],
        "leaderboard": [partial(tg.leaderboard, world, {one.name: one for one in systems}, out=None, subsets=50)],
        "certify": [partial(tg.certify, "conll18", claim="HIT-SCIR > TurkuNLP", margin=1.0)],
        "recommend": [partial(tg.recommend, "conll18", size=5, repeats=1, subsets=20)],
        "analyse": [
            partial(tg.analyse, numbers, "las", ["size", "edv"], resamples=50),
            partial(tg.analyse, numbers, "las", "edv", "size", resamples=50),
            partial(tg.analyse, numbers, "las", "edv", resamples=50, method="kendall"),
            partial(tg.analyse, numbers),
            partial(tg.analyse, numbers, "las", on=["edv", "size"]),
            lambda: tg.analyse(numbers, "las", on=["edv", "size"]).predict(numbers),
        ],
        "study": [
            partial(tg.study, "fragility", "conll18", quick=True, subsets=200, out=None),
            partial(tg.study, "edv", "ud25", out=None),
        ],
        "map": [partial(tg.map, treebanks[0], candidates=5, folds=2, **training)],
        "difficulty": [
            partial(tg.difficulty, *treebanks, blocks="20,40", orders=1, **training),
            partial(tg.difficulty, treebanks[0], measure="vinfo", **training),
            partial(tg.difficulty, treebanks[0], measure="mdl", blocks="20,40", orders=2, **training),
        ],
        "curve": [
            partial(tg.curve, counts),
            partial(tg.curve, counts, treebank="each", relative=True),
            partial(tg.curve, counts, at=[500], parser="mst"),
        ],
        "curve complexity": [
            partial(tg.curve.complexity, counts),
            partial(tg.curve.complexity, counts, per="treebank"),
        ],
        "curve equivalent": [partial(tg.curve.equivalent, counts, score=[60.0], parser="mst")],
        "curve advise": [partial(tg.curve.advise, counts, gain=1, treebank="UD_Greek-Two", parser="mst")],
        "transfer": [partial(tg.transfer, *treebanks[:3], leave_one_out=True, **QUICK)],
        "transfer recommend": [partial(tg.transfer.recommend, *treebanks[:3])],
    }


def until_plan(treebank: Path) -> tg.Plan:
    """Two parsers with five seeds each."""
    parsers = [{"name": "mst", "options": {"bits": 12, "label_bits": 10, "epochs": [1, 2]}}]
    return tg.Plan((tg.grid("score", str(treebank), parsers=parsers, seeds=range(5)),))


def keys(value: object, path: str) -> Iterator[str]:
    """Yield the paths of all keys in what JSON holds, without positions in lists."""
    if isinstance(value, dict):
        for key, one in value.items():
            yield f"{path}.{key}"
            yield from keys(one, f"{path}.{key}")
    elif isinstance(value, list | tuple):
        for one in value:
            yield from keys(one, path)


def fields(result: Result) -> set[str]:
    """Return the fields of a result and its parts that hold inference, as ``KIND.FIELD``."""
    found = set()
    for one in result.each():
        found |= {f"{one.kind}.{column}" for column in one.table.columns}
        found |= {ROWS.sub(".", key) for key in keys(one.json_fields(), one.kind)}
    return {field for field in found if INFERENCE.fullmatch(field.rpartition(".")[2]) or match(field, NAMED)}


def match(field: str, patterns) -> bool:
    return any(fnmatchcase(field, pattern) for pattern in patterns)


def kinds(base: type[Result] = Result) -> Iterator[type[Result]]:
    for kind in base.__subclasses__():
        yield kind
        yield from kinds(kind)


def words_of_source(found: set[str]) -> set[str]:
    """Return the words of the source that name inference and are in no field that was found."""
    room_of = {one.kind: one.__module__.split(".")[1] for one in kinds()}
    seen = {room: {*words} for room, words in OTHER_WORDS.items()}
    for field in found:
        kind, *_, name = field.split(".")
        seen.setdefault(room_of[kind], set()).add(name)
    home, unseen = ROOT / "src" / "treegauge", set()
    for path in home.rglob("*.py"):
        room = path.relative_to(home).parts[0]
        if room in {"figures", "reporting", "kernels"}:  # they show what the others made
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            word = node.value if isinstance(node, ast.Constant) else None
            if isinstance(word, str) and INFERENCE.fullmatch(word) and word not in seen.get(room, ()):
                unseen.add(f"{path.relative_to(ROOT)}: {word}")
    return unseen


def covered(field: str, words: str, call) -> bool:
    """Whether a statement of the verb, or of one whose numbers it prints, covers a field."""
    composed = field.partition(".")[0] in COMPOSED
    verbs = STUDIES[call.args[0]] if composed else {words, *BORROWED.get(words, ())}
    patterns = {pattern for made in load().values() if made.verb in verbs for pattern in made.covers}
    if composed:
        return match(field.rpartition(".")[2], {pattern.rpartition(".")[2] for pattern in patterns})
    return match(field, patterns)


def test_every_command_has_an_example_or_prints_no_inference(examples):
    words = {name for verbs in VERBS.values() for name in verbs}
    words |= {
        f"{name} {sub}" for verbs in VERBS.values() for name, command in verbs.items() for sub in command.subverbs
    }
    assert words == set(examples) | WITHOUT
    assert not set(examples) & WITHOUT


def test_what_verbs_print_is_covered(examples):
    made = [(words, call, call()) for words, calls in examples.items() for call in calls]
    printed = [(words, result) for words, _, result in made]
    for words, one in ((words, part) for words, result in printed for part in result.each()):
        if one.kind not in COMPOSED and re.search(r"\bp [=<]|% (confidence )?interval|[^-]significan", one.own_text()):
            assert fields(one), f"{words}: {one.kind} has no field that INFERENCE knows"
    found = {field for _, result in printed for field in fields(result)}
    covers = {pattern for made in load().values() for pattern in made.covers}
    uncovered = {
        f"{words}: {field}"
        for words, call, result in made
        for field in fields(result)
        if not match(field, OTHER) and not covered(field, words, call)
    }
    assert not uncovered, f"no statement of the verb covers these: {', '.join(sorted(uncovered))}"
    shown = {part.kind for _, result in printed for part in result.each()}
    written = {one.kind for one in kinds()} - shown  # only into files, as the words of a map
    idle = {
        pattern
        for pattern in covers
        if pattern.partition(".")[0] not in written and not any(match(one, [pattern]) for one in found)
    }
    assert not idle, f"these cover nothing that is printed: {', '.join(sorted(idle))}"
    unseen = words_of_source(found)
    assert not unseen, f"no example prints these: {', '.join(sorted(unseen))}"


def sentences_with_verdicts(text: str) -> Iterator[str]:
    """Yield the lines with a word of a verdict, without signatures and heads of tables."""
    lines = [*text.splitlines(), ""]
    for line, following in pairwise(lines):
        head = re.fullmatch(r"[- ]*-{2,}[- ]*", following)
        if VERDICTS.search(line) and not head and "treegauge:" not in line:
            yield line


def test_every_verdict_in_a_sentence_is_covered(examples):
    statements, seen, uncovered = load(), set(), set()
    for words, calls in examples.items():
        for part in (part for call in calls for part in call().each()):
            for line in sentences_with_verdicts(part.own_text()):
                found = {pattern for pattern in PROSE if re.search(pattern, line)}
                seen |= found
                if not found and not any(re.search(pattern, line) for pattern in COUNTED):
                    uncovered.add(f"{words}: {line[:200]}")
    assert not uncovered, "no statement covers these sentences:\n" + "\n".join(sorted(uncovered))
    assert not set(PROSE.values()) - set(statements), "no such statements"
    assert len(seen) >= len(PROSE) - 2, sorted(set(PROSE) - seen)
