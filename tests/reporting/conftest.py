"""Pages and a browser, each made once however many workers there are."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import treegauge as tg
from treegauge.parsing.registry import make_parser
from treegauge.ranking.reading import read_leaderboard
from treegauge.reporting.report import report
from treegauge.testing.simulated_parser import Accuracy, simulated_parse
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.conllu import parse_conllu, read_conllu, write_conllu

SAMPLES = 500


def nasty(text: str) -> str:
    """Put forms that look like markup into the first sentence."""
    lines = text.split("\n")
    rows = [i for i, line in enumerate(lines) if line[:2] in {"1\t", "2\t", "3\t"}][:3]
    forms = ["<script>window.hacked=1</script>", "</script><b>&amp;", '"><img src=x>']
    for i, form in zip(rows, forms, strict=True):
        parts = lines[i].split("\t")
        parts[1] = form
        lines[i] = "\t".join(parts)
    return "\n".join(line for line in lines if not line.startswith("# text"))


def make_files(out: Path) -> None:
    """Write a little of everything."""
    folder = out / "UD_Small-Test"
    folder.mkdir()
    for number, (part, size) in enumerate({"train": 60, "dev": 15, "test": 40}.items()):
        text = synthetic(size, seed=number + 1, prefix=part).to_bytes().decode()
        treebank = parse_conllu(nasty(text), name=part)
        write_conllu(treebank, folder / f"xx_test-ud-{part}.conllu")
        if part == "train":
            train = treebank
    gold = (folder / "xx_test-ud-test.conllu").read_text()
    for number, (name, quality) in enumerate({"alpha": 0.9, "beta": 0.8}.items()):
        parsed = simulated_parse(gold, Accuracy(heads=quality), seed=number)
        write_conllu(parse_conllu(parsed), out / f"{name}.conllu")
    table = read_leaderboard("conll18")
    few = table.select(systems=table.table["system"][:6].to_list(), treebanks=table.treebanks[:14])
    few.cells.write_csv(out / "scores.csv")
    tg.map(train, epochs=3, recording=out / "training.npz")


def inputs(out: Path) -> list[str]:
    """Return what the page of :func:`make_files` is made of."""
    return [
        str(out / "UD_Small-Test"),
        f"alpha={out / 'alpha.conllu'}",
        f"<b>beta={out / 'beta.conllu'}",
        str(out / "scores.csv"),
        str(out / "training.npz"),
    ]


@pytest.fixture(scope="session")
def small(once: Any) -> Path:
    """A folder with files of every kind, and ``page.html`` made of them."""

    def make(out: Path) -> None:
        make_files(out)
        report(*inputs(out), out=out / "page.html", subsets=SAMPLES, title="Small <i>page</i>")

    return once("report_small", make)


TREEBANKS = ("UD_One-A", "UD_Two-B", "UD_Three-C")
QUALITY = {"high": 0.93, "middle": 0.9, "low": 0.75}


@pytest.fixture(scope="session")
def scored(once: Any) -> Path:
    """A folder with ``page.html`` of three systems on three treebanks; the last lacks a system."""

    def make(out: Path) -> None:
        for number, name in enumerate(TREEBANKS):
            text = synthetic(60, seed=number, prefix=name).to_bytes().decode()
            gold = re.sub(r"# new(doc|par).*\n", "", text)  # so that sentences are the units
            file = f"{name[3:].lower().replace('-', '_')}-ud-test.conllu"
            (out / name).mkdir()
            (out / name / file).write_text(gold)
            for seed, (system, quality) in enumerate(QUALITY.items()):
                if system == "low" and name == TREEBANKS[-1]:
                    continue
                (out / system).mkdir(exist_ok=True)
                parsed = simulated_parse(gold, Accuracy(heads=quality), seed=10 * number + seed)
                (out / system / file).write_text(parsed)
        given = [out / name for name in (*TREEBANKS, *QUALITY)]
        report(*given, out=out / "page.html", subsets=200, title="Three systems")

    return once("report_scored", make)


@pytest.fixture(scope="session")
def sources(small: Path) -> list[str]:
    """What the page in `small` is made of."""
    return inputs(small)


@pytest.fixture(scope="session")
def real(once: Any, ud: Path) -> Path:
    """A folder with ``page.html`` made of a real treebank and two parsers of it."""
    home = ud / "r2.5" / "UD_Greek-GDT"

    def make(out: Path) -> None:
        train, test = (read_conllu(home, split=part) for part in ("train", "test"))
        for epochs in (1, 2):
            model = make_parser("mst", epochs=epochs, label_epochs=1).fit(train[:150], seed=0)
            write_conllu(model.parse(test[:120]), out / f"mst{epochs}.conllu")
        write_conllu(test[:120], out / "gold.conllu")
        # An extract of another treebank than the one above, whose incomplete output it would be.
        other = read_conllu(ud / "r2.5" / "UD_Wolof-WTB", split="train")
        write_conllu(other[:400], out / "few.conllu")
        few = read_conllu(out / "few.conllu")
        tg.map(few, epochs=2, option={"rate": 0.02}, recording=out / "training.npz")
        files = [str(out / f"{name}.conllu") for name in ("mst1", "mst2", "few")]
        gold = out / "gold.conllu"
        report(str(home), *files, out / "training.npz", gold=gold, out=out / "page.html")

    return once("report_real", make)


class Tab:
    """A page in the browser, and everything it complained about or asked for."""

    def __init__(
        self, browser: Any, file: Path, link: str = "", script: str = "", slow: int = 1, **options: Any
    ) -> None:
        self.context = browser.new_context(accept_downloads=True, **options)
        self.context.add_init_script(script)
        self.page = self.context.new_page()
        if slow > 1:
            session = self.context.new_cdp_session(self.page)
            session.send("Emulation.setCPUThrottlingRate", {"rate": slow})
        self.page.set_default_timeout(30_000)  # a busy machine is no fault of the page
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda said: self.complaints.append(said.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda asked: self.requests.append(asked.url))
        self.page.goto(f"{file.resolve().as_uri()}{link}")

    def close(self) -> None:
        """End, and see that nothing went wrong on the way."""
        hacked = self.page.evaluate("window.hacked")
        self.context.close()
        assert self.complaints == []
        assert len(self.requests) == 1, self.requests
        assert hacked is None


@pytest.fixture
def tab(browser: Any) -> Iterator[Callable[..., Any]]:
    """Open pages; each must stay silent and load nothing."""
    opened: list[Tab] = []

    def open_tab(file: Path, link: str = "", **options: Any) -> Any:
        opened.append(Tab(browser, file, link, **options))
        return opened[-1].page

    yield open_tab
    for one in opened:
        one.close()
