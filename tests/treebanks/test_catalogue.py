"""The catalogue: what is found in folders, what is counted, what is chosen and why not."""

import csv
import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studies.treebanks import TREEBANKS, treebank_folders
from treegauge import data
from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.treebanks.catalogue import catalogue
from treegauge.treebanks.data import trees
from treegauge.treebanks.data.conllu import read_conllu
from treegauge.treebanks.sources.entries import licence_in, read_metadata
from treegauge.treebanks.sources.languages import code_of, language_of, languages, release_key, take_apart

README = """# Summary
License: not this one, it stands before the block

=== Machine-readable metadata (DO NOT REMOVE!) ================================
Data available since: UD v1.1
License: {licence}
Includes text: yes
Genre: news wiki
Lemmas: manual native
Relations: {relations}
Contributors: Somebody
===============================================================================
"""


def sentence(words=3, *, lemma="l", feats="A=B", xpos="x", heads=None):
    """Return a sentence whose words all hang on the first, or on the heads given."""
    heads = heads or [0] + [1] * (words - 1)
    rows = [
        f"{i}\tw{i}\t{lemma}\tX\t{xpos}\t{feats}\t{head}\t{'root' if head == 0 else 'dep'}\t_\t_"
        for i, head in enumerate(heads, 1)
    ]
    return "\n".join(rows) + "\n\n"


CROSSED = sentence(heads=[3, 4, 0, 3])


def put(root, name, code, parts, **metadata):
    """Write a treebank; `parts` maps the middle of file names to texts."""
    folder = root / name
    folder.mkdir(parents=True)
    for part, text in parts.items():
        (folder / f"{code}-ud-{part}.conllu").write_text(text)
    if metadata:
        (folder / "README.md").write_text(README.format(**metadata))
    return folder


@pytest.fixture
def shelf(tmp_path):
    """Two releases, one of them under its other kind of name."""
    old, new = tmp_path / "r2.5", tmp_path / "ud-treebanks-v2.10"
    put(old, "UD_Greek-GDT", "el_gdt", {"train": sentence() * 4, "test": sentence()})
    put(
        new, "UD_Greek-GDT", "el_gdt",
        {"train": sentence() * 3 + CROSSED, "dev": sentence(2), "test": sentence(1)},
        licence="CC BY-NC-SA 3.0", relations="converted from manual",
    )  # fmt: skip
    put(
        new, "UD_Greek-Other", "el_other", {"train": sentence(feats="_", lemma="_") * 50},
        licence="CC BY-SA 4.0", relations="automatic",
    )  # fmt: skip
    put(new, "UD_Upper_Sorbian-UFAL", "hsb_ufal", {"train-a": sentence(), "train-b": sentence(5)})
    put(new, "UD_Klingon-Home", "tlh_home", {"test": sentence(2, xpos="_")})
    (new / ".git").mkdir()
    (new / "tools").mkdir()
    return tmp_path


# --------------------------------------------------------------------------- what is found


def test_releases_and_names(shelf):
    assert [str(entry) for entry in catalogue(shelf, count=False)] == [
        "UD_Greek-GDT@2.5", "UD_Greek-GDT@2.10", "UD_Greek-Other@2.10", "UD_Klingon-Home@2.10",
        "UD_Upper_Sorbian-UFAL@2.10",
    ]  # fmt: skip


@pytest.mark.parametrize("root", ["r2.5", "r2.5/UD_Greek-GDT"])
def test_a_release_or_a_treebank_may_be_the_root(shelf, root):
    (entry,) = catalogue(shelf / root)
    assert (str(entry), entry.code, entry.total.words) == ("UD_Greek-GDT@2.5", "el_gdt", 15)


def test_the_working_folder_knows_its_release(shelf, monkeypatch):
    monkeypatch.chdir(shelf / "r2.5")
    assert str(catalogue(".", count=False).find("Greek")) == "UD_Greek-GDT@2.5"


def test_treebanks_without_a_release(tmp_path):
    put(tmp_path / "mine", "UD_Greek-GDT", "el_gdt", {"test": sentence()})
    entry = catalogue(tmp_path / "mine").find("el_gdt")
    assert entry.release is None
    with pytest.raises(ChoiceError, match="unknown release"):
        catalogue(tmp_path / "mine").find("el_gdt@2.9")


