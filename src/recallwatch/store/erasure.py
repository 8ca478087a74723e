"""`recallwatch store erase`: recalls of a tenant, of a session or before a day leave the store's files; all others keep their bytes."""

from __future__ import annotations

import dataclasses
import datetime as dt
from dataclasses import dataclass
from typing import Any

from ..base.engine import Engine, quoted, quoted_paths
from ..base.tracing import Steps
from ..document.model import Document
from ..document.numbers import plural
from ..document.result import Result
from ..scoring.binding import bind
from ..scoring.plan import plan_of
from . import marker
from .erased import Rule, remember, rule_of
from .layout import Store, open_store, read_json, write_json
from .lock import confirm, writing
from .maintenance import collect_garbage
from .marker import NO_DAY, Marker
from .parts import FACTS, written_part
from .renewal import record, renew


@dataclass(frozen=True)
class Erased(Result):
    """What went.

    Args:
        n_events: recalls, duplicates included.
        n_sources: logs whose part was rewritten.
        n_labels: labels that these logs carried for the tenant.
        n_excerpts: excerpts of rejected lines that named the tenant or session, emptied.
        n_labels_left: labels of the tenant in label versions, which were given and stay.
        days: UTC days whose sums are made anew.
    """

    n_events: int = 0
    n_sources: int = 0
    n_labels: int = 0
    n_excerpts: int = 0
    n_labels_left: int = 0
    days: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """For the run's record and for ``-f json``."""
        return {**vars(self), "days": list(self.days)}

    def document(self) -> Document:
        """One sentence, and what else may hold some of it."""
        beside = [
            f"{plural(n, what)}"
            for n, what in ((self.n_labels, "label of logs"), (self.n_excerpts, "excerpt of a rejected line"))
            if n
        ]
        notes = ["The logs themselves, pages and files that runs wrote, and runs of other tools are not touched."]
        if self.n_labels_left:
            notes.append(
                f"{plural(self.n_labels_left, 'label')} of this tenant in label files you gave: pass --labels without them."
            )
        return Document(
            f"{plural(self.n_events, 'recall')} of {plural(self.n_sources, 'log')} erased{''.join(f', {b}' for b in beside)}",
            notes=notes,
        )


def erase(store: Any, *, tenant: str | None = None, session: str | None = None, before: str | None = None) -> Erased:
    """Erase recalls for good, and remember it: a log that still has them brings none of them back.

    Parts that hold such a recall are rewritten without it, sums and verdicts of their days are made anew, recall.duckdb too. A kill at
    any moment leaves a valid store; the same call again finishes the work.

    Args:
        store: the folder, or its address.
        tenant: whose recalls go.
        session: the same.
        before: recalls before this time go (ISO 8601; no zone = UTC); those without a time stay.

    Raises:
        UsageError: none or several of the three, another writer.
        InputError: no store there.
    """
    rule, home, plan = rule_of(tenant, session, before), open_store(store), plan_of()
    with Engine() as engine, writing(home):
        bind(engine, plan.definition, plan.cut)
        touched = [affected for one in marker.snapshot(home) if (affected := _look(engine, home, one, rule))]
        left = _labels_left(engine, home, rule)
        if not touched:
            renew(engine, home, plan, Steps("recallwatch.erase", engine), only_if_other=True)  # a killed call may have left that
            collect_garbage(home)
            return Erased(n_labels_left=left)
        days = tuple(sorted({day for affected in touched for day in affected.days}))
        done = Erased(
            sum(f.n_events for f in touched),
            len(touched),
            sum(f.n_labels for f in touched),
            sum(f.n_excerpts for f in touched),
            left,
            days,
        )
        remember(home, rule, done.n_events, max((f.last_at or "" for f in touched), default=""))
        # before the markers: after a kill in between, the same call finds its recalls, and all there is of them
        _drop_sums(home, days)
        for affected in touched:
            marker.write(home, _without(engine, home, affected, rule))
        renew(engine, home, plan, Steps("recallwatch.erase", engine))
        collect_garbage(home)
        record(home, "erase", done)
        return done


