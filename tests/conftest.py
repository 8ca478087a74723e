"""Fixtures every folder of tests may use."""

import os
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[1]

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # processes that tests start would compile the package anew, half a second each
for name in (
    "COLUMNS",
    "LINES",
):  # readline, which pytest loads, sets them for the processes xdist starts; the width is a test's own choice
    os.environ.pop(name, None)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of public test sets, which are not copied in: RECALLWATCH_TEST_DATA, or ../shared/data beside the repository."""
    folder = Path(os.environ.get("RECALLWATCH_TEST_DATA") or REPOSITORY.parent / "shared" / "data")
    if not folder.is_dir():
        pytest.skip(f"public test sets are not there ({folder}); RECALLWATCH_TEST_DATA names their folder")
    return folder