def test_counts_are_those_of_hand(shelf):
    row = catalogue(shelf).find("UD_Greek-GDT@2.10").row()
    expected = {
        "train_sentences": 4, "train_words": 13, "dev_sentences": 1, "dev_words": 2,
        "test_sentences": 1, "test_words": 1, "sentences": 6, "words": 16,
        "text": 1.0, "lemmas": 1.0, "features": 1.0, "xpos": 1.0, "nonprojective": 1 / 6,
        "language": "Greek", "family": "Indo-European", "licence": "CC BY-NC-SA 3.0",
        "genre": "news wiki", "annotation": "converted from manual", "problem": None,
    }  # fmt: skip
    assert {key: row[key] for key in expected} == expected


def test_a_part_in_several_files_is_one(shelf):
    entry = catalogue(shelf).find("hsb_ufal")
    assert (entry.total.sentences, entry.total.words) == (2, 8)
    assert len(entry.read("train")) == 2


def test_missing_parts_are_missing_not_zero(shelf):
    row = catalogue(shelf).find("tlh_home").row()
    assert row["train_words"] is None and row["test_words"] == 2
    assert (row["family"], row["genus"], row["licence"]) == ("unknown",) * 3
    assert row["xpos"] == 0.0


def test_a_treebank_without_words_has_no_shares(tmp_path):
    put(tmp_path, "UD_Greek-GDT", "el_gdt", {"test": ""})
    row = catalogue(tmp_path).find("Greek").row()
    assert row["words"] == 0 and row["lemmas"] is None and row["nonprojective"] is None


def test_without_counting_nothing_is_read(shelf):
    (shelf / "r2.5/UD_Greek-GDT/el_gdt-ud-test.conllu").write_bytes(b"\xff not CoNLL-U")
    listed = catalogue(shelf, count=False)
    assert listed.table["words"].null_count() == len(listed)
    assert "counted:no" in listed.signature
    assert "words" not in listed.shown().columns


def test_broken_files_are_told_and_the_rest_counts(shelf):
    folder = shelf / "r2.5/UD_Greek-GDT"
    (folder / "el_gdt-ud-dev.conllu").write_text(sentence() + "1\tbroken\n\n" + sentence())
    (folder / "el_gdt-ud-test.conllu").unlink()
    (folder / "el_gdt-ud-test.conllu.gz").write_bytes(gzip.compress(sentence().encode())[:-9])
    row = catalogue(shelf).find("el_gdt@2.5").row()
    assert (row["train_sentences"], row["dev_sentences"], row["test_sentences"]) == (4, 2, None)
    assert "cannot unpack" in row["problem"] and "1 sentences cannot be read" in row["problem"]


def test_packed_files_count_like_others(tmp_path):
    folder = put(tmp_path, "UD_Greek-GDT", "el_gdt", {"train": sentence()})
    (folder / "el_gdt-ud-test.conllu.gz").write_bytes(gzip.compress(sentence(7).encode()))
    assert catalogue(tmp_path).find("Greek").total.words == 10


@pytest.mark.parametrize("workers", [1, 2, 7])
def test_any_number_of_workers_gives_the_same(shelf, workers):
    assert catalogue(shelf, count=False).counted(workers=workers).to_csv() == catalogue(shelf).to_csv()


def test_progress_counts_all_bytes(shelf, watcher):
    catalogue(shelf)
    whole = sum(path.stat().st_size for path in shelf.rglob("*.conllu"))
    assert sum(amount for amount, _ in watcher.steps) == whole


def test_folders_that_are_none(tmp_path):
    with pytest.raises(TreegaugeError, match="no such file or folder"):
        catalogue(tmp_path / "nowhere")
    with pytest.raises(TreegaugeError, match=r"found no treebank in this folder; expected \.conllu files"):
        catalogue(tmp_path)


# --------------------------------------------------------------------------- finding


@pytest.mark.parametrize(
    "key", ["UD_Upper_Sorbian-UFAL", "Upper_Sorbian-UFAL", "hsb_ufal", "HSB_UFAL", "upper sorbian"]
)
def test_names_a_treebank_answers_to(shelf, key):
    assert catalogue(shelf, count=False).find(key).name == "UD_Upper_Sorbian-UFAL"


def test_of_several_releases_the_newest_is_taken(shelf):
    assert catalogue(shelf, count=False).find("el_gdt").release == "2.10"
    assert catalogue(shelf, count=False).find("el_gdt@2.5").release == "2.5"
    assert catalogue(shelf, count=False).find("el_gdt@r2.10").release == "2.10"


def test_unknown_names_give_what_comes_close(shelf):
    with pytest.raises(ChoiceError, match="did you mean 'UD_Greek-GDT'") as caught:
        catalogue(shelf, count=False).find("UD_Greek-GTD")
    assert "UD_Klingon-Home" not in caught.value.choices
    with pytest.raises(ChoiceError, match=r"unknown release of el_gdt '2\.9'.* choices: 2\.5, 2\.10"):
        catalogue(shelf, count=False).find("el_gdt@2.9")


