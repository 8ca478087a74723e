r"""Profiles: a dozen lines of TOML that name where a log of any other shape keeps what an event and a label need.

name = "rag-service"
where = "event = 'recall'"     # which records are recalls
[events]
timestamp = "ts"
query_text = "question"
ranked_ids = "{top_chunks[].source}#{top_chunks[].chunk_index}"
total_ms = {path = "took_s", unit = "s"}
stage_ms = {search = {path = "timing.search", unit = "ms"}}
[labels]                       # where the log carries its own
relevant = "evidence"
[[ids.labels]]                 # how ids of the labels become ids of the log; also [[ids.events]]
match = '^D(\\d+):'
replace = 'session_\\1'
unmatched = "drop"
"""

import re
import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from ..base.closed_form import mistake
from ..base.engine import is_pattern
from ..base.errors import UsageError
from ..base.registry import known
from . import aliases

MS_PER = {"ns": 1e-6, "us": 1e-3, "ms": 1.0, "s": 1e3, "min": 6e4}  # unit -> ms
_NAMED_UNIT = re.compile(r"(?:_|^)(ns|us|ms|s|min)$|(?<=[a-z])(Ms)$")
_PART = re.compile(r"\{([^{}]+)\}")


class Table(BaseModel):
    """A table of the file: closed."""

    model_config = ConfigDict(extra="forbid")


class Source(Table):
    """Place of a value: a path such as ``timing.search``, with its unit where its name has none."""

    path: str
    unit: Literal["ns", "us", "ms", "s", "min"] | None = None


class Between(Table):
    """A duration as the time from one place to another."""

    start: str
    end: str


class Rule(Table):
    r"""One step from an id as written to an id as matched; the steps of a list apply in order.

    Args:
        strip_prefix: this much is cut from the front, where it is there.
        match: a regular expression; an id it finds a place in becomes ``replace`` (``\\1`` = a group), whole.
        unmatched: for an id that does not match: ``keep`` leaves it unchanged, ``drop`` drops and counts it.
        compose: a text with ``{id}`` and other paths of the same record, e.g. ``{conversation}/{id}``.
    """

    strip_prefix: str | None = None
    match: str | None = None
    replace: str | None = None
    unmatched: Literal["keep", "drop"] = "keep"
    compose: str | None = None

    @model_validator(mode="after")
    def _one_kind(self) -> "Rule":
        if sum(value is not None for value in (self.strip_prefix, self.match, self.compose)) != 1:
            raise ValueError("a rule has one of strip_prefix, match (with replace), compose")
        if (self.match is None) != (self.replace is None):
            raise ValueError("match and replace go together")
        if self.match is not None and not is_pattern(self.match, self.replace or ""):
            raise ValueError(f"not a regular expression of RE2: {self.match!r} with {self.replace!r}")
        if self.compose is not None and "{id}" not in self.compose:
            raise ValueError("compose needs {id}")
        return self


class Ids(Table):
    """The id rules of either side."""

    events: list[Rule] = Field(default_factory=list)
    labels: list[Rule] = Field(default_factory=list)


# left to right: {path, unit} is a place and not two stages named path and unit
Place = Annotated[str | Source | Between | list[str] | dict[str, str | Source | Between], Field(union_mode="left_to_right")]


class Profile(Table):
    """A log's shape; see the module's example.

    Args:
        name: in errors and in what `check` says.
        where: which records are recalls: a condition over the record's own fields; the others are counted as ``other_line``.
        empty: which records without a result list are recalls that returned nothing, likewise.
        unwrap: steps to the text or object that holds a record; None = detected.
        events, labels: column -> where its value stands.
        ids: what is done to ids.
    """

    name: str = "profile"
    where: str | None = None
    empty: str | None = None
    unwrap: str | None = None
    events: dict[str, Place] = Field(default_factory=dict)
    labels: dict[str, str | list[str]] = Field(default_factory=dict)
    ids: Ids = Field(default_factory=Ids)


def load(path: str | Path) -> Profile:
    """Read and check a profile.

    Raises:
        UsageError: no such file, not TOML, an unknown key or value: file, key and the nearest known key.
    """
    try:
        raw = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"cannot be read ({error.strerror})", where=str(path), fix="Name a profile's TOML file") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"not TOML ({error})", where=str(path)) from error
    try:
        profile = Profile.model_validate(raw)
    except ValidationError as error:
        raise mistake(error, Profile, raw, str(path), "See docs/formats.md") from None
    _check_columns(str(path), profile)
    return profile


def _check_columns(path: str, profile: Profile) -> None:
    for column in profile.events:
        if column not in aliases.LOG or column in ("source", "source_line", "flags", "attributes"):
            fix = known(column, [c for c in aliases.LOG if c not in ("source", "source_line", "flags", "attributes")])
            raise UsageError(f"unknown key 'events.{column}'", where=path, fix=fix)
    for column in profile.labels:
        if column not in aliases.LABELS:
            raise UsageError(f"unknown key 'labels.{column}'", where=path, fix=known(column, aliases.LABELS))
    if not {"ranked_ids", "texts"} & set(profile.events):
        raise UsageError(
            "no events.ranked_ids", where=path, fix='Name the path of the result list, e.g. ranked_ids = "results[].chunk.id"'
        )
    stages = profile.events.get("stage_ms")
    timed = {"total_ms": profile.events.get("total_ms"), **(stages if isinstance(stages, dict) else {})}
    for name, where in timed.items():
        if where is not None and factor_of(where) is None:
            fix = f'Seconds or milliseconds? Write {{path = "{paths_of(where)[0]}", unit = "s"}}'
            raise UsageError(f"events.{name}: {paths_of(where)[0]!r} names no unit", where=path, fix=fix)


def paths_of(where: Any) -> list[str]:
    """Every way a value may be written, in order of preference: paths or templates."""
    if isinstance(where, Between):
        return [where.start, where.end]
    if isinstance(where, Source):
        return [where.path]
    return list(where) if isinstance(where, list) else [where]


def factor_of(where: Any) -> float | None:
    """Factor to ms of a duration: its unit, or the one its name ends in; None = it has none."""
    if isinstance(where, Between):
        return 1.0
    if isinstance(where, Source) and where.unit:
        return MS_PER[where.unit]
    unit = _NAMED_UNIT.search(paths_of(where)[0].rsplit(".", 1)[-1])
    return MS_PER[(unit[1] or "ms")] if unit else None


def parts_of(template: str) -> list[str]:
    """The paths a template (or a plain path) needs."""
    parts = _PART.findall(template)
    return parts or [template]


def pieces_of(template: str) -> list[tuple[bool, str]]:
    """A template as (is a path, text) pieces in order."""
    pieces: list[tuple[bool, str]] = []
    at = 0
    for part in _PART.finditer(template):
        pieces += [(False, template[at : part.start()])] if part.start() > at else []
        pieces.append((True, part[1]))
        at = part.end()
    return pieces + ([(False, template[at:])] if at < len(template) else [])
