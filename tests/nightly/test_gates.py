"""Gates: how a limit is read, and what it says of a value."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from typer.testing import CliRunner

from recallwatch.base.errors import UsageError
from recallwatch.cli import app
from recallwatch.nightly import gate_baselines, gate_verdicts, gates, run_record
from recallwatch.nightly.configuration import Gates, GateTable
from recallwatch.report.files import FILES
from recallwatch.report.night import Night

W0, W1 = "2026-03-01T00:00:00Z", "2026-03-02T00:00:00Z"


def metric(
    value: float | None, *, window: str | None = W1, n: int = 100, segment: dict[str, Any] | None = None, k: int = 10, **more: Any
) -> dict[str, Any]:
    """One row of an evaluation's metrics."""
    return {
        "window": window,
        "segment": segment or {},
        "metric": "recall",
        "k": k,
        "value": value,
        "n": n,
        "ci_low": None,
        "ci_high": None,
        **more,
    }


def time(value: float, *, window: str = W1, cache: str = "all", stage: str = "search", n: int = 100, **more: Any) -> dict[str, Any]:
    """One row of an evaluation's latency."""
    columns = {
        "mean_ms": value,
        "p50_ms": value,
        "p95_ms": value,
        "p99_ms": value,
        "max_ms": value,
        "p95_ci_low_ms": None,
        "p95_ci_high_ms": None,
    }
    return {"window": window, "segment": {}, "stage": stage, "cache": cache, "n": n, **columns, **more}


def night(metrics: list[dict[str, Any]], latency: list[dict[str, Any]] | None = None, **more: Any) -> Night:
    """A night with these rows and nothing else."""
    return Night({"metrics": metrics, "latency": latency or [], "counts": {"events": 100, "labelled_events": 90}}, **more)


def verdict(limits: dict[str, str | GateTable], what: Night, **settings: Any) -> list[dict[str, Any]]:
    """The rows of some gates."""
    chosen = Gates(limits=limits, **settings)
    return gate_verdicts.judge(gates.parse(chosen), chosen, what)


@pytest.mark.parametrize(
    ("limit", "value", "wanted"),
    [
        (">= 0.70", 0.70, "pass"),
        (">= 0.70", 0.6999, "fail"),
        ("> 0.70", 0.70, "fail"),
        ("<= 0.5", 0.5, "pass"),
        ("< 0.5", 0.5, "fail"),
        (">= 70%", 0.7, "pass"),
        ("== 1", 1.0, "pass"),
        (">= 0.3", 0.1 + 0.2, "pass"),
    ],
)
def test_absolute_limits(limit: str, value: float, wanted: str) -> None:
    """A limit is kept or not; equal within a rounding error is equal."""
    assert verdict({"recall@10": limit}, night([metric(value)]))[0]["verdict"] == wanted


@pytest.mark.parametrize(("limit", "wanted"), [("< 250ms", "pass"), ("< 0.2s", "pass"), ("< 0.1 s", "fail"), ("<= 150", "pass")])
def test_latency_limits_have_units(limit: str, wanted: str) -> None:
    """Milliseconds unless a unit says seconds."""
    assert verdict({"p95:search": limit}, night([], [time(150.0)]))[0]["verdict"] == wanted


def test_a_stage_is_judged_without_cache_hits() -> None:
    """Where the log tells hits apart a stage counts misses only, the total all."""
    rows = [time(9, cache="miss"), time(1, cache="all"), time(5, stage="total"), time(8, stage="total", cache="miss")]
    found = verdict({"p95:search": "< 5ms", "p95:total": "<= 5ms"}, night([], rows))
    assert [gate["verdict"] for gate in found] == ["fail", "pass"]


def test_the_newest_window_or_everything() -> None:
    """Gates judge the newest window unless ``on`` says all."""
    what = night([metric(0.9, window=None), metric(0.9, window=W0), metric(0.5)])
    assert verdict({"recall@10": ">= 0.7"}, what)[0]["value"] == 0.5
    assert verdict({"recall@10": ">= 0.7"}, what, on="all")[0]["value"] == 0.9


