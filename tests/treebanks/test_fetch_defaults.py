"""Fetching from the default sources, served on this machine as the real hosts do."""

import hashlib
import os
import signal
import subprocess
import sys
import time
from email.utils import formatdate

import pytest

from treegauge.core.errors import TreegaugeError
from treegauge.treebanks import downloads
from treegauge.treebanks import fetch as fetching
from treegauge.treebanks.catalogue import catalogue
from treegauge.treebanks.downloads import MissingFileError, UnreachableError
from treegauge.treebanks.fetch import fetch
from treegauge.treebanks.places import REPOSITORIES, VALRULES
from treegauge.treebanks.sources.languages import official_treebanks
from treegauge.validation.language_data import language_data

from .repositories import NAMES, archive, serving_hosts


@pytest.fixture
def hosts(monkeypatch):
    monkeypatch.delenv("TREEGAUGE_SOURCE", raising=False)
    with serving_hosts() as hosts:
        monkeypatch.setattr(fetching, "REPOSITORIES", hosts.repositories)
        monkeypatch.setattr(fetching, "VALRULES", hosts.valrules)
        yield hosts


def test_the_defaults_are_the_hosts_of_ud():
    assert REPOSITORIES.startswith("https://github.com/UniversalDependencies/{name}/")
    assert VALRULES.startswith("https://raw.githubusercontent.com/UniversalDependencies/docs-automation/")


def test_three_treebanks_and_the_language_data(hosts, into):
    got = fetch([f"{name}@2.9" for name in NAMES], into=into)
    assert [treebank.name for treebank in got.treebanks] == list(NAMES)
    assert [str(entry) for entry in catalogue(into)] == sorted(f"{name}@2.9" for name in NAMES)
    greek = into / "r2.9" / "UD_Greek-GDT"
    assert sorted(path.name for path in greek.iterdir()) == [
        "CONTRIBUTING.md", "LICENSE.txt", "README.md", "el_gdt-ud-dev.conllu", "el_gdt-ud-test.conllu",
    ]  # fmt: skip
    for file in got.treebanks[0].files:
        assert file.sha256 == hashlib.sha256((greek / file.name).read_bytes()).hexdigest()
    fetch("language-data", into=into)
    data = language_data(into / "language-data")
    assert data.date == "2026-10-22" and data["el"].relations == {"nsubj"}


@pytest.mark.parametrize("wanted", ["el_gdt@2.9", "Greek-GDT@r2.9", "EL_GDT@v2.9"])
def test_names_are_those_of_the_packaged_list(hosts, into, wanted):
    (treebank,) = fetch(wanted, into=into).treebanks
    assert treebank.name == "UD_Greek-GDT"
    assert len(official_treebanks()) > 330 and official_treebanks()["orv_rnc"] == "UD_Old_East_Slavic-RNC"


def test_a_repository_that_was_renamed(hosts, into):
    (treebank,) = fetch("UD_French-Spoken@2.8", into=into).treebanks
    assert treebank.folder == into / "r2.8" / "UD_French-Spoken"
    assert (treebank.folder / "fr_spoken-ud-test.conllu").exists()


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ("UD_Greek-GDT@2.99", "found no tag r2.99 in the treebank's repository"),
        ("UD_Greek-GTD@2.9", "did you mean UD_Greek-GUD or UD_Greek-GDT"),
        ("UD_Greek-GDT", "needs the release of a treebank"),
        ("xx_nothing@2.9", "needs the name of a treebank"),
        ("all@2.9", "11234/1-4611"),
    ],
)
def test_what_is_not_there_is_told(hosts, into, wanted, message):
    with pytest.raises(TreegaugeError, match=message):
        fetch(wanted, into=into)
    assert not into.exists()


def test_a_missing_tag_is_not_asked_for_twice(hosts, into):
    with pytest.raises(MissingFileError):
        fetch("UD_Greek-GDT@2.99", into=into)
    assert len(hosts.asked) == 1


@pytest.mark.parametrize(
    ("code", "headers"),
    [
        (429, {"Retry-After": "1"}),
        (403, {"Retry-After": formatdate(time.time() - 5, usegmt=True)}),
        (403, {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1"}),
    ],
)
def test_short_limits_are_waited_for(hosts, into, code, headers):
    hosts.limits = [(code, headers)]
    began = time.monotonic()
    assert len(fetch("UD_Greek-GDT@2.9", into=into).treebanks[0].files) == 5
    assert time.monotonic() - began >= 1


def test_long_limits_are_told(hosts, into):
    hosts.limits = [(403, {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(int(time.time()) + 1790)})]
    with pytest.raises(TreegaugeError, match="it limits requests: try again in 30 minutes"):
        fetch("UD_Greek-GDT@2.9", into=into)
    assert len(hosts.asked) == 1 and not into.exists()


def test_a_refusal_without_a_limit_is_final(hosts, into):
    hosts.limits = [(403, {})]
    with pytest.raises(TreegaugeError, match="the server answers 403"):
        fetch("UD_Greek-GDT@2.9", into=into)
    assert len(hosts.asked) == 1


def test_the_cache_works_offline(monkeypatch, into, watcher):
    with serving_hosts() as hosts:
        fetch("UD_Greek-GDT@2.9", hosts.repositories, into=into)
        fetch("language-data", hosts.valrules, into=into)
    again = into / "again"
    assert fetch("UD_Greek-GDT@2.9", hosts.repositories, into=again).treebanks[0].files
    fetch("language-data", hosts.valrules, into=again)
    assert language_data(again / "language-data").date == "2026-10-22"
    assert len(watcher.notes) == 5
    assert all("no connection to 127.0.0.1" in text and "used the copy of" in text for text in watcher.notes)
    monkeypatch.setenv("TREEGAUGE_CACHE", str(into / "empty"))
    with pytest.raises(UnreachableError, match=r"check the network, or name a file or folder .* --source"):
        fetch("UD_Greek-GDT@2.9", hosts.repositories, into=into / "new")
    assert not (into / "new").exists()


def test_language_data_is_asked_for_again(hosts, into):
    fetch("language-data", into=into)
    hosts.date = "2026-11-01-09-00-00"
    fetch("language-data", into=into, replace=True)
    assert language_data(into / "language-data").date == "2026-11-01"


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs kill -9")
def test_kill_leaves_nothing_half_written(hosts, into, tmp_path):
    hosts.stalls = True
    command = [sys.executable, "-m", "treegauge", "fetch", "UD_Greek-GDT@2.9", "--source", hosts.repositories]
    process = subprocess.Popen([*command, "--into", str(into)])
    part = downloads.cache_folder()
    deadline = time.monotonic() + 60
    while not any(path.stat().st_size > 1000 for path in part.glob("*.part")):
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert not into.exists() or not any(into.rglob("*.conllu"))
    hosts.stalls = False
    (treebank,) = fetch("UD_Greek-GDT@2.9", hosts.repositories, into=into).treebanks
    assert len(treebank.files) == 5
    assert treebank.version == f"sha256:{hashlib.sha256(part.glob('*.tar.gz').__next__().read_bytes()).hexdigest()}"
    assert len(archive("UD_Greek-GDT", "r2.9")) > 2000
