"""How places of treebanks are written, and what is said to those that are not."""

import pytest

from treegauge.core.errors import TreegaugeError
from treegauge.treebanks.fetch import fetch
from treegauge.treebanks.places import HANDLES, TreebankRequest, is_archive, placeholders, whole_release


@pytest.mark.parametrize(
    ("wanted", "source", "message"),
    [
        ("el_klingon@2.9", "https://x/{name}.tgz", "needs the name of a treebank, not in 'el_klingon@2.9'"),
        ("UD_Greek-GDT", "https://x/{release}.tgz", "needs the release"),
        ("UD_Klingon-Home@2.9", "https://x/{code}.tgz", "needs the code"),
        ("el_gdt@2.9", "https://x/{nmae}.tgz", "did you mean '{name}'"),
        ("el_gdt@2.9", "https://x/{name.__class__}", "unknown placeholder"),
        ("el_gdt@2.9", "https://x/{name!r}", "unknown placeholder|cannot be filled"),
        ("el_gdt@2.9", "https://x/{", "cannot be filled"),
        ("../el_gdt@2.9", "https://x/a.tgz", "expected a treebank's name"),
        ("UD_Greek-GDT/../x", "https://x/a.tgz", "expected a treebank's name"),
        ("-x", "https://x/a.tgz", "expected a treebank's name"),
        ("el_gdt@new", "https://x/a.tgz", "found release 'new'"),
        ("el_gdt@2.9", "ftp://x/a.tgz", "unknown kind of address 'ftp'"),
        ("el_gdt@2.9", "nowhere.tgz", "no such file"),
        ("el_gdt@2.9", "http://[/a.tgz", "not an address"),
        ("el_gdt@2.9", "https://x/{split}.conllu", "needs the treebank's name"),
        ("el_gdt@2.9", "git@example.org:UD/UD_Greek-GDT", "no such file"),
        ("el_gdt@2.9", "ssh://example.org/UD", "unknown kind of address 'ssh'"),
    ],
)
def test_slips_are_told(into, wanted, source, message):
    with pytest.raises(TreegaugeError, match=message):
        fetch(wanted, source, into=into)
    assert not into.exists()


def test_folders_need_no_fetching(into, tmp_path):
    with pytest.raises(TreegaugeError, match="treebanks in a folder need no fetching"):
        fetch("el_gdt@2.9", str(tmp_path), into=into)


def test_a_whole_release_is_named():
    assert "11234/1-4611" in whole_release("2.9") and "11234" not in whole_release(None)
    assert len(set(HANDLES.values())) == len(HANDLES)


def test_kinds_of_places(tmp_path):
    assert is_archive("https://example.org/UD_Greek-GDT/archive/r2.9.tar.gz?x=.conllu")
    assert is_archive("https://example.org/handle/1234")
    assert not is_archive("https://example.org/a.conllu")
    assert placeholders("no gaps") == [] and TreebankRequest.parse("all@2.9").everything
