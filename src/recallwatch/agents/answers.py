"""Results as an agent gets them: JSON of bearable length, without texts of the log where these are hidden."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any

from ..base.errors import UsageError
from ..document.result import Result
from ..report.redact import Redactor
from ..store.layout import is_store

ROWS = 100
LEFT_OUT = ("tool", "definition", "state_key")  # what an agent does not need to answer


@dataclass(frozen=True)
class Data:
    """What the tools speak of, chosen by whoever starts the server: no tool names a file.

    Args:
        logs: paths, or one store.
        labels: paths; None = those the logs carry.
        options: how the logs are read, and limits.
        rows: of each table in an answer.
        redact: hide texts of the log, and tenants.
        where: the recalls that every tool is cut to; no tool then takes a condition, and there is no sql, which would see all.
    """

    logs: list[str]
    labels: list[str] | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    rows: int = ROWS
    redact: bool = False
    where: str | None = None
    salt: str = field(default_factory=lambda: secrets.token_hex(16))

    @property
    def given(self) -> dict[str, Any]:
        """As the functions of the library take it."""
        return {"logs": self.logs, "labels": self.labels, **self.options}

    @property
    def store(self) -> str | None:
        """The store that sql asks, where there is one."""
        if self.where is not None:
            return None
        return self.logs[0] if len(self.logs) == 1 and is_store(self.logs[0]) else None

    def picked(self, where: str | None) -> str | None:
        """The condition that holds for a question.

        Raises:
            UsageError: one beside that of the server.
        """
        if where and self.where is not None:
            raise UsageError("the server has one of its own", where="where", fix="Leave it out")
        return where or self.where

    def hiding(self) -> Any:
        """Errors without what they quote, where texts are hidden."""
        return Redactor(self.salt).errors() if self.redact else nullcontext()

    def answer(self, result: Result) -> dict[str, Any]:
        """The JSON of the command, tables cut to so many rows; ``left_out`` says how many more there are."""
        whole = Redactor(self.salt).result(result.to_dict()) if self.redact else result.to_dict()
        shown: dict[str, Any] = {}
        left: dict[str, int] = {}
        for name, value in whole.items():
            if name in LEFT_OUT:
                continue
            is_long = isinstance(value, list) and len(value) > self.rows
            shown[name] = value[: self.rows] if is_long else value
            left |= {name: len(value) - self.rows} if is_long else {}
        return {**shown, **({"left_out": left} if left else {})}
