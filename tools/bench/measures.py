"""Measures of treebanks, from files to numbers, compared with combinations of packages."""

from typing import Any

from tools.bench.corpus import Corpus
from tools.bench.measuring import Contender, Makers, contest
from tools.bench.tables import VERSUS, Section, versus

OURS = "treegauge"
LIMIT = 30
CHUNK = 1000
MATRICES, WORDS = 20, 40


def edv() -> Contender:
    """Read both files and compare their displacements."""
    from treegauge.measures.displacement import edv as distance
    from treegauge.treebanks.data.conllu import read_conllu

    return Contender(lambda a, b: distance(read_conllu(a), read_conllu(b)), float)


def edv_conllu() -> Contender:
    """Read with conllu, compare with scipy."""
    from pathlib import Path

    from conllu import parse_incr

    def arcs(path: str) -> list[int]:
        with Path(path).open(encoding="utf-8") as file:
            return [
                word["id"] - word["head"]
                for sentence in parse_incr(file)
                for word in sentence
                if isinstance(word["id"], int) and word["head"]
            ]

    return _with_scipy(arcs)


def edv_udapi() -> Contender:
    """Read with udapi, compare with scipy."""
    from udapi.core.document import Document

    def arcs(path: str) -> list[int]:
        document = Document()
        document.load_conllu(path)
        return [node.ord - node.parent.ord for node in document.nodes if node.parent.ord]

    return _with_scipy(arcs)


def edv_udpipe() -> Contender:
    """Read with UDPipe, compare with scipy."""
    from tools.bench.reading import udpipe

    read = udpipe().action

    def arcs(path: str) -> list[int]:
        return [word.id - word.head for sentence in read(path) for word in sentence.words if word.id and word.head]

    return _with_scipy(arcs)


def _with_scipy(arcs: Any) -> Contender:
    from scipy.stats import wasserstein_distance

    def run(train: str, test: str) -> float:
        sides = [[d for d in arcs(path) if abs(d) <= LIMIT] for path in (train, test)]
        return float(wasserstein_distance(*sides))

    return Contender(run, float)


def sttr() -> Contender:
    """Read the file and average the type/token ratio over chunks."""
    from treegauge.measures.vocabulary import standardised_ttr
    from treegauge.treebanks.data.conllu import read_conllu

    return Contender(lambda path: standardised_ttr(read_conllu(path), chunk=CHUNK), float)


def sttr_lexicalrichness() -> Contender:
    """Read with pyconll, let lexicalrichness do the same."""
    from lexicalrichness import LexicalRichness
    from pyconll.load import load_from_file

    def run(path: str) -> float:
        found = load_from_file(path)
        words = [t.form for sentence in found for t in sentence if t.id.isdecimal()]
        text = LexicalRichness(words, preprocessor=None, tokenizer=None)
        return float(text.msttr(segment_window=CHUNK))

    return Contender(run, float)


def crooked() -> Contender:
    """Read the file and count non-projective arcs."""
    from treegauge.measures.structure import nonprojective_share
    from treegauge.treebanks.data.conllu import read_conllu

    return Contender(lambda path: nonprojective_share(read_conllu(path)), float)


def crooked_udapi() -> Contender:
    """Let udapi do the same."""
    from udapi.core.document import Document

    def run(path: str) -> float:
        document = Document()
        document.load_conllu(path)
        found = [node.is_nonprojective() for node in document.nodes if node.parent.ord]
        return float(sum(found) / len(found))

    return Contender(run, float)


def everything() -> Contender:
    """Read two files and compute every measure of both and of the pair."""
    from treegauge.measures.measure import measure

    return Contender(lambda a, b: measure("all", a, b), lambda _: None)


def tree() -> Contender:
    """Find the best tree of each matrix of arc scores."""
    from treegauge.treebanks.data.decoding import spanning_tree

    scores = _matrices()
    return Contender(
        lambda: [spanning_tree(one) for one in scores],
        lambda trees: sum(
            float(one[heads, range(1, WORDS + 1)].sum()) for one, heads in zip(scores, trees, strict=True)
        ),
    )


def tree_networkx() -> Contender:
    """Let networkx do the same."""
    from networkx import DiGraph, maximum_spanning_arborescence

    scores = _matrices()

    def run() -> Any:
        found = []
        for one in scores:
            graph = DiGraph()
            graph.add_weighted_edges_from(
                (h, d, one[h, d] - (1000 if h == 0 else 0))  # one root, as ours
                for h in range(WORDS + 1)
                for d in range(1, WORDS + 1)
                if h != d
            )
            found.append(maximum_spanning_arborescence(graph))
        return found

    def total(trees: Any) -> float:
        return float(sum(one[h, d] for one, tree in zip(scores, trees, strict=True) for h, d in tree.edges))

    return Contender(run, total)


def _matrices() -> Any:
    import numpy as np

    return np.random.default_rng(0).standard_normal((MATRICES, WORDS + 1, WORDS + 1))


EDV, STTR, CROOKED = "EDV of two files", "STTR of a file", "non-projective arcs of a file"
TREE = f"best trees of {MATRICES} x {WORDS} words"
ALL = "all measures of two files"
JOBS: dict[str, Makers] = {
    EDV: {OURS: edv, "ufal.udpipe and scipy": edv_udpipe, "udapi and scipy": edv_udapi, "conllu and scipy": edv_conllu},
    STTR: {OURS: sttr, "pyconll and lexicalrichness": sttr_lexicalrichness},
    CROOKED: {OURS: crooked, "udapi": crooked_udapi},
    ALL: {OURS: everything},
    TREE: {OURS: tree, "networkx": tree_networkx},
}
FILES = {EDV: 2, STTR: 1, CROOKED: 1, ALL: 2, TREE: 0}


def run(corpus: Corpus, repeats: int) -> Section:
    """Let the contenders measure a tenth of the corpus."""
    rows = []
    for job, makers in JOBS.items():
        given, small = (pair[: FILES[job]] for pair in (corpus.tenth, corpus.small))
        rows += versus(job, contest("measures", job, makers, *given, small=small, repeats=repeats))
    megabytes, words = corpus.tenth[0].stat().st_size / 1e6, _words(corpus)
    text = (
        f"From files of {megabytes:.1f} MB ({words:,} words) to numbers, which agree. EDV: "
        f"displacements up to {LIMIT}; STTR: chunks of {CHUNK:,} words; best trees: "
        "Chu-Liu/Edmonds with one root, from random matrices."
    )
    return Section("Measuring", text, VERSUS, rows)


def _words(corpus: Corpus) -> int:
    """Count the words of the tenth in a separate process, so that this one reads no treebank."""
    lines = corpus.tenth[0].read_bytes().split(b"\n")
    return sum(line.split(b"\t", 1)[0].isdigit() for line in lines)
