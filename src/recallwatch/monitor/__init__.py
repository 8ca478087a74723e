"""Drift between windows: DRIFT_TESTS is the one list of tests; each family has a file, docs/drift.md the mathematics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..base.registry import index

__all__ = ["DRIFT_TESTS", "DriftTest"]


@dataclass(frozen=True)
class DriftTest:
    """One test: direction, floor and minimum are data, so no test decides them by itself.

    Args:
        name: as a person asks for it.
        family: quality, answers, latency, mix, labels or health.
        group: which tests share one Benjamini-Hochberg correction; mix has none, its guard is strict instead.
        unit: of the effect: ratio, log_ratio, share, psi, documents, or sd (standard deviations between queries).
        better: the good direction; neither = every move is named.
        floor: the setting that holds the smallest effect worth a word; None = the test decides by a rule of its own.
        meaning: one line for people.
    """

    name: str
    family: Literal["quality", "answers", "latency", "mix", "labels", "health"]
    group: Literal["quality", "traffic", "segment", "answers", "latency", "mix", "other", "plain"]
    unit: Literal["ratio", "log_ratio", "share", "psi", "documents", "sd"]
    better: Literal["higher", "lower", "neither"]
    floor: str | None
    meaning: str


DRIFT_TESTS = index(
    DriftTest("quality", "quality", "quality", "ratio", "higher", "floor_metric", "a metric on the queries of both windows"),
    DriftTest(
        "quality_traffic",
        "quality",
        "traffic",
        "ratio",
        "higher",
        "floor_traffic",
        "the same, each query by its share of the recalls",
    ),
    DriftTest("quality_segment", "quality", "segment", "ratio", "higher", "floor_segment", "the same inside one class or tenant"),
    DriftTest("overlap", "answers", "answers", "ratio", "higher", "floor_overlap", "the same queries get the same documents"),
    DriftTest(
        "documents_gone",
        "answers",
        "answers",
        "share",
        "lower",
        "floor_gone",
        "part of the lists that no longer shown documents filled",
    ),
    DriftTest(
        "documents_new",
        "answers",
        "answers",
        "share",
        "lower",
        "floor_new",
        "part of the lists that documents never shown before fill",
    ),
    DriftTest(
        "list_length", "answers", "answers", "documents", "neither", "floor_length", "documents in a list, on the same queries"
    ),
    DriftTest(
        "top_score", "answers", "answers", "sd", "neither", "floor_score", "score of the first document, on the same queries"
    ),
    DriftTest("score_margin", "answers", "answers", "sd", "neither", "floor_score", "its lead on the second"),
    DriftTest(
        "concentration", "answers", "answers", "log_ratio", "neither", "floor_concentration", "few documents fill more of the lists"
    ),
    DriftTest("latency", "latency", "latency", "log_ratio", "lower", None, "p50 and p95 of a stage, cache misses only"),
    DriftTest("stage", "latency", "plain", "share", "neither", None, "a stage that runs in one window only"),
    DriftTest("class_mix", "mix", "mix", "psi", "neither", "floor_psi", "traffic by query class (PSI)"),
    DriftTest("tenant_mix", "mix", "mix", "psi", "neither", "floor_psi", "traffic by tenant (PSI)"),
    DriftTest("mix_effect", "mix", "mix", "ratio", "neither", "floor_mix_effect", "what other traffic alone does to the mean"),
    DriftTest("cache_hits", "mix", "mix", "share", "higher", "floor_share", "share of recalls answered from a cache"),
    DriftTest("judged", "labels", "other", "ratio", "higher", "floor_judged", "judged among the non-relevant slots"),
    DriftTest("labelled", "labels", "other", "share", "higher", "floor_share", "share of the traffic that has labels"),
    DriftTest("unseen", "labels", "other", "share", "lower", "floor_share", "traffic of queries the reference never saw"),
    DriftTest("stage_missing", "health", "other", "share", "lower", "floor_rate", "recalls that lack a stage's time"),
    DriftTest("invalid_times", "health", "other", "share", "lower", "floor_rate", "negative or non-finite times"),
    DriftTest("empty", "health", "other", "share", "lower", "floor_rate", "empty rankings without an error"),
    DriftTest("errors", "health", "other", "share", "lower", "floor_rate", "recalls that failed"),
    DriftTest("duplicate_ids", "health", "other", "share", "lower", "floor_rate", "rankings that repeat an id"),
    DriftTest("null_ids", "health", "other", "share", "lower", "floor_rate", "rankings with an unknown id"),
    DriftTest("class_null", "health", "other", "share", "lower", "floor_rate", "recalls without a query class"),
    DriftTest("tenant_null", "health", "other", "share", "lower", "floor_rate", "recalls without a tenant"),
    DriftTest("rejected", "health", "other", "share", "lower", "floor_rate", "lines that could not be read"),
    DriftTest("list_depth", "health", "plain", "documents", "neither", None, "lists that are a third shorter or longer"),
    DriftTest("volume", "health", "plain", "log_ratio", "neither", None, "recalls an hour"),
)
