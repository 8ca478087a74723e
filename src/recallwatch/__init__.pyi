"""Made by `python tests/readme.py tables`: the functions with every option they take, for editors and type checkers."""

# fmt: off
import datetime as dt
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from .base.errors import InputError as InputError
from .base.errors import RecallwatchError as RecallwatchError
from .base.errors import UsageError as UsageError
from .base.version import __version__ as __version__
from .explanation.explain import Explanation as Explanation
from .labels.anchoring import Anchored as Anchored
from .labels.ingestion import LabelsAdded as LabelsAdded
from .labels.judge import JudgeCheck as JudgeCheck
from .labels.label_plan import LabelPlan as LabelPlan
from .labels.suggestions import Suggestions as Suggestions
from .monitor.result import Drift as Drift
from .record.recorder import Recorder as Recorder
from .scoring.result import Evaluation as Evaluation
from .testing.harness import Case as Case
from .testing.harness import RetrieverReport as RetrieverReport
from .variants.comparison import Comparison as Comparison
from .variants.lift import Lift as Lift
from .variants.pareto import Pareto as Pareto
from .variants.stability import Stability as Stability
from .variants.sweep import Sweep as Sweep
from .variants.sweep import sweep as sweep

def check_judge(
    logs: Any = None, labels: Any = None, *, store: Any = None, metrics: str | Sequence[str] | None = ..., k: int | str |
    Sequence[int | None] | None = ..., since: str | dt.date | None = None, between: str | None = None, start: str | dt.date |
    None = None, end: str | dt.date | None = None, where: str | None = None, log_format: str | None = "auto", mapped:
    Mapping[str, str] | None = ..., profile: str | Path | None = None, max_rejects: float | str | None = 0.01, on_bad_line:
    Literal["skip", "stop"] | None = "skip", allow_unmatched: bool | None = False, threads: int | None = None, memory_limit: str
    | None = None, compat: Literal["trec_eval", "course", "codemem", "longmemeval", "text_hit"] | None = None, rel_level: float
    | None = None, gain: str | None = "linear", duplicates: Literal["slot", "collapse", "error"] | None = "slot", order:
    Literal["logged", "score"] | None = "logged", ties: Literal["docno_desc", "docno_asc"] | None = "docno_desc", errors:
    Literal["zero", "skip"] | None = "zero", label_conflicts: Literal["error", "max", "mean", "majority", "last", "drop"] | None
    = "error", unjudged: Literal["unknown", "irrelevant"] | None = "unknown", no_relevant: Literal["skip", "zero", "one",
    "error"] | None = "skip", abstention: Literal["labels", "skip"] | None = "labels", missing: Literal["skip", "zero"] | None =
    "skip", unit: Literal["event", "query", "trace", "session"] | None = "event", precision: Literal["k", "returned"] | None =
    "k", f1: Literal["per_event", "of_means"] | None = "per_event", ap: Literal["relevant", "min_k_r"] | None = "relevant",
    ideal: Literal["cut", "full"] | None = "cut", ndcg_over: Literal["all", "graded"] | None = "all", percentile:
    Literal["nearest_rank", "linear"] | None = "nearest_rank", depth: int | None = None, match: str | None = "id",
    match_threshold: str | None = "token_f1=0.3,coverage=0.8", watcher: Any = None, definition: Any = None,
) -> JudgeCheck: ...
def compare(
    logs: Any = None, labels: Any = None, *, store: Any = None, other: Any = None, settings: Any = None, by: str | None =
    "variant", teams: str | None = None, a: str | None = None, b: str | None = None, metrics: str | Sequence[str] | None = ...,
    correction: Literal["bh", "holm"] | None = "bh", force: bool | None = False, start: str | dt.date | None = None, end: str |
    dt.date | None = None, where: str | None = None, log_format: str | None = "auto", mapped: Mapping[str, str] | None = ...,
    profile: str | Path | None = None, max_rejects: float | str | None = 0.01, on_bad_line: Literal["skip", "stop"] | None =
    "skip", allow_unmatched: bool | None = False, threads: int | None = None, memory_limit: str | None = None, compat:
    Literal["trec_eval", "course", "codemem", "longmemeval", "text_hit"] | None = None, rel_level: float | None = None, gain:
    str | None = "linear", duplicates: Literal["slot", "collapse", "error"] | None = "slot", order: Literal["logged", "score"] |
    None = "logged", ties: Literal["docno_desc", "docno_asc"] | None = "docno_desc", errors: Literal["zero", "skip"] | None =
    "zero", label_conflicts: Literal["error", "max", "mean", "majority", "last", "drop"] | None = "error", unjudged:
    Literal["unknown", "irrelevant"] | None = "unknown", no_relevant: Literal["skip", "zero", "one", "error"] | None = "skip",
    abstention: Literal["labels", "skip"] | None = "labels", missing: Literal["skip", "zero"] | None = "skip", unit:
    Literal["event", "query", "trace", "session"] | None = "event", precision: Literal["k", "returned"] | None = "k", f1:
    Literal["per_event", "of_means"] | None = "per_event", ap: Literal["relevant", "min_k_r"] | None = "relevant", ideal:
    Literal["cut", "full"] | None = "cut", ndcg_over: Literal["all", "graded"] | None = "all", percentile:
    Literal["nearest_rank", "linear"] | None = "nearest_rank", depth: int | None = None, match: str | None = "id",
    match_threshold: str | None = "token_f1=0.3,coverage=0.8", watcher: Any = None, definition: Any = None,
) -> Comparison: ...
def drift(
    logs: Any = None, labels: Any = None, *, store: Any = None, reference: str | None = None, current: str | None = None,
    window: str | None = None, series: bool | None = False, baseline: str | None = None, by: str | Sequence[str] | None = ...,
    timezone: str | None = "UTC", incomplete: bool | None = False, accepted: Iterable[Any] | None = None, start: str | dt.date |
    None = None, end: str | dt.date | None = None, where: str | None = None, log_format: str | None = "auto", mapped:
    Mapping[str, str] | None = ..., profile: str | Path | None = None, max_rejects: float | str | None = 0.01, on_bad_line:
    Literal["skip", "stop"] | None = "skip", allow_unmatched: bool | None = False, threads: int | None = None, memory_limit: str
    | None = None, metrics: str | Sequence[str] | None = ..., segments: str | Sequence[str] | None = ..., level_quality: float |
    None = 0.05, level_segment: float | None = 0.025, level_latency: float | None = 0.05, level_other: float | None = 0.01,
    level_answers: float | None = 0.01, level_history: float | None = 0.025, false_pages_per_year: float | None = 1.0,
    level_warn: float | None = 0.1, level_mix: float | None = 0.001, level_mix_effect: float | None = 0.01, floor_metric: float
    | None = 0.01, floor_first: float | None = 0.1, floor_traffic: float | None = 0.1, fail_traffic: float | None = 0.2,
    floor_segment: float | None = 0.03, floor_overlap: float | None = 0.05, floor_gone: float | None = 0.015, floor_new: float |
    None = 0.05, floor_length: float | None = 0.5, floor_score: float | None = 0.25, floor_concentration: float | None = 0.25,
    floor_latency: float | None = 1.05, floor_of_total: float | None = 0.02, floor_judged: float | None = 0.03, floor_share:
    float | None = 0.05, floor_rate: float | None = 0.01, floor_psi: float | None = 0.1, floor_mix_effect: float | None = 0.02,
    floor_volume: float | None = 2.0, floor_volume_history: float | None = 1.25, min_traffic: float | None = 0.2, min_queries:
    int | None = 20, min_effective: float | None = 10, min_segment_queries: int | None = 8, min_segment_effective: float | None
    = 5, min_above: int | None = 20, min_hours: int | None = 6, min_blocks: int | None = 3, min_history: int | None = 7,
    mde_metric: float | None = 0.05, mde_latency: float | None = 1.25, mde_rate: float | None = 0.05, kappa: float | None = 1.0,
    answers: str | None = "warn", answer_windows: int | None = 7, tau_answers: float | None = 0.01, tau_pair: float | None =
    0.05, tau: float | None = 0.02, lags: int | None = 3, deff: float | None = 2.0, max_reference: int | None = 28,
    change_points_from: int | None = 30, compat: Literal["trec_eval", "course", "codemem", "longmemeval", "text_hit"] | None =
    None, rel_level: float | None = None, gain: str | None = "linear", duplicates: Literal["slot", "collapse", "error"] | None =
    "slot", order: Literal["logged", "score"] | None = "logged", ties: Literal["docno_desc", "docno_asc"] | None = "docno_desc",
    errors: Literal["zero", "skip"] | None = "zero", label_conflicts: Literal["error", "max", "mean", "majority", "last",
    "drop"] | None = "error", unjudged: Literal["unknown", "irrelevant"] | None = "unknown", no_relevant: Literal["skip",
    "zero", "one", "error"] | None = "skip", abstention: Literal["labels", "skip"] | None = "labels", missing: Literal["skip",
    "zero"] | None = "skip", unit: Literal["event", "query", "trace", "session"] | None = "event", precision: Literal["k",
    "returned"] | None = "k", f1: Literal["per_event", "of_means"] | None = "per_event", ap: Literal["relevant", "min_k_r"] |
    None = "relevant", ideal: Literal["cut", "full"] | None = "cut", ndcg_over: Literal["all", "graded"] | None = "all",
    percentile: Literal["nearest_rank", "linear"] | None = "nearest_rank", depth: int | None = None, match: str | None = "id",
    match_threshold: str | None = "token_f1=0.3,coverage=0.8", watcher: Any = None, settings: Any = None, definition: Any = None,
) -> Drift: ...
def evaluate(
    logs: Any = None, labels: Any = None, *, store: Any = None, metrics: str | Sequence[str] | None = ..., k: int | str |
    Sequence[int | None] | None = ..., by: str | Sequence[str] | None = ..., window: str | None = "all", timezone: str | None =
    "UTC", start: str | dt.date | None = None, end: str | dt.date | None = None, where: str | None = None, per_query: bool |
    None = False, then: Callable[[Any], None] | None = None, log_format: str | None = "auto", mapped: Mapping[str, str] | None =
    ..., profile: str | Path | None = None, max_rejects: float | str | None = 0.01, on_bad_line: Literal["skip", "stop"] | None
    = "skip", allow_unmatched: bool | None = False, threads: int | None = None, memory_limit: str | None = None, compat:
    Literal["trec_eval", "course", "codemem", "longmemeval", "text_hit"] | None = None, rel_level: float | None = None, gain:
    str | None = "linear", duplicates: Literal["slot", "collapse", "error"] | None = "slot", order: Literal["logged", "score"] |
    None = "logged", ties: Literal["docno_desc", "docno_asc"] | None = "docno_desc", errors: Literal["zero", "skip"] | None =
    "zero", label_conflicts: Literal["error", "max", "mean", "majority", "last", "drop"] | None = "error", unjudged:
    Literal["unknown", "irrelevant"] | None = "unknown", no_relevant: Literal["skip", "zero", "one", "error"] | None = "skip",
    abstention: Literal["labels", "skip"] | None = "labels", missing: Literal["skip", "zero"] | None = "skip", unit:
    Literal["event", "query", "trace", "session"] | None = "event", precision: Literal["k", "returned"] | None = "k", f1:
    Literal["per_event", "of_means"] | None = "per_event", ap: Literal["relevant", "min_k_r"] | None = "relevant", ideal:
    Literal["cut", "full"] | None = "cut", ndcg_over: Literal["all", "graded"] | None = "all", percentile:
    Literal["nearest_rank", "linear"] | None = "nearest_rank", depth: int | None = None, match: str | None = "id",
    match_threshold: str | None = "token_f1=0.3,coverage=0.8", watcher: Any = None, definition: Any = None,
) -> Evaluation: ...
def evaluate_retriever(
    retrieve: Callable[..., Any], cases: str | Path | Iterable[Case | Mapping[str, Any] | tuple[Any, ...]], k: int = 10, *,
    record_to: str | Path | None = None, timeout: float | None = None, by: str | Sequence[str] | None = ..., threads: int | None
    = None, memory_limit: str | None = None, compat: Literal["trec_eval", "course", "codemem", "longmemeval", "text_hit"] | None
    = None, rel_level: float | None = None, gain: str | None = "linear", duplicates: Literal["slot", "collapse", "error"] | None
    = "slot", order: Literal["logged", "score"] | None = "logged", ties: Literal["docno_desc", "docno_asc"] | None =
    "docno_desc", errors: Literal["zero", "skip"] | None = "zero", label_conflicts: Literal["error", "max", "mean", "majority",
    "last", "drop"] | None = "error", unjudged: Literal["unknown", "irrelevant"] | None = "unknown", no_relevant:
    Literal["skip", "zero", "one", "error"] | None = "skip", abstention: Literal["labels", "skip"] | None = "labels", missing:
    Literal["skip", "zero"] | None = "skip", unit: Literal["event", "query", "trace", "session"] | None = "event", precision:
    Literal["k", "returned"] | None = "k", f1: Literal["per_event", "of_means"] | None = "per_event", ap: Literal["relevant",
    "min_k_r"] | None = "relevant", ideal: Literal["cut", "full"] | None = "cut", ndcg_over: Literal["all", "graded"] | None =
    "all", percentile: Literal["nearest_rank", "linear"] | None = "nearest_rank", depth: int | None = None, match: str | None =
    "id", match_threshold: str | None = "token_f1=0.3,coverage=0.8", watcher: Any = None, definition: Any = None,
) -> RetrieverReport: ...
def explain(
    query: str, logs: Any = None, labels: Any = None, *, store: Any = None, k: int | None = 10, against: str | None = None,
    recalls: int | None = 100, trace_url: str | None = None, start: str | dt.date | None = None, end: str | dt.date | None =
    None, where: str | None = None, log_format: str | None = "auto", mapped: Mapping[str, str] | None = ..., profile: str | Path
    | None = None, max_rejects: float | str | None = 0.01, on_bad_line: Literal["skip", "stop"] | None = "skip",
    allow_unmatched: bool | None = False, threads: int | None = None, memory_limit: str | None = None, compat:
    Literal["trec_eval", "course", "codemem", "longmemeval", "text_hit"] | None = None, rel_level: float | None = None, gain:
    str | None = "linear", duplicates: Literal["slot", "collapse", "error"] | None = "slot", order: Literal["logged", "score"] |
    None = "logged", ties: Literal["docno_desc", "docno_asc"] | None = "docno_desc", errors: Literal["zero", "skip"] | None =
    "zero", label_conflicts: Literal["error", "max", "mean", "majority", "last", "drop"] | None = "error", unjudged:
    Literal["unknown", "irrelevant"] | None = "unknown", no_relevant: Literal["skip", "zero", "one", "error"] | None = "skip",
    abstention: Literal["labels", "skip"] | None = "labels", missing: Literal["skip", "zero"] | None = "skip", unit:
    Literal["event", "query", "trace", "session"] | None = "event", precision: Literal["k", "returned"] | None = "k", f1:
    Literal["per_event", "of_means"] | None = "per_event", ap: Literal["relevant", "min_k_r"] | None = "relevant", ideal:
    Literal["cut", "full"] | None = "cut", ndcg_over: Literal["all", "graded"] | None = "all", percentile:
    Literal["nearest_rank", "linear"] | None = "nearest_rank", depth: int | None = None, match: str | None = "id",
    match_threshold: str | None = "token_f1=0.3,coverage=0.8", watcher: Any = None, definition: Any = None,
) -> Explanation: ...
def ingest_labels(
    files: Any, *, store: Any, judged_by: str | None = None, kind: Literal["human", "judge", "synthetic", "click"] | None =
    None, judge: str | None = None, judged_at: str | dt.date | None = None, others: Literal["unjudged", "not-relevant"] | None =
    "unjudged", threads: int | None = None, memory_limit: str | None = None, watcher: Any = None,
) -> LabelsAdded: ...
def lift(
    logs: Any = None, labels: Any = None, *, store: Any = None, metrics: str | Sequence[str] | None = ..., k: int | str |
    Sequence[int | None] | None = ..., by: str | Sequence[str] | None = ..., start: str | dt.date | None = None, end: str |
    dt.date | None = None, where: str | None = None, log_format: str | None = "auto", mapped: Mapping[str, str] | None = ...,
    profile: str | Path | None = None, max_rejects: float | str | None = 0.01, on_bad_line: Literal["skip", "stop"] | None =
    "skip", allow_unmatched: bool | None = False, threads: int | None = None, memory_limit: str | None = None, compat:
    Literal["trec_eval", "course", "codemem", "longmemeval", "text_hit"] | None = None, rel_level: float | None = None, gain:
    str | None = "linear", duplicates: Literal["slot", "collapse", "error"] | None = "slot", order: Literal["logged", "score"] |
    None = "logged", ties: Literal["docno_desc", "docno_asc"] | None = "docno_desc", errors: Literal["zero", "skip"] | None =
    "zero", label_conflicts: Literal["error", "max", "mean", "majority", "last", "drop"] | None = "error", unjudged:
    Literal["unknown", "irrelevant"] | None = "unknown", no_relevant: Literal["skip", "zero", "one", "error"] | None = "skip",
    abstention: Literal["labels", "skip"] | None = "labels", missing: Literal["skip", "zero"] | None = "skip", unit:
    Literal["event", "query", "trace", "session"] | None = "event", precision: Literal["k", "returned"] | None = "k", f1:
    Literal["per_event", "of_means"] | None = "per_event", ap: Literal["relevant", "min_k_r"] | None = "relevant", ideal:
    Literal["cut", "full"] | None = "cut", ndcg_over: Literal["all", "graded"] | None = "all", percentile:
    Literal["nearest_rank", "linear"] | None = "nearest_rank", depth: int | None = None, match: str | None = "id",
    match_threshold: str | None = "token_f1=0.3,coverage=0.8", watcher: Any = None, definition: Any = None,
) -> Lift: ...
def pareto(
    logs: Any, labels: Any = None, *, by: str | Sequence[str] | None = ..., y: str | None = "recall@10", x: str | None =
    "p95:total", scale: Literal["log", "linear"] | None = "log", cache: Literal["all", "miss", "hit"] | None = "all", k_curve:
    bool | None = False, k: int | str | Sequence[int | None] | None = None, variant: str | None = None, beta: float | None =
    1.0, start: str | dt.date | None = None, end: str | dt.date | None = None, where: str | None = None, log_format: str | None
    = "auto", mapped: Mapping[str, str] | None = ..., profile: str | Path | None = None, max_rejects: float | str | None = 0.01,
    on_bad_line: Literal["skip", "stop"] | None = "skip", allow_unmatched: bool | None = False, threads: int | None = None,
    memory_limit: str | None = None, compat: Literal["trec_eval", "course", "codemem", "longmemeval", "text_hit"] | None = None,
    rel_level: float | None = None, gain: str | None = "linear", duplicates: Literal["slot", "collapse", "error"] | None =
    "slot", order: Literal["logged", "score"] | None = "logged", ties: Literal["docno_desc", "docno_asc"] | None = "docno_desc",
    errors: Literal["zero", "skip"] | None = "zero", label_conflicts: Literal["error", "max", "mean", "majority", "last",
    "drop"] | None = "error", unjudged: Literal["unknown", "irrelevant"] | None = "unknown", no_relevant: Literal["skip",
    "zero", "one", "error"] | None = "skip", abstention: Literal["labels", "skip"] | None = "labels", missing: Literal["skip",
    "zero"] | None = "skip", unit: Literal["event", "query", "trace", "session"] | None = "event", precision: Literal["k",
    "returned"] | None = "k", f1: Literal["per_event", "of_means"] | None = "per_event", ap: Literal["relevant", "min_k_r"] |
    None = "relevant", ideal: Literal["cut", "full"] | None = "cut", ndcg_over: Literal["all", "graded"] | None = "all",
    percentile: Literal["nearest_rank", "linear"] | None = "nearest_rank", depth: int | None = None, match: str | None = "id",
    match_threshold: str | None = "token_f1=0.3,coverage=0.8", watcher: Any = None, definition: Any = None,
) -> Pareto: ...
def plan_labels(
    logs: Any = None, labels: Any = None, *, store: Any = None, metric: str | None = "recall@10", width: float | None = None,
    detect: float | None = None, power: float | None = 0.8, start: str | dt.date | None = None, end: str | dt.date | None =
    None, where: str | None = None, log_format: str | None = "auto", mapped: Mapping[str, str] | None = ..., profile: str | Path
    | None = None, max_rejects: float | str | None = 0.01, on_bad_line: Literal["skip", "stop"] | None = "skip",
    allow_unmatched: bool | None = False, threads: int | None = None, memory_limit: str | None = None, compat:
    Literal["trec_eval", "course", "codemem", "longmemeval", "text_hit"] | None = None, rel_level: float | None = None, gain:
    str | None = "linear", duplicates: Literal["slot", "collapse", "error"] | None = "slot", order: Literal["logged", "score"] |
    None = "logged", ties: Literal["docno_desc", "docno_asc"] | None = "docno_desc", errors: Literal["zero", "skip"] | None =
    "zero", label_conflicts: Literal["error", "max", "mean", "majority", "last", "drop"] | None = "error", unjudged:
    Literal["unknown", "irrelevant"] | None = "unknown", no_relevant: Literal["skip", "zero", "one", "error"] | None = "skip",
    abstention: Literal["labels", "skip"] | None = "labels", missing: Literal["skip", "zero"] | None = "skip", unit:
    Literal["event", "query", "trace", "session"] | None = "event", precision: Literal["k", "returned"] | None = "k", f1:
    Literal["per_event", "of_means"] | None = "per_event", ap: Literal["relevant", "min_k_r"] | None = "relevant", ideal:
    Literal["cut", "full"] | None = "cut", ndcg_over: Literal["all", "graded"] | None = "all", percentile:
    Literal["nearest_rank", "linear"] | None = "nearest_rank", depth: int | None = None, match: str | None = "id",
    match_threshold: str | None = "token_f1=0.3,coverage=0.8", watcher: Any = None, definition: Any = None,
) -> LabelPlan: ...
def re_anchor(
    logs: Any = None, labels: Any = None, *, store: Any = None, mapping: str | Path | None = None, write: str | Path | None =
    None, start: str | dt.date | None = None, end: str | dt.date | None = None, where: str | None = None, log_format: str | None
    = "auto", mapped: Mapping[str, str] | None = ..., profile: str | Path | None = None, max_rejects: float | str | None = 0.01,
    on_bad_line: Literal["skip", "stop"] | None = "skip", allow_unmatched: bool | None = False, threads: int | None = None,
    memory_limit: str | None = None, compat: Literal["trec_eval", "course", "codemem", "longmemeval", "text_hit"] | None = None,
    rel_level: float | None = None, gain: str | None = "linear", duplicates: Literal["slot", "collapse", "error"] | None =
    "slot", order: Literal["logged", "score"] | None = "logged", ties: Literal["docno_desc", "docno_asc"] | None = "docno_desc",
    errors: Literal["zero", "skip"] | None = "zero", label_conflicts: Literal["error", "max", "mean", "majority", "last",
    "drop"] | None = "error", unjudged: Literal["unknown", "irrelevant"] | None = "unknown", no_relevant: Literal["skip",
    "zero", "one", "error"] | None = "skip", abstention: Literal["labels", "skip"] | None = "labels", missing: Literal["skip",
    "zero"] | None = "skip", unit: Literal["event", "query", "trace", "session"] | None = "event", precision: Literal["k",
    "returned"] | None = "k", f1: Literal["per_event", "of_means"] | None = "per_event", ap: Literal["relevant", "min_k_r"] |
    None = "relevant", ideal: Literal["cut", "full"] | None = "cut", ndcg_over: Literal["all", "graded"] | None = "all",
    percentile: Literal["nearest_rank", "linear"] | None = "nearest_rank", depth: int | None = None, match: str | None = "id",
    match_threshold: str | None = "token_f1=0.3,coverage=0.8", watcher: Any = None, definition: Any = None,
) -> Anchored: ...
def score(
    ranked: Any, relevant: Any, *, metrics: str | Sequence[str] | None = ..., k: int | str | Sequence[int | None] | None = ...,
    threads: int | None = None, memory_limit: str | None = None, compat: Literal["trec_eval", "course", "codemem",
    "longmemeval", "text_hit"] | None = None, rel_level: float | None = None, gain: str | None = "linear", duplicates:
    Literal["slot", "collapse", "error"] | None = "slot", order: Literal["logged", "score"] | None = "logged", ties:
    Literal["docno_desc", "docno_asc"] | None = "docno_desc", errors: Literal["zero", "skip"] | None = "zero", label_conflicts:
    Literal["error", "max", "mean", "majority", "last", "drop"] | None = "error", unjudged: Literal["unknown", "irrelevant"] |
    None = "unknown", no_relevant: Literal["skip", "zero", "one", "error"] | None = "skip", abstention: Literal["labels",
    "skip"] | None = "labels", missing: Literal["skip", "zero"] | None = "skip", unit: Literal["event", "query", "trace",
    "session"] | None = "event", precision: Literal["k", "returned"] | None = "k", f1: Literal["per_event", "of_means"] | None =
    "per_event", ap: Literal["relevant", "min_k_r"] | None = "relevant", ideal: Literal["cut", "full"] | None = "cut",
    ndcg_over: Literal["all", "graded"] | None = "all", percentile: Literal["nearest_rank", "linear"] | None = "nearest_rank",
    depth: int | None = None, match: str | None = "id", match_threshold: str | None = "token_f1=0.3,coverage=0.8", watcher: Any
    = None, definition: Any = None,
) -> dict[str, float | None]: ...
def stability(
    logs: Any, labels: Any = None, *, by: str | None = "run_id", within: str | Sequence[str] | None = ..., parameters: str |
    Sequence[str] | None = ..., variant: str | None = None, metrics: str | Sequence[str] | None = ..., k: int | str |
    Sequence[int | None] | None = ..., start: str | dt.date | None = None, end: str | dt.date | None = None, where: str | None =
    None, log_format: str | None = "auto", mapped: Mapping[str, str] | None = ..., profile: str | Path | None = None,
    max_rejects: float | str | None = 0.01, on_bad_line: Literal["skip", "stop"] | None = "skip", allow_unmatched: bool | None =
    False, threads: int | None = None, memory_limit: str | None = None, compat: Literal["trec_eval", "course", "codemem",
    "longmemeval", "text_hit"] | None = None, rel_level: float | None = None, gain: str | None = "linear", duplicates:
    Literal["slot", "collapse", "error"] | None = "slot", order: Literal["logged", "score"] | None = "logged", ties:
    Literal["docno_desc", "docno_asc"] | None = "docno_desc", errors: Literal["zero", "skip"] | None = "zero", label_conflicts:
    Literal["error", "max", "mean", "majority", "last", "drop"] | None = "error", unjudged: Literal["unknown", "irrelevant"] |
    None = "unknown", no_relevant: Literal["skip", "zero", "one", "error"] | None = "skip", abstention: Literal["labels",
    "skip"] | None = "labels", missing: Literal["skip", "zero"] | None = "skip", unit: Literal["event", "query", "trace",
    "session"] | None = "event", precision: Literal["k", "returned"] | None = "k", f1: Literal["per_event", "of_means"] | None =
    "per_event", ap: Literal["relevant", "min_k_r"] | None = "relevant", ideal: Literal["cut", "full"] | None = "cut",
    ndcg_over: Literal["all", "graded"] | None = "all", percentile: Literal["nearest_rank", "linear"] | None = "nearest_rank",
    depth: int | None = None, match: str | None = "id", match_threshold: str | None = "token_f1=0.3,coverage=0.8", watcher: Any
    = None, definition: Any = None,
) -> Stability: ...
def suggest_labels(
    logs: Any = None, labels: Any = None, *, store: Any = None, n: int | None = 50, k: int | None = 10, documents: int | None =
    10, similar: float | None = 0.75, sample: int | None = None, of: Literal["traffic", "queries"] | None = None, by: str | None
    = None, seed: str | None = None, corpus: str | Path | None = None, start: str | dt.date | None = None, end: str | dt.date |
    None = None, where: str | None = None, log_format: str | None = "auto", mapped: Mapping[str, str] | None = ..., profile: str
    | Path | None = None, max_rejects: float | str | None = 0.01, on_bad_line: Literal["skip", "stop"] | None = "skip",
    allow_unmatched: bool | None = False, threads: int | None = None, memory_limit: str | None = None, compat:
    Literal["trec_eval", "course", "codemem", "longmemeval", "text_hit"] | None = None, rel_level: float | None = None, gain:
    str | None = "linear", duplicates: Literal["slot", "collapse", "error"] | None = "slot", order: Literal["logged", "score"] |
    None = "logged", ties: Literal["docno_desc", "docno_asc"] | None = "docno_desc", errors: Literal["zero", "skip"] | None =
    "zero", label_conflicts: Literal["error", "max", "mean", "majority", "last", "drop"] | None = "error", unjudged:
    Literal["unknown", "irrelevant"] | None = "unknown", no_relevant: Literal["skip", "zero", "one", "error"] | None = "skip",
    abstention: Literal["labels", "skip"] | None = "labels", missing: Literal["skip", "zero"] | None = "skip", unit:
    Literal["event", "query", "trace", "session"] | None = "event", precision: Literal["k", "returned"] | None = "k", f1:
    Literal["per_event", "of_means"] | None = "per_event", ap: Literal["relevant", "min_k_r"] | None = "relevant", ideal:
    Literal["cut", "full"] | None = "cut", ndcg_over: Literal["all", "graded"] | None = "all", percentile:
    Literal["nearest_rank", "linear"] | None = "nearest_rank", depth: int | None = None, match: str | None = "id",
    match_threshold: str | None = "token_f1=0.3,coverage=0.8", watcher: Any = None, definition: Any = None,
) -> Suggestions: ...
