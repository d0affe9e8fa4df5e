"""Names of treebanks, files, releases and addresses, taken apart and compared."""

import polars as pl
import pytest

from treegauge.core.errors import TreegaugeError
from treegauge.ranking.metadata import describe
from treegauge.statistics.data_table import DataTable
from treegauge.treebanks.archives import _split
from treegauge.treebanks.data.conllu import repair_sentence
from treegauge.treebanks.downloads import cached_name
from treegauge.treebanks.places import TreebankRequest, placeholders, release_in_name
from treegauge.treebanks.sources import languages as names
from treegauge.treebanks.sources.files import is_conllu, short_name, split_of
from treegauge.treebanks.sources.languages import Language
from treegauge.treebanks.sources.matching import distinct_names, match_outputs
from treegauge.treebanks.sources.resolver import find


def test_languages():
    sorbian = Language("Upper Sorbian", "hsb", "Indo-European", "Slavic")
    assert names.languages()["Upper Sorbian"] == sorbian
    assert names.language_of("UD_Turkish_German-SAGT").family == "Code switching"
    assert names.language_of("UD_Greek").code == "el"
    assert names.language_of("UD_Klingon-Home") == Language("Klingon", "", "unknown", "unknown")


@pytest.mark.parametrize(
    ("treebank", "genus"),
    [("UD_Wolof-WTB", "Northern Atlantic"), ("wo_wtb", "Northern Atlantic"),
     ("wo_wtb-ud-test", "Northern Atlantic"), ("Wolof-WTB@2.9", "Northern Atlantic"),
     ("Ancient Greek PROIEL", "Greek"), ("UD_Old_Church_Slavonic-PROIEL", "Slavic"),
     ("UD_Klingon-Home", None), ("gold", None), ("is it", None), ("xx_home", None)],
)  # fmt: skip
def test_genera_come_from_names_codes_files_and_titles(treebank, genus):
    assert names.kin_of(treebank, "genus") == genus
    table = DataTable(pl.DataFrame({"treebank": [treebank]}))
    assert table.kinds("genus") == [genus]
    assert describe([treebank], None, {})["genus"].to_list() == [genus]


@pytest.mark.parametrize(
    ("treebank", "code"), [("UD_Greek-GDT", "el_gdt"), ("UD_Greek", "el"), ("UD_Klingon-Home", None)]
)
def test_codes(treebank, code):
    assert names.code_of(treebank) == code


def test_releases():
    folders = ("r2.9", "ud-treebanks-v2.10", "2.5", "treebanks")
    assert [names.release_of(folder) for folder in folders] == ["2.9", "2.10", "2.5", None]
    assert sorted(["2.10", "2.9", None], key=names.release_key) == [None, "2.9", "2.10"]
    assert release_in_name("https://example.org/ud-treebanks-v2.9.tgz?sequence=1") == "2.9"


def test_folders_that_end_in_a_tag():
    assert names.own_name("UD_Greek-GDT-r2.9") == ("UD_Greek-GDT", "2.9")
    assert names.own_name("UD_Greek-GDT-master") == ("UD_Greek-GDT", None)
    assert names.own_name("mine") == ("mine", None)


def test_names_with_a_release():
    assert names.take_apart("UD_Greek-GDT@r2.9") == ("UD_Greek-GDT", "2.9")
    assert names.take_apart("el_gdt") == ("el_gdt", None)
    with pytest.raises(TreegaugeError, match="found release 'latest' in 'el_gdt@latest'"):
        names.take_apart("el_gdt@latest")


def test_plain_and_near_names():
    given = ("UD_Greek-GDT", "../UD_Greek-GDT", "-x")
    assert [names.is_plain(name) for name in given] == [True, False, False]
    assert names.fold("UD_Upper_Sorbian-UFAL") == "upper sorbian-ufal"
    assert names.near("greek_gtd", ["UD_Greek-GDT", "UD_Welsh-CCG"]) == ["UD_Greek-GDT"]


def test_distinct_names():
    folders = ["r2.5/UD_Turkish-IMST", "r2.9/UD_Turkish-IMST", "r2.9/UD_Greek-GDT"]
    told = ["UD_Turkish-IMST@2.5", "UD_Turkish-IMST@2.9", "UD_Greek-GDT"]
    assert distinct_names(folders) == told
    assert distinct_names(["a/x.conllu", "b/x.conllu"]) == ["a/x", "b/x"]


def test_outputs_by_code_or_name():
    gold = ["UD_Greek-GDT/el_gdt-ud-test.conllu", "UD_Welsh-CCG/cy_ccg-ud-test.conllu"]
    pairs = match_outputs(gold, ["out/UD_Welsh-CCG.conllu", "out/el_gdt.conllu"]).pairs
    assert pairs[gold[0]] == "out/el_gdt.conllu"


def test_requests_fill_addresses():
    greek = TreebankRequest.parse("UD_Greek-GDT@2.9")
    assert greek == TreebankRequest("UD_Greek-GDT@2.9", "UD_Greek-GDT", "el_gdt", "2.9")
    assert TreebankRequest.parse("el_gdt").name is None
    filled = greek.fill("https://example.org/r{release}/{name}.zip")
    assert filled == "https://example.org/r2.9/UD_Greek-GDT.zip"
    place = "https://example.org/{release}/{code}-ud-{split}.conllu"
    assert placeholders(place) == ["release", "code", "split"]


def test_paths_in_archives_and_caches():
    folder = ("ud-treebanks-v2.9", "UD_Greek-GDT")
    assert _split("ud-treebanks-v2.9/UD_Greek-GDT/README.md") == (folder, "README.md")
    url = "https://example.org/ud-treebanks-v2.9.tgz?isAllowed=y"
    assert cached_name(url) == "97999f216a9066ca-ud-treebanks-v2.9.tgz"


def test_names_of_files():
    assert find("-") == ["-"]
    assert split_of("UD_Greek-GDT/el_gdt-ud-train.conllu.gz") == "train"
    assert split_of("cs_pdt-ud-train-c.conllu") == "train"
    assert short_name("/data/UD_Greek-GDT/el_gdt-ud-test.conllu.xz") == "el_gdt-ud-test"
    assert [is_conllu(name) for name in ("a.conllu.zst", "a.conllu.zip")] == [True, False]


def test_spaces_become_tabs_and_the_head_the_root():
    repaired = ["1\tHi\thi\tINTJ\t_\t_\t0\troot\t_\t_"]
    assert repair_sentence(["1 Hi hi INTJ _ _ 7 root _ _"]) == repaired
