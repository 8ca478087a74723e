"""The way of a call through the house: which rooms its stack stands in, from the top down."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import recallwatch

HOUSE = str(Path(recallwatch.__file__).parent) + "/"
TOOLS = ("base",)  # every room uses them
DOOR = "wrapped"  # a decorator's function stands before the one it wraps


def room(frame: FrameType) -> str | None:
    """The room a frame works in; None = outside, a tool or a door."""
    path = frame.f_code.co_filename
    if not path.startswith(HOUSE) or frame.f_code.co_name == DOOR:
        return None
    name, inside, _ = path.removeprefix(HOUSE).partition("/")
    return name if inside and name not in TOOLS else None


def way_of(frame: FrameType | None) -> tuple[str, ...]:
    """The rooms of a call stack from the top down, each once for as long as the call stays in it."""
    rooms: list[str] = []
    while frame is not None:
        if (name := room(frame)) and rooms[-1:] != [name]:
            rooms.append(name)
        frame = frame.f_back
    return tuple(reversed(rooms))


def ways(work: Callable[[], Any]) -> set[tuple[str, ...]]:
    """Every way that some work takes."""
    taken = set()

    def look(frame: FrameType, event: str, _argument: Any) -> None:
        if event == "call" and room(frame):
            taken.add(way_of(frame))

    sys.setprofile(look)
    try:
        work()
    finally:
        sys.setprofile(None)
    return taken


def twice(work: Callable[[], Any]) -> list[tuple[str, ...]]:
    """The ways on which a room that was left is entered again."""
    return sorted(way for way in ways(work) if len(set(way)) < len(way))
