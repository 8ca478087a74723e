"""recallwatch.toml: what a nightly run reads, decides and writes. Errors name unknown keys, wrong types and missing variables."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, field_validator

from ..base.closed_form import mistake
from ..base.declared import seen
from ..base.definition import define, parse_k
from ..base.errors import UsageError
from ..base.options import Grouping, Measures, Windows
from ..base.registry import known
from ..base.remote import is_remote
from ..monitor.options import DRIFT
from .keys import named_by_keys
from .options import KEYS, NAMES, READ

VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")

Listed = Annotated[tuple[str, ...], BeforeValidator(lambda value: tuple(value) if isinstance(value, list) else value)]


class Table(BaseModel):
    """A table of the file: closed, so that a misspelled key is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class GateTable(Table):
    """One gate written as a table.

    Args:
        limit: as in the short form, e.g. ``>= baseline - 0.02``.
        min_n: recalls it needs to be judged; None = that of [gates].
        certain: fail only where the interval lies beyond the limit too.
    """

    limit: str
    min_n: int | None = Field(default=None, ge=0)
    certain: bool | None = None


class Gates(Table):
    """[gates]: limits by name, and how they are judged.

    Args:
        presets: names of ready sets of limits (docs/gates.md).
        on: newest = the newest window; all = everything read.
        baseline: what ``baseline`` in a limit stands for: reference (the drift reference), previous (the window before) or a window's date.
        min_n: recalls a gate needs; fewer = insufficient.
        insufficient: whether a gate that cannot be judged passes, warns or fails.
        certain: fail only where the interval lies beyond the limit too; None = for limits against a baseline, not for absolute ones.
        limits: gate -> limit.
    """

    presets: Listed = ()
    on: Literal["newest", "all"] = "newest"
    baseline: str = "reference"
    min_n: Annotated[int, Field(ge=0)] = 20
    insufficient: Literal["pass", "warn", "fail"] = "pass"
    certain: bool | None = None
    limits: dict[str, str | GateTable] = Field(default_factory=dict)


class Outputs(Table):
    """[outputs]: what is written where.

    Args:
        folder: made where it is missing.
        write: names of outputs.
        title: of the page.
        trace_url: link template with {trace_id}.
        redact: query texts and contents are replaced by a salted hash everywhere.
        redact_ids: query and document ids as well.
        salt: of these hashes; from the environment, e.g. ${RECALLWATCH_SALT}.
        archive: keep the page of each night under nights/, and index.html that lists them; needs html among ``write``.
        slack_url: a Slack incoming webhook that slack.json is sent to; None = nothing is sent.
        webhook_url: any other address that webhook.json is sent to.
        send: verdict from which on something is sent; a run without a result always is.
    """

    folder: str = "recallwatch-report"
    write: Listed = ("html", "json", "markdown", "junit", "csv")
    title: str = "recallwatch"
    trace_url: str | None = None
    redact: bool = False
    redact_ids: bool = False
    salt: str = ""
    archive: bool = False
    slack_url: str | None = None
    webhook_url: str | None = None
    send: Literal["always", "insufficient", "warn", "fail"] = "warn"


class Config(Table):
    """The whole file.

    Args:
        logs: files, folders or globs. labels: the same; empty = the logs carry them.
        store: folder that keeps what was read; None = every run reads the logs again.
        retention: how long the store keeps a recall: ``400d``; what is older is erased by each run. None = for ever.
        window: day, week, or all (no drift then). timezone: IANA name the windows are cut in.
        by: columns or attributes that make segments. k: depths. metrics: names; empty = all.
        max_age: how old the newest recall may be: ``36h``, ``2d``, ``never``; None = two windows.
        stale: verdict on a log whose newest recall is older.
        fail_on: from which verdict on the exit code is 4.
        read: options of reading (log_format, profile, map, max_rejects, on_bad_line, threads, memory_limit).
        definition: options of the metrics' definition, and ``compat``.
        drift: false, or levels and floors of the tests, and ``accepted``.
    """

    logs: tuple[str, ...]
    labels: tuple[str, ...] = ()
    store: str | None = None
    retention: str | None = None
    window: Literal["day", "week", "all"] = "day"
    timezone: str = "UTC"
    by: tuple[str, ...] = ("query_class",)
    k: tuple[int | str, ...] = (1, 3, 5, 10)
    metrics: tuple[str, ...] = ()
    max_age: str | None = None
    stale: Literal["warn", "fail"] = "warn"
    fail_on: Literal["fail", "warn", "insufficient", "never"] = "fail"
    read: dict[str, Any] = Field(default_factory=dict)
    definition: dict[str, Any] = Field(default_factory=dict)
    drift: dict[str, Any] | bool = Field(default_factory=dict)
    gates: Gates = Field(default_factory=Gates)
    outputs: Outputs = Field(default_factory=Outputs)

    @field_validator("logs", "labels", "by", "k", "metrics", mode="before")
    @classmethod
    def _several(cls, value: Any) -> Any:
        return tuple(value) if isinstance(value, list) else (value,) if isinstance(value, str) else value

    @property
    def depths(self) -> tuple[int | None, ...]:
        """The cutoffs k."""
        return parse_k(",".join(map(str, self.k))) if self.k else ()

    def reading(self) -> dict[str, Any]:
        """Options of reading, under the library's names.

        Raises:
            UsageError: a key that is none, a value that cannot be.
        """
        for name in self.read:
            if name in KEYS or name not in (*READ.options, *NAMES) or name == "watcher":
                keys = [KEYS.get(name, name) for name in READ.options if name != "watcher"]
                raise UsageError(f"unknown key {name!r}", fix=known(name, keys))
        made = READ.make({NAMES.get(name, name): value for name, value in self.read.items()})
        return {name: value for group in made.values() for name, value in vars(group).items() if value is not None}

    def definitions(self) -> dict[str, Any]:
        """Options of the definition; a nightly run leaves a query with contradicting labels out instead of stopping."""
        return {"label_conflicts": "drop", **self.definition}


