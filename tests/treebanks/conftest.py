"""Where tests that fetch treebanks put them."""

import os
from contextlib import contextmanager

import pytest

from treegauge.core.messages import listening


@pytest.fixture
def apart(monkeypatch, tmp_path):
    """Keep the user's cache, proxies and git settings out of it."""
    for name in list(os.environ):
        if name.lower().endswith("_proxy") or name.startswith("GIT_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("TREEGAUGE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HOME", str(tmp_path))


@pytest.fixture
def into(apart, tmp_path):
    return tmp_path / "ud"


class Watcher:
    """Someone who looks at progress: what was done of how much, step by step."""

    def __init__(self):
        self.steps = []
        self.notes = []

    def note(self, text):
        self.notes.append(text)

    @contextmanager
    def task(self, what, total):
        yield self

    def update(self, done, total=None):
        self.steps.append((done, total))

    def advance(self, amount=1):
        self.steps.append((amount, None))


@pytest.fixture
def watcher():
    watcher = Watcher()
    with listening(watcher):
        yield watcher
