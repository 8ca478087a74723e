"""Gates: limits a run must keep. Each is one line of the configuration; judging one never raises once a run has begun."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..base.definition import KINDS, columns_of
from ..base.errors import UsageError
from ..base.metrics import METRICS, is_metric
from ..base.registry import index, known
from ..scoring.segments import groupings_of
from .configuration import Gates, GateTable


@dataclass(frozen=True)
class Preset:
    """A ready set of limits.

    Args:
        name: as in ``[gates] presets``.
        limits: gate -> limit.
    """

    name: str
    limits: Mapping[str, str]

    @property
    def meaning(self) -> str:
        """Its limits, in a line."""
        return ", ".join(f"{gate} {limit}" for gate, limit in self.limits.items())


PRESETS = index(
    Preset("codemem", {"precision@10": ">= 0.80", "recall@10": ">= 0.70", "ndcg@10": ">= 0.85", "mrr": ">= 0.90"}),
    Preset(
        "no-regression",
        {
            "recall@10": ">= baseline - 0.02",
            "ndcg@10": ">= baseline - 0.02",
            "mrr": ">= baseline - 0.03",
            "p95:total": "< baseline * 1.25",
        },
    ),
    Preset("same-answers", {"overlap@10": ">= baseline - 0.05", "p95:total": "< baseline * 1.25"}),
    Preset(
        "clean-logs",
        {"rejected_share": "< 0.01", "error_share": "< 0.02", "empty_share": "< 0.20", "duplicate_ids_share": "< 0.01"},
    ),
)
SHARES = (
    "rejected_share", "error_share", "empty_share", "unscorable_share", "unlabelled_share", "queries_missing_share",
    "duplicate_ids_share",
)  # fmt: skip
WINDOWED = (  # shares and counts that have a window; the others are over everything read
    *SHARES[1:5], SHARES[-1], "events", "error_events", "empty_rankings", "unscorable_events", "labelled_events", "unlabelled_events",
    "events_with_duplicate_ids",
)  # fmt: skip
OF_ANSWERS = {
    "overlap@10": "overlap",
    "documents_gone": "documents_gone",
    "documents_new": "documents_new",
}  # gate -> metric of a drift finding
COLUMNS = {"mean": "mean_ms", "p50": "p50_ms", "p95": "p95_ms", "p99": "p99_ms", "max": "max_ms"}
NAME = re.compile(r"(?P<what>[^\[\]]+?)\s*(?:\[(?P<segment>[^=\]]+=.*)\])?")
OF_KINDS = re.compile(rf"(?P<metric>.+?)\s*\((?P<kinds>(?:{'|'.join(KINDS)})(?:, (?:{'|'.join(KINDS)}))*)\)")
NEXT = re.compile(r"\s*,\s*(?=[^,=]+=)")  # between two columns of a segment
BASELINE = re.compile(r"reference|previous|\d{4}-\d{2}-\d{2}.*")
LIMIT = re.compile(
    r"(?P<sign>>=|<=|>|<|==)\s*(?:(?P<base>baseline)\s*(?:(?P<by>[-+*])\s*)?)?(?P<number>\d+(?:\.\d+)?)?\s*(?P<unit>ms|s|%)?",
    re.IGNORECASE,
)
UNITS = {"ms": 1.0, "s": 1000.0, "%": 0.01, "": 1.0}


@dataclass(frozen=True)
class Gate:
    """One limit.

    Args:
        name: as written. limit: as written.
        kind: quality, answers, latency, share or count.
        column: ``recall@10``; ``recall@10 (judge)`` where a mean of such labels may pass; or
            the percentile's column of a latency row, or the share's or count's name.
        stage: of a latency gate.
        segment: column -> value (``*`` = each), several for a product of columns; empty = everything.
        sign: comparison that must hold. by: how ``number`` changes the baseline; None = an absolute limit.
        number: ratio, or milliseconds.
    """

    name: str
    limit: str
    kind: str
    column: str
    stage: str | None
    segment: Mapping[str, str]
    sign: str
    by: str | None
    number: float
    min_n: int
    certain: bool


def parse(gates: Gates) -> list[Gate]:
    """Every gate, presets first; one of the file wins over a preset's of the same name.

    Raises:
        UsageError: a name or limit that cannot be read.
    """
    if not BASELINE.fullmatch(gates.baseline):
        fix = "Write reference, previous, or a date such as 2026-11-01"
        raise UsageError(f"unknown baseline {gates.baseline!r}", where="gates.baseline", fix=fix)
    wanted: dict[str, str | GateTable] = {}
    for preset in gates.presets:
        if preset not in PRESETS:
            raise UsageError(f"unknown preset {preset!r}", where="gates.presets", fix=known(preset, PRESETS))
        wanted.update(PRESETS[preset].limits)
    wanted.update(gates.limits)
    rules = [
        _gate(name, given if isinstance(given, GateTable) else GateTable(limit=given), gates) for name, given in wanted.items()
    ]
    for rule in rules:
        if rule.by and rule.kind in ("share", "count") and (gates.baseline == "reference" or rule.column not in WINDOWED):
            is_windowed = rule.column in WINDOWED
            what = f"{rule.column} has no baseline{' in the reference of drift' if is_windowed else ': it has no window'}"
            fix = 'Write a number, or set baseline = "previous" or a date' if is_windowed else "Write a number"
            raise UsageError(what, where=f"gates.{rule.name!r}", fix=fix)
    return rules


def _gate(name: str, table: GateTable, gates: Gates) -> Gate:
    where = f"gates.{name!r}"
    named, limit = NAME.fullmatch(name.strip()), LIMIT.fullmatch(table.limit.strip())
    if named is None:
        raise UsageError(
            "not a gate's name", where=where, fix="For example recall@10, p95:search, recall@10[query_class=lookup], error_share"
        )
    if (
        limit is None
        or (limit["number"] is None and limit["base"] is None)
        or (limit["base"] and limit["number"] and not limit["by"])
    ):
        raise UsageError(
            f"not a limit: {table.limit!r}", where=where, fix="For example >= 0.70, < 250ms, >= baseline - 0.02, < baseline * 1.2"
        )
    kind, column, stage = _what(named["what"], where)
    number = float(limit["number"] or 0) * UNITS[(limit["unit"] or "").lower()]
    by = (limit["by"] or "+") if limit["base"] else None
    min_n = gates.min_n if table.min_n is None else table.min_n
    certain = next((given for given in (table.certain, gates.certain) if given is not None), by is not None)
    pairs = (pair.partition("=") for pair in NEXT.split(named["segment"] or "") if pair)
    segment = {column.strip(): value.strip() for column, _, value in pairs}
    return Gate(name, table.limit, kind, column, stage, segment, limit["sign"], by, number, min_n, certain)


def _what(text: str, where: str) -> tuple[str, str, str | None]:
    """Kind, column and stage of a gate's name."""
    if text.startswith("count:") or text in ("events", "labelled_events", "queries_missing"):
        return "count", text.removeprefix("count:"), None
    head, colon, stage = text.partition(":")
    if colon:
        if head not in COLUMNS:
            raise UsageError(f"unknown percentile {head!r}", where=where, fix=known(head, COLUMNS))
        return "latency", COLUMNS[head], stage
    if text in SHARES:
        return "share", text, None
    if text in OF_ANSWERS:
        return "answers", OF_ANSWERS[text], None
    bare, kinds = metric_and_kinds(text)
    name = bare.partition("@")[0].partition("(")[0].strip()
    if not is_metric(name):
        fix = known(name, [*METRICS, *OF_ANSWERS, *SHARES, *(f"{c}:STAGE" for c in COLUMNS)])
        raise UsageError(f"unknown metric {text!r}", where=where, fix=fix)
    try:
        (column,) = columns_of([bare], (None,))
    except (UsageError, ValueError) as error:
        raise UsageError(
            f"unknown metric {text!r}: one metric at one cutoff is expected ({error})", where=where, fix="For example recall@10"
        ) from error
    return "quality", f"{column}{kinds}", None


