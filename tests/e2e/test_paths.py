"""What was once read wrong: each path gives one right answer or one refusal. ``python -m benchmarks.paths`` asks all paths of all cases."""

from pathlib import Path

import pytest

from benchmarks.paths import PATHS, wrong_of
from benchmarks.paths_cases import Case, cases

CASES = cases()
SHORT = ("command", "library")  # a store and a nightly run take four times as long: of each eighth case, and where they differ
ASKED = [(case, path) for number, case in enumerate(CASES) for path in PATHS if path in SHORT or case.but or number % 8 == 0]


@pytest.mark.parametrize(("case", "path"), ASKED, ids=[f"{case}-{path}" for case, path in ASKED])
def test_each_path_is_right(case: Case, path: str, tmp_path: Path) -> None:
    """The value, the warning or the refusal that is wanted."""
    assert wrong_of(case, tmp_path, path) == ""
