"""Fixtures every folder of tests may use."""

import os
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[1]

# Inside the README's own test command, run by a test (docs/test_pages.py): the outer run has the rest already
if os.environ.get("RECALLWATCH_IN_README_TEST"):
    collect_ignore = sorted(
        folder.name
        for folder in Path(__file__).parent.iterdir()
        if folder.is_dir() and folder.name not in ("unit", "sql", "golden", "e2e")
    )


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of public test sets, which are not copied in: RECALLWATCH_TEST_DATA, or ../shared/data beside the repository."""
    folder = Path(os.environ.get("RECALLWATCH_TEST_DATA") or REPOSITORY.parent / "shared" / "data")
    if not folder.is_dir():
        pytest.skip(f"public test sets are not there ({folder}); RECALLWATCH_TEST_DATA names their folder")
    return folder
