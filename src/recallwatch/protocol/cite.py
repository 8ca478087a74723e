"""`recallwatch protocol cite`: the protocol's sentence, filled in; only where every gate holds."""

from __future__ import annotations

import re
from typing import Any

from ..base.errors import UsageError
from ..base.registry import known
from .files import RAW
from .verify import Checked

_PLACE = re.compile(r"\{([^{}]+)\}")


def cite(one: Checked) -> str:
    """The citation of a verified results folder.

    Raises:
        UsageError: the protocol has no template, or one that names what there is not.
    """
    protocol = one.source.protocol
    if protocol.cite is None:
        raise UsageError(
            f"{protocol.name} {protocol.version} has no citation", where=one.source.where, fix="Add [cite] template = …"
        )
    values = _values(one)

    def filled(placeholder: re.Match[str]) -> str:
        if placeholder[1] not in values:
            raise UsageError(f"[cite] names {{{placeholder[1]}}}", where=one.source.where, fix=known(placeholder[1], values))
        value = values[placeholder[1]]
        return f"{value:.4f}" if isinstance(value, float) else str(value)

    deviations = "".join(f" Deviation: {row['what']} ({row['why']})." for row in one.document["record"]["deviations"])
    return _PLACE.sub(filled, protocol.cite.template) + deviations


def _values(one: Checked) -> dict[str, Any]:
    """The values a template may name."""
    protocol = one.source.protocol
    values: dict[str, Any] = dict.fromkeys(protocol.facts, "not told")
    values |= one.document["record"]["facts"]
    for name, row in one.scores.overall.items():
        values |= {name: row["mean"], f"{name}.n": row["n"]}
        values |= {f"{name}.{side}": "–" if row[side] is None else row[side] for side in ("ci_low", "ci_high")}
    return {
        **values,
        "protocol": protocol.name,
        "version": protocol.version,
        "status": one.status,
        "questions": one.scores.counts["questions_scored"],
        "fingerprint": one.scores.fingerprint,
        "raw_sha256": one.document["hashes"][RAW],
        "protocol_sha256": one.source.sha256,
    }
