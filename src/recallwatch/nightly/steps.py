"""From a configuration to a Night: ingest, drift, evaluate, gates, what changed. Each step is timed and reported."""

from __future__ import annotations

import dataclasses
import datetime as dt
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

from pydantic import ValidationError

from ..base.closed_form import mistake
from ..base.definition import Definition, columns_of
from ..base.errors import UsageError
from ..base.registry import pick
from ..base.remote import path_of
from ..base.takes import INGEST
from ..document.numbers import plural
from ..evaluation.pipeline import evaluate
from ..explanation.explain import explanations
from ..monitor.accepted import read as read_accepted
from ..monitor.drift import drift
from ..read.paths import places_without_files
from ..report import why
from ..report.files import FILES, FileOutput
from ..report.night import Night
from ..report.redact import Redactor
from ..report.window_sides import SideReader, spans_of
from ..store import erase, ingest, open_store
from ..store.label_versions import request
from ..store.layout import is_store
from ..store.marker import snapshot
from . import gate_baselines, gate_verdicts
from . import gates as gate_rules
from .configuration import Config
from .options import KEYS, READ, REPORT, Page

RECALLS = 5  # of a query that a page explains
FIRST = "Nothing to compare with yet: drift needs two complete windows."


class Timer:
    """Wall time of each step, s; reported when it ends.

    Args:
        tell: called with one line a step.
    """

    def __init__(self, tell: Callable[[str], None] = lambda _: None) -> None:
        self.seconds: dict[str, float] = {}
        self._tell = tell

    @contextmanager
    def __call__(self, step: str) -> Iterator[None]:
        """Run one step."""
        started = time.perf_counter()
        yield
        self.seconds[step] = time.perf_counter() - started
        self._tell(f"{step}: {self.seconds[step]:.1f} s")


def rules_of(config: Config) -> list[gate_rules.Gate]:
    """The gates.

    Raises:
        UsageError: one that cannot be read, or speaks of what this configuration never has.
    """
    rules = gate_rules.parse(config.gates)
    gate_rules.refuse_columns(rules, config.by)
    if config.drift is False or config.window == "all":
        gate_baselines.refuse_reference(rules, config.gates)
    return rules


def take_in(config: Config, timer: Timer, *, kept_from: str | None = None) -> list[str]:
    """Bring the store up to date; what it has committed stays committed whatever fails later. Returns what a reader must know of it.

    Args:
        config: what to do.
        timer: times each step.
        kept_from: recalls before this time are erased from the store; None = none are.

    Raises:
        UsageError: a store that cannot be used (exit 2).
        InputError: logs out of contract (exit 3).
    """
    notes: list[str] = []
    if config.store and config.logs:
        with timer("ingest"):
            _ingest(config, {name: value for name, value in config.reading().items() if name in INGEST.options}, notes)
    if config.store and kept_from is not None:
        with timer("retention"):
            if n := erase(config.store, before=kept_from).n_events:
                notes.append(f"{plural(n, 'recall')} from before {kept_from} erased from the store (retention).")
    return notes


def gather(config: Config, timer: Timer, outputs: Iterable[FileOutput] = (), *, ran_at: dt.datetime | None = None) -> Night:
    """Everything from the drift tests to the gates.

    Args:
        config: what to do.
        timer: times each step.
        outputs: what the night is for; they begin what needs no number.
        ran_at: a window that begins later is not judged; None = this moment.

    Raises:
        UsageError: an option, gate or store that cannot be used (exit 2).
        InputError: logs or labels out of contract (exit 3).
    """
    rules, reading, definition = rules_of(config), config.reading(), config.definitions()
    notes: list[str] = []
    for output in outputs:
        output.begin()
    with timer("drift"):
        drift = _drift(config, reading, definition, notes)
    with timer("evaluate"):
        sides = SideReader(spans_of(drift))
        evaluation = _evaluate(config, rules, reading, definition, sides)
    gate_rules.refuse_values(rules, evaluation)
    windows = sorted({row["window"] for name in ("metrics", "latency") for row in evaluation[name] if row["window"]})
    gate_baselines.refuse_baseline(rules, config.gates, windows, config.timezone)
    night = Night(evaluation, drift, sides.tables, notes=notes, title=config.outputs.title, timezone=config.timezone)
    night = dataclasses.replace(night, trace_url=config.outputs.trace_url, ran_at=ran_at or dt.datetime.now(dt.UTC))
    if any(output.is_page for output in outputs):
        with timer("explain"):
            night = dataclasses.replace(night, explained=_explained(config, reading, definition, night))
    with timer("gates"):
        decided = gate_verdicts.judge(rules, config.gates, night)
    return dataclasses.replace(night, gates=decided, marks=version_marks(sides.tables["versions"]), notes=_notes(night))


