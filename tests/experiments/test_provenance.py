"""The commit of a checkout, read without git."""

import shutil
import subprocess

import pytest

from treegauge.experiments.tasks import commit


@pytest.fixture
def checkout(tmp_path):
    if not shutil.which("git"):
        pytest.skip("needs git")

    def git(*words, folder=tmp_path):
        settings = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
        line = ["git", *settings, *words]
        return subprocess.run(line, cwd=folder, check=True, capture_output=True, text=True).stdout.strip()

    git("init", "-q")
    git("commit", "-q", "--allow-empty", "-m", "one")
    return tmp_path, git


def test_loose_packed_detached_and_linked(checkout):
    root, git = checkout
    first = git("rev-parse", "HEAD")
    assert commit(root) == first
    git("pack-refs", "--all")
    assert commit(root) == first
    git("commit", "-q", "--allow-empty", "-m", "two")
    assert commit(root) == git("rev-parse", "HEAD") != first
    git("worktree", "add", "-q", "-b", "other", str(root / "linked"), first)
    assert commit(root / "linked") == first
    git("checkout", "-q", "--detach", first)
    assert commit(root) == first


def test_no_checkout(tmp_path):
    assert commit(tmp_path) is None
