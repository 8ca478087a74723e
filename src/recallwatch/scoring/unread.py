"""What was named of a log and is in none of its records: a `--map` path, ids that a profile's rules leave nothing of."""

from __future__ import annotations

from collections.abc import Sequence

from ..base.engine import Engine, identifier
from ..base.errors import InputError
from ..base.options import Reading
from ..read import aliases
from ..read.id_rules import shown

OFTEN_EMPTY = ("status", "error", "error_type", "event_id", "attributes")  # a healthy log has none, or every event gets one


def refuse_unread(engine: Engine, reading: Reading, relation: str) -> None:
    """Refuse a path or rule that gives no event of a whole log or store a value. One file alone may lack it.

    Args:
        engine: holds the events.
        reading: ``--map`` and ``--profile``.
        relation: of all events, in the columns of contract.events.

    Raises:
        InputError: names the path, or the rules.
    """
    if not (reading.mapped or reading.profile) or not _has(engine, relation, "true"):
        return  # nothing was named, or nothing read, which is told elsewhere
    refuse_columns(reading, unread_columns(engine, reading, relation))
    if reading.profile is None:
        return
    from ..read.profile import load

    profile = load(reading.profile)
    if not profile.ids.events or "ranked_ids" not in profile.events:
        return
    if _has(engine, relation, "len(ranked_ids) > 0") and not _has(
        engine, relation, "len(list_filter(ranked_ids, lambda d: d is not null)) > 0"
    ):
        what = f"the rules leave no id of any record ({shown(profile.ids.events)}; expected: at least one)"
        raise InputError(what, where="[[ids.events]]", fix="Mend the rules of the profile")


def unread_columns(engine: Engine, reading: Reading, relation: str) -> list[str]:
    """The mapped columns that no event of a relation has a value in."""
    named = [column for column in reading.mapped if column in aliases.LOG and column not in OFTEN_EMPTY]
    return [column for column in named if not _has(engine, relation, f"{identifier(column)} is not null")]


def refuse_columns(reading: Reading, columns: Sequence[str]) -> None:
    """Refuse the path of the first of these columns.

    Raises:
        InputError: names the path.
    """
    for column in columns[:1]:
        what = f"no record of the log has a value there (expected: the {column} of at least one)"
        raise InputError(what, where=f"--map {column}={reading.mapped[column]}", fix="Mend the path, or leave it out")


def _has(engine: Engine, relation: str, condition: str) -> bool:
    """Whether any event fulfils it; a scan ends at the first."""
    return bool(engine.run(f"select exists (select 1 from {relation} where {condition})")[0][0])
