"""Why a night was bad: the cause named first is the fault that was planted (benchmarks/causes.py has all kinds, and more worlds)."""

import sys
from pathlib import Path

import pytest

from recallwatch.monitor.cause_evidence import Evidence
from recallwatch.monitor.causes_of_service import slow
from recallwatch.monitor.finding import Finding
from recallwatch.monitor.measurement import Measured
from recallwatch.report.finding_rows import cause_text
from recallwatch.report.redact import Redactor

sys.path.append(str(Path(__file__).parents[2]))
from benchmarks.causes import first_cause, verdict

TRAIT = {"n_gone": 9, "n_trait": 10, "n_all_gone": 9}


@pytest.mark.parametrize(
    "kind", ["unchanged", "shard lost (number modulo)", "new chunks", "fewer results asked for", "embedder changed", "slow stage", "ids missing"]
)  # fmt: skip
def test_the_fault_that_was_planted_is_named_first(kind: str) -> None:
    """A night with one fault names it first; an unchanged night names nothing."""
    assert verdict(kind, first_cause(kind, 7)) == "right"


def test_no_stage_is_blamed_where_the_log_has_none() -> None:
    """Slower by the total alone: the log does not say where, and the sentence says so."""
    total = Finding(Measured("latency", "latency", stage="total", quantile=0.5, effect=0.7), "fail")
    row = slow(Evidence([total], [total], {}, {}, []))
    assert row and row["sentence"] == "Recalls became slower; the log has no times of stages that say where."


def test_a_cause_says_what_documents_share() -> None:
    """In a person's words; what is part of an id is hidden with the ids, a tenant's name always."""
    shared = {"remainder": "6:5", "folder": "secret", "tenant_id": "acme"}
    rows = [{"trait": trait, "shared": value, **TRAIT} for trait, value in shared.items()]
    cause = {"sentence": "9 documents are in no list.", "traits": rows}
    assert cause_text(cause) == (
        "9 documents are in no list. They share the remainder of their number, 5 after division by 6, as a lost shard would: "
        "9 of the 10 documents that have it are gone."
    )
    assert cause_text({**cause, "traits": rows[1:]}).endswith("the folder secret: 9 of the 10 documents that have it are gone.")
    shown = {ids: [row["shared"] for row in Redactor("salt", ids=ids)._traits(rows)] for ids in (False, True)}
    assert [shown[False][:2], shown[True][0]] == [["6:5", "secret"], "6:5"]
    assert all(value.startswith("#") for value in (shown[False][2], *shown[True][1:]))
