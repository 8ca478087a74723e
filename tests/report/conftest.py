"""One night for all tests of outputs."""

import pytest

from recallwatch.report.night import Night

from .night import hostile_night


@pytest.fixture(scope="session")
def night(tmp_path_factory: pytest.TempPathFactory) -> Night:
    """Nine nights of hostile texts, the last two broken; computed once."""
    return hostile_night(tmp_path_factory.mktemp("hostile"))
