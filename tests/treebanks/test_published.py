"""Published scores: means as printed, names told apart, nothing compared that cannot be."""

import polars as pl
import pytest

import treegauge as tg
from tests.commands import invoke
from treegauge.core.errors import TreegaugeError

UD25 = ["release=2.5", "input=raw text"]


@pytest.mark.parametrize(
    ("where", "printed"),
    [
        (["system=Trankit large"], 85.49),
        (["system=Trankit base"], 83.69),
        (["system=Stanza", "version=1.3"], 79.04),
        (["system=Stanza", "version=1.5.1"], 79.02),
    ],
)
def test_means_over_treebanks_equal_the_printed_ones(where, printed):
    assert [round(row["LAS"], 2) for row in tg.published(where=where).rows] == [printed]


def test_parsers_on_one_release_are_ranked():
    ranking = tg.rank("published", where=UD25, missing="drop-treebank", subsets=1000)
    systems = ranking.table["system"].to_list()
    assert systems == ["Trankit large", "Trankit base", "Stanza 1.0", "Stanza 1.1.1", "UDPipe 1"]
    frame = tg.data.published().filter(pl.col("input") == "raw text", release="2.5", metric="LAS")
    shared = frame.group_by("treebank").len().filter(pl.col("len") == len(systems))["treebank"].implode()
    means = frame.filter(pl.col("treebank").is_in(shared)).group_by("system", "version").agg(pl.col("score").mean())
    own = sorted(ranking.table["score"].to_list())
    assert own == pytest.approx(sorted(means["score"].to_list()))
    assert "where release=2.5 and input=raw text" in ranking.signature


@pytest.mark.parametrize("name", ["UD_Greek-GDT", "Greek-GDT", "el_gdt", "Greek-GDT@2.5"])
def test_a_treebank_has_many_names(name):
    rows = tg.published(name, where=["release=2.5"]).rows
    assert len(rows) == 7
    assert [row["input"] for row in rows[:5]] == ["raw text"] * 5
    assert [row["LAS"] for row in rows[:5]] == sorted((row["LAS"] for row in rows[:5]), reverse=True)


def test_the_newest_release_comes_first():
    releases = [row["release"] for row in tg.published("UD_English-EWT").rows]
    assert releases[0] == "2.17"
    assert [float(f"{one.split('.')[0]}.{one.split('.')[1]:0>2}") for one in releases] == sorted(
        (float(f"{one.split('.')[0]}.{one.split('.')[1]:0>2}") for one in releases), reverse=True
    )


def test_scores_with_different_input_are_not_ranked_together():
    with pytest.raises(TreegaugeError, match=r"different input \(gold tokens, raw text\).*--where"):
        tg.rank("published", where=["release=2.6", "system=LIMA"])


def test_analyses_take_rows_of_a_long_table():
    result = tg.analyse(
        ["published", "ud25"], "LAS:Trankit large", "log(train_words)", where=["metric=LAS", *UD25], resamples=0
    )
    assert result.rows[0].n > 80


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ("relase=2.5", "unknown column 'relase'; did you mean 'release'"),
        ("release=2.55", "no row meets release=2.55; release has .*2.5"),
        ("release", "expected for example"),
        ("score >= high", "expected a number"),
    ],
)
def test_a_wrong_condition_names_what_there_is(where, message):
    for ask in (tg.rank, tg.analyse):
        with pytest.raises(TreegaugeError, match=message):
            ask("published", where=[where])
    with pytest.raises(TreegaugeError, match=message):
        tg.published(where=[where])


def test_an_unknown_treebank_gets_near_names():
    with pytest.raises(TreegaugeError, match="did you mean 'Greek'"):
        tg.published("Grek")


def release(home, number="2.5", treebanks=(("Greek-GDT", "el_gdt"), ("Tamil-TTB", "ta_ttb"))):
    """Write two gold test sets in folders of a release, and the same text of four kinds of parsers."""
    gold = tg.synthetic(30, seed=4).to_bytes().decode()
    kinds = {
        "tags": gold.replace("\tnsubj\t", "\tobj\t"),
        "tokens": gold.replace("\tNOUN\t", "\tPROPN\t"),
        "raw": with_a_sentence_more(gold),
    }
    for name, code in treebanks:
        folder = home / f"r{number}" / f"UD_{name}"
        folder.mkdir(parents=True)
        (folder / f"{code}-ud-test.conllu").write_text(gold, "utf-8")
        for kind, text in kinds.items():
            (home / kind).mkdir(exist_ok=True)
            (home / kind / f"{code}.conllu").write_text(text, "utf-8")
    return home / f"r{number}"


def with_a_sentence_more(gold):
    """Return the text with the last word of the first sentence as a sentence: segmented by a parser."""
    first, _, rest = gold.partition("\n\n")
    before, _, last = first.rpartition("\n")
    cells = last.split("\t")
    cells[0], cells[6:9] = "1", ["0", "root", "0:root"]
    return "\n\n".join([before, "\t".join(cells), rest])


