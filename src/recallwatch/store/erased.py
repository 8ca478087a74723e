"""What was erased, so that a log that still has it does not bring it back: erased.json, which names nobody.

A tenant or a session stands there as a salted hash. What it logs after the erasure counts again.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import secrets
from dataclasses import dataclass
from typing import Any

from ..base.engine import identifier, quoted
from ..base.errors import UsageError
from .layout import Store, read_json, write_json

LEDGER = "erased.json"


@dataclass(frozen=True)
class Rule:
    """Which recalls go.

    Args:
        column: tenant_id, session_id, or timestamp.
        value: its value; of ``timestamp`` the moment before which recalls go, ISO 8601 with a zone.
    """

    column: str
    value: str

    @property
    def utc(self) -> str:
        """The moment as markers write theirs."""
        return f"{dt.datetime.fromisoformat(self.value).astimezone(dt.UTC):%Y-%m-%dT%H:%M:%S.%f}"

    @property
    def condition(self) -> str:
        """SQL: whether an event goes."""
        if self.column == "timestamp":
            return f'coalesce("timestamp" < {quoted(self.value)}::timestamptz, false)'
        return f"coalesce({identifier(self.column)} = {quoted(self.value)}, false)"


def rule_of(tenant: str | None, session: str | None, before: str | None) -> Rule:
    """The rule of one of three options.

    Raises:
        UsageError: none, or several.
    """
    named = {"tenant_id": tenant, "session_id": session, "timestamp": before}
    given = [Rule(column, value) for column, value in named.items() if value is not None]
    if len(given) != 1:
        raise UsageError(f"expected one of --tenant, --session, --before, saw {len(given)}", where="erase", fix="Name what goes")
    if before is None:
        return given[0]
    try:
        moment = dt.datetime.fromisoformat(before.strip())
    except ValueError:
        raise UsageError(f"not a time: {before!r}", where="--before", fix="Write ISO 8601, for example 2026-11-01") from None
    return Rule("timestamp", (moment if moment.tzinfo else moment.replace(tzinfo=dt.UTC)).isoformat())


def ledger(store: Store) -> dict[str, Any]:
    """The file: ``salt`` and ``rules``."""
    path = store.path(LEDGER)
    return dict(read_json(path)) if path.exists() else {"salt": secrets.token_hex(16), "rules": []}


def remember(store: Store, rule: Rule, n_events: int, until: str) -> None:
    """Note a rule before anything is rewritten; of several ``--before`` the latest is enough."""
    seen = ledger(store)
    now = dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
    if rule.column == "timestamp":
        seen["rules"] = [row for row in seen["rules"] if row["column"] != "timestamp" or row["before"] > rule.value]
        row = {"before": rule.value}
    else:
        salted = (seen["salt"] + rule.value).encode("utf-8", "surrogateescape")
        row = {"sha256": hashlib.sha256(salted).hexdigest(), "until": max(until, now)}
    seen["rules"].append({"column": rule.column, **row, "at": now, "n_events": n_events})
    write_json(store.path(LEDGER), seen)


def kept_condition(store: Store) -> str:
    """SQL: whether an event that is read now may be kept."""
    seen = ledger(store)
    rules = [_condition(seen["salt"], row) for row in seen["rules"]]
    return f"not ({' or '.join(rules)})" if rules else "true"


def _condition(salt: str, row: dict[str, Any]) -> str:
    if "before" in row:
        return Rule("timestamp", row["before"]).condition
    same = f"sha256({quoted(salt)} || {identifier(row['column'])}) = {quoted(row['sha256'])}"
    return f'coalesce({same} and coalesce("timestamp" <= {quoted(row["until"])}::timestamptz, true), false)'