def test_against_the_window_before_or_a_named_one() -> None:
    """``baseline`` is what the configuration says: previous, or the window of a date."""
    what = night([metric(0.9, window="2026-02-28T00:00:00Z"), metric(0.6, window=W0), metric(0.59)])
    assert verdict({"recall@10": ">= baseline - 0.02"}, what, baseline="previous")[0]["verdict"] == "pass"
    assert verdict({"recall@10": ">= baseline * 0.9"}, what, baseline="2026-02-28")[0]["verdict"] == "fail"
    assert verdict({"recall@10": ">= baseline"}, what, baseline="previous", certain=False)[0]["limit_value"] == 0.6
    shares = [
        {"window": window, "empty_share": share, "events": 100}
        for window, share in (("2026-02-28T00:00:00Z", 0.1), (W0, 0.2), (W1, 0.15))
    ]
    what = dataclasses.replace(night([metric(0.5)]), sides={"window_shares": shares, "shares": {"events": 300}})
    for baseline, wanted, base in (("previous", "pass", 0.2), ("2026-02-28", "fail", 0.1)):
        found = verdict({"empty_share": "<= baseline"}, what, baseline=baseline)[0]
        assert (found["verdict"], found["baseline"]) == (wanted, base)
    rows = [metric(0.1 * day, window=f"2026-03-0{day}T18:30:00Z") for day in (1, 2, 3)]  # in Kolkata the 2nd, 3rd and 4th
    kolkata = night(rows, timezone="Asia/Kolkata")
    assert verdict({"recall@10": ">= baseline"}, kolkata, baseline="2026-03-02", certain=False)[0]["limit_value"] == 0.1


def test_against_the_reference_other_traffic_moves_nothing() -> None:
    """With the drift reference a metric is compared on the queries of both sides, with the interval of their difference."""
    finding = {
        "family": "quality",
        "metric": "recall",
        "k": 10,
        "segment": {},
        "reference": 0.8,
        "current": 0.79,
        "ci_low": -0.03,
        "ci_high": 0.01,
        "verdict": "ok",
        "state": None,
    }
    drift = {"current": {"from": W1}, "findings": [finding], "verdict": "ok", "headline": ""}
    row = verdict({"recall@10": ">= baseline - 0.02"}, night([metric(0.5)], drift=drift))[0]
    assert (row["value"], row["baseline"], row["verdict"]) == (0.79, 0.8, "pass")


@pytest.mark.parametrize(("high", "wanted"), [(0.01, "warn"), (-0.03, "fail"), (None, "fail")])
def test_a_fall_that_may_be_chance_only_warns(high: float | None, wanted: str) -> None:
    """Against a baseline a gate fails only where the interval lies beyond the limit too; without an interval the value decides."""
    finding = {
        "family": "quality",
        "metric": "recall",
        "k": 10,
        "segment": {},
        "reference": 0.8,
        "current": 0.75,
        "ci_low": -0.11,
        "ci_high": high,
        "verdict": "ok",
        "state": None,
    }
    drift = {"current": {"from": W1}, "findings": [finding], "verdict": "ok", "headline": ""}
    assert verdict({"recall@10": ">= baseline - 0.02"}, night([metric(0.5)], drift=drift))[0]["verdict"] == wanted


def test_each_segment_has_a_row() -> None:
    """``[column=*]`` judges every value of the column by itself; a named one only that."""
    rows = [metric(0.9, segment={"query_class": "a"}), metric(0.1, segment={"query_class": "b"}), metric(0.5)]
    found = verdict({"recall@10[query_class=*]": ">= 0.7", "recall@10[query_class=a]": ">= 0.7"}, night(rows))
    assert [(gate["name"], gate["verdict"]) for gate in found] == [
        ("recall@10 [a]", "pass"),
        ("recall@10 [b]", "fail"),
        ("recall@10[query_class=a]", "pass"),
    ]


