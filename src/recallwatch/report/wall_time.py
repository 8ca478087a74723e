"""A night as people read it: moments become the time on the wall of its zone, so that a day of theirs is a date. JSON, CSV and Parquet keep UTC."""

from __future__ import annotations

import dataclasses
import datetime as dt
import re
from functools import cache
from typing import Any
from zoneinfo import ZoneInfo

from .night import Night

TIMES = ("window", "from", "to", "at", "since")
SENTENCES = ("headline", "notes")
OTHERS = ("segment", "where", "queries")  # what the log said; a moment in there is a text
MOMENT = re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z")


def on_the_wall(moment: str, zone: ZoneInfo) -> str:
    """A moment of UTC as the time of a zone, in the same form."""
    return dt.datetime.fromisoformat(moment).astimezone(zone).replace(tzinfo=None).isoformat() + "Z"


def in_wall_time(night: Night) -> Night:
    """The same night; every moment that a table or a sentence of ours names is that of the zone, written as UTC's were."""
    if night.timezone == "UTC":
        return night
    zone, ours = ZoneInfo(night.timezone), set()

    @cache
    def wall(moment: str) -> str:
        ours.add(moment)
        return on_the_wall(moment, zone)

    def moments(value: Any, name: str = "") -> Any:
        if isinstance(value, dict):
            return {key: inner if key in OTHERS else moments(inner, key) for key, inner in value.items()}
        if isinstance(value, list):
            return [moments(inner, name) for inner in value]
        return wall(value) if name in TIMES and isinstance(value, str) and MOMENT.fullmatch(value) else value

    def sentences(value: Any, name: str = "") -> Any:
        if isinstance(value, dict):
            return {key: inner if key in OTHERS else sentences(inner, key) for key, inner in value.items()}
        if isinstance(value, list):
            return [sentences(inner, name) for inner in value]
        if name in SENTENCES and isinstance(value, str):
            return MOMENT.sub(lambda found: wall(found[0]) if found[0] in ours else found[0], value)
        return value

    evaluation, drift, sides, marks = (moments(part) for part in (night.evaluation, night.drift, night.sides, list(night.marks)))
    return dataclasses.replace(
        night, evaluation=evaluation, drift=sentences(drift), sides=sides, marks=marks, notes=sentences(list(night.notes), "notes")
    )
