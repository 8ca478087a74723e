"""Numbers as people read them, each with its unit: the only place that rounds. No exponents, no zero with a sign, no unit left out.

None is a dash. What is not quite nothing, or not quite all, is not rounded to it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

NONE = "–"


def ratio(value: float | None, digits: int = 3) -> str:
    """``0.773``.

    Example:
        >>> ratio(0.7726), ratio(-0.00001), ratio(None)
        ('0.773', '0.000', '–')
    """
    return NONE if value is None else f"{value:z.{digits}f}"


def ratio4(value: float | None) -> str:
    """A ratio with the four digits that benchmarks are published with."""
    return ratio(value, 4)


def signed(value: float | None, digits: int = 4) -> str:
    """A difference of ratios; a zero has no sign.

    Example:
        >>> signed(0.0123), signed(-0.00001)
        ('+0.0123', '0.0000')
    """
    if value is None:
        return NONE
    text = f"{value:+.{digits}f}"
    return text if float(text) else text[1:]


def points(value: float | None, digits: int = 1) -> str:
    """A difference of ratios in percentage points.

    Example:
        >>> points(-0.158), points(-0.0004)
        ('-15.8 points', '0.0 points')
    """
    return NONE if value is None else f"{signed(100 * value, digits)} points"


def share(value: float | None) -> str:
    """A ratio as per cent: whole in the middle, one digit towards the ends.

    Example:
        >>> share(1.0), share(0.384), share(0.068), share(0.0001), share(0.9999)
        ('100 %', '38 %', '6.8 %', '< 0.1 %', '> 99.9 %')
    """
    if value is None:
        return NONE
    if 0 < value < 0.0005:
        return "< 0.1 %"
    if 0.9995 <= value < 1:
        return "> 99.9 %"
    return f"{100 * value:z.0f} %" if value in (0, 1) or 0.1 <= value <= 0.9 else f"{100 * value:z.1f} %"


def change(log_ratio: float | None) -> str:
    """A ratio of times, kept as its logarithm, as per cent more or less.

    Example:
        >>> change(math.log(1.5)), change(-0.0001), change(math.log(12))
        ('+50 %', '0 %', '12 times')
    """
    if log_ratio is None:
        return NONE
    factor = math.exp(log_ratio)
    return f"{significant(factor)} times" if factor >= 10 else f"{signed(100 * (factor - 1), 0)} %"


def significant(value: float | None, digits: int = 3) -> str:
    """So many significant digits, without an exponent.

    Example:
        >>> significant(0.0003), significant(20.84), significant(1804.2), significant(1234567, 4)
        ('0.0003', '20.8', '1,804', '1,234,567')
    """
    if value is None:
        return NONE
    if not value:
        return "0"
    places = min(digits - 1 - math.floor(math.log10(abs(value))), 15)
    if places <= 0:
        return f"{value:z,.0f}"
    return f"{value:z,.{places}f}".rstrip("0").rstrip(".")


def ms(value: float | None) -> str:
    """Milliseconds, with three significant digits; the unit stands at the column or behind."""
    return significant(value)


def usd(value: float | None) -> str:
    """US dollars of one recall; of a million where one costs next to nothing.

    Example:
        >>> usd(0.0123), usd(8.07e-07)
        ('0.0123 USD a recall', '0.807 USD a million recalls')
    """
    if value is not None and 0 < value < 0.0005:
        return f"{significant(1e6 * value)} USD a million recalls"
    return f"{significant(value)} USD a recall"


def p_value(value: float | None) -> str:
    """``.012``, ``< .001``.

    Example:
        >>> p_value(0.0123), p_value(1e-9), p_value(1.0)
        ('.012', '< .001', '1.000')
    """
    if value is None:
        return NONE
    return "< .001" if value < 0.001 else f"{value:.3f}".removeprefix("0")


def p_equals(value: float | None) -> str:
    """``p = .012``, ``p < .001``; nothing for none."""
    text = p_value(value)
    return "" if value is None else f"p {text}" if text.startswith("<") else f"p = {text}"


def count(value: int | None) -> str:
    """``4,242``."""
    return NONE if value is None else f"{value:,}"


def plural(n: int, one: str, more: str = "") -> str:
    """A number of things.

    Example:
        >>> plural(1, "day"), plural(2, "day"), plural(1200, "query", "queries")
        ('1 day', '2 days', '1,200 queries')
    """
    return f"{n:,} {one if n == 1 else more or one + 's'}"


def with_interval(
    value: float | None,
    low: float | None,
    high: float | None,
    show: Callable[[float | None], str] = ratio,
    of_interval: Callable[[float | None], str] | None = None,
) -> str:
    """``0.773 [0.63–0.92]``; the value alone where there is no interval."""
    return show(value) + ("" if low is None or high is None else f" [{interval(low, high, of_interval or show)}]")


def interval(low: float | None, high: float | None, show: Callable[[float | None], str] = ratio) -> str:
    """``0.63–0.92``; with signs ``-0.10 … +0.02``; an open side is a dash, no interval one dash."""
    if low is None and high is None:
        return NONE
    sides = show(low), show(high)
    return (" … " if sides[0][0] in "+-–" or sides[1][0] in "+-–" else "–").join(sides)


def query_name(row: Mapping[str, Any]) -> str:
    """What people call a query: its id, else its text; the tenant before it where the query is one tenant's.

    Example:
        >>> query_name({"tenant_id": "acme", "query_id": "q1", "query_text": None})
        'acme/q1'
    """
    tenant = f"{row['tenant_id']}/" if row.get("tenant_id") else ""
    return f"{tenant}{row['query_id'] or row['query_text']}"
