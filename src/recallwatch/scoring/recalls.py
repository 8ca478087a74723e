"""What was met on the way to the view `recalls`, and its last steps: the labels of a caller, and their join with the events."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..base.engine import Engine
from ..base.errors import UsageError
from ..base.options import Reading
from ..read import Logs, map_labels, read_label_table, read_labels
from .label_join import join_labels
from .plan import paths_of


@dataclass(frozen=True)
class Recalls:
    """What was met on the way to the view `recalls`.

    Args:
        logs: names and attributes of the logs.
        labels: where the labels came from; "" = there are none.
        rejects: by reason, the most frequent first.
        duplicates: number of duplicate events.
    """

    logs: Logs
    labels: str
    rejects: list[dict[str, Any]]
    duplicates: int


def join(engine: Engine, logs: Logs) -> None:
    """`events_once` and `labels` -> `recalls`."""
    join_labels(engine, log_columns=set(logs.names.values()), facts=logs.facts)


def take_labels(engine: Engine, labels: Any, reading: Reading) -> str:
    """The caller's labels -> the table `labels`; returns their form.

    Raises:
        UsageError: nothing given.
        InputError: labels out of contract.
    """
    if labels is None:
        raise UsageError("no labels given", where="--labels", fix="Name the file that says which ids should come back")
    sources = paths_of(labels)
    if sources is not None:
        form = read_labels(engine, sources, mapped=dict(reading.mapped))
    else:
        form = "table"
        engine.register("given_labels", labels)
        read_label_table(engine, "given_labels", mapped=dict(reading.mapped))
    if reading.profile is not None:
        map_labels(engine, reading.profile)
    return form
