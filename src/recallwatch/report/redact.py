"""--redact: query texts and contents, tenants that are not grouped by, and ids if requested, become salted hashes before anybody sees them."""

from __future__ import annotations

import dataclasses
import hashlib
import hmac
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from ..base.engine import EngineError
from ..base.errors import RecallwatchError, UsageError
from .night import Night

TEXTS = ("query", "query_text", "text", "texts", "excerpt")  # query: what was asked for, a text or an id
WHOSE = ("tenant_id", "session_id")
IDS = ("query_id", "document_id", "missed_ids", "ranked_ids", "candidate_ids", "event_id", "event_ids", "before", "after")
SENTENCES = ("headline", "reason")
OPEN = (  # columns that name no person and no customer
    "query_class", "variant", "index_version", "operation", "status", "error_type",
)  # fmt: skip
QUOTED = re.compile(r"""(?<!\w)(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")""")  # how an error shows what it saw; no apostrophe
KNOWN = re.compile(r"Known: .*")
# entries of ``where`` whose first five ids a sentence names, and how
NAMED: tuple[tuple[Callable[[Mapping[str, Any]], bool], str], ...] = (
    (lambda row: row["kind"] == "document", "lost ids {}"),
    (lambda row: bool(row.get("is_unseen")), "no list shows {}"),
    (lambda row: row["kind"] == "gone", "gone ({}"),
)


class Redactor:
    """Replaces texts by hashes: the same text by the same hash, so that rows still belong together.

    Args:
        salt: secret; without it short texts could be guessed.
        ids: whether ids of queries, documents and events are replaced too.
        by: columns that results are grouped by: their values are meant to be seen.

    Raises:
        UsageError: no salt.
    """

    def __init__(self, salt: str, *, ids: bool = False, by: Iterable[str] = ()) -> None:
        if not salt:
            raise UsageError(
                "redacting needs a salt", where="outputs.salt", fix='Write salt = "${RECALLWATCH_SALT}" and set the variable'
            )
        self._key, self._ids = salt.encode(), ids
        self._shown = {*OPEN, *(column for entry in by for column in entry.split("*"))}
        self._named: dict[str, str] = {}  # how a sentence names ids or a tenant -> the same as hashes

    def night(self, night: Night) -> Night:
        """The run with all hidden texts replaced."""
        for window in self._windows(night):
            self._note_names(window)
        parts = {name: self._walk(getattr(night, name), "") for name in ("evaluation", "drift", "sides", "gates", "explained")}
        return dataclasses.replace(night, **parts)

    def result(self, value: Mapping[str, Any]) -> dict[str, Any]:
        """The JSON of any command with all hidden texts replaced, its sentences among them."""
        for window in (value, *(value.get("windows") or [])):
            if "findings" in window:
                self._note_names(window)
        return dict(self._walk(value, ""))

    @contextmanager
    def errors(self) -> Iterator[None]:
        """Errors raised inside with what they quote replaced: they reach stderr, and what mails it."""
        try:
            yield
        except RecallwatchError as error:
            what = "a query failed" if isinstance(error, EngineError) else self._unquoted(error.what)
            raise type(error)(what, where=error.where, fix=KNOWN.sub("", self._unquoted(error.fix)).rstrip()) from None

    def _unquoted(self, text: str) -> str:
        return QUOTED.sub(lambda match: self.hashed(match[0][1:-1]), text)

    def _windows(self, night: Night) -> list[Mapping[str, Any]]:
        drift = night.drift
        return [drift, *(drift.get("windows") or [])] if drift else []

    def _note_names(self, window: Mapping[str, Any]) -> None:
        """What a headline names is of its findings, so no other word of the sentence is hashed."""
        for finding in window["findings"]:
            rows = finding.get("where", [])
            for is_named, text in NAMED:
                ids = [row["document_id"] for row in rows if is_named(row)][:5]
                if ids and self._ids:
                    self._named[text.format(", ".join(ids))] = text.format(", ".join(map(self.hashed, ids)))
            for row in (finding, *rows):
                segment = row.get("segment")
                for name, value in segment.items() if isinstance(segment, Mapping) else ():
                    if name not in self._shown and value is not None:
                        self._named[f"{name} {value}"] = f"{name} {self.hashed(value)}"

    def hashed(self, value: Any) -> str:
        """16 hexadecimal digits of HMAC-SHA256."""
        return "#" + hmac.new(self._key, str(value).encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()[:16]

    def _walk(self, value: Any, name: str) -> Any:
        if isinstance(value, Mapping) and name == "segment":
            return {key: inner if key in self._shown or inner is None else self.hashed(inner) for key, inner in value.items()}
        if isinstance(value, Mapping):
            rows = {"warnings": self._warning, "traits": self._traits}
            return {key: rows[key](inner) if key in rows else self._walk(inner, key) for key, inner in value.items()}
        if isinstance(value, list | tuple):
            return [self._walk(inner, name) for inner in value]
        if value is None or isinstance(value, bool | int | float):
            return value
        if name in TEXTS or (self._ids and name in IDS) or (name in WHOSE and name not in self._shown):
            return self.hashed(value)
        if name in SENTENCES:
            for shown in sorted(self._named, key=len, reverse=True):
                value = value.replace(shown, self._named[shown])
        return value

    def _warning(self, rows: Any) -> Any:
        """Examples of a warning may be ids or texts of the log: all of them are hashed."""
        return [{**row, "examples": [self.hashed(example) for example in row["examples"]]} for row in rows]

    def _traits(self, rows: Any) -> Any:
        """What documents gone have in common is a part of their ids, or a column's value."""
        is_shown = {**dict.fromkeys(("folder", "prefix"), not self._ids), "remainder": True, **dict.fromkeys(self._shown, True)}
        return [row if is_shown.get(row["trait"]) else {**row, "shared": self.hashed(row["shared"])} for row in rows]
