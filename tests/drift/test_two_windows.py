"""Two windows: silent where nothing moved, loud where something did, and never `ok` for lack of data."""

import json
import math

import pyarrow as pa
import pytest

import recallwatch
from recallwatch.base.errors import InputError, UsageError

from . import world

A, B = world.DAY1, world.DAY2


def drift(first, then, **options):
    return recallwatch.drift(
        world.log(first, then), options.pop("labels", world.labels()), reference=A, current=B, threads=1, **options
    )


def flagged(result):
    return {family for family, verdict in result.verdicts().items() if verdict == "fail"}


def only(result, family, **wanted):
    return [f for f in result.findings if f.family == family and all(getattr(f.measured, k) == v for k, v in wanted.items())]


def test_two_days_of_the_same_service_raise_no_flag():
    """Same answers, same speed, other events: nothing fails, and every family is said to be ok."""
    result = drift(world.day(0), world.day(1))
    assert flagged(result) == set()
    assert result.verdict == "ok"
    assert result.headline.startswith("Nothing moved that matters between 2026-03-02T00:00:00Z and 2026-03-03T00:00:00Z")


@pytest.mark.parametrize(("lost", "verdict"), [(range(1), "insufficient"), (range(6), "fail")])
def test_tenants_are_clusters(lost, verdict):
    """All ten queries of a tenant change together: one tenant of six is one change, which says little of other tenants; all six say much."""

    def tenant(q):
        return q % 6

    days = [
        [{**row, "tenant_id": f"t{tenant(int(row['query_id'][1:]))}"} for row in day]
        for day in (world.day(0, unlabelled=0), world.day(1, unlabelled=0, lost=lambda q, *_: 0.9 if tenant(q) in lost else 0.0))
    ]
    (found,) = only(drift(*days, segments=()), "quality", test="quality", metric="recall")
    assert found.verdict == verdict
    if verdict == "insufficient":
        assert found.measured.blocks == "tenants"


SHIFTS = [
    pytest.param({"lost": 0.5}, "quality", id="lost documents"),
    pytest.param({"slow": {"rerank": 1.4}}, "latency", id="slow stage"),
    pytest.param({"weights": {"multi_hop": 5.0}}, "mix", id="other classes"),
    pytest.param({"unlabelled": 0.4}, "labels", id="unlabelled traffic"),
    pytest.param({"fresh": 0.6}, "labels", id="judged share falls"),
    pytest.param({"empty": 0.05}, "health", id="empty rankings"),
    pytest.param({"error": 0.05}, "health", id="errors"),
    pytest.param({"missing": 0.1}, "health", id="stage missing"),
    pytest.param({"duplicate": 0.1}, "health", id="repeated ids"),
    pytest.param({"null_id": 0.1}, "health", id="null ids"),
    pytest.param({"per_hour": 20}, "health", id="volume"),
]


@pytest.mark.parametrize(("change", "family"), SHIFTS)
def test_each_kind_of_change_is_named_by_its_family(change, family):
    """One thing changes; the family it belongs to fails."""
    result = drift(world.day(0), world.day(1, **change))
    assert family in flagged(result)
    assert result.verdict == "fail"


def test_a_change_of_traffic_is_not_called_a_change_of_quality():
    """More questions of a class are mix; the queries of both windows are answered as before."""
    assert flagged(drift(world.day(0), world.day(1, weights={"multi_hop": 6.0}))) == {"mix"}


def test_gains_are_improved_never_a_failure():
    """Direction is data: more found and faster is `improved`."""
    result = drift(world.day(0, lost=0.5, slow={"rerank": 1.5}), world.day(1))
    assert result.verdict == "improved"
    assert {result.verdicts()[family] for family in ("quality", "latency")} == {"improved"}


def test_a_quality_finding_names_queries_lost_ids_and_events():
    """`where` holds the queries that carry the change, the ids they lost with their ranks, and events to open."""
    result = drift(world.day(0), world.day(1, lost=0.5))
    where = only(result, "quality", metric="recall", test="quality")[0].measured.where
    query = next(row for row in where if row["kind"] == "query")
    assert query["effect"] < 0
    assert query["lost"]
    assert all(entry["to_rank"] is None and entry["from_rank"] >= 1 for entry in query["lost"])
    assert query["event_ids"]
    document = next(row for row in where if row["kind"] == "document")
    assert document["is_gone"]
    assert "lost ids" in result.headline


