"""What a green page must not hide: windows that no run judged, a run without new recalls, a log that stopped."""

from __future__ import annotations

import dataclasses
import datetime as dt
import re
from collections.abc import Mapping, Sequence
from typing import Any

from ..base.errors import UsageError
from ..base.verdicts import gravest
from ..base.zone import zone_of
from ..report.night import ALARMING, Night
from . import gate_verdicts
from .configuration import Config
from .gates import Gate

WINDOW = {"day": dt.timedelta(days=1), "week": dt.timedelta(weeks=1)}
AGE = re.compile(r"(\d+)\s*(h|d)")
CLOCKS = dt.timedelta(hours=1)  # that two machines may differ by
UNITS = {"h": dt.timedelta(hours=1), "d": dt.timedelta(days=1)}
Row = Mapping[str, Any]


def max_age_of(config: Config) -> dt.timedelta | None:
    """How old the newest recall may be; None = any age.

    Raises:
        UsageError: ``max_age`` is no age.
    """
    if config.max_age is None:
        return 2 * WINDOW[config.window] if config.window in WINDOW else None
    if config.max_age == "never":
        return None
    return age_of(config.max_age, "max_age", '"36h", "2d", or "never"')


def age_of(text: str, where: str, forms: str) -> dt.timedelta:
    """An age such as ``36h``.

    Raises:
        UsageError: none.
    """
    age = AGE.fullmatch(text.strip())
    if age is None:
        raise UsageError(f"not an age: {text!r}", where=where, fix=f"Write {forms}")
    return int(age[1]) * UNITS[age[2]]


def kept_from(config: Config, now: dt.datetime) -> str | None:
    """The time before which recalls are erased; None = none are.

    Raises:
        UsageError: ``retention`` is no age, or there is no store.
    """
    if config.retention is None:
        return None
    if config.store is None:
        raise UsageError("there is no store to erase from", where="retention", fix="Name a store, or leave it out")
    return (now - age_of(config.retention, "retention", '"400d"')).date().isoformat()


def of(config: Config, evaluation: Row, records: Sequence[Row], now: dt.datetime) -> list[dict[str, str]]:
    """Findings of the run itself, each a verdict and a sentence: nothing new to judge, or nothing new for too long."""
    counts, period, findings = evaluation["counts"], evaluation["read"]["period"], []
    for before in records:
        if before["period"]["to"] == period["to"] and before["counts"]["events"] == counts["events"]:
            headline = f"No new recalls since the run of {_at(before['ran_at'], config)}: the same window is judged again."
            findings.append(_row("insufficient", headline))
            break
    limit = max_age_of(config)
    if limit is None or not period["to"]:
        return findings
    newest = dt.datetime.fromisoformat(period["to"])
    what = f"The newest recall is of {_at(period['to'], config)}"
    if newest > now + CLOCKS:
        findings.append(_row("warn", f"{what}, after this run. Check the clock of what logs."))
        starts = (row["window"] for name in ("metrics", "latency") for row in evaluation[name] if row["window"])
        past = [start for start in starts if dt.datetime.fromisoformat(start) <= now]
        newest = dt.datetime.fromisoformat(max(past)) + WINDOW[config.window] if past and config.window in WINDOW else now
        what = f"The newest other recall is of before {_at(newest.isoformat(), config)}"
    if now - newest > limit:
        age = f"more than {_text(limit)} before this run"
        findings.append(_row(config.stale, f"{what}, {age} (max_age). Check that logs still arrive."))
    return findings


def _row(verdict: str, headline: str) -> dict[str, str]:
    return {"verdict": verdict, "headline": headline}


def _at(moment: str, config: Config) -> str:
    """A moment as people of the file's time zone read it."""
    return f"{dt.datetime.fromisoformat(moment).astimezone(zone_of(config.timezone)):%Y-%m-%d %H:%M} {config.timezone}"


def _text(age: dt.timedelta) -> str:
    hours = int(age.total_seconds()) // 3600
    return f"{hours // 24} days" if hours % 24 == 0 and hours > 24 else f"{hours} hours"


def skipped(config: Config, rules: Sequence[Gate], night: Night, records: Sequence[Row]) -> list[dict[str, Any]]:
    """The windows after the last one that a run judged and before this run's: each by drift and by gates, oldest first.

    Also those before it that fail or warn by drift only since recalls of theirs came late. A first run skips nothing.
    Limits that need a reference other than drift's own pairs of a metric are judged for the newest window only.
    """
    newest = gate_verdicts.window_of(config.gates, night)
    if newest is None:
        return []
    last = max((str(one["window"]) for one in records if one.get("window") and one["window"] <= newest), default=None)
    if last is None:
        return []
    bodies = {body["current"]["from"]: body for body in (night.drift or {}).get("windows") or []}
    windows = {row["window"] for row in night.evaluation["metrics"] if row["window"]} | set(bodies)
    late = _late(night, bodies, records[-1])
    chosen = [at for at in sorted(windows) if at < newest and (at > last or at in late)]
    return [_judged(config, rules, night, bodies.get(at), at) for at in chosen]


def _late(night: Night, bodies: Mapping[str, Row], before: Row) -> set[str]:
    """Windows with more recalls than the run before saw in them, which drift calls worse now than it did then."""
    seen, verdicts = before.get("windows") or {}, before.get("verdicts") or {}
    grown = {row["window"] for row in night.sides.get("window_shares", []) if seen and row["events"] > seen.get(row["window"], 0)}
    return {
        at
        for at in grown & set(bodies)
        if (now := bodies[at]["verdict"]) in ALARMING and gravest([now, verdicts.get(at, "ok")]) == now != verdicts.get(at)
    }


def _judged(config: Config, rules: Sequence[Gate], night: Night, body: Row | None, at: str) -> dict[str, Any]:
    shares = [row for row in night.sides.get("window_shares", []) if row["window"] == at]
    of_window = [gate for gate in rules if gate.kind in ("quality", "latency") or any(gate.column in row for row in shares)]
    one = dataclasses.replace(night, drift=body, sides={"window_shares": shares}, notes=(), skipped=(), freshness=())
    gates = gate_verdicts.judge(of_window, config.gates, one, window=at) if config.gates.on == "newest" else []
    decided = [gate for gate in gates if gate["verdict"] != "insufficient"]
    one = dataclasses.replace(one, gates=decided)
    verdict = gravest([gate["verdict"] for gate in decided] + ([body["verdict"]] if body else []))
    return {"window": at, "verdict": verdict, "headline": one.headline if body or one.gate_sentence else "no limit is broken"}
