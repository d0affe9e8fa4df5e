"""Reading a large CoNLL-U file into memory."""

from typing import Any

from tools.bench.corpus import Corpus
from tools.bench.measuring import Contender, Makers, contest
from tools.bench.tables import Section, faster, took

OURS, FRAME = "treegauge", "treegauge, ten columns"


def treegauge() -> Contender:
    """Index the bytes and check every line and tree; columns are created on first use."""
    from treegauge.treebanks.data.conllu import read_conllu

    return Contender(read_conllu, lambda treebank: treebank.n_words)


def treegauge_frame() -> Contender:
    """Do the same, and create all ten columns of the words."""
    from treegauge.treebanks.data.conllu import read_conllu

    return Contender(lambda path: read_conllu(path).table, lambda frame: frame.height)


def polars() -> Contender:
    """Only split lines at tabs, without sentences, numbers or checks."""
    import polars as pl

    def read(path: str) -> pl.DataFrame:
        schema = {f"column{i}": pl.String() for i in range(10)}
        options: dict[str, Any] = {"separator": "\t", "quote_char": None, "comment_prefix": "#"}
        return pl.read_csv(path, has_header=False, schema=schema, **options)

    return Contender(read, lambda frame: frame["column0"].str.contains(r"^\d+$").sum())


def udpipe() -> Contender:
    """UDPipe's reader, sentence by sentence, all kept."""
    from pathlib import Path

    from ufal.udpipe import InputFormat, ProcessingError, Sentence

    def read(path: str) -> list[Any]:
        reader, error = InputFormat.newConlluInputFormat(), ProcessingError()
        reader.setText(Path(path).read_text(encoding="utf-8"))
        sentences = []
        while True:
            sentence = Sentence()
            if not reader.nextSentence(sentence, error):
                break
            sentences.append(sentence)
        if error.occurred():
            raise SystemExit(error.message)
        return sentences

    # Each sentence has an artificial root among its words.
    return Contender(read, lambda found: sum(s.words.size() - 1 for s in found))


def udapi() -> Contender:
    """Udapi's documents."""
    from udapi.core.document import Document

    def read(path: str) -> Any:
        document = Document()
        document.load_conllu(path)
        return document

    return Contender(read, lambda found: sum(len(b.get_tree().descendants) for b in found))


def udtools() -> Contender:
    """Load as the official scorer does."""
    from udtools.udeval import load_conllu_file

    return Contender(load_conllu_file, lambda found: len(found.words))


def pyconll() -> Contender:
    """Pyconll's sentences."""
    from pyconll.load import load_from_file

    def words(found: Any) -> int:
        return sum(t.id.isdecimal() for sentence in found for t in sentence)

    return Contender(load_from_file, words)


def conllu() -> Contender:
    """Read conllu's sentences with its faster function."""
    from pathlib import Path

    from conllu import parse_incr

    def read(path: str) -> list[Any]:
        with Path(path).open(encoding="utf-8") as file:
            return list(parse_incr(file))

    return Contender(read, lambda found: sum(isinstance(t["id"], int) for s in found for t in s))


def rustling() -> Contender:
    """Read with rustling, which is written in Rust."""
    from rustling.conllu import CoNLLU

    def read(path: str) -> Any:
        return CoNLLU.from_files([path])

    def words(found: Any) -> int:
        return sum(t.id.isdecimal() for sentence in found.sentences() for t in sentence.tokens())

    return Contender(read, words)


def stanza() -> Contender:
    """Stanza's documents, without its models."""
    from stanza.utils.conll import CoNLL

    return Contender(CoNLL.conll2doc, lambda found: found.num_words)


READERS: Makers = {
    OURS: treegauge,
    FRAME: treegauge_frame,
    "polars read_csv": polars,
    "ufal.udpipe": udpipe,
    "udapi": udapi,
    "udtools": udtools,
    "pyconll": pyconll,
    "conllu": conllu,
    "rustling": rustling,
    "stanza": stanza,
}
JOBS = {"reading": READERS}


def run(corpus: Corpus, repeats: int) -> Section:
    """Let the contenders read the gold file."""
    found = contest("reading", "reading", READERS, corpus.gold, small=corpus.small[:1], repeats=repeats)
    rows = [
        [
            name,
            took(one.seconds),
            f"{corpus.size / 1e6 / one.seconds:.1f}",
            f"{one.peak:.0f}",
            f"{one.seconds / found[OURS].seconds:.1f}",
            f"{one.seconds / found[FRAME].seconds:.1f}",
        ]
        for name, one in found.items()
    ]
    targets = []
    for ours in (OURS, FRAME):
        for peer, times in (("conllu", 25), ("udapi", 8), ("ufal.udpipe", 1)):
            targets += faster(peer, ours, found, times)
    text = (
        f"One file into memory: {corpus}. treegauge makes columns on demand; the second row makes "
        "all ten as strings in a polars frame. `polars read_csv` only splits lines at tabs. All "
        f"readers found {corpus.words:,} words."
    )
    head = ("reading", "s", "MB/s", "peak MB", "times treegauge", "times ten columns")
    return Section("Reading", text, head, rows, targets)