def _explained(config: Config, reading: Mapping[str, Any], definition: Mapping[str, Any], night: Night) -> list[dict[str, Any]]:
    """Why the queries that the page names get what they get: the judged window against what it was compared with."""
    if not (names := why.queries(night)):
        return []
    drift = night.drift or {"reference": {"from": None}, "current": {"from": None, "to": None}}
    more = {"start": drift["reference"]["from"], "end": drift["current"]["to"], "against": drift["current"]["from"]}
    where = {"store": config.store} if config.store else {"logs": list(config.logs)}
    options = {**reading, **definition, **more, "recalls": RECALLS, "trace_url": config.outputs.trace_url}
    return [one.to_dict() for one in explanations(names, labels=_labels(config), **where, **options)]


def redaction(config: Config) -> Redactor | None:
    """What hides the texts of a run, as configured; None = nothing is hidden.

    Raises:
        UsageError: no salt.
    """
    outputs = config.outputs
    return Redactor(outputs.salt, ids=outputs.redact_ids, by=config.by) if outputs.redact or outputs.redact_ids else None


def _ingest(config: Config, reading: Mapping[str, Any], notes: list[str]) -> None:
    """Ingest new files. A place without files is only a note where the store holds recalls: its logs were removed, or none came."""
    places, empty = list(config.logs), places_without_files(config.logs)
    if empty and is_store(str(config.store)) and snapshot(open_store(str(config.store))):
        notes += [f"No log files in {place}: what the store holds is judged." for place in empty]
        places = [place for place in places if place not in empty]
    if places:
        notes += ingest(places, store=config.store, renews=False, **reading).notes


def _drift(config: Config, reading: Mapping[str, Any], definition: Mapping[str, Any], notes: list[str]) -> dict[str, Any] | None:
    """The series of windows; None where there is no second window yet, and ``notes`` say so."""
    if config.drift is False or config.window == "all":
        return None
    settings = dict(config.drift) if isinstance(config.drift, dict) else {}
    accepted = [*settings.pop("accepted", []), *read_accepted(path_of(config.store or config.outputs.folder, is_fresh=True))]
    more = {"series": True, "window": config.window, "timezone": config.timezone, "accepted": accepted or None}
    where = {"store": config.store, **reading} if config.store else {"logs": list(config.logs), **reading}
    try:
        return drift(labels=_labels(config), **{**where, **definition, **settings, **more}).to_dict()
    except UsageError as error:
        if error.where != "--window":
            raise
        notes.append(FIRST)
        return None


def _labels(config: Config) -> Any:
    return list(config.labels) or None


def _evaluate(
    config: Config, rules: Sequence[gate_rules.Gate], reading: Mapping[str, Any], definition: Mapping[str, Any], sides: SideReader
) -> dict[str, Any]:
    columns = [str(column) for column in columns_of(config.metrics, config.depths)] + gate_rules.columns(rules)
    logs = None if config.store else list(config.logs)
    return evaluate(
        logs,
        _labels(config),
        store=config.store,
        metrics=tuple(dict.fromkeys(columns)),
        k=config.depths,
        by=config.by,
        window=config.window,
        timezone=config.timezone,
        per_query=True,
        then=sides,
        **{**reading, **definition},
    ).to_dict()