def metric_and_kinds(text: str) -> tuple[str, str]:
    """``recall@10 (judge)`` in its two parts; "" = no kinds are named, so the mean must be of human labels."""
    named = OF_KINDS.fullmatch(text)
    return (named["metric"], f" ({named['kinds']})") if named else (text, "")


def refuse_columns(gates: Iterable[Gate], by: Sequence[str]) -> None:
    """A gate on a segment that ``by`` does not make could never be judged.

    Raises:
        UsageError: the gate, and what ``by`` makes.
    """
    made = {frozenset(columns): "*".join(columns) for columns in groupings_of(by)}
    for gate in gates:
        if gate.segment and frozenset(gate.segment) not in made:
            wanted = "*".join(gate.segment)
            fix = f"{known(wanted, made.values())}. Or add it to `by`"
            raise UsageError(f"nothing is grouped by {wanted!r}", where=f"gates.{gate.name!r}", fix=fix)


def refuse_values(gates: Iterable[Gate], evaluation: Mapping[str, Any]) -> None:
    """A gate on a value, stage or count that nothing logged has would be `insufficient` for ever: most often it is misspelled.

    Args:
        gates: as parsed.
        evaluation: the JSON of an evaluation of everything there is.

    Raises:
        UsageError: the gate, and the names there are.
    """
    stages = sorted({str(row["stage"]) for row in evaluation["latency"]} | {"total"})
    for gate in gates:
        if gate.kind == "latency" and evaluation["latency"] and gate.stage not in stages:
            raise UsageError(f"no stage {gate.stage!r} was timed", where=f"gates.{gate.name!r}", fix=known(str(gate.stage), stages))
        if gate.kind == "count" and gate.column not in evaluation["counts"]:
            raise UsageError(
                f"unknown count {gate.column!r}", where=f"gates.{gate.name!r}", fix=known(gate.column, evaluation["counts"])
            )
        if gate.segment and "*" not in gate.segment.values():
            _refuse_segment(gate, evaluation["cost"])


