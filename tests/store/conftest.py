"""Makes store_logs.py importable by the tests beside it."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from store_logs import label_rows, write


@pytest.fixture(scope="session")
def labels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A labels file."""
    return write(label_rows(), tmp_path_factory.mktemp("labels") / "labels.jsonl")