def test_a_language_goes_before_a_genus(shelf):
    put(shelf / "r2.5", "UD_Ancient_Greek-PROIEL", "grc_proiel", {"test": sentence()})
    listed = catalogue(shelf, count=False)
    assert {entry.language.name for entry in listed.matching("greek")} == {"Greek"}
    assert len(listed.matching("Indo-European@2.5")) == 2
    assert [entry.code for entry in listed.matching("slavic")] == ["hsb_ufal"]


def test_reading_an_entry(shelf):
    entry = catalogue(shelf, count=False).find("el_gdt@2.10")
    assert entry.read("dev").n_words == 2
    assert entry.read().n_words == 16
    other = catalogue(shelf, count=False).find("tlh_home")
    with pytest.raises(ChoiceError, match=r"unknown split of UD_Klingon-Home@2\.10 'train'; choices: test"):
        other.read("train")


# --------------------------------------------------------------------------- licences


@pytest.mark.parametrize(
    ("text", "licence"),
    [
        ("Creative Commons License Attribution-ShareAlike 4.0 International", "CC BY-SA 4.0"),
        ("Attribution-NonCommercial-ShareAlike 2.5 Generic", "CC BY-NC-SA 2.5"),
        ("http://creativecommons.org/licenses/by-nc-sa/3.0/legalcode", "CC BY-NC-SA 3.0"),
        ("GNU GENERAL PUBLIC LICENSE\n  Version 3, 29 June 2007", "GNU GPL 3.0"),
        ("Lesser General Public License For Linguistic Resources", "LGPL-LR"),
        ("CC0 1.0 Universal", "CC0 1.0"),
        ("CC BY-NC-SA", "CC BY-NC-SA"),
        ("All rights reserved.", None),
    ],
)
def test_licences_are_recognised(text, licence):
    assert licence_in(text) == licence


def test_where_licences_are_read_from(tmp_path):
    release = tmp_path / "r2.9"
    for name in ("A", "B", "C"):
        put(release, f"UD_Greek-{name}", f"el_{name.lower()}", {"test": sentence()})
    (release / "UD_Greek-A/README.md").write_text(README.format(licence="CC BY 4.0", relations="x"))
    (release / "UD_Greek-A/LICENSE.txt").write_text("GNU GPL 3")
    (release / "UD_Greek-B/LICENSE.txt").write_text("see creativecommons.org/licenses/by-sa/4.0/")
    (release / "UD_Greek-C/LICENSE.txt").write_text("Ask us.")
    found = {e.name[-1]: e.metadata.licence for e in catalogue(tmp_path, count=False)}
    assert found == {"A": "CC BY 4.0", "B": "CC BY-SA 4.0", "C": "see LICENSE.txt"}


@settings(max_examples=30, deadline=None)
@given(st.binary(max_size=400))
def test_any_readme_can_be_read(tmp_path_factory, junk):
    folder = tmp_path_factory.mktemp("papers")
    (folder / "README.md").write_bytes(b"Machine-readable metadata\nLicense: X\n" + junk)
    assert read_metadata(folder).licence


# --------------------------------------------------------------------------- languages


def test_families_agree_with_those_published():
    spelled = {"Faeroese": "Faroese", "North Sámi": "North Sami"}
    for row in data.conll18_treebanks().iter_rows(named=True):
        language = languages()[spelled.get(row["language"], row["language"])]
        assert (language.family, language.genus) == (row["stock"], row["genus"]), row


def test_codes_agree_with_those_published():
    spelled = {"Faeroese": "Faroese", "North Sámi": "North Sami"}
    for code, language in data.conll18_treebanks().select("treebank", "language").iter_rows():
        assert languages()[spelled.get(language, language)].code == code.partition("_")[0]


def test_every_language_has_all_its_facts():
    for name, language in languages().items():
        assert language.name == name and language.family and language.genus
        assert 2 <= len(language.code) <= 3 and language.code.islower()


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(0, 30)), max_size=6))
def test_releases_sort_by_number(pairs):
    names = sorted((f"{a}.{b}" for a, b in pairs), key=release_key)
    assert names == [f"{a}.{b}" for a, b in sorted(pairs)]


@pytest.mark.parametrize("text", ["el_gdt@", "el_gdt@2", "el_gdt@2.9.1", "el_gdt@x2.9", "a@2.9@2.9"])
def test_what_is_no_release(text):
    with pytest.raises(TreegaugeError, match="found release"):
        take_apart(text)


