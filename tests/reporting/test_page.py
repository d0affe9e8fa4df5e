"""A page is one file with everything in it; what it says is what the library says."""

import base64
import hashlib
import html
import re

import numpy as np
import pytest

from tests.commands import invoke
from tests.reporting.browsing import page_data
from treegauge.core.errors import TreegaugeError
from treegauge.learning.dynamics.candidates import error_candidates
from treegauge.learning.dynamics.cartography import MapArchive, data_map
from treegauge.learning.dynamics.recording import Recording
from treegauge.measures.measure import measure
from treegauge.ranking.certify import certify
from treegauge.ranking.reading import read_leaderboard
from treegauge.ranking.stability.exact_win_rates import exact_ranks
from treegauge.ranking.stability.win_rates import stability
from treegauge.reporting.inputs import Recorded
from treegauge.reporting.methods import REFERENCES
from treegauge.reporting.page import Section, page
from treegauge.reporting.report import report
from treegauge.reporting.sections import maps
from treegauge.reporting.sections.maps import quantised
from treegauge.scoring.alignment.align import align
from treegauge.scoring.classes.class_scores import class_scores
from treegauge.scoring.evaluation import evaluate
from treegauge.treebanks.data.conllu import read_conllu

SAMPLES = 500
_KINDS = {"u8": "<u1", "u16": "<u2", "u32": "<u4", "f32": "<f4"}


def unpack(packed):
    ((kind, text),) = packed.items()
    return np.frombuffer(base64.b64decode(text), _KINDS[kind])


@pytest.fixture(scope="module")
def text(small):
    return (small / "page.html").read_text()


@pytest.fixture(scope="module")
def data(text):
    return page_data(text)


def test_the_same_inputs_give_the_same_bytes(text, sources):
    again = report(*sources, out=None, subsets=SAMPLES, title="Small <i>page</i>")
    assert again.html == text
    keys = [one.key for one in again.sections]
    assert keys == ["overview", "scores", "ranking", "treebanks", "changes", "maps", "candidates"]


def test_nothing_is_fetched_and_only_the_page_s_own_script_may_run(text):
    assert not re.search(r'\b(src|href)="(?!#|data:image/svg)', text.split("<script>")[0])
    assert "@import" not in text
    assert "url(" not in text
    code = text.rpartition("<script>")[2].rpartition("</script>")[0]
    digest = base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in text
    rules = text.partition("<style>")[2].partition("</style>")[0]
    digest = base64.b64encode(hashlib.sha256(rules.encode()).digest()).decode()
    assert f"style-src 'sha256-{digest}'" in text
    assert " style=" not in text.partition("<script")[0], "the policy forbids it"
    assert len(re.findall(r"<script>", text)) == 1


def test_texts_of_users_never_become_markup(text):
    # The forms stand in the data, their angle brackets as escapes.
    assert "window.hacked=1" in text
    assert "<script>window" not in text
    assert "</script><b>" not in text
    assert "<b>beta" not in text
    assert "&lt;b&gt;beta" in text
    assert "<title>Small &lt;i&gt;page&lt;/i&gt;</title>" in text


def test_every_section_belongs_to_a_view(text, data):
    parts = ["overview", "scores", "ranking", "treebanks", "changes", "maps", "candidates"]
    assert list(data) == ["page", *parts]
    homes = re.findall(r'<section data-view="(\w+)"', text)
    assert homes == ["systems" if one == "scores" else one for one in parts]
    assert data["page"]["treebanks"] == ["UD_Small-Test"]
    assert data["page"]["systems"] == ["alpha", "<b>beta"]


def test_scores_are_those_of_the_library(data, small):
    gold = read_conllu(small / "UD_Small-Test", split="test")
    systems = {"alpha": small / "alpha.conllu", "<b>beta": small / "beta.conllu"}
    scores = evaluate(gold, systems)
    (one,) = data["scores"]["treebanks"]
    assert one["systems"] == list(systems)
    for metric in one["metrics"]:
        for shown, name in zip(metric["systems"], systems, strict=True):
            expected = scores[name][metric["name"]]
            assert shown["f1"] == expected.f1
            interval = shown["interval"] and tuple(shown["interval"])
            assert interval == expected.interval
    assert len(one["tests"]) == 1


def test_a_cell_leads_to_the_words_that_went_wrong(data, small):
    (one,) = data["scores"]["treebanks"]
    gold = read_conllu(small / "UD_Small-Test", split="test")
    cells = class_scores(align(gold, read_conllu(small / "alpha.conllu")), by="upos")
    row = next(r for r in one["breakdowns"][1]["rows"] if r["class"] == "NOUN")
    every = [(place.sent_id, list(place.words)) for place in cells.errors("NOUN", limit=1000)]
    shown = [(one["gold"]["id"][i], words) for i, words in row["systems"][0]["examples"]]
    assert shown[:8] == every[:8]
    # Further ones are of sentences in which one system alone is right.
    assert len(shown) > 8 and all(place in every for place in shown)
    found = dict(cells.table.select("class", "f1").iter_rows())
    assert row["systems"][0]["f1"] == found["NOUN"]


