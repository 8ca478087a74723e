"""A night in local time: moments are shown in its time zone, so that a local day is a date. JSON, CSV and Parquet keep UTC."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any
from zoneinfo import ZoneInfo

from ..base.zone import zone_of

TIMES = ("window", "from", "to", "at", "since")
SENTENCES = ("headline", "notes")
OTHERS = ("segment", "where", "queries")  # what the log said; a moment in there is a text
MOMENT = re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z")


def on_the_wall(moment: str, zone: ZoneInfo) -> str:
    """A moment of UTC as the time of a zone, in the same form."""
    return dt.datetime.fromisoformat(moment).astimezone(zone).replace(tzinfo=None).isoformat() + "Z"


def in_wall_time(night: Mapping[str, Any], timezone: str) -> dict[str, Any]:
    """Parts of a night (evaluation, drift, sides, marks, notes) with every moment in our tables and sentences in the zone's time."""
    zone, ours = zone_of(timezone), set()

    @cache
    def wall(moment: str) -> str:
        ours.add(moment)
        return on_the_wall(moment, zone)

    def moment(name: str, text: str) -> str:
        return wall(text) if name in TIMES and MOMENT.fullmatch(text) else text

    def sentence(name: str, text: str) -> str:
        return MOMENT.sub(lambda match: wall(match[0]) if match[0] in ours else match[0], text) if name in SENTENCES else text

    local = {name: _rewritten(part, moment) for name, part in night.items() if name != "notes"}
    retold = {name: _rewritten(local[name], sentence) for name in ("drift", "skipped")}
    return local | retold | {"notes": _rewritten(night["notes"], sentence, "notes")}


def _rewritten(value: Any, text_of: Callable[[str, str], str], name: str = "") -> Any:
    """A value with ``text_of(name, text)`` applied to every text under a name of ours."""
    if isinstance(value, dict):
        return {key: inner if key in OTHERS else _rewritten(inner, text_of, key) for key, inner in value.items()}
    if isinstance(value, list):
        return [_rewritten(inner, text_of, name) for inner in value]
    return text_of(name, value) if isinstance(value, str) else value