# --------------------------------------------------------------------------- choosing


def test_a_condition_on_columns(shelf):
    found = catalogue(shelf)
    chosen = found.where("features >= 0.25", "words >= 15", "nonprojective <= 0.1", "train_words > 0")
    assert [str(entry) for entry in chosen] == ["UD_Greek-GDT@2.5"]
    assert chosen.signature.endswith(
        "|where:features >= 0.25 and words >= 15 and nonprojective <= 0.1 and train_words > 0"
    )
    assert [row["treebank"] for row in chosen.to_dict()["rows"]] == ["UD_Greek-GDT"]
    assert str(chosen).endswith("1 of 5 treebanks")


def test_a_missing_number_meets_no_bound(shelf):
    found = catalogue(shelf)
    assert found.find("tlh_home").row()["train_words"] is None
    assert "UD_Klingon-Home" not in {entry.name for entry in found.where("train_words < 5")}
    assert "UD_Klingon-Home" not in {entry.name for entry in found.where("train_words >= 0")}


def test_the_largest_of_each_language_as_the_page_says(shelf):
    table = catalogue(shelf).table.sort("words", descending=True)
    largest = table.unique(["release", "language"], keep="first", maintain_order=True)
    assert set(largest.filter(language="Greek")["words"]) == {
        max(table.filter(language="Greek", release=release)["words"]) for release in ("2.5", "2.10")
    }


def test_licences_by_pattern_without_counting(shelf):
    chosen = catalogue(shelf, where=["licence = cc by-sa *"], count=False)
    assert [entry.code for entry in chosen] == ["el_other"]


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ("wrods >= 3", "unknown column 'wrods'; did you mean 'words'"),
        ("words", "expected for example 'words >= 30000'"),
        ("words >=", "expected for example"),
        ("words >= 1.2.3", "expected a number"),
    ],
)
def test_slips_are_told_before_anything_is_read(shelf, where, message):
    with pytest.raises(TreegaugeError, match=message):
        catalogue(shelf / "nowhere", where=[where])


def test_conditions_on_counts_need_counts(shelf):
    with pytest.raises(TreegaugeError, match="this condition needs sizes"):
        catalogue(shelf, where=["words > 1"], count=False)


def test_results_print_in_every_way(shelf):
    found = catalogue(shelf)
    assert "UD_Klingon-Home" in str(found) and r"UD\_Klingon-Home" in found.to_latex()
    assert "<td>UD_Klingon-Home</td>" in found.to_html()
    assert json.loads(json.dumps(found.to_dict()))["rows"][0]["folder"].endswith("UD_Greek-GDT")
    chosen = found.where("words > 1000000")
    assert "0 of 5 treebanks" in str(chosen) and chosen.to_latex() and chosen.to_html()


# --------------------------------------------------------------------------- real treebanks


def test_real_treebanks_are_as_their_index_says(ud):
    with (ud / "INDEX.csv").open(newline="") as file:
        rows = {(row["release"][1:], row["treebank"]): row for row in csv.DictReader(file)}
    named = [one for release in TREEBANKS for one in treebank_folders(release)]
    found = [
        row for row in catalogue(ud).table.iter_rows(named=True) if ud / f"r{row['release']}" / row["treebank"] in named
    ]
    assert len(found) == len(named) == 114
    for row in found:
        told = rows[row["release"], row["treebank"]]
        assert row["problem"] is None
        assert row["code"] == told["code"]
        assert code_of(row["treebank"]) == told["code"]
        assert language_of(row["treebank"]).family != "unknown"
        for column in ("train", "dev", "test"):
            for unit in ("sentences", "words"):
                assert (row[f"{column}_{unit}"] or 0) == int(told[f"{column}_{unit}"])


def test_shares_of_a_real_treebank_are_those_of_its_columns(ud):
    entry = catalogue(ud / "r2.9").find("tr_imst")
    whole = read_conllu(Path(entry.folder))
    shares = {
        name: sum(value != "_" for value in whole[column]) / whole.n_words
        for name, column in {"lemmas": "lemma", "features": "feats", "xpos": "xpos"}.items()
    }
    crossed = trees.crossings(whole.head, whole.offsets, root_arc=True) > 0
    row = entry.row()
    assert {name: row[name] for name in shares} == pytest.approx(shares)
    assert row["nonprojective"] == pytest.approx(crossed.mean())


def test_loose_files_beside_treebanks_are_no_treebank(shelf):
    (shelf / "r2.5" / "gold.conllu").write_text(sentence())
    assert [entry.name for entry in catalogue(shelf / "r2.5", count=False)] == ["UD_Greek-GDT"]
