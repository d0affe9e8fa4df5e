"""Where tests that fetch treebanks put them."""

import os

import pytest


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