def test_the_segment_that_carries_the_change_stands_first():
    """A loss in one class of one tenant is told as that pair, not as two halves."""
    broken = world.day(1, queries=60, lost=lambda _q, c, t: 0.9 if (c, t) == ("multi_hop", "bolt") else 0.0)
    result = drift(world.day(0), broken)
    first = only(result, "quality", metric="recall", test="quality")[0].measured.where[0]
    assert first["segment"] == {"query_class": "multi_hop", "tenant_id": "bolt"}
    assert first["share_of_change"] == pytest.approx(1.0)


def test_a_change_of_index_version_is_named_beside_the_change():
    """What else changed between the windows stands in the headline."""
    assert "(index v1 → v2)" in drift(world.day(0), world.day(1, lost=0.5, version="v2")).headline


def test_labels_judged_between_the_windows_are_named():
    """Another version of the labels is a coincidence that a reader must know of."""
    import datetime as dt

    labels = world.labels()
    judged = pa.array(
        [dt.datetime(2026, 3, 3 if i % 2 else 1, 12, tzinfo=dt.UTC) for i in range(labels.num_rows)], pa.timestamp("us", "UTC")
    )
    result = drift(world.day(0), world.day(1), labels=labels.append_column("judged_at", judged))
    assert "240 labels were judged since" in result.headline


def test_the_stage_that_carries_the_total_is_named():
    """The total's finding lists stages by their share of its change."""
    result = drift(world.day(0), world.day(1, slow={"rerank": 1.5}))
    where = only(result, "latency", stage="total", quantile=0.5)[0].measured.where
    assert where[0]["stage"] == "rerank"
    assert where[0]["share_of_change"] > 0.8


FINDING = [
    *(
        "family",
        "metric",
        "k",
        "stage",
        "quantile",
        "segment",
        "reference",
        "current",
        "effect",
        "unit",
        "se",
        "df",
        "ci_low",
        "ci_high",
    ),
    *("p_value", "q_value", "mde", "verdict", "state", "since", "provisional", "blocks", "reason", "where"),
]
OF_UNJUDGED = ["n_unjudged_reference", "n_unjudged_current", "rho", "tipping_point", "is_settled", "unjudged"]


def test_json_is_the_contract_key_for_key():
    """Key names and their order are relied on by other programs; every number is finite or null."""
    result = drift(world.day(0), world.day(1, lost=0.5)).to_dict()
    assert list(result) == [
        "tool",
        "definition",
        "reference",
        "current",
        "verdict",
        "headline",
        "causes",
        "findings",
        "decomposition",
        "funnel",
    ]
    assert list(result["findings"][0]) == FINDING + OF_UNJUDGED  # a certain change, and documents that nobody judged
    assert all(list(row) == FINDING for row in result["findings"] if row["family"] != "quality")
    assert list(result["decomposition"][0]) == ["metric", "k", "total", "class_mix", "query_mix", "within", "entry_exit"]
    json.dumps(result, allow_nan=False)


def test_two_windows_of_one_day_say_that_they_are_provisional():
    """Without history the day-to-day spread is an assumption, and latency findings say so."""
    result = drift(world.day(0), world.day(1))
    assert all(f.measured.provisional and f.measured.blocks == "hours" for f in only(result, "latency", test="latency"))


def test_a_new_and_a_lost_stage_are_findings_of_their_own():
    """A stage of one window only is named with its share of the total; it is no failure of health."""
    without = [{**row, "stage_ms": [s for s in row["stage_ms"] if s[0] != "rerank"]} for row in world.day(0)]
    result = drift(without, world.day(1))
    (new,) = only(result, "latency", test="stage")
    assert new.reason.startswith("new stage rerank")
    assert new.verdict == "warn"
    assert "health" not in flagged(result)
    (gone,) = only(
        drift(world.day(0), [{**row, "event_id": "x" + row["event_id"]} for row in _later(without)]), "latency", test="stage"
    )
    assert gone.measured.metric == "stage_gone"


def _later(rows):
    import datetime as dt

    return [{**row, "timestamp": row["timestamp"] + dt.timedelta(days=1)} for row in rows]


def test_a_changed_unit_is_named():
    """Times that fall a thousandfold are a change of unit, and the reason says so."""
    seconds = [
        {**row, "stage_ms": [(s, v / 1000) for s, v in row["stage_ms"]], "total_ms": row["total_ms"] / 1000} for row in world.day(1)
    ]
    result = drift(world.day(0), seconds)
    assert "did the unit change" in only(result, "latency", stage="total")[0].reason


def test_tiny_windows_are_insufficient_and_raise_no_flag():
    """Five recalls an hour cannot carry a verdict: insufficient, not ok."""
    result = drift(world.day(0, per_hour=2), world.day(1, per_hour=2, lost=0.5))
    assert result.verdict == "insufficient"
    assert flagged(result) == set()