def load(path: Path) -> Config:
    """The checked configuration; paths in it are absolute, relative ones seen from the file's folder.

    Raises:
        UsageError: no such file, no TOML, an unknown key, a wrong type, a variable that is not set (exit 2).
    """
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(
            f"cannot be read ({error.strerror})", where=str(path), fix="Make one with `recallwatch init LOGS`"
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"not TOML ({error})", where=str(path), fix="See docs/nightly.md") from error
    gates = raw.get("gates")
    if isinstance(gates, dict) and "limits" not in gates:  # limits stand in [gates] itself, beside its own keys
        own = {name: value for name, value in gates.items() if name in Gates.model_fields}
        raw["gates"] = {**own, "limits": {name: value for name, value in gates.items() if name not in own}}
    try:
        raw = _filled(raw, str(path))
        config = Config.model_validate(raw)
    except ValidationError as error:
        raise mistake(error, Config, raw, str(path), "See docs/nightly.md") from None
    _check_options(config, str(path))
    return _anchored(config, path.resolve().parent)


def _filled(value: Any, where: str) -> Any:
    """Every ``${NAME}`` (or ``${NAME:-default}``) replaced by the environment's value."""
    if isinstance(value, dict):
        return {name: _filled(inner, where) for name, inner in value.items()}
    if isinstance(value, list):
        return [_filled(inner, where) for inner in value]
    return VARIABLE.sub(lambda match: _variable(match, where), value) if isinstance(value, str) else value


def _variable(match: re.Match[str], where: str) -> str:
    value = os.environ.get(match[1], match[2])
    if value is None:
        raise UsageError(f"the environment has no {match[1]}", where=where, fix=f"Set it, or write ${{{match[1]}:-default}}")
    return value


def _check_options(config: Config, where: str) -> None:
    """The tables that hold options of the library, by the checks of whoever owns these.

    Raises:
        UsageError: a name or value that cannot be, with its key.
    """
    if not config.logs and not config.store:
        raise UsageError("no logs named", where=f"{where}: logs", fix="Name files, folders or globs; or a store that has them")
    with _keys_of(f"{where}: read"):
        config.reading()
    with _keys_of(f"{where}: definition"):
        define(**config.definition)
    with named_by_keys(where):
        Windows(config.window, config.timezone), Grouping(config.by), Measures(config.metrics, config.depths)
    with _keys_of(f"{where}: drift"):
        _check_drift(config.drift if isinstance(config.drift, dict) else {})


def _check_drift(settings: Mapping[str, Any]) -> None:
    for name in ("window", "timezone", "series"):  # those of the file are used: here they would act on nothing
        if name in settings:
            raise UsageError(
                "no setting of the drift tests", where=f"--{name}", fix="Set window and timezone at the top of the file"
            )
    if not isinstance(settings.get("accepted", []), list):
        raise UsageError(f"expected a list, saw {seen(settings['accepted'])}", where="--accepted", fix='For example ["2026-11-01"]')
    DRIFT.make(settings)


@contextmanager
def _keys_of(table: str) -> Iterator[None]:
    """A mistake in here names the key of the table and not the flag of the command line."""
    try:
        yield
    except UsageError as error:
        place = error.where
        key = place.removeprefix("--").replace("-", "_") if place.startswith("--") else place.partition(".")[2]
        raise UsageError(error.what, where=f"{table}.{key}".removesuffix("."), fix=error.fix) from None


def _anchored(config: Config, folder: Path) -> Config:
    """Paths as seen from the file's folder."""

    def at(path: str) -> str:
        return path if is_remote(path) else str(folder / Path(path).expanduser())

    outputs = config.outputs.model_copy(update={"folder": at(config.outputs.folder)})
    read = {**config.read, **({"profile": at(config.read["profile"])} if isinstance(config.read.get("profile"), str) else {})}
    paths = {
        "logs": tuple(map(at, config.logs)),
        "labels": tuple(map(at, config.labels)),
        "store": at(config.store) if config.store else None,
    }
    return config.model_copy(update={**paths, "outputs": outputs, "read": read})
