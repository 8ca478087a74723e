"""`recallwatch protocol verify`: every number made again from the raw retrievals, every hash and gate looked at again."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..base import sqlfiles
from ..base.errors import InputError
from . import execution, files, requirements
from .requirements import Requirement
from .scores import Scores, score


@dataclass(frozen=True)
class Checked:
    """A results folder, looked at again.

    Args:
        folder: where it stands.
        source: the protocol it was made under, from the folder.
        document: its metrics.json.
        scores: what its raw retrievals say.
        gates: of the protocol, and of the folder itself.
        status: what it is now.
        blocked: what BLOCKED.md says.
    """

    folder: Path
    source: files.Source
    document: Mapping[str, Any]
    scores: Scores
    gates: Sequence[Requirement]
    status: str
    blocked: str

    @property
    def name(self) -> str:
        """The folder's own name."""
        return self.folder.resolve().name

    @property
    def now(self) -> dict[str, Any]:
        """What metrics.json would hold if it were written now: recomputed numbers, today's gates."""
        return {**self.document, **self.scores.to_dict(), "gates": [gate.to_dict() for gate in self.gates], "status": self.status}


def check(folder: Path) -> Checked:
    """Recompute one results folder.

    Raises:
        InputError: no results folder, half of one, or raw retrievals that cannot be read.
        UsageError: a protocol file in it that is none.
    """
    document = files.read_results(folder)
    source = files.parse((folder / files.TEXT).read_text(encoding="utf-8"), str(folder / files.TEXT))
    scores = score(folder, source.protocol)
    again = scores.to_dict()
    gates = [_folder(folder, document), _numbers(document, again), _text(folder, source, document)]
    try:
        gates += requirements.judge(source.protocol, {**document, **again, "record": _record(document, folder)}, scores.others)
    except (KeyError, TypeError, AttributeError) as error:
        raise InputError(
            f"its record is not as written ({error!r})", where=str(folder / files.METRICS), fix="Run it again"
        ) from error
    blocked = execution.blocked_reason(folder)
    status = requirements.status_of(gates, is_blocked=bool(blocked))
    return Checked(folder, source, document, scores, gates, status, blocked)


def _record(document: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """The record, with the artefacts that really are there."""
    there = [name for name in document["record"]["artefacts"] if (folder / name).is_file()]
    return {**document["record"], "artefacts": there}


def _folder(folder: Path, document: Mapping[str, Any]) -> Requirement:
    """Whether every file is as it was written."""
    try:
        said = dict(json.loads((folder / files.MANIFEST).read_text(encoding="utf-8")))
    except (ValueError, TypeError) as error:
        raise InputError(
            f"cannot be read ({error})", where=str(folder / files.MANIFEST), fix="Run it again, with --replace"
        ) from error
    seen = files.manifest(folder)
    words = {
        "edited after it was written": [n for n in said if n in seen and seen[n] != said[n]],
        "gone": [n for n in said if n not in seen],
        "not there when it was written": [n for n in seen if n not in said],
    }
    bad = [f"{', '.join(names)}: {word}" for word, names in words.items() if names]
    if not bad and seen[files.RAW] != document["hashes"].get(files.RAW):
        bad = [f"{files.RAW} is not the one {files.METRICS} was made of"]
    return Requirement("folder", "fail" if bad else "pass", "; ".join(bad) or f"{len(said)} files as they were written")


def _numbers(document: Mapping[str, Any], again: Mapping[str, Any]) -> Requirement:
    """Whether metrics.json says what the raw retrievals say, to the last digit."""
    bad = [f"{place} {_short(said)} (recomputed: {_short(now)})" for place, said, now in _differences(document, again)]
    n = sum(len(rows) for rows in (again["overall"], *again["by_type"].values()))
    more = f"; and {len(bad) - 5} more" if len(bad) > 5 else ""
    more += "; sql/ is not the one they were made with" if document["hashes"].get("sql") != sqlfiles.sql_hash() else ""
    return Requirement(
        "numbers", "fail" if bad else "pass", "; ".join(bad[:5]) + more if bad else f"{n} rows recomputed, equal to the last digit"
    )


def _differences(said: Any, now: Any, place: str = "") -> list[tuple[str, Any, Any]]:
    """Places where two documents differ; only keys of the second count."""
    if isinstance(now, dict):
        old = said if isinstance(said, dict) else {}
        inside = [d for key, value in now.items() for d in _differences(old.get(key), value, f"{place}.{key}".lstrip("."))]
        gone = [(f"{place}.{key}".lstrip("."), old[key], None) for key in old if key not in now] if place else []
        return inside + gone
    return [] if said == now else [(place, said, now)]


def _short(value: Any) -> str:
    text = f"{value:.6g}" if isinstance(value, float) else "nothing" if value is None else str(value)
    return text if len(text) <= 60 else text[:59] + "…"


def _text(folder: Path, source: files.Source, document: Mapping[str, Any]) -> Requirement:
    """Whether the protocol is the one that bears this name and version elsewhere."""
    stamp = document["protocol"]
    bad = []
    if source.sha256 != stamp["sha256"]:
        bad.append(f"protocol.toml is not the text the run was made under ({source.sha256[:12]}…, {str(stamp['sha256'])[:12]}…)")
    for other, sha in execution.known_texts(
        source.protocol.name, source.protocol.version, folder.resolve().parent, leave_out=folder.resolve().name
    ):
        if sha != source.sha256:
            bad.append(
                f"{source.protocol.name} {source.protocol.version} has another text in {other} ({sha[:12]}…): a change without a new version"
            )
    return Requirement(
        "protocol",
        "fail" if bad else "pass",
        "; ".join(bad) or f"{source.protocol.name} {source.protocol.version}, {source.sha256[:12]}…",
    )


def refusals(checked: Sequence[Checked]) -> list[str]:
    """Folders of one call that must not be set against each other: their numbers do not mean the same."""
    others = ((one.name, different(checked[0], one)) for one in checked[1:])
    return [f"{name} is not compared with {checked[0].name}: {why}" for name, why in others if why]


def different(a: Checked, b: Checked) -> str:
    """Why two results do not mean the same; empty = they do."""
    if a.source.protocol.name != b.source.protocol.name:
        return f"different protocols ({a.source.protocol.name}, {b.source.protocol.name})"
    if a.scores.fingerprint == b.scores.fingerprint:
        return ""
    mine, yours = a.source.protocol, b.source.protocol
    differences = [
        f"{name} is {mine.metrics[name].measure} in {a.name} and {yours.metrics[name].measure} in {b.name}"
        for name in mine.metrics
        if name in yours.metrics and mine.metrics[name].measure != yours.metrics[name].measure
    ]
    first, second = mine.defined().options(), yours.defined().options()
    differences += [
        f"{name} is {first[name]} in {a.name} and {second[name]} in {b.name}" for name in first if first[name] != second[name]
    ]
    return f"different definitions: {'; '.join(differences) or 'another granularity'}"
