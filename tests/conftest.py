"""Fixtures every folder of tests may use; and which tests the README's test command runs."""

import os
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[1]

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # processes that tests start would compile the package anew, half a second each
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # numpy's threads spin while they wait
for name in (
    "COLUMNS",
    "LINES",
):  # readline, which pytest loads, sets them for the processes xdist starts; the width is a test's own choice
    os.environ.pop(name, None)

# what runs in four minutes: the rules of every room, values of outside tools, what the README shows. All others are `wide`: .ci/run runs them
QUICK = (
    "unit/", "sql/", "document/", "record/", "docs/", "explanation/", "golden/test_trec_eval.py", "e2e/test_command.py", "formats/test_samples.py",
    "property/test_searches.py", "drift/test_registry.py", "nightly/test_config.py", "nightly/test_gates.py", "report/test_outputs.py",
    "protocol/test_files.py",
)  # fmt: skip
LONG = (
    *(f"unit/test_{name}.py" for name in ("data", "intervals", "segments", "lists", "means", "parquet_statistics")),
    *("record/test_files.py", "record/test_same_events.py"),
)  # dozens of evaluations, processes or simulated years


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark as wide what is not quick and no part of its own; tests that somebody names run, whatever they are."""
    everything = {REPOSITORY, REPOSITORY / "tests"}
    if not {Path(config.rootpath, argument.partition("::")[0]).resolve() for argument in config.args} <= everything:
        return
    for item in items:
        place = item.path.relative_to(REPOSITORY / "tests").as_posix()
        if (not place.startswith(QUICK) or place in LONG) and not any(map(item.get_closest_marker, ("install", "standalone"))):
            item.add_marker("wide")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of public test sets, which are not copied in: RECALLWATCH_TEST_DATA, or ../shared/data beside the repository."""
    folder = Path(os.environ.get("RECALLWATCH_TEST_DATA") or REPOSITORY.parent / "shared" / "data")
    if not folder.is_dir():
        pytest.skip(f"public test sets are not there ({folder}); RECALLWATCH_TEST_DATA names their folder")
    return folder