def version_marks(versions: list[dict[str, Any]]) -> list[dict[str, str]]:
    """Where the most used index version or variant became another one."""
    marks: list[dict[str, str]] = []
    last: dict[str, str] = {}
    seen: set[tuple[str, str]] = set()
    for row in versions:  # by window and name, the most used first
        if (row["window"], row["name"]) in seen:
            continue
        seen.add((row["window"], row["name"]))
        before = last.get(row["name"])
        last[row["name"]] = row["value"]
        if before is not None and before != row["value"]:
            kind = "index" if row["name"] == "index_version" else row["name"]
            marks.append({"at": row["window"], "kind": kind, "text": f"{kind} {before} → {row['value']}"})
    return marks


def _notes(night: Night) -> list[str]:
    """What a reader must know before the numbers."""
    sentences = [*night.notes, *((night.drift or {}).get("notes") or [])]
    relabelled = night.evaluation.get("relabelled")
    if relabelled:
        moved = [row for row in relabelled["metrics"] if row["metric"] == "recall" and row["difference"] is not None]
        shift = f": {moved[-1]['difference']:+.3f} recall@{moved[-1]['k']} is theirs, over the same events" if moved else ""
        sentences.append(f"The labels changed since the last run{shift}.")
    return sentences


def page_of(logs: Sequence[str], labels: Sequence[str], output: str, options: Mapping[str, Any]) -> str:
    """The page of the options of ``recallwatch report``."""
    page = REPORT.make(options)[Page]
    read = {KEYS.get(name, name): options[name] for name in READ.options if name in options}
    definition = {name: value for name, value in options.items() if name == "compat" or name in Definition.__dataclass_fields__}
    said = dict(vars(page))
    outputs = {name: said.pop(name) for name in ("title", "trace_url", "redact", "redact_ids")}
    said["k"] = said["k"] and tuple("all" if k is None else k for k in said["k"])
    return report(logs, labels, output=output, read=read, definition=definition, outputs=outputs, **said)


def report(logs: Sequence[str], labels: Sequence[str], *, output: str, **options: Any) -> str:
    """One output of a store (its folder alone) or of logs, without gates and without a record.

    Options ``by``, ``k`` and ``definition`` default to those the store was last scored with, so the page reads its stored sums.

    Raises:
        UsageError: an output that is more than one file, an option that cannot be used.
    """
    entry = pick(FILES, "output", output)
    outputs = {**options.pop("outputs"), "salt": os.environ.get("RECALLWATCH_SALT", "")}
    store = logs[0] if len(logs) == 1 and is_store(logs[0]) else None
    options = _as_scored(store, options)
    try:
        raw = {"logs": () if store else tuple(logs), "labels": tuple(labels), "store": store, "outputs": outputs, **options}
        config = Config.model_validate(raw)
    except ValidationError as error:
        raise mistake(error, Config, raw, "", "See docs/report.md") from None
    redactor = redaction(config)
    with redactor.errors() if redactor else nullcontext():
        night = gather(config, Timer(), [entry])
    written = entry.write(redactor.night(night) if redactor else night)
    if len(written) != 1:
        raise UsageError(f"{output} is {len(written)} files", where="--format", fix="Let `recallwatch run` write it")
    return next(iter(written.values())).decode()


def _as_scored(store: str | None, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a page with what a store was last scored by in the place of those that were not given."""
    given = {name: value for name, value in options.items() if value is not None}
    last = request(open_store(store)) if store else {}
    if not last:
        return {"by": (), **given}
    columns = {} if "k" in given or "metrics" in given else {"metrics": tuple(last["columns"]), "k": ("all",)}
    definition = given.get("definition") or last["options"]
    return {"by": tuple(last.get("by", ())), **columns, **given, "definition": definition}
