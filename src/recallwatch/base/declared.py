"""An option: default, meaning, allowed values and the check of user input, declared once where it is owned.

A value is checked when its dataclass is made: on the command line, in recallwatch.toml and in the library by the same code.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import math
import re
from collections.abc import Callable, Mapping
from numbers import Integral, Real
from os import PathLike, fspath
from typing import Any, ClassVar

from .errors import UsageError
from .registry import known

Check = Callable[[Any, str], Any]  # (what was given, where) -> the value, or a UsageError
MOST_THREADS = 1024
_NO_TEXT = re.compile("[\0\ud800-\udfff]")  # no file and no database holds these
ZONE = re.compile(r"[A-Za-z][A-Za-z0-9_+/-]*")
SIZE = re.compile(r"\d+(\.\d+)?\s*([KMGT]i?)?B", re.IGNORECASE)


def option(
    default: Any, meaning: str, choices: tuple[str, ...] = (), *, check: Check | None = None, flag: str = "", **more: Any
) -> Any:
    """A field that is an option.

    Args:
        default: its value where nothing is said; None = nothing.
        meaning: one line for people.
        choices: allowed values; none = free.
        check: value or text -> value; None = a text, or one of the choices.
        flag: on the command line; "" = the field's name.
        more: ``metavar`` and ``short`` of the flag; ``shown``, how its default is shown; ``is_rare``, as ``RARE`` of its group.
    """
    checked = check or (one_of(choices) if choices else text)
    metadata = {"help": meaning, "choices": choices, "check": checked, "flag": flag, **more}
    if isinstance(default, dict):
        return dataclasses.field(default_factory=dict, metadata=metadata)
    return dataclasses.field(default=default, metadata=metadata)


def flag_of(entry: dataclasses.Field[Any]) -> str:
    """The flag of an option: ``--max-rejects``."""
    return entry.metadata["flag"] or f"--{entry.name.replace('_', '-')}"


class Owned:
    """Base of the dataclasses that own options: each field's check runs when one is made.

    Attributes:
        READY: name under which a function takes a ready one; "" = it takes single options only.
        RARE: whether help shows its options only where everything is asked for.
    """

    READY: ClassVar[str] = ""
    RARE: ClassVar[bool] = False

    def __post_init__(self) -> None:
        for entry in dataclasses.fields(self):  # type: ignore[arg-type]  # every heir is a dataclass
            value = getattr(self, entry.name)
            if "check" not in entry.metadata:
                continue
            if value is not None:
                object.__setattr__(self, entry.name, entry.metadata["check"](value, flag_of(entry)))
            elif entry.default is not None:
                raise UsageError("expected a value, saw None", where=flag_of(entry), fix="Leave it out for the default")


def text(value: Any, where: str) -> str:
    """A text that is not empty; a path counts as one."""
    if isinstance(value, PathLike):
        value = fspath(value)
    if not isinstance(value, str) or not value.strip() or _NO_TEXT.search(value):
        raise UsageError(f"expected a text, saw {seen(value)}", where=where)
    return value


def one_of(choices: tuple[str, ...]) -> Check:
    """One of some words."""

    def check(value: Any, where: str) -> str:
        if not isinstance(value, str) or value not in choices:
            raise UsageError(f"unknown value {seen(value)}", where=where, fix=known(str(value), choices))
        return value

    return check


def anything(value: Any, _: str) -> Any:
    """A live object, checked by whoever uses it."""
    return value


def yes_or_no(value: Any, where: str) -> bool:
    """True or False."""
    if not isinstance(value, bool):
        raise UsageError(f"expected true or false, saw {seen(value)}", where=where)
    return value


def whole(least: int = 1, most: int = 10**9) -> Check:
    """A whole number in a range."""

    def check(value: Any, where: str) -> int:
        number = _number(value)
        if number is None or not number.is_integer() or not least <= number <= most:
            limit = f"from {least} to {most}" if most < 10**9 else f">= {least}"
            raise UsageError(f"expected a whole number {limit}, saw {seen(value)}", where=where)
        return int(number)

    return check


def number(least: float = -math.inf, most: float = math.inf, *, above: float = -math.inf) -> Check:
    """A finite number in a range."""

    def check(value: Any, where: str) -> float:
        parsed = _number(value)
        if parsed is None or not math.isfinite(parsed) or not least <= parsed <= most or parsed <= above:
            limits = [
                f"above {above:g}" * (above > -math.inf),
                f">= {least:g}" * (least > -math.inf),
                f"at most {most:g}" * (most < math.inf),
            ]
            raise UsageError(
                f"expected a number{''.join(f' {limit}' for limit in limits if limit)}, saw {seen(value)}", where=where
            )
        return parsed

    return check


def _number(value: Any) -> float | None:
    """A number or the text of one; None = it is none."""
    if isinstance(value, bool) or not isinstance(value, str | Integral | Real):
        return None
    try:
        return float(value)
    except (ValueError, OverflowError):
        return None


def share(value: Any, where: str) -> float:
    """``1%`` or ``0.01`` as a ratio 0..1."""
    is_percent = isinstance(value, str) and value.strip().endswith("%")
    parsed = _number(value.strip().removesuffix("%") if isinstance(value, str) else value)
    ratio = -1.0 if parsed is None else parsed / (100 if is_percent else 1)
    if not 0 <= ratio <= 1:
        raise UsageError(f"expected a share such as 1% or 0.01, saw {seen(value)}", where=where)
    return ratio


def moment(value: Any, where: str) -> str:
    """A time as ISO 8601; a date is its midnight."""
    given = value.isoformat() if isinstance(value, dt.date) else value
    try:
        dt.datetime.fromisoformat(given.strip())
    except (ValueError, TypeError, AttributeError):
        fix = "Write ISO 8601, for example 2026-11-01 or 2026-11-01T06:00:00Z"
        raise UsageError(f"not a time: {seen(value)}", where=where, fix=fix) from None
    return str(given.strip())


def zone(value: Any, where: str) -> str:
    """The IANA name of a time zone by its form; whether there is one of that name, the engine knows."""
    if not isinstance(value, str) or not ZONE.fullmatch(value):
        raise UsageError(f"unknown time zone {seen(value)}", where=where, fix="Use an IANA name such as Europe/Berlin")
    return value


def size(value: Any, where: str) -> str:
    """An amount of memory."""
    if not isinstance(value, str) or not SIZE.fullmatch(value.strip()) or not re.search("[1-9]", value):
        raise UsageError(f"expected a size such as 4GB or 500MB, saw {seen(value)}", where=where)
    return value.strip()


def names(value: Any, where: str) -> tuple[str, ...]:
    """Names, from ``a,b`` or several of them, commas inside parentheses left alone (``rbp(p=0.8)``); each once."""
    parts = (
        re.split(r",(?![^()]*\))", value)
        if isinstance(value, str)
        else value
        if isinstance(value, list | tuple | set | frozenset)
        else [None]
    )
    texts = [part.strip() for part in parts if isinstance(part, str)]
    if len(texts) < len(parts):
        raise UsageError(f"expected names, saw {seen(value)}", where=where, fix="For example query_class,tenant_id")
    return tuple(dict.fromkeys(text for text in texts if text))


def specs(value: Any, where: str) -> tuple[str, ...]:
    """:func:`names`, each of several split at its commas as well: ``-m a,b -m c``."""
    is_several = isinstance(value, list | tuple) and all(isinstance(part, str) for part in value)
    return names(",".join(value) if is_several else value, where)


def pairs(value: Any, where: str) -> dict[str, str]:
    """Column -> path, from a dict or from texts ``column=path``."""
    if isinstance(value, Mapping):
        given = [(column, "=", path) for column, path in value.items()]
    else:
        texts = [value] if isinstance(value, str) else value if isinstance(value, list | tuple) else [None]
        given = [part.partition("=") if isinstance(part, str) else ("", "", "") for part in texts]
    paths: dict[str, str] = {}
    column: Any
    path: Any
    for column, is_pair, path in given:
        if not is_pair or not all(isinstance(part, str) and part.strip() for part in (column, path)):
            raise UsageError(f"expected column=path, saw {seen(value)}", where=where, fix="For example ranked_ids=hits[].id")
        paths[column.strip()] = path.strip()
    return paths


def seen(value: Any) -> str:
    """What was given, in a line of bearable length."""
    shown = repr(value)
    return shown if len(shown) <= 80 else f"{shown[:77]}…"
