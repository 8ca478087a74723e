"""The declaration of a run (facts, deviations, claims, files), checked against the protocol before any data is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..base.definition import PRESETS, Definition, Preset
from ..base.errors import InputError, UsageError
from ..base.options import Limits, Period, Reading
from ..base.registry import known
from . import files, model
from .execution import Declaration
from .options import PROTOCOL, Declared


def declared(protocol: model.Protocol, **options: Any) -> Declaration:
    """The checked declaration of a run, from the options that it takes.

    Raises:
        UsageError: a fact of another kind, a deviation without its reason, a claim or an option the protocol defines otherwise.
        InputError: a corpus or artefact that is not there.
    """
    made = PROTOCOL.make(options)
    named = {**PRESETS.get(made[Preset].compat, {}), **options}
    refuse_other_definition(protocol, {name: value for name, value in made[Definition].options().items() if name in named})
    said: Declared = made[Declared]
    return Declaration(
        facts=_facts(protocol, said.facts),
        deviations=[_deviation(text) for text in said.deviations],
        claims=_claims(protocol, said.claims),
        artefacts=_files("--artefact", said.artefacts, None),
        corpora=_files("--corpus", said.corpora, [corpus.name for corpus in protocol.corpora]),
        labels=said.labels,
        reading=made[Reading],
        period=made[Period],
        limits=made[Limits],
    )


def columns_of(protocol: model.Protocol, metrics: Sequence[str]) -> list[str]:
    """Columns to show: ``recall`` (all its depths), ``recall@10``, or either with what it is meant to be: ``recall@10=any``.

    Raises:
        UsageError: a metric or depth the protocol does not have, or one that it defines otherwise.
    """
    columns: list[str] = []
    for text in metrics:
        column, _, meant = text.partition("=")
        name, _, depth = column.partition("@")
        if name not in protocol.metrics:
            raise UsageError(
                f"{protocol.name} {protocol.version} has no metric {name!r}", where="--metric", fix=known(name, protocol.metrics)
            )
        of = protocol.metrics[name]
        wanted = model.RECALLS.get(meant, meant)
        if meant and wanted != of.measure:
            fix = next(
                (f"Ask for {other}" for other, o in protocol.metrics.items() if o.measure == wanted),
                "Write a protocol that says so",
            )
            what = f"{protocol.name} {protocol.version} defines {name} as {_word(of.measure)}, not as {_word(wanted)}"
            raise UsageError(what, where="--metric", fix=fix)
        depths = [str(k) for k in of.k]
        if depth and depth not in depths:
            what = f"{protocol.name} {protocol.version} has {name} at {', '.join(depths)}, not at {depth}"
            raise UsageError(what, where="--metric", fix=f"Ask for {name}@{depths[-1]}")
        columns += [f"{name}@{k}" for k in ([depth] if depth else depths)]
    return list(dict.fromkeys(columns))


def _word(measure: str) -> str:
    """``success (any)``."""
    word = next((word for word, ours in model.RECALLS.items() if ours == measure), "")
    return f"{measure} ({word})" if word else measure


def refuse_other_definition(protocol: model.Protocol, definition: Mapping[str, Any]) -> None:
    """Options of the definition are the protocol's own; naming one is fine where it says the same.

    Raises:
        UsageError: an option that the protocol sets otherwise.
    """
    own = protocol.defined().options()
    for name, value in definition.items():
        if value is not None and own[name] != value:
            what = f"{protocol.name} {protocol.version} has {name.replace('_', '-')} {own[name]!r}, not {value!r}"
            raise UsageError(what, where=f"--{name.replace('_', '-')}", fix="Leave it out, or write a protocol of your own")


def _pairs(flag: str, texts: Sequence[str], example: str) -> dict[str, str]:
    values = {}
    for text in texts:
        name, is_pair, value = text.partition("=")
        if not is_pair or not name.strip():
            raise UsageError(f"expected NAME=VALUE, saw {text!r}", where=flag, fix=f"For example {flag} {example}")
        values[name.strip()] = value.strip()
    return values


def _facts(protocol: model.Protocol, texts: Sequence[str]) -> dict[str, Any]:
    """Facts by name; one unknown to the protocol is accepted, unless it resembles a known one (a typing error)."""
    facts: dict[str, Any] = {}
    for name, text in _pairs("--fact", texts, "system_version=1.4.2").items():
        fact = protocol.facts.get(name)
        if fact is None and known(name, protocol.facts).startswith("Did you mean"):
            raise UsageError(f"unknown fact {name!r}", where="--fact", fix=known(name, protocol.facts))
        facts[name] = model.value_of(fact or model.Fact(), name, text)
    return facts


def _deviation(text: str) -> dict[str, str]:
    what, colon, why = text.partition(":")
    if not colon or not what.strip() or not why.strip():
        raise UsageError(
            f"no reason given (saw {text!r})", where="--deviation", fix='Write --deviation "what was done otherwise: why"'
        )
    return {"what": what.strip(), "why": why.strip()}


def _claims(protocol: model.Protocol, texts: Sequence[str]) -> dict[str, str]:
    figures = {}
    for name, text in _pairs("--claim", texts, "recall@10=0.9326").items():
        (column, *more) = columns_of(protocol, [name])
        if more:
            raise UsageError(f"{name} has several depths", where="--claim", fix=known(name, [column, *more]))
        try:
            float(text)
        except ValueError:
            raise UsageError(
                f"not a number (saw {text!r})", where=f"--claim {name}", fix="For example --claim recall@10=0.9326"
            ) from None
        figures[column] = text
    return figures


def _files(flag: str, texts: Sequence[str], names: Sequence[str] | None) -> dict[str, Path]:
    """NAME=FILE pairs; a file alone where there is only one name it can mean."""
    only = names[0] if names is not None and len(names) == 1 else None
    pairs = _pairs(flag, [text if "=" in text or only is None else f"{only}={text}" for text in texts], "NAME=FILE")
    for name, path in pairs.items():
        if names is not None and name not in names:
            raise UsageError(f"unknown name {name!r}", where=flag, fix=known(name, names))
        if names is None and (
            Path(name).name != name or name in (files.RAW, files.METRICS, files.MANIFEST, files.TEXT, files.BLOCKED)
        ):
            raise UsageError(f"a file cannot be called {name!r} there", where=flag, fix="Choose a plain file name of its own")
        if not Path(path).expanduser().is_file():
            raise InputError("no such file", where=f"{flag} {name}: {path}", fix="Name the file itself, or leave it out")
    return {name: Path(path).expanduser() for name, path in pairs.items()}
