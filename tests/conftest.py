"""What every test may ask for."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def ud() -> Path:
    """The folder of real treebanks; tests that need it skip with a reason without."""
    root = Path(os.environ.get("TREEGAUGE_UD", "../shared/ud"))
    if not root.is_dir():
        pytest.skip(f"no treebanks at {root}; set TREEGAUGE_UD to a folder of UD releases")
    return root
