"""What a notebook gets: plain frames, pictures, and lists of dicts that mean what a file of them means."""

import datetime as dt
import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import recallwatch
from recallwatch import InputError, UsageError
from recallwatch.document.frames import frame

LOGS: list[dict[str, Any]] = [
    {
        "query_id": "q1",
        "ranked_ids": ["m1", "m2"],
        "total_ms": 12.0,
        "timestamp": dt.datetime(2026, 11, 1, tzinfo=dt.UTC),
        "n": "x",
    },
    {"query_id": "q2", "ranked_ids": [np.int64(3)], "scores": [float("nan")], "timestamp": "2026-11-02", "tenant_id": float("nan")},
]
LABELS: list[dict[str, Any]] = [{"query_id": "q1", "relevant": {"m1": 2, "m9": 1}}, {"query_id": "q2", "relevant": [3]}]


def test_dicts_and_frames(tmp_path: Path) -> None:
    """Dicts give what their file gives, however typed; frames have one plain column a value, wide ones a column a metric."""
    options: dict[str, Any] = {"k": "1,2", "metrics": "recall,mrr", "by": "tenant_id,n", "window": "day"}
    result = recallwatch.evaluate(LOGS, LABELS, **options)
    plain = [{"query_id": "q1", "ranked_ids": ["m1", "m2"], "total_ms": 12.0, "timestamp": "2026-11-01T00:00:00+00:00", "n": "x"}]
    plain.append({"query_id": "q2", "ranked_ids": [3], "timestamp": "2026-11-02"})
    (tmp_path / "logs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in plain))
    assert recallwatch.evaluate(tmp_path / "logs.jsonl", LABELS, **options).to_dict()["metrics"] == result.to_dict()["metrics"]
    assert result.to_polars("queries")["event_ids"].to_list() == ["logs:1", "logs:2"]  # no path of a temporary file

    assert list(result.tables()) == ["metrics", "latency", "cost", "queries"]
    made = result.to_polars()
    assert made.columns[:5] == ["window", "tenant_id", "segment.n", "metric", "k"]  # an attribute called as a column of ours
    assert not any(
        kind.is_nested() for frame in ("metrics", "latency", "cost", "queries") for kind in result.to_polars(frame).dtypes
    )
    whole = made.filter(pl.col("window").is_null(), pl.col("tenant_id").is_null(), pl.col("segment.n").is_null())
    assert whole.select("metric", "k", "value").rows() == [("recall", 1, 0.75), ("recall", 2, 0.75), ("mrr", None, 1.0)]
    wide = result.to_polars(wide=True)
    assert wide.columns == ["window", "tenant_id", "segment.n", "recall@1", "recall@2", "mrr"]
    assert wide.filter(pl.col("window").is_null(), pl.col("segment.n") == "x").rows() == [(None, None, "x", 0.5, 0.5, 1.0)]
    assert "(none)" in wide["tenant_id"].to_list()  # not logged, which is not: all tenants
    assert pl.read_csv(made.write_csv().encode())["value"].to_list() == made["value"].to_list()
    with pytest.raises(UsageError, match=r"unknown value 'metric'\. Did you mean 'metrics'"):
        result.to_polars("metric")
    with pytest.raises(UsageError, match="latency has no metrics to spread"):
        result.to_polars("latency", wide=True)

    result.plot().save(tmp_path / "all.png")
    assert (tmp_path / "all.png").read_bytes().startswith(b"\x89PNG")
    assert result._repr_html_().startswith('<img alt="recall@2, by traffic.')
    with pytest.raises(UsageError, match=r"unknown chart 'trend'.*trend-recall@2"):
        result.plot("trend")
    with pytest.raises(UsageError, match="unknown kind of picture"):
        result.plot().save(tmp_path / "all.pdf")


def test_frames_of_any_result() -> None:
    """Lists of ids are texts, nested values JSON; a result without a chart says so; errors name the record as it was given."""
    why = recallwatch.explain("q1", LOGS, LABELS)
    assert set(why.to_polars()["document_id"]) == {"m1", "m9"}  # what it is about, wherever that stands in the JSON
    assert repr(why) == str(why)  # a shell shows it as print does
    with pytest.raises(UsageError, match="nothing to draw"):
        why.plot()
    assert frame([{"a": [1, 2], "b": {"c": 1}}, {"a": [], "segment": {"d": None}}]).rows() == [
        ("1, 2", '{"c": 1}', None),
        ("", None, "(none)"),
    ]
    assert frame([], {"a": pl.Int64}).schema == {"a": pl.Int64}
    with pytest.raises(InputError, match=r"^labels:1: 'relevant' is neither"):
        recallwatch.evaluate(LOGS, [{"query_id": "q1", "relevant": 3}])
    with pytest.raises(InputError, match=r"^logs: no column 'ranked_ids'"):
        recallwatch.evaluate([{"a": 1}], LABELS)
    with pytest.raises(UsageError, match=r"^logs:1: expected a value of JSON, saw set"):
        recallwatch.evaluate([{"query_id": "q", "ranked_ids": {1, 2}}], LABELS)


def test_a_label_file_is_cases(tmp_path: Path) -> None:
    """Each of its queries is put to the retriever, by its text; one without a text is named."""
    labels = tmp_path / "labels.jsonl"
    labels.write_text(
        '{"query": "where I work", "relevant": ["acme"]}\n{"query": "my allergy", "relevant": {"nuts": 2, "milk": 1}}\n'
    )
    report = recallwatch.evaluate_retriever(lambda query: ["acme"] if "work" in query else ["milk"], labels, k=1)
    assert report.values["recall"] == 0.75
    assert sorted(report.to_polars()["query_text"]) == ["my allergy", "where I work"]
    labels.write_text('{"query_id": "q1", "relevant": ["acme"]}\n')
    with pytest.raises(InputError, match=r"labels\.jsonl: query 'q1' has no text to ask"):
        recallwatch.evaluate_retriever(lambda _: [], labels)


def test_dir_is_the_api() -> None:
    """What Tab offers in a notebook is what the package promises."""
    assert dir(recallwatch) == sorted(recallwatch.__all__)
