"""Faults of logs and labels, reported before any metric is computed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..base.engine import Engine, identifier, quoted
from ..base.errors import ExitCode, InputError
from ..base.tracing import Steps
from ..document.model import Document
from ..document.result import Result
from ..read import FORMATS, LOOKED_FOR, Logs
from ..read.corpus import read_corpus
from ..read.guess import proposal
from ..read.lines import OTHER
from ..read.log_format import UnknownLogError
from ..read.paths import expand, is_parquet
from ..read.records import wrapper_in_file
from ..scoring.meeting import unmet
from ..scoring.plan import Plan, paths_of, takes
from ..scoring.readout import at_work, scored
from ..scoring.recalls import Recalls, join
from ..scoring.unread import refuse_unread
from .check_document import document_of
from .options import CHECK, Pool
from .source import LoggedRecalls

FAIL, WARN, NOTE = "fail", "warn", "note"

# code -> gravity and meaning, printed after the count n
FINDINGS: Mapping[str, tuple[str, str]] = {
    "packed_ids": (WARN, "label ids that hold several ids in one text"),
    "odd_ids": (WARN, "label ids that do not look like the others and that no event returned"),
    "unknown_ids": (NOTE, "label ids that no event ever returned, for any query"),
    "labels_not_in_corpus": (WARN, "relevant label ids that the corpus does not have: no search can return them"),
    "returned_not_in_corpus": (WARN, "returned ids that the corpus does not have: another version of it, or another form of id"),
    "other_spelling": (WARN, "unknown label ids that a rule would map to known ones (see [[ids.labels]] of a profile)"),
    "shared_ids": (
        WARN,
        "ids returned under several tenants or sessions: where they are not one document, name the owner in the id",
    ),
    "repeated_labels": (NOTE, "label rows that stand there twice: merged"),
    "conflicting_labels": (
        WARN,
        "labels that contradict each other: two grades of one document, or nothing and something right (see --label-conflicts)",
    ),
    "class_contradicts": (WARN, "queries whose class contradicts their labels"),
    "repeated_ids": (WARN, "lists that repeat an id: one owner's search cannot give that"),
    "deeper_than_logged": (WARN, "events whose first hit lies beyond the logged list: the log is cut"),
    "k_reaches_pool": (WARN, "events whose pool is no larger than k: recall is 1 by construction"),
}


@dataclass(frozen=True)
class Check(Result):
    """What was found.

    Args:
        read: formats with the reason each was told by, counts, rejects by reason.
        columns: per column the paths used and the number of events with a value.
        findings: code, severity (fail, warn, note), message, n, examples; gravest first.
        chance: expected recall of a random ranking per k, where a pool size is known.
        coverage: shares of evaluate, where labels were there.
        profile: of a log that nobody knows: one to start from, as TOML.
    """

    read: dict[str, Any]
    columns: list[dict[str, Any]]
    findings: list[dict[str, Any]]
    chance: list[dict[str, Any]]
    coverage: dict[str, Any]
    profile: str = ""

    @property
    def exit_code(self) -> ExitCode:
        """Input where numbers would be meaningless, else fine."""
        return ExitCode.INPUT if any(finding["severity"] == FAIL for finding in self.findings) else ExitCode.FINE

    def to_dict(self) -> dict[str, Any]:
        """The JSON of ``recallwatch check -f json``, as Python values."""
        return self.stated("read", "columns", "findings", "chance", "coverage", *(["profile"] if self.profile else []))

    def document(self) -> Document:
        """The document shown to people."""
        return document_of(self.to_dict())


@takes(CHECK)
def check(logs: Any, labels: Any = None, *, pool: Pool, plan: Plan) -> Check:
    """Read logs and labels as `evaluate` does, and report anomalies.

    Args:
        logs: as of :func:`~recallwatch.evaluation.pipeline.evaluate`.
        labels: the same; None = those the logs carry, if they do.
        {options}

    Raises:
        UsageError: unknown option or value.
        InputError: files that cannot be read at all.
    """
    source = LoggedRecalls(logs, empty_ok=True)
    with at_work(plan, "recallwatch.check") as (engine, steps):
        n_corpus = read_corpus(engine, Path(pool.corpus)) if pool.corpus is not None else None
        engine.run(f"create or replace macro opt_pool_size() as {quoted(pool.pool_size or n_corpus)}::bigint")
        try:
            with steps("read"):
                read, form = source.read(engine, labels, plan.reading)
        except UnknownLogError as error:
            return _proposed(engine, logs, error)
        events = Recalls(read, form, [], 0)
        findings, chance, coverage = _look(engine, plan, source, events, steps, has_corpus=pool.corpus is not None)
        order = (FAIL, WARN, NOTE)
        findings = sorted(findings, key=lambda f: order.index(f["severity"]))
        about = {**_read(engine, read, form), **_wrapped(engine, logs)}
        is_unread = set(read.formats) == {"flat"} and any(finding["code"] == "no_recalls" for finding in findings)
        return Check(about, _columns(engine, read), findings, chance, coverage, _profile(engine, logs) if is_unread else "")


def _proposed(engine: Engine, logs: Any, error: UnknownLogError) -> Check:
    """The check of a log that nobody knows.

    Raises:
        UnknownLogError: there is no list in it that may hold results.
    """
    profile = _profile(engine, logs, error.where)
    if not profile:
        raise error
    read = {"formats": [], "events": 0, "spans": 0, "repeated_spans": 0, "rejected": 0, "rejects": [], "labels": None}
    return Check(
        {**read, **_wrapped(engine, logs)}, [], [_finding("unknown_log", FAIL, f"{error.where}: {error.what}")], [], {}, profile
    )


def _profile(engine: Engine, logs: Any, where: str = "") -> str:
    """A profile proposed for a log, from its file of that name or its first one; empty where no list in it may hold results."""
    files = expand(paths_of(logs) or [], kind="log", spool=engine.folder)
    return proposal(engine, next((path for path in files if str(path) == where), files[0])) if files else ""


def _look(
    engine: Engine, plan: Plan, source: LoggedRecalls, events: Recalls, steps: Steps, *, has_corpus: bool = False
) -> tuple[list[dict[str, Any]], list[dict[str, Any]], dict[str, Any]]:
    """Everything that needs events: findings, chance level, coverage. What stops an evaluation is a finding too."""
    logs = events.logs
    if not engine.run("select exists (select 1 from normalised where reject_reason is null)")[0][0]:
        return [_no_recalls(engine, logs)], [], {}
    findings: list[dict[str, Any]] = []
    try:
        rejects = source.accept(engine, plan)
    except InputError as error:
        findings.append(_finding("rejected", FAIL, str(error)))
        rejects = source.accept(engine, replace(plan, reading=replace(plan.reading, max_rejects=1.0)))
    events = replace(events, rejects=rejects, duplicates=source.once(engine))
    if not events.labels:
        return [*findings, _finding("no_labels", NOTE, "no labels given: only the log was looked at")], [], {}
    coverage: dict[str, Any] = {}
    try:
        refuse_unread(engine, plan.reading, "normalised")
        join(engine, logs)
        reading = replace(plan.reading, allow_unmatched=True)  # what an evaluation refuses is a finding of its own below
        result = scored(engine, replace(plan, reading=reading), events, steps)
        findings += [
            {**warning, "severity": WARN}
            for warning in result.head["warnings"]
            if warning["code"] not in ("events_with_duplicate_ids", "conflicting_labels", "no_known_ids")
        ]
        coverage = result.head["coverage"]
    except InputError as error:
        findings.append(_finding("meaningless", FAIL, str(error)))
    engine.file("6_report/known_ids.sql")
    engine.file("6_report/check_labels.sql")
    odd = engine.rows("from label_findings where n > 0")
    if plan.period.where is not None:  # labels of others, who did not pass, are counted and not named
        odd = [row | {"examples": []} for row in odd]
    if has_corpus:
        engine.file("6_report/check_corpus.sql")
        odd += engine.rows("from corpus_findings where n > 0")
    if coverage:
        engine.file("6_report/check_lists.sql")
        odd += engine.rows("from list_findings where n > 0")
    refusal, unexplained = unmet(engine)
    if refusal is not None or unexplained:
        findings.append(_finding("no_known_ids", WARN if refusal is None else FAIL, str(refusal or unexplained)))
    findings += [_finding(row["code"], *FINDINGS[row["code"]], n=row["n"], examples=row["examples"]) for row in odd]
    return (
        [*findings, *([*_logged(engine), *_other_slots(engine)] if coverage else [])],
        engine.rows("from chance_level") if coverage else [],
        coverage,
    )


def _no_recalls(engine: Engine, logs: Logs) -> dict[str, Any]:
    rejected = engine.run("select count(*) from normalised")[0][0]
    looked = (
        f"no retrieval spans with ids; looked for {LOOKED_FOR}"
        if logs.spans or set(logs.formats) - {"flat"}
        else "no record with a result list"
    )
    return _finding("no_recalls", FAIL, f"{logs.spans} spans, 0 recalls, {rejected} records rejected: {looked}")


def _logged(engine: Engine) -> list[dict[str, Any]]:
    """Metrics the log holds itself: which of ours each really is."""
    findings = []
    for row in engine.rows("from logged_metrics"):
        name, value, agrees, ours = row["name"], row["value"], row["agrees_with"] or [], row["ours"]
        if ours is not None and abs(ours - value) >= 5e-5:
            really = f"it agrees with our {', '.join(agrees)}" if agrees else "none of ours agrees with it"
            what = f"the log's own {name} (mean {value:.4f}) is not our {name} ({ours:.4f}): {really}"
            findings.append(_finding("other_definition", WARN, what, n=row["n"]))
    return findings


def _other_slots(engine: Engine) -> list[dict[str, Any]]:
    """Share of judged documents among those not relevant."""
    n, n_judged = engine.run("select n, n_judged from other_slots")[0]
    if not n:
        return []
    share = f"{n_judged:,} of them" if n_judged else "none of them"
    what = f"ranks that hold nothing relevant; {share} judged not relevant, the rest only counts as that"
    return [_finding("unjudged_slots", NOTE, what, n=n)]


def _finding(code: str, severity: str, message: str, *, n: int = 1, examples: list[Any] | None = None) -> dict[str, Any]:
    return {"code": code, "severity": severity, "message": message, "n": n, "examples": examples or []}


def _read(engine: Engine, logs: Logs, label_form: str) -> dict[str, Any]:
    n_others = f"count(*) filter (reject_reason = {quoted(OTHER)})"
    events, rejected, others = engine.run(
        f"select count(*) filter (reject_reason is null), count(reject_reason) - {n_others}, {n_others} from normalised"
    )[0]
    formats = [
        {"format": name, "files": n, "meaning": FORMATS[name].meaning if name in FORMATS else "named by the caller"}
        for name, n in logs.formats.items()
    ]
    reasons = engine.rows("""select reject_reason as reason, count(*) as n, arg_min(source || ':' || source_line, (source, source_line)) as "where",
        arg_min(left(excerpt, 80), (source, source_line)) as excerpt from normalised where reject_reason <> 'other_line' group by 1 order by n desc, reason""")
    return {
        "formats": formats,
        "events": events,
        "spans": logs.spans,
        "repeated_spans": logs.repeated_spans,
        "rejected": rejected,
        **({"other_lines": others} if others else {}),
        "rejects": reasons,
        "labels": label_form or None,
    }


def _wrapped(engine: Engine, logs: Any) -> dict[str, str]:
    """Where the records stand, if other programs' lines hold them."""
    files = [path for path in expand(paths_of(logs) or [], kind="log", spool=engine.folder) if not is_parquet(path)]
    ways = [str(wrapper) for path in files[:1] if (wrapper := wrapper_in_file(path)) is not None]
    return {"records": ways[0]} if ways else {}


def _columns(engine: Engine, logs: Logs) -> list[dict[str, Any]]:
    """Per canonical column: the log's paths, and the number of events with a value."""
    ours = ("source", "source_line", "flags", "attributes", "event_id")
    names = [name for name in engine.columns("contract.events") if name not in ours]
    counts = engine.run(
        f"select count(*), {', '.join(f'count({identifier(name)})' for name in names)} from normalised where reject_reason is null"
    )[0]
    paths: dict[str, list[str]] = {}
    for path, column in logs.names.items():
        paths.setdefault(column, []).append(path)
    return [
        {"column": name, "paths": paths.get(name, []), "n": counts[0], "n_filled": filled}
        for name, filled in zip(names, counts[1:], strict=True)
        if filled or name in paths
    ]