def _refuse_segment(gate: Gate, rows: Iterable[Mapping[str, Any]]) -> None:
    """``rows`` have every segment, labelled or not."""
    seen = [{name: value_name(value) for name, value in row["segment"].items()} for row in rows]
    seen = [segment for segment in seen if set(segment) == set(gate.segment)]
    if gate.segment in seen:
        return
    for name, value in gate.segment.items():
        values = list(dict.fromkeys(segment[name] for segment in seen))
        if value not in values:
            raise UsageError(f"no recall has {name} {value!r}", where=f"gates.{gate.name!r}", fix=known(value, values[:20]))
    both = " and ".join(f"{name} {value!r}" for name, value in gate.segment.items())
    raise UsageError(f"no recall has {both} together", where=f"gates.{gate.name!r}", fix="Remove the gate, or name another pair")


def value_name(value: object) -> str:
    """A segment's value as a gate writes it; a value nobody logged is ``(none)``."""
    return "(none)" if value is None else str(value)


def columns(gates: Iterable[Gate]) -> list[str]:
    """The metric columns that gates need: each gate's, and what its mean is at most if every unjudged document is relevant."""
    own = [gate for gate in gates if gate.kind == "quality"]
    names = [metric_and_kinds(gate.column)[0] for gate in own]
    return list(dict.fromkeys([*names, *filter(None, map(upper_of, own))]))


def upper_of(gate: Gate) -> str | None:
    """The column of the bound of an absolute limit that a mean may fall below; None = its metric has none."""
    metric, at, k = metric_and_kinds(gate.column)[0].partition("@")
    bound = f"{metric}_upper"
    return f"{bound}{at}{k}" if gate.kind == "quality" and not gate.by and gate.sign.startswith(">") and bound in METRICS else None