@pytest.mark.parametrize(("say", "wanted"), [("pass", "insufficient"), ("warn", "warn"), ("fail", "fail")])
@pytest.mark.parametrize("rows", [[], [metric(None)], [metric(0.1, n=5)]], ids=["no row", "no value", "few recalls"])
def test_what_cannot_be_judged_says_so(rows: list[dict[str, Any]], say: str, wanted: str) -> None:
    """No row, no value or too few recalls: insufficient, and the configuration says whether that fails. Nothing raises."""
    assert verdict({"recall@10": ">= 0.7"}, night(rows), insufficient=say)[0]["verdict"] == wanted


def test_a_first_night_has_no_baseline() -> None:
    """Without a baseline a gate against one is insufficient."""
    found = verdict({"recall@10": ">= baseline - 0.02", "p95:search": "< baseline * 1.2"}, night([metric(0.7)], [time(3)]))
    assert {gate["reason"] for gate in found} == {"no baseline yet"}


def test_shares_and_counts() -> None:
    """Ratios of counts come from sql/6_report/shares.sql, counts from the result."""
    what = night([], sides={"shares": {"rejected_share": 0.02, "events": 100}})
    found = verdict({"rejected_share": "< 0.01", "labelled_events": ">= 50", "count:nothing": ">= 1"}, what)
    assert [gate["verdict"] for gate in found] == ["fail", "pass", "insufficient"]


def test_shares_and_counts_are_of_the_judged_window() -> None:
    """Errors of an old window fail no gate of the newest one; what has no window, and ``on = "all"``, is judged over everything read."""
    windows = [{"window": W0, "events": 50, "error_share": 0.5}, {"window": W1, "events": 50, "error_share": 0.0}]
    sides = {"shares": {"rejected_share": 0.02, "error_share": 0.25, "events": 100}, "window_shares": windows}
    what = night([metric(0.5, window=W0), metric(0.5)], sides=sides)
    limits: dict[str, str | GateTable] = {"error_share": "< 0.01", "rejected_share": "< 0.01", "events": "<= 50"}
    found = verdict(limits, what)
    assert [gate["verdict"] for gate in found] == ["pass", "fail", "pass"]
    assert [gate["n"] for gate in found] == [50, 100, 50]
    assert found[1]["reason"].endswith(", over everything read")
    assert [gate["verdict"] for gate in verdict(limits, what, on="all")] == ["fail", "fail", "fail"]


def test_a_table_sets_its_own_minimum() -> None:
    """A gate written as a table has its own min_n and certainty."""
    table = GateTable(limit=">= 0.7", min_n=3, certain=True)
    row = verdict({"recall@10": table}, night([metric(0.6, n=5, ci_low=0.4, ci_high=0.8)]))[0]
    assert row["verdict"] == "warn"


def test_presets_are_made_of_gates_that_can_be_read() -> None:
    """Every preset parses; a limit of the file wins over the preset's."""
    assert len(gates.parse(Gates(presets=tuple(gates.PRESETS)))) >= 8
    own = gates.parse(Gates(presets=("codemem",), limits={"recall@10": ">= 0.5"}))
    assert [gate.limit for gate in own if gate.name == "recall@10"] == [">= 0.5"]


@pytest.mark.parametrize(
    ("name", "limit", "message"),
    [
        ("recal@10", ">= 0.7", r"unknown metric 'recal@10'\. (Did you mean|Known)"),
        ("recall@ten", ">= 0.7", "unknown metric"),
        ("p94:search", "< 1ms", r"unknown percentile 'p94'\. Did you mean"),
        ("recall@10", "0.7", "not a limit: '0.7'"),
        ("recall@10", ">= baseline 0.02", "not a limit"),
        ("recall@10", ">=", "not a limit"),
        ("recall@10", ">= much", "not a limit"),
        ("recall@10[", ">= 0.7", "not a gate's name"),
    ],
)
def test_what_cannot_be_read_is_told(name: str, limit: str, message: str) -> None:
    """A gate that cannot be read names itself and what would be right, before any log is read."""
    with pytest.raises(UsageError, match=message):
        gates.parse(Gates(limits={name: limit}))