def printed(treebank, **where):
    """Return scores from the plain file that contributors edit."""
    frame = pl.read_csv("studies/published/scores.csv", infer_schema=False).filter(treebank=treebank, **where)
    return {" ".join(filter(None, pair)): float(score) for *pair, score in frame.select(*APART).rows()}


APART = ("system", "version", "score")
CELL = {"release": "2.5", "metric": "LAS"}


def test_context_is_of_the_same_release_and_input(tmp_path):
    gold = release(tmp_path) / "UD_Greek-GDT" / "el_gdt-ud-test.conllu"
    kinds = {"raw": "raw text", "tokens": "gold tokens", "tags": "gold tokens and tags"}
    for kind, given in kinds.items():
        own = str(tmp_path / kind / "el_gdt.conllu")
        found = tg.score(gold, own, context="published", resamples=0).attached["context"]
        assert {row["input"] for row in found.rows} == {given}
        assert {row["system"]: row["LAS"] for row in found.rows} == printed("Greek-GDT", input=given, **CELL)
    both = tg.score(gold, *(f"{kind}={tmp_path / kind}/el_gdt.conllu" for kind in kinds), context="published")
    assert [line.partition(": ")[0] for line in both.attached["context"].said] == [
        f"LAS of others on Greek-GDT, UD 2.5, {given} (as {kind})" for kind, given in kinds.items()
    ]


def test_context_of_folders_is_the_mean_over_the_same_treebanks(tmp_path):
    gold = release(tmp_path)
    (line,) = tg.score(gold, f"mine={tmp_path / 'raw'}", context="published", resamples=0).attached["context"].said
    one, other = (printed(name, input="raw text", **CELL) for name in ("Greek-GDT", "Tamil-TTB"))
    means = {name: (one[name] + other[name]) / 2 for name in one.keys() & other.keys()}
    assert all(f"{name} {mean:.2f}" in line for name, mean in means.items())
    assert "mean of these 2 treebanks, UD 2.5, raw text" in line


@pytest.mark.parametrize("folder", ["2.55", "mine"])
def test_no_context_without_a_known_release(tmp_path, folder):
    gold = release(tmp_path, folder) / "UD_Greek-GDT" / "el_gdt-ud-test.conllu"
    own = tmp_path / "raw" / "el_gdt.conllu"
    with pytest.raises(TreegaugeError, match="expected the test set of a treebank in a UD release"):
        tg.score(gold, own, context="published")
    with pytest.raises(TreegaugeError, match="unknown context 'publisht'"):
        tg.score(gold, own, context="publisht")


def test_context_is_of_whole_test_sets_under_the_official_convention(tmp_path):
    gold = release(tmp_path) / "UD_Greek-GDT" / "el_gdt-ud-test.conllu"
    with pytest.raises(TreegaugeError, match="official convention"):
        tg.score(gold, tmp_path / "raw" / "el_gdt.conllu", context="published", convention="no-punct")


def test_a_former_option_still_works(tmp_path):
    gold = release(tmp_path) / "UD_Greek-GDT" / "el_gdt-ud-test.conllu"
    words = [str(gold), str(tmp_path / "raw" / "el_gdt.conllu"), "--resamples", "0"]
    former, new = (invoke(["score", *words, *more]) for more in (["--baselines"], ["--context", "baselines"]))
    assert former.stdout == new.stdout
    assert "right-branching" in new.stdout


def test_a_leaderboard_has_rows_of_others(tmp_path):
    gold = release(tmp_path)
    teams = [f"{name}={tmp_path / 'tokens'}" for name in ("mine", "yours")]
    ranked = tg.leaderboard(gold, *teams, "published", out=tmp_path / "out", subsets=10)
    rows = dict(ranked.table.select("system", "score").rows())
    one, other = (printed(name, input="gold tokens", **CELL) for name in ("Greek-GDT", "Tamil-TTB"))
    assert rows.keys() - {"mine", "yours"} == {f"{name} (published)" for name in one.keys() & other.keys()}
    assert rows["UDPipe 1 (published)"] == pytest.approx((one["UDPipe 1"] + other["UDPipe 1"]) / 2)
    assert "with:published" in ranked.signature
    assert "UDPipe 1 (published)" in (tmp_path / "out" / "index.html").read_text("utf-8")
    told = invoke(["leaderboard", str(gold), *teams, "--with", "published", "--out", str(tmp_path / "two")])
    assert told.exit_code == 0
    assert "UDPipe 1 (published)" in told.stdout
    with pytest.raises(TreegaugeError, match="different input"):
        tg.leaderboard(gold, teams[0], f"raw={tmp_path / 'raw'}", "published", out=None)
