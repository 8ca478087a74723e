"""`protocol history`: versions in order, each against the one before it that means the same."""

import json
from pathlib import Path

import pytest

from recallwatch.base.errors import InputError
from recallwatch.protocol.history import Step, history, is_inside
from recallwatch.protocol.model import Range
from recallwatch.protocol.text import of_history


@pytest.fixture(scope="module")
def steps(versions: Path) -> list[Step]:
    """The history of four results folders."""
    return history(versions)


def test_order_and_what_is_compared(steps: list[Step]) -> None:
    """0.9, 0.9.5, 0.10, 0.11: numbers in a version count as numbers; what means something else is passed over, and said so."""
    assert [step.checked.name for step in steps] == ["v0.9", "any", "v0.10", "v0.11"]
    assert [step.before.name if step.before else None for step in steps] == [None, None, "v0.9", "v0.10"]
    assert "recall is recall in v0.9 and success in any" in steps[1].refused
    assert "recall is success in any and recall in v0.10" in steps[2].refused
    notes = of_history(steps).notes
    assert any(note.startswith("any: not compared with the one before it: different definitions") for note in notes)
    assert "v0.10: compared with v0.9" in notes


def test_delta_p_and_band(steps: list[Step]) -> None:
    """Two questions of seven gain: McNemar-like paired p, outside a band of 0.02; the same lists again: nothing moved."""
    row = steps[2].rows["recall@1"]
    assert row["delta"] == pytest.approx(2 / 7)
    assert (row["worse"], row["better"], row["is_inside"], row["verdict"]) == (0, 2, False, "same")
    assert row["p_value"] == 0.5, "two of two: the smallest p there is"
    again = steps[3].rows["recall@1"]
    assert (again["delta"], again["worse"], again["better"], again["is_inside"]) == (0.0, 0, 0, True)
    assert steps[3].verdict == "same"
    assert json.loads(json.dumps([step.to_dict() for step in steps]))[3]["compared_with"] == "v0.10"


@pytest.mark.parametrize(
    ("band", "before", "after", "inside"),
    [
        (0.01, 0.90, 0.89, True),
        (0.01, 0.90, 0.889, False),
        (Range(low=0.8, high=0.9), 0.8, 0.9, True),
        (Range(low=0.8, high=0.9), 0.85, 0.91, False),
    ],
)
def test_bands(band: float | Range, before: float, after: float, *, inside: bool) -> None:
    """A width: the change is no wider. A range: both values lie in it."""
    assert is_inside(band, before, after) is inside


def test_nothing_there(tmp_path: Path) -> None:
    """A folder without results is an error that says what to name."""
    with pytest.raises(InputError, match="no results in there"):
        history(tmp_path)