def test_an_unknown_preset_is_told() -> None:
    """With the nearest name."""
    with pytest.raises(UsageError, match=r"unknown preset 'codemen'\. Did you mean 'codemem'\?"):
        gates.parse(Gates(presets=("codemen",)))


@pytest.mark.parametrize(("what", "registry"), [("run-outputs", FILES), ("gate-presets", gates.PRESETS)])
def test_what_a_configuration_can_name_is_listed(what: str, registry: Any) -> None:
    """`recallwatch list` shows every output of a run and every preset of gates, from the registries."""
    shown = CliRunner().invoke(app, ["list", what], env={"COLUMNS": "200"})
    assert shown.exit_code == 0
    names = [line.split()[0] for line in shown.stdout.splitlines()[2:]]
    assert names == list(registry)


def test_a_night_that_changed_nothing_says_so() -> None:
    """What changed since the last run: where nothing did, one sentence says that, and no arrow points from a number to itself."""
    now = {"verdict": "ok", "gates": {}, "metrics": {"mrr": 0.5}, "latency": {"p95_ms": 3.0}, "counts": {"events": 1200}}
    now |= {"fingerprint": "f", "labels": "l"}
    assert run_record.changes(now, now) == ["nothing: the same 1,200 recalls"]
    assert run_record.changes({**now, "verdict": "fail"}, now) == ["verdict ok → fail", "the same 1,200 recalls"]


ROWS: list[dict[str, Any]] = [
    {"segment": {}},
    {"segment": {"tenant_id": "bolt"}},
    {"segment": {"tenant_id": None}},
    {"segment": {"query_class": "lookup"}},
    {"segment": {"query_class": "lookup", "tenant_id": "bolt"}},
]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "recall@10[tenant_id=blot]",
            r"gates.'recall@10\[tenant_id=blot\]': no recall has tenant_id 'blot'\. Did you mean 'bolt'\?",
        ),
        ("recall@10[query_class=lookup, tenant_id=(none)]", "no recall has tenant_id '\\(none\\)'. Known: bolt"),
        ("p95:serch", "no stage 'serch' was timed. Did you mean 'search'"),
        ("count:evnts", "unknown count 'evnts'. Did you mean 'events'"),
        ("recall@10[tenant_id=bolt]", None),
        ("recall@10[tenant_id=(none)]", None),
        ("recall@10[tenant_id=*]", None),
        ("recall@10[query_class=lookup,tenant_id=bolt]", None),
    ],
)
def test_a_gate_on_what_is_not_there_is_told(name: str, message: str | None) -> None:
    """A value, stage or count that no recall has is an error with the nearest name, never `insufficient` for ever."""
    evaluation = {"cost": ROWS, "latency": [time(1)], "counts": {"events": 1}}
    rules = gates.parse(Gates(limits={name: "> 0.1"}))
    if message is None:
        gates.refuse_values(rules, evaluation)
    else:
        with pytest.raises(UsageError, match=message):
            gates.refuse_values(rules, evaluation)


def test_a_gate_on_what_nothing_is_grouped_by_is_told() -> None:
    """Its columns, or their product, must stand in `by`; the order of a product's columns does not matter."""
    rules = gates.parse(Gates(limits={"recall@10[b=x,a=y]": "> 0.1"}))
    gates.refuse_columns(rules, ("a*b",))
    with pytest.raises(UsageError, match=r"nothing is grouped by 'b\*a'\. Known: a, b\. Or add it to `by`"):
        gates.refuse_columns(rules, ("a", "b"))


