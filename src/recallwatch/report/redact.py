"""--redact: query texts and contents, and ids if requested, become salted hashes before any output sees them."""

from __future__ import annotations

import dataclasses
import hashlib
import hmac
from collections.abc import Mapping
from typing import Any

from ..base.errors import UsageError
from .night import Night

TEXTS = ("query_text", "text", "texts", "excerpt")
IDS = ("query_id", "document_id", "missed_ids", "ranked_ids", "candidate_ids")
SENTENCES = ("headline", "reason")


class Redactor:
    """Replaces texts by hashes: the same text by the same hash, so that rows still belong together.

    Args:
        salt: secret; without it short texts could be guessed.
        ids: whether query and document ids are replaced too.

    Raises:
        UsageError: no salt.
    """

    def __init__(self, salt: str, *, ids: bool = False) -> None:
        if not salt:
            raise UsageError(
                "redacting needs a salt", where="outputs.salt", fix='Write salt = "${RECALLWATCH_SALT}" and set the variable'
            )
        self._key, self._ids = salt.encode(), ids
        self._lost: dict[str, str] = {}  # a sentence's list of lost ids -> the same as hashes

    def night(self, night: Night) -> Night:
        """The run with all hidden texts replaced."""
        for window in self._windows(night):
            self._note_lost(window)
        parts = {name: self._walk(getattr(night, name), "") for name in ("evaluation", "drift", "sides", "gates")}
        return dataclasses.replace(night, **parts)

    def _windows(self, night: Night) -> list[Mapping[str, Any]]:
        drift = night.drift
        return [drift, *(drift.get("windows") or [])] if drift else []

    def _note_lost(self, window: Mapping[str, Any]) -> None:
        """The ids that a headline names are those of its findings, so no other word of the sentence is hashed."""
        for finding in window["findings"]:
            lost = [row["document_id"] for row in finding.get("where", []) if row["kind"] == "document"][:5]
            if lost and self._ids:
                self._lost[", ".join(lost)] = ", ".join(map(self.hashed, lost))

    def hashed(self, value: Any) -> str:
        """16 hexadecimal digits of HMAC-SHA256."""
        return "#" + hmac.new(self._key, str(value).encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()[:16]

    def _walk(self, value: Any, name: str) -> Any:
        if isinstance(value, Mapping):
            return {key: self._warning(inner) if key == "warnings" else self._walk(inner, key) for key, inner in value.items()}
        if isinstance(value, list | tuple):
            return [self._walk(inner, name) for inner in value]
        if value is None or isinstance(value, bool | int | float):
            return value
        if name in TEXTS or (self._ids and name in IDS):
            return self.hashed(value)
        if name in SENTENCES:
            for shown, hidden in self._lost.items():
                value = value.replace(f"lost ids {shown}", f"lost ids {hidden}")
        return value

    def _warning(self, rows: Any) -> Any:
        """Examples of a warning may be ids or texts of the log: all of them are hashed."""
        return [{**row, "examples": [self.hashed(example) for example in row["examples"]]} for row in rows]