@dataclass(frozen=True)
class _Affected:
    """What a source holds that goes."""

    marker: Marker
    n_events: int
    n_labels: int
    n_excerpts: int
    last_at: str | None
    days: tuple[str, ...]


def _look(engine: Engine, store: Store, one: Marker, rule: Rule) -> _Affected | None:
    """None = nothing."""
    if rule.column == "timestamp" and (one.first_at is None or one.first_at[:26] >= rule.utc):
        return None

    def count(file: str | None, condition: str) -> int:
        if file is None or not condition:
            return 0
        store.reach(engine, [str(store.path(file))])
        return int(engine.run(f"select count(*) from {_rows(store, file)} where {condition}", what=f"reading {file}")[0][0])

    store.reach(engine, [str(store.path(one.events))])
    ((n, last, days),) = engine.run(
        f"""select count(*), strftime(max("timestamp"), '%Y-%m-%dT%H:%M:%S.%fZ'), list(distinct utc_day("timestamp"))
        from {_rows(store, one.events)} where {rule.condition}""",
        what=f"reading {one.events}",
    )
    affected = _Affected(
        one, int(n), count(one.labels, _of_labels(rule)), count(one.rejects, _in_excerpt(rule)), last, tuple(days or ())
    )
    return affected if affected.n_events or affected.n_labels or affected.n_excerpts else None


def _without(engine: Engine, store: Store, affected: _Affected, rule: Rule) -> Marker:
    """The source's marker, its files rewritten where they held something."""
    one, files = affected.marker, dict(affected.marker.files)
    new: dict[str, Any] = {}
    selects = {
        "events": (affected.n_events, one.events, f"select * from {{}} where not {rule.condition}"),
        "labels": (affected.n_labels, one.labels, f"select * from {{}} where not ({_of_labels(rule) or 'false'})"),
        "rejects": (
            affected.n_excerpts,
            one.rejects,
            f"select * replace (if({_in_excerpt(rule) or 'false'}, '', excerpt) as excerpt) from {{}}",
        ),
    }
    for name, (n, file, select) in selects.items():
        if not n or file is None:
            continue
        with written_part(engine, store, file.partition("/")[0], marker.slug(one.source), select.format(_rows(store, file))) as (
            part,
            path,
            sheet,
        ):
            if name == "events":
                new |= engine.rows(FACTS.format(file=quoted_paths(path)), what=f"reading {part}")[0]
        del files[file]
        files[part], new[name] = sheet, part
    return dataclasses.replace(one, **new, files=files)


def _rows(store: Store, file: str) -> str:
    return f"read_parquet({quoted_paths(store.path(file))})"


def _of_labels(rule: Rule) -> str:
    return rule.condition if rule.column == "tenant_id" else ""


def _in_excerpt(rule: Rule) -> str:
    return "" if rule.column == "timestamp" else f"coalesce(contains(excerpt, {quoted(rule.value)}), false)"


def _labels_left(engine: Engine, store: Store, rule: Rule) -> int:
    files = sorted(store.path("labels").glob("*.parquet")) if rule.column == "tenant_id" else []
    if not files:
        return 0
    store.reach(engine, map(str, files))
    return int(
        engine.run(f"select count(*) from read_parquet({quoted_paths(files)}, union_by_name = true) where {rule.condition}")[0][0]
    )


def _drop_sums(store: Store, days: tuple[str, ...]) -> None:
    """Sums that hold some of it: of these days and, where days of a zone overlap them, of the days beside; every verdict, which names queries."""
    confirm(store)
    near = {NO_DAY, *days}
    for day in set(days) - {NO_DAY}:
        date = dt.date.fromisoformat(day)
        near |= {(date + dt.timedelta(days=step)).isoformat() for step in (-1, 1)}
    for path in store.path("aggregates").glob("*.json"):
        index = read_json(path)
        if "days" not in index:
            path.unlink()
        elif near & set(index["days"]):
            write_json(path, {**index, "days": {day: entry for day, entry in index["days"].items() if day not in near}})