def test_a_gate_on_one_column_judges_no_product() -> None:
    """`[tenant_id=bolt]` is the tenant's own segment, `[query_class=*,tenant_id=bolt]` its query classes one by one."""
    both = {"query_class": "a", "tenant_id": "bolt"}
    rows = [metric(0.9, segment={"tenant_id": "bolt"}), metric(0.1, segment=both), metric(0.5)]
    found = verdict({"recall@10[tenant_id=bolt]": ">= 0.7", "recall@10[query_class=*,tenant_id=bolt]": ">= 0.7"}, night(rows))
    assert [(gate["name"], gate["value"], gate["verdict"]) for gate in found] == [
        ("recall@10[tenant_id=bolt]", 0.9, "pass"),
        ("recall@10 [a · bolt]", 0.1, "fail"),
    ]


def test_an_unknown_baseline_is_told() -> None:
    """A baseline that is no word and no date would never be there."""
    with pytest.raises(UsageError, match=r"unknown baseline 'refrence'\. Write reference, previous, or a date"):
        gates.parse(Gates(baseline="refrence"))
    rules, dated = gates.parse(Gates(limits={"mrr": ">= baseline"})), Gates(baseline="2026-12-25")
    gate_baselines.refuse_baseline(rules, Gates(baseline="2026-03-02"), ["2026-03-01T18:30:00Z"], "Asia/Kolkata")
    with pytest.raises(UsageError, match=r"no window of 2026-12-25\. Name one from 2026-03-02 to 2026-03-02"):
        gate_baselines.refuse_baseline(rules, dated, ["2026-03-01T18:30:00Z"], "Asia/Kolkata")
    gate_baselines.refuse_reference(gates.parse(Gates(limits={"mrr": ">= 0.5"})), Gates())
    with pytest.raises(UsageError, match=r"'mrr': no windows are compared, so '>= baseline' has no reference"):
        gate_baselines.refuse_reference(rules, Gates())


@pytest.mark.parametrize(
    ("name", "baseline", "message"),
    [
        ("empty_share", "reference", "no baseline in the reference of drift"),
        ("rejected_share", "previous", "it has no window"),
        ("count:duplicate_events", "previous", "it has no window"),
    ],
)
def test_a_baseline_that_a_count_can_never_have_is_told(name: str, baseline: str, message: str) -> None:
    """It would be insufficient for ever."""
    with pytest.raises(UsageError, match=message):
        gates.parse(Gates(baseline=baseline, limits={name: "<= baseline"}))


def test_an_absolute_limit_says_what_unjudged_documents_would_change() -> None:
    """The bound of the same window and segment; nothing where even the bound fails, where labels are complete, or where a metric has none."""
    rows = [
        metric(0.4, metric="precision"),
        metric(0.8, metric="precision_upper"),
        metric(0.4),
        metric(0.9, metric="precision_upper", window=W0),
    ]
    limits: dict[str, str | GateTable] = {"precision@10": ">= 0.5", "precision@10 (judge)": ">= 0.5", "recall@10": ">= 0.5"}
    assert gates.columns(gates.parse(Gates(limits=limits))) == ["precision@10", "recall@10", "precision_upper@10"]
    plain, judged, recall = verdict(limits, night(rows))
    assert (
        plain["verdict"] == "fail"
        and "; it would hold if 25 % of the documents that nobody judged were relevant" in plain["reason"]
    )
    assert judged["verdict"] == "insufficient" and "would hold" not in recall["reason"]
    (beyond,) = verdict({"precision@10": ">= 0.85"}, night(rows))
    assert "would hold" not in beyond["reason"]
    complete = night(rows)
    complete.evaluation["definition"] = {"unjudged": "irrelevant"}  # type: ignore[index]  # a plain dict here
    assert "would hold" not in verdict({"precision@10": ">= 0.5"}, complete)[0]["reason"]
    assert gates.columns(gates.parse(Gates(limits={"mrr": "< 0.5", "precision@5": ">= baseline"}))) == ["mrr", "precision@5"]
