"""Sums of a day hold under every label version that says the same of that day: what a validity does not touch is not judged again."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Mapping
from typing import Any

from ..base.engine import Engine
from .cache import Cache, Dated, holds

Bounds = Mapping[str, tuple[dt.datetime | None, dt.datetime | None]]


def missing_days(engine: Engine, cache: Cache, dated: Dated, bounds: Bounds, *, prints: dict[str, str] | None = None) -> list[str]:
    """Days of ``bounds`` whose sums must be made; those that another label version's index holds are taken over.

    Args:
        engine: holds ``label_periods``.
        cache: the index; ``head["base"]`` names all that its sums depend on, but for the labels.
        dated: the days and what they are made of.
        bounds: day -> its first moment and that of the next; None = events without a time.
        prints: day -> what its labels say, as far as it is known; what is found is added.
    """
    cache.prints = {} if prints is None else prints
    missing = [day for day in cache.missing(dated) if day in bounds]
    if unread := [day for day in missing if day not in cache.prints]:
        kinds = {"day": "varchar", "start_at": "timestamptz", "end_at": "timestamptz"}
        rows = [(day, *(at and at.isoformat() for at in bounds[day])) for day in unread]
        engine.values("label_days", kinds, rows)
        engine.file("7_store/label_days.sql")
        cache.prints.update(engine.run("select day, print from label_prints"))
    if missing:
        _adopt(cache, dated, missing)
    return [day for day in missing if day not in cache.days]


def _adopt(cache: Cache, dated: Dated, missing: list[str]) -> None:
    base = str(cache.head.get("base", ""))
    for name, data in cache.store.contents("aggregates", ".json").items():
        if name == cache.path.name or base.encode() not in data:  # without parsing: the kept night is large
            continue
        content = _read(data)
        if content.get("head", {}).get("base") != base:
            continue
        same = {day: e for day in missing if (e := content["days"].get(day)) and e.get("labels") == cache.prints[day]}
        sizes = cache.sizes(same)
        adopted = {day: entry for day, entry in same.items() if holds(entry, sizes, dated.inputs(day))}
        if adopted:
            cache.days |= adopted
            cache.head["columns"] = content["head"]["columns"]
            cache.save()


def _read(data: bytes) -> dict[str, Any]:
    try:
        content = json.loads(data)
    except ValueError:
        return {}
    return content if isinstance(content, dict) and isinstance(content.get("days"), dict) else {}
