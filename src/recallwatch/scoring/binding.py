"""The options of a definition and a cut, bound: macros that every file of sql/ asks; and the macros of sql/ themselves."""

from dataclasses import dataclass
from typing import Any

from ..base import sqlfiles
from ..base.definition import Column, Definition, gain_map, match_thresholds, strategies
from ..base.engine import Engine, quoted
from ..base.errors import RecallwatchError, UsageError
from ..base.metrics import METRICS, metric_of
from ..base.zone import odd_dates, odd_midnights


@dataclass(frozen=True)
class Cut:
    """How the result is cut: metric columns, segments, windows.

    Args:
        columns: metrics at depths.
        by: columns or attributes, or products of them (``a*b``).
        window: hour, day, week, month or all.
        timezone: IANA name the windows are cut in.
    """

    columns: tuple[Column, ...]
    by: tuple[str, ...] = ()
    window: str = "all"
    timezone: str = "UTC"


def bind(engine: Engine, definition: Definition, cut: Cut) -> None:
    """Every option as a macro, then all macros of sql/ that use them."""
    bind_reading(engine, definition, cut)
    scores = _score_files(cut.columns, by_question=definition.by_question)
    for name in ("2_judge/judge.sql", "2_judge/ranking.sql", *scores, "4_aggregate/exact.sql"):
        engine.file(name)


def bind_reading(engine: Engine, definition: Definition, cut: Cut) -> None:
    """Every option, and the macros that make logs events: all that adding them to a store takes."""
    inputs = {metric_of(column.metric).of: str(column) for column in reversed(cut.columns)}
    if "searched" in inputs and not definition.by_question:
        what = "a metric of questions that several searches answer"
        raise UsageError(what, where=inputs["searched"], fix="Pass --unit trace or --unit session")
    engine.file("0_schema.sql")
    engine.file("0_options.sql")
    gains = gain_map(definition.gain)
    options = {
        **definition.options(),
        "gain": "map" if gains else definition.gain,
        "rankings": set(inputs) != {"answered"},
        "answers": "answered" in inputs,
        "dated": "dated" in inputs,
        "max_k": max((column.k for column in cut.columns if column.k is not None), default=None),
        "match": strategies(definition.match),
        **{f"match_{name}": least for name, least in match_thresholds(definition.match_threshold).items()},
    }
    if gains:
        options["gain_map"] = gains
    _set(engine, options)
    bind_windows(engine, cut)
    for name in ("1_normalise/values.sql", "1_normalise/facts.sql", "2_judge/windows.sql", "7_store/days.sql"):
        engine.file(name)


def bind_windows(engine: Engine, cut: Cut) -> None:
    """The windows of a cut alone, where the definition and the columns are bound.

    Raises:
        UsageError: no such time zone.
    """
    # what window_of must know of a zone whose clocks went back over midnight
    is_odd = cut.timezone != "UTC" and cut.window not in ("all", "hour")
    zone = (odd_dates(cut.timezone), odd_midnights(cut.timezone)) if is_odd else ([], {})
    options = {"window": None if cut.window == "all" else cut.window, "timezone": cut.timezone}
    _set(engine, {**options, **dict(zip(("odd_dates", "odd_midnights"), zone, strict=True))})
    try:
        engine.run("select now() at time zone opt_timezone()")
    except RecallwatchError as error:
        raise UsageError(
            f"unknown time zone {cut.timezone!r}", where="--timezone", fix="Use an IANA name such as Europe/Berlin"
        ) from error


def _set(engine: Engine, options: dict[str, Any]) -> None:
    for name, value in options.items():
        engine.run(f"create or replace macro opt_{name}() as {_literal(name, value)}")


def _score_files(columns: tuple[Column, ...], *, by_question: bool) -> list[str]:
    """The metrics that everybody gets; all where one is asked for that is computed only when named (they use each other's macros)."""
    every = sqlfiles.names_in("3_score")
    if by_question or any(metric_of(column.metric).named_only for column in columns):
        return every
    return [name for name in every if not METRICS[name.split("/")[1].removesuffix(".sql")].named_only]


def _literal(name: str, value: object) -> str:
    kinds = {"window": "varchar", "gain_map": "map(double, double)", "odd_midnights": "map(varchar, bigint)"}
    kinds |= dict.fromkeys(("depth", "max_k"), "bigint") | dict.fromkeys(
        ("rel_level", "match_token_f1", "match_coverage"), "double"
    )
    if name == "odd_dates" and isinstance(value, list):
        rows = [f"{{'from_us': {o['from_us']}, 'to_us': {o['to_us']}, 'date': {quoted(o['date'])}}}" for o in value]
        return f'[{", ".join(rows)}]::struct(from_us bigint, to_us bigint, "date" varchar)[]'
    return f"{quoted(value)}::{kinds[name]}" if name in kinds else quoted(value)
