"""Every entry of DRIFT_TESTS is alive: it is measured, has settings to decide by, and says when there is too little."""

import dataclasses

import pytest

import recallwatch
from recallwatch.base.errors import UsageError
from recallwatch.base.verdicts import FAMILIES
from recallwatch.monitor import DRIFT_TESTS
from recallwatch.monitor.decision import decide
from recallwatch.monitor.measurement import Measured
from recallwatch.monitor.options import DRIFT
from recallwatch.monitor.settings import Settings

from . import world


def test_entries_name_settings_that_exist():
    """A floor is a field of Settings, so a configuration can change it."""
    names = {field.name for field in dataclasses.fields(Settings)}
    for entry in DRIFT_TESTS.values():
        assert entry.floor is None or entry.floor in names, entry.name
        assert entry.family in FAMILIES


def test_every_test_is_measured(tmp_path):
    """A log that has everything, seven days of history, a stage that vanishes and a broken line makes every entry of the registry speak."""
    import json

    first = [row for no in range(7) for row in world.day(no, per_hour=10, hit=0.1)]
    then = [
        {**row, "stage_ms": [s for s in row["stage_ms"] or () if s[0] != "rerank"]} for row in world.day(7, per_hour=10, hit=0.1)
    ]
    log = tmp_path / "log.jsonl"
    lines = [
        json.dumps(
            {**row, "timestamp": row["timestamp"].isoformat(), "stage_ms": dict(row["stage_ms"] or ()), "scores": scores_of(row)}
        )
        for row in [*first, *then]
    ]
    log.write_text("\n".join([*lines, '{"broken"', lines[0]]) + "\n")
    week = {"reference": "2026-03-02..2026-03-09", "current": "2026-03-09..2026-03-10"}
    result = recallwatch.drift(str(log), world.labels(), **week, threads=1)
    assert {f.measured.test for f in result.findings} == set(DRIFT_TESTS)


def scores_of(row):
    """One a document; a query has its own."""
    return [len(str(row["query_id"])) / (1 + i) for i in range(len(row["ranked_ids"]))]


@pytest.mark.parametrize("name", [n for n, e in DRIFT_TESTS.items() if e.group != "plain"])
def test_direction_floor_and_lack_decide(name):
    """Certain and large in the bad direction fails, in the good one improves; under the floor is ok; too little data is insufficient."""
    entry = DRIFT_TESTS[name]
    settings = Settings(answers="fail")
    bad = -1.0 if entry.better == "higher" else 1.0

    def verdict(effect, **change):
        test = Measured(name, "m", reference=1.0, current=1.0 + effect, effect=effect, se=1e-6, df=50, p=1e-9, **change)
        (found,) = decide([test], settings, history={})
        assert found.reason
        return found.verdict

    if name != "latency":  # its floor needs the total beside it
        assert verdict(bad * 0.5) == "fail"
        assert verdict(-bad * 0.5) == (
            "fail" if entry.better == "neither" and entry.unit != "psi" else "ok" if entry.better == "neither" else "improved"
        )
        assert verdict(bad * 0.001) == "ok"
    assert verdict(bad * 0.5, lack="2 recalls, 20 are needed") == "insufficient"


def test_settings_that_no_test_could_use_are_refused():
    """A level of 2 or a negative floor is a typing mistake."""
    with pytest.raises(UsageError, match="between 0 and 1"):
        Settings(level_quality=2.0)
    with pytest.raises(UsageError, match=">= 0"):
        Settings(floor_metric=-1.0)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"metrics": []}, "expected names"),
        ({"metrics": [1]}, "expected names"),
        ({"metrics": "recal@10"}, "unknown metric 'recal'. Did you mean 'recall'"),
        ({"min_hours": "six"}, r"drift.min_hours: expected a whole number >= 0, saw 'six'"),
        ({"min_queries": True}, "expected a whole number"),
        ({"mde_latency": 0.5}, "expected a (whole )?number >= 1"),
        ({"floor_latency": 0.9}, "expected a (whole )?number >= 1"),
        ({"max_reference": 0}, "expected a (whole )?number >= 1"),
        ({"min_history": 1}, "expected a whole number >= 2"),
        ({"segments": ["querry_class"]}, "drift.segments: no segment 'querry_class'. Did you mean 'query_class'"),
    ],
)
def test_settings_that_would_act_on_nothing_are_refused(given, words):
    """A value that no test could use, a name that nothing has: refused with what is possible, never accepted in silence."""
    with pytest.raises(UsageError, match=words):
        recallwatch.drift(
            world.log(world.day(0, per_hour=5), world.day(1, per_hour=5)),
            world.labels(),
            reference=world.DAY1,
            current=world.DAY2,
            threads=1,
            **given,
        )


def test_one_metric_alone_is_a_list_of_one():
    """metrics = "mrr" tests MRR."""
    assert DRIFT.make({"metrics": "mrr"})[Settings].metrics == ("mrr",)
