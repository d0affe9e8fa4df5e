"""Language data: packaged, official files in a folder, and what is refused."""

import gzip
import json
from datetime import date, timedelta

import pytest

from studies.build_language_data import pack
from treegauge.core.errors import TreegaugeError
from treegauge.validation.language_data import OFFICIAL, PACKAGED, language_data


@pytest.fixture
def official_files(tmp_path):
    """Five small files in the official format."""
    feature = {
        "permitted": 1,
        "uvalues": ["Yes"],
        "lvalues": [],
        "unused_uvalues": ["No"],
        "unused_lvalues": [],
        "byupos": {"NOUN": {"Yes": 3, "No": 0}},
        "lastchanged": "2026-01-02-10-00-00",
        "example": "left out",
    }
    tables = {
        "feats.json": {"en": {"Abbr": feature, "Odd": {**feature, "permitted": 0}}},
        "deprels.json": {
            "en": {
                "nmod": {"permitted": 1},
                "nmod:poss": {"permitted": 1},
                "nsubj": {"permitted": 1},
                "x": {"permitted": 0},
            }
        },
        "edeprels.json": {"en": {"of": {"extends": ["nmod"]}}},
        "data.json": {
            "en": {"be": {"functions": [{"function": "cop.AUX"}]}, "it": {"functions": [{"function": "cop.PRON"}]}}
        },
        "tospace.json": {"en": {"[0-9]+ [0-9]+": {}}},
    }
    for name, table in tables.items():
        (tmp_path / name).write_text(json.dumps({"WARNING": "do not edit", OFFICIAL[name]: table}))
    return tmp_path


def test_the_packaged_data_is_small_dated_and_about_290_languages():
    data = language_data(PACKAGED)
    assert PACKAGED.stat().st_size < 200_000
    assert data.date == "2026-10-22"
    assert len(data.languages) == 290


def test_data_lists_its_languages():
    """An object with items and no iteration of its own would be asked for 0, 1, ... forever."""
    packaged = language_data(PACKAGED)
    assert tuple(packaged) == packaged.languages


def test_official_files_in_a_folder(official_files):
    data = language_data(official_files)
    rules = data["en"]
    assert data.date == "2026-01-02"
    assert rules.features["Abbr"].values == {"Yes", "No"}
    assert rules.features["Abbr"].by_upos == {"NOUN": {"Yes"}}
    assert not rules.features["Odd"].permitted
    assert rules.relations == {"nmod", "nmod:poss", "nsubj"}
    assert rules.enhanced_relations == rules.relations | {"ref", "nsubj:xsubj", "nmod:of", "nmod:poss:of"}
    assert (rules.auxiliaries, rules.copulas) == ({"be"}, {"be", "it"})
    assert rules.may_have_space("10\xa0000")
    assert not rules.may_have_space("10 a")


def test_a_packed_file_says_the_same_as_the_folder(official_files, tmp_path, monkeypatch):
    packed = tmp_path / "mine.jsonl.gz"
    packed.write_bytes(pack(official_files))
    assert language_data(packed)["en"] == language_data(official_files)["en"]
    plain = tmp_path / "mine.jsonl"
    plain.write_bytes(gzip.decompress(packed.read_bytes()))
    assert language_data(plain)["en"] == language_data(official_files)["en"]
    monkeypatch.setenv("TREEGAUGE_RULES", str(plain))
    assert language_data().date == "2026-01-02"


def test_a_language_that_is_not_listed_permits_nothing():
    data = language_data(PACKAGED)
    assert "zz" not in data
    assert data["zz"].relations == frozenset()
    assert len(data["ud"].relations) == 37
    assert "nsubj:xsubj" in data["ud"].enhanced_relations


def test_what_is_refused(official_files, tmp_path):
    with pytest.raises(TreegaugeError, match=r"no\.gz: No such file"):
        language_data(tmp_path / "no.gz")
    (official_files / "feats.json").write_text("[]")
    with pytest.raises(TreegaugeError, match=r"feats\.json: found no table 'features'"):
        language_data(official_files)
    (official_files / "feats.json").unlink()
    with pytest.raises(TreegaugeError, match=r"feats\.json: No such file .*expected a packed file"):
        language_data(official_files)
    for content in (b"", b"{}", b"\x1f\x8bnot packed", b"\xff"):
        (tmp_path / "odd").write_bytes(content)
        with pytest.raises(TreegaugeError, match="expected a packed file of language data"):
            language_data(tmp_path / "odd")


@pytest.mark.parametrize(("age", "told"), [(60, False), (61, True)])
def test_old_language_data_is_named_with_its_age(tmp_path, command, age, told):
    changed = date.today() - timedelta(days=age)
    rules = tmp_path / "rules.jsonl"
    rules.write_text(f'{{"format": "treegauge language data 1", "date": "{changed}"}}\nel\t{{"relations": ["root"]}}\n')
    (tmp_path / "a.conllu").write_text("# sent_id = s\n# text = go\n1\tgo\tgo\tINTJ\t_\t_\t0\troot\t_\t_\n\n")
    done = command("check", tmp_path / "a.conllu", "--ud-level", "5", "--lang", "el", "--rules", rules)
    assert (f"language data is of {changed}, 61 days old" in done.err) == told
    assert f"language data of {changed}" in done.out