def test_heads_of_a_system_are_told_as_places_in_the_gold_sentence(data, small):
    (one,) = data["scores"]["treebanks"]
    gold = read_conllu(small / "UD_Small-Test", split="test")
    system = read_conllu(small / "alpha.conllu")
    ids = one["gold"]["id"]
    kept = np.isin(np.array(gold.metadata("sent_id")), ids)[gold.sentence_of]
    expected = system.head[kept]  # the imaginary parser keeps the words as they are
    assert (unpack(one["parsed"][0]["head"]).astype(int) - 1).tolist() == expected.tolist()


def test_ranks_are_those_of_the_library(data, small):
    scores = read_leaderboard(small / "scores.csv")
    found = data["ranking"]["boards"][0]
    counted = exact_ranks(scores, size=found["sizes"])
    n = len(scores.systems)
    means = unpack(found["means"]).reshape(-1, n)
    above = unpack(found["above"]).reshape(-1, n, n)
    boxes = unpack(found["boxes"]).reshape(-1, n, 5)
    for at, size in enumerate(found["sizes"]):
        np.testing.assert_allclose(means[at], counted.mean_ranks(size)[0], rtol=1e-6)
        wins = counted.wins[at].astype(float) / counted.subsets(size)
        np.testing.assert_allclose(above[at], wins, rtol=1e-6)
        assert int(found["numbers"][at]) == counted.subsets(size)
    at = found["sizes"].index(5)
    drawn = stability(scores, size=5, subsets=SAMPLES)
    table = {row["system"]: row for row in drawn.table.to_dicts()}
    for s, name in enumerate(scores.systems):
        names = ("best", "q1", "median", "q3", "worst")
        assert boxes[at, s].tolist() == [table[name][k] for k in names]
    order = scores.table["system"].to_list()
    assert found["claims"][0]["text"] == certify(scores, claim=f"{order[0]} > {order[1]}").evidence


def test_measures_are_those_of_the_library(data, small):
    found = measure("all", small / "UD_Small-Test")
    (row,) = data["treebanks"]["treebanks"]
    for one in found.measured:
        if not isinstance(one.value, dict):
            assert row["values"][one.measure] == one.value
    shares = found["displacements"]
    drawn = data["treebanks"]["displacements"]["UD_Small-Test"]
    assert drawn[data["treebanks"]["reach"] + 1] == shares["1"]
    assert any(f["check"] for f in data["treebanks"]["audits"][0]["findings"])


def test_maps_hold_confidence_and_variability(data, small):
    found = data_map(Recording.load(small / "training.npz"))
    (one,) = data["maps"]["maps"]
    for layer in ("head", "relation"):
        packed = one["layers"][layer]
        for name in ("confidence", "variability"):
            values = getattr(found, name)[layer]
            assert unpack(packed[name]).tolist() == quantised(values).tolist()
            np.testing.assert_allclose(unpack(packed[name]) / 65535, values, atol=1e-5)
        regions = [one["regions"][i] for i in unpack(packed["region"])]
        assert regions == found.region(layer).tolist()


def test_of_a_large_map_whole_sentences_are_kept(small, monkeypatch):
    recording = Recording.load(small / "training.npz")
    train = read_conllu(small / "UD_Small-Test", split="train")
    monkeypatch.setattr(maps, "MOST", 300)
    monkeypatch.setattr(maps, "CANDIDATES", 3)
    section = maps.maps_section([Recorded(MapArchive((recording,)), train)])
    (one,) = section.data["maps"]
    ids = one["words"]["id"]
    kept = np.isin(np.array(train.metadata("sent_id")), ids)
    assert 200 < train.lengths[kept].sum() <= 300
    assert one["total"] == train.n_words
    words = kept[train.sentence_of]
    found = data_map(recording)
    expected = quantised(found.confidence["head"])[words].tolist()
    assert unpack(one["layers"]["head"]["confidence"]).tolist() == expected
    assert one["values"] == found.values, "shares are those of all words"
    suspects = error_candidates(recording, train, count=3).words
    assert all(words[c.number] for c in suspects), "sentences with candidates are kept"


def test_methods_tell_how_each_number_was_made(text):
    methods = text[text.index('id="methods-text"') :]
    for name in ("F1 of the metrics", "Paired tests", "Mean ranks", "Certificates", "EDV"):
        article = methods[methods.index(name) :].partition("</article>")[0]
        assert "treegauge:0" in article, f"{name} has a signature"
        assert "<dt>Command</dt>" in article
    for key in ("zeman2018", "fragility", "edv", "difficulty"):
        assert html.escape(REFERENCES[key]["bibtex"]) in methods
    assert methods.count("<math") >= 6


def test_every_bibtex_entry_is_whole():
    for reference in REFERENCES.values():
        assert reference["bibtex"].startswith("@")
        assert reference["bibtex"].count("{") == reference["bibtex"].count("}")
        for field in ("author", "title", "year"):
            assert f"  {field} = {{" in reference["bibtex"]


def test_a_section_without_data_still_has_its_tables():
    text = page("t", "i", [Section("a", "A", "below")])
    assert 'id="data-a"' not in text
    assert '<section data-view="a"' in text


def test_the_command_writes_the_page(small, sources, tmp_path):
    target = tmp_path / "x.html"
    arguments = ["report", sources[3], "-o", str(target), "--subsets", "200", "--title", "T"]
    result = invoke(arguments)
    assert result.exit_code == 0, result.output
    assert str(target) in result.output
    assert "<title>T</title>" in target.read_text()


def test_nothing_to_show_is_told(tmp_path):
    with pytest.raises(TreegaugeError, match="no such file"):
        report(str(tmp_path / "none"), out=None)
