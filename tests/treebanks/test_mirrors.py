"""Fetching treebanks from git repositories, all on this machine."""

import shutil
import subprocess

import pytest

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.treebanks.catalogue import catalogue
from treegauge.treebanks.fetch import fetch

from .test_archives import TEXT
from .test_fetch import found

GIT = shutil.which("git")
needs_git = pytest.mark.skipif(GIT is None, reason="no git here")


def git(folder, *arguments):
    identity = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    done = subprocess.run([GIT, *identity, *arguments], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture
def mirror(tmp_path):
    """A repository with the tags r2.5 and r2.9, a newer state, and what releases leave out."""
    folder = tmp_path / "mirrors" / "UD_Greek-GDT"
    folder.mkdir(parents=True)
    git(folder, "init", "--quiet", "--initial-branch=master")
    for words, tag in ((1, "r2.5"), (2, "r2.9"), (3, None)):
        (folder / "el_gdt-ud-test.conllu").write_bytes(TEXT * words)
        (folder / "README.md").write_text("Greek")
        (folder / ".gitignore").write_text("x")
        (folder / "not-to-release").mkdir(exist_ok=True)
        (folder / "not-to-release/source.conllu").write_bytes(TEXT)
        git(folder, "add", "--all")
        git(folder, "commit", "--quiet", "--message=a")
        if tag:
            git(folder, "tag", tag)
    return folder


@needs_git
def test_a_tag_of_a_repository(mirror, into):
    (arrival,) = fetch("UD_Greek-GDT@2.9", str(mirror), into=into).treebanks
    assert found(into) == ["r2.9/UD_Greek-GDT/README.md", "r2.9/UD_Greek-GDT/el_gdt-ud-test.conllu"]
    assert arrival.version == f"commit:{git(mirror, 'rev-parse', 'r2.9^{commit}')}"
    assert catalogue(into).find("el_gdt@2.9").total.words == 2


@needs_git
@pytest.mark.parametrize("mark", ["{}", "file://{}", "git+{}", "git+file://{}", "{}/../{{name}}"])
def test_ways_to_name_a_repository(mirror, into, mark):
    fetch("UD_Greek-GDT@2.5", mark.format(mirror), into=into)
    assert catalogue(into).find("el_gdt@2.5").total.words == 1


@needs_git
def test_a_bare_repository(mirror, into, tmp_path):
    git(tmp_path, "clone", "--quiet", "--bare", str(mirror), "UD_Greek-GDT.git")
    fetch("UD_Greek-GDT@2.9", f"{tmp_path}/{{name}}.git", into=into)
    assert catalogue(into).find("el_gdt@2.9").total.words == 2


@needs_git
def test_the_newest_state(mirror, into):
    fetch("UD_Greek-GDT", str(mirror), into=into)
    assert catalogue(into).find("el_gdt").total.words == 3


@needs_git
def test_a_release_is_kept_and_asked_for_again_only_when_told(mirror, into):
    fetch("UD_Greek-GDT@2.9", str(mirror), into=into)
    git(mirror, "tag", "--force", "r2.9", "master")
    fetch("UD_Greek-GDT@2.9", str(mirror), into=into, replace=True)
    assert catalogue(into).find("el_gdt").total.words == 2
    fetch("UD_Greek-GDT@2.9", str(mirror), into=into, replace=True, refresh=True)
    assert catalogue(into).find("el_gdt").total.words == 3


@needs_git
def test_a_release_that_is_not_tagged(mirror, into):
    with pytest.raises(ChoiceError, match=r"unknown release of .* '2\.7'.*choices: 2\.5, 2\.9"):
        fetch("UD_Greek-GDT@2.7", str(mirror), into=into)


@needs_git
def test_links_of_a_repository_are_refused(mirror, into):
    (mirror / "passwd.conllu").symlink_to("/etc/passwd")
    git(mirror, "add", "--all")
    git(mirror, "commit", "--quiet", "--message=b")
    with pytest.raises(TreegaugeError, match="is a link"):
        fetch("UD_Greek-GDT", str(mirror), into=into)
    assert found(into) == []


@needs_git
def test_nothing_of_a_repository_is_run(mirror, into, tmp_path):
    ran = tmp_path / "ran"
    for hook in ("post-checkout", "post-merge", "pre-auto-gc", "reference-transaction"):
        path = mirror / ".git/hooks" / hook
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\ntouch {ran}\n")
        path.chmod(0o755)
    fetch("UD_Greek-GDT@2.9", str(mirror), into=into)
    assert not ran.exists()


@needs_git
@pytest.mark.parametrize("source", ["git+ext::sh -c touch% RAN", "git+--upload-pack=touch RAN", "git+-x", "git+fd::17"])
def test_addresses_that_would_run_something(into, tmp_path, monkeypatch, source):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(TreegaugeError):
        fetch("UD_Greek-GDT@2.9", source.replace("RAN", str(tmp_path / "ran")), into=into)
    assert not (tmp_path / "ran").exists() and not into.exists()


@needs_git
def test_no_repository(into, tmp_path):
    with pytest.raises(TreegaugeError, match="git cannot fetch"):
        fetch("UD_Greek-GDT@2.9", f"{tmp_path}/nowhere.git", into=into)


def test_no_git(into, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(TreegaugeError, match="git is not installed"):
        fetch("UD_Greek-GDT@2.9", f"{tmp_path}/nowhere.git", into=into)


def test_git_has_no_sha256(into):
    with pytest.raises(TreegaugeError, match="identified by commits"):
        fetch("UD_Greek-GDT@2.9", "https://x/a.git", into=into, sha256="0" * 64)
