"""Every verb and option with hostile values: clear errors, and inputs that stay as they are."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from studies.corrections.injected_errors import inject_errors
from tests.commands import invoke
from treegauge.cli.commands import find_verb, verb_options
from treegauge.cli.verbs import VERBS
from treegauge.core.errors import TreegaugeError
from treegauge.experiments.run import run
from treegauge.parsing.options import read_options
from treegauge.parsing.registry import find_parser
from treegauge.parsing.train import train
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.conllu import write_conllu

BAD_NAME, HUGE = "\udcff", "99999999999999999999"
HOSTILE = {int: (HUGE, "-1"), float: ("nan", "1e999"), str: ("", " ", BAD_NAME)}
#: The arguments of commands that would work, with as little to do as possible.
WORDS = {
    "check": "gold.conllu", "agree": "gold.conllu sys.conllu", "audit": "UD_X-Y",
    "triage": "gold.conllu sys.conllu --gold gold.conllu",
    "diff": "gold.conllu sys.conllu", "review": "gold.conllu --parsers sys.conllu", "measure": "sentences gold.conllu",
    "show": "gold.conllu",
    "split": "UD_X-Y/x_y-ud-train.conllu --out sets --no-documents",
    "convert": "gold.conllu --out copy.conllu", "fetch": "UD_X-Y --from UD_X-Y --into ud",
    "catalogue": "UD_X-Y", "score": "gold.conllu sys.conllu",
    "breakdown": "gold.conllu sys.conllu",
    "vote": "gold.conllu a=sys.conllu b=gold.conllu --out voted.conllu",
    "design": "a=good.conllu b=poor.conllu --gold many.conllu --units sentences", "rank": "scores.csv --subsets 5",
    "rank compare": "scores.csv", "rank outliers": "scores.csv --system S1 --subsets 5",
    "leaderboard": "gold teams --out board --subsets 5",
    "certify": "scores.csv --claim S0>S1 --subsets 5", "published": "Greek-GDT",
    "study": "fragility scores.csv --subsets 5 --out made",
    "recommend": "scores.csv --size 2 --subsets 5 --repeats 1",
    "analyse": "table.csv --target y --of x",
    "train": "mst gold.conllu --out new.model --option epochs=1",
    "parse": "m.model gold.conllu --out parsed.conllu",
    "tag": "gold.conllu --out tagged --folds 2 --tagger perceptron --iterations 1",
    "map": "gold.conllu --epochs 2",
    "difficulty": "UD_X-Y --epochs 1 --orders 1 --blocks 2,4",
    **dict.fromkeys(("curve", "curve counts", "curve complexity"), "counts.csv"),
    "curve equivalent": "counts.csv --score 50",
    "curve advise": "gold.conllu --budget 3 --sentences sys.conllu",
    "transfer": "gold.conllu sys.conllu",
    "transfer recommend": "gold.conllu sys.conllu", "run": "plan.toml --dry-run",
    "results": "store", "store": "store", "store merge": "store other", "store gc": "store --dry-run",
    "report": "a=sys.conllu --gold gold.conllu --subsets 5", "demo": "--subsets 5",
}  # fmt: skip


def commands() -> Iterator[str]:
    for verbs in VERBS.values():
        for name, command in verbs.items():
            yield name
            yield from (f"{name} {sub}" for sub in command.subverbs)


@pytest.fixture(scope="module")
def bench(tmp_path_factory) -> Path:
    """A folder with one small input of each kind."""
    home = tmp_path_factory.mktemp("bench")
    gold = synthetic(8, seed=1)
    for folder in ("UD_X-Y", "gold", "teams/A", "teams/B"):
        (home / folder).mkdir(parents=True)
        write_conllu(gold, home / folder / "x_y-ud-test.conllu")
    for part in ("train", "dev"):
        write_conllu(gold, home / "UD_X-Y" / f"x_y-ud-{part}.conllu")
    write_conllu(gold, home / "gold.conllu")
    write_conllu(gold, home / "sys.conllu")
    many = synthetic(40, seed=2)
    write_conllu(many, home / "many.conllu")
    for system, share in (("good", 0.1), ("poor", 0.3)):
        write_conllu(inject_errors(many, share, seed=1).treebank, home / f"{system}.conllu")
    rows = [f"{t},S{s},{50 + 7 * t + s + t * s % 3}" for t in range(6) for s in range(6)]
    (home / "scores.csv").write_text("\n".join(["treebank,system,las", *rows]) + "\n")
    rows = [f"t{i},{i},{i * i % 7},{i % 3 + 3}" for i in range(12)]
    (home / "table.csv").write_text("\n".join(["treebank,x,y,length", *rows]) + "\n")
    header = "treebank,parser,size,sample,class,correct,total"
    sizes = [(n, k) for n in (50, 100, 200, 400) for k in (0, 1)]
    rows = [f"t,mst,{n},{k},{c},{20 + n // 10 + k},100" for n, k in sizes for c in ("all", "a", "b")]
    (home / "counts.csv").write_text("\n".join([header, *rows]) + "\n")
    train("mst", gold, out=home / "m.model", option={"epochs": 1})
    plan = '[plan]\nname = "p"\ntask = "score"\ntreebanks = ["UD_X-Y"]\nparsers = ["mst"]\n'
    (home / "plan.toml").write_text(plan)
    for store in ("store", "other"):
        run(home / "plan.toml", store=home / store, root=home, pool="inline")
    return home


def digests(home: Path) -> dict[str, str]:
    """Return the checksum of every input."""
    return {
        str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(home.rglob("*")) if path.is_file()
    }


def hostile_words(words: str) -> Iterator[list[str]]:
    """Yield command lines with one hostile value each; all of them are refused before any work."""
    known = WORDS[words].split()
    options = [one for one in verb_options(*words.split()) if one.name != "fmt"]
    for option in options:
        values = HOSTILE.get(option.kind, ())
        if option.flags:
            yield from ([*known, f"{option.flags[0]}={value}"] for value in values)
        elif known and not known[0].startswith("-"):
            yield from ([value, *known[1:]] for value in values if value[:1] != "-")


def test_every_command_is_tried():
    assert list(commands()) == [*dict.fromkeys(commands())]
    assert set(commands()) == set(WORDS)


@pytest.mark.parametrize("words", WORDS)
def test_hostile_values_are_refused_with_a_message(words, bench, monkeypatch):
    monkeypatch.chdir(bench)
    before = digests(bench)
    for line in hostile_words(words):
        done = invoke([*words.split(), *line])
        assert done.exit_code == 2, (line, done)
        assert "error: " in done.stderr, line
    assert digests(bench) == before


@pytest.mark.parametrize("words", WORDS)
def test_an_output_that_is_an_input_is_refused_even_by_force(words, bench, monkeypatch):
    monkeypatch.chdir(bench)
    before = digests(bench)
    inputs = [word.partition("=")[2] or word for word in WORDS[words].split()]
    victims = [bench / word for word in inputs if (bench / word).is_file()]
    victims += [
        path for word in inputs if (bench / word).is_dir() for path in (bench / word).rglob("*.[cs]*") if path.is_file()
    ]
    outputs = {"out", "plot", *find_verb(*words.split())[0].outputs}
    for option in verb_options(*words.split()):
        if option.name in outputs and option.flags:
            for victim in victims:
                line = [*words.split(), *WORDS[words].split(), option.flags[0], victim, "--force"]
                done = invoke(line)
                assert done.exit_code == 2, (line, done)
                assert "error: " in done.stderr, line
    assert digests(bench) == before


@pytest.mark.parametrize(
    ("option", "limit"),
    [
        (f"threads={HUGE}", "from 1 to 1024"), ("threads=0", "at least 1"),
        (f"batch_tokens={HUGE}", "to 1e+12"), ("clip=nan", "of at least 0"),
        (f"epochs={HUGE}", "from 1 to"),
    ],
)  # fmt: skip
def test_options_of_parsers_have_limits(option, limit):
    with pytest.raises(TreegaugeError) as caught:
        read_options(find_parser("biaffine").options, [option])
    assert limit in str(caught.value)


@pytest.mark.parametrize(
    "line",
    [
        f"workers = {HUGE}", f"retries = {HUGE}", f'timeout = "{HUGE}h"', f'memory = "{HUGE}TB"',
        "workers = -1", 'pool = ""', 'timeout = "721h"',
    ],
)  # fmt: skip
def test_numbers_and_names_in_plans_have_limits(line, bench, tmp_path):
    plan = tmp_path / "p.toml"
    plan.write_text((bench / "plan.toml").read_text() + f"[run]\n{line}\n")
    with pytest.raises(TreegaugeError, match=r"p.toml|found '|unknown pool"):
        run(plan, root=bench, dry_run=True)