ODD = {
    "one event": (lambda: world.day(0), lambda: world.day(1)[:1]),
    "one query": (lambda: world.day(0, queries=3), lambda: world.day(1, queries=3)),
    "every query new": (lambda: world.day(0), lambda: world.day(1, prefix="n")),
    "no labelled traffic": (lambda: world.day(0), lambda: world.day(1, unlabelled=1.0)),
}


@pytest.mark.parametrize("name", ODD)
def test_too_little_to_compare_is_insufficient_with_a_reason(name):
    """A decided verdict and a reason, never a crash and never `ok`."""
    first, then = (make() for make in ODD[name])
    result = drift(first, then)
    (recall,) = only(result, "quality", metric="recall", test="quality")
    assert recall.verdict == "insufficient"
    assert "too little data" in recall.reason
    assert result.verdicts()["quality"] == "insufficient"
    str(result)


def test_an_empty_current_window_is_insufficient():
    """A window without recalls is told as such by every family that needs them."""
    result = recallwatch.drift(world.log(world.day(0)), world.labels(), reference=A, current=B, threads=1)
    assert result.verdict == "insufficient"
    assert result.current["events"] == 0


def test_no_recall_in_either_window_is_an_error():
    """Windows that miss the log altogether are a mistake to be told, with the log's own range."""
    with pytest.raises(InputError, match="no recall in any of the windows"):
        recallwatch.drift(
            world.log(world.day(0)), world.labels(), reference="2020-01-01..2020-01-02", current="2020-01-02..2020-01-03"
        )


def test_a_log_without_times_is_told_apart_from_one_without_data():
    """Latency is insufficient with the reason; the other families decide as ever."""
    bare = [[{**row, "stage_ms": None, "total_ms": None} for row in world.day(no)] for no in (0, 1)]
    result = drift(*bare)
    assert result.verdicts()["latency"] == "insufficient"
    assert only(result, "latency")[0].reason == "too little data: no times are logged"
    assert result.verdict == "ok"


def test_equal_values_everywhere_are_ok():
    """Zero variance: no difference is no finding, and no division by zero."""
    flat = [[{**row, "stage_ms": [("search", 5.0)], "total_ms": 5.0} for row in world.day(no)] for no in (0, 1)]
    result = drift(*flat)
    assert flagged(result) == set()
    assert only(result, "latency", stage="total", quantile=0.5)[0].measured.effect == pytest.approx(0, abs=0.01)


def test_a_class_unseen_in_the_reference_is_named():
    """Mix says which class is new, and its share stays finite."""
    fresh = [{**row, "query_class": "agentic"} if i % 3 == 0 else row for i, row in enumerate(world.day(1))]
    (mix,) = only(drift(world.day(0), fresh), "mix", test="class_mix")
    assert "query_class agentic is unseen in the reference" in mix.reason
    assert math.isfinite(mix.measured.effect)


def test_non_finite_times_are_counted_by_health():
    """A NaN is no time: it is left out of latency and counted."""
    broken = [{**row, "total_ms": float("nan")} if i % 8 == 0 else row for i, row in enumerate(world.day(1))]
    result = drift(world.day(0), broken)
    assert only(result, "health", test="invalid_times")[0].verdict == "fail"


def test_labels_without_a_refused_document_cannot_show_staleness():
    """Where every label is relevant the judged share cannot move, and the finding says so instead of ok by default."""
    relevant = world.labels().filter(pa.compute.equal(world.labels()["grade"], 1))
    (judged,) = only(drift(world.day(0), world.day(1), labels=relevant), "labels", test="judged")
    assert "cannot move" in judged.reason


@pytest.mark.parametrize(
    ("reference", "current", "words"),
    [
        (A, "2026-03-02T12:00..2026-03-04", "overlap"),
        ("2026-03-03..2026-03-02", B, "ends before it begins"),
        ("2026-03-02", B, r"A\.\.B"),
        ("yesterday..today", B, "no ISO date"),
    ],
)
def test_windows_that_make_no_sense_are_refused(reference, current, words):
    """Overlapping, reversed or unreadable windows are a usage error with the words to mend it."""
    with pytest.raises(UsageError, match=words):
        recallwatch.drift(world.log(world.day(0)), world.labels(), reference=reference, current=current)


def test_the_library_entry_is_callable_whatever_was_imported_first():
    """`recallwatch.drift` names a package and a function; calling it works after either import."""
    import recallwatch.stats.closed_forms

    assert callable(recallwatch.drift)
    with pytest.raises(UsageError, match=r"A\.\.B"):
        recallwatch.drift(world.log(world.day(0)), world.labels(), reference="x", current=B)
