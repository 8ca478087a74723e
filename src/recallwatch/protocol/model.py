"""The protocol file: the conditions under which a run's numbers may be quoted. Unknown keys are errors."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from datetime import date
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from ..base.definition import Definition, define
from ..base.engine import is_pattern
from ..base.errors import UsageError
from ..base.metrics import METRICS, is_metric, parse_metric
from ..base.registry import known
from ..read.profile import Rule

RECALLS = {"fraction": "recall", "any": "success", "all": "all_found"}  # words for what "recall" is, in the field


def _pattern(value: str) -> str:
    """A regular expression that compiles."""
    if not is_pattern(value):
        raise ValueError(f"not a regular expression of RE2: {value!r}")
    return value


def _measure(value: str) -> str:
    """A metric of ours, or one of the words for what recall is."""
    chosen = RECALLS.get(value, value)
    if not is_metric(chosen.partition("(")[0].strip()):
        raise ValueError(f"no metric {value!r}. {known(value, [*METRICS, *RECALLS])}")
    try:
        entry, values, _ = parse_metric(chosen)
    except UsageError as error:
        raise ValueError(str(error)) from None
    return entry.text_of(values)


Pattern = Annotated[str, AfterValidator(_pattern)]
Measure = Annotated[str, AfterValidator(_measure)]
Share = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=0)]


class Table(BaseModel):
    """A table of the file: closed."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Corpus(Table):
    """A file the run must have searched: its hash is compared, its counts too where an adapter reads it."""

    name: str
    file: str
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    split: str = ""
    licence: str = ""
    source: str = ""


class Labels(Table):
    """How the data set's evidence becomes document ids.

    Args:
        adapter: entry of ``recallwatch list label-adapters``; reads the first corpus.
        granularity: of the document ids.
        rules: reference as written -> document id, in order; empty = the adapter's own.
        oracle_coverage: share of the scored questions that must keep a label.
    """

    adapter: str
    granularity: str | None = None
    rules: tuple[Rule, ...] = ()
    oracle_coverage: Share = 1.0


class Expected(Table):
    """Counts of the labels; what is left out is not checked."""

    questions: Count | None = None
    scored: Count | None = None
    abstention: Count | None = None
    malformed_references: Count | None = None
    types: dict[str, Count] = Field(default_factory=dict)


class WrongForm(Table):
    """Ids that tell of another run than the one agreed on."""

    name: str
    form: Pattern
    gate: Literal["granularity", "id collisions"]
    segments: Count | None = None
    why: str = ""


class Ids(Table):
    """The form of returned ids.

    Args:
        form: regular expression of an id; None = any.
        segments: documents of the corpus at this granularity.
        pool: the most documents one question searches: a list so long is never cut short.
        repeats: whether a list may hold an id twice.
        wrong: forms that are known and not the agreed one.
    """

    form: Pattern | None = None
    segments: Count | None = None
    pool: Annotated[int, Field(ge=1)] | None = None
    repeats: Literal["counted", "refused"] = "counted"
    wrong: tuple[WrongForm, ...] = ()


class MetricOf(Table):
    """A metric as the protocol calls it.

    Args:
        measure: what it is: a metric of `recallwatch list metrics`, or fraction, any, all for a recall.
        k: depths; for mrr the rank it is cut at.
    """

    measure: Measure
    k: tuple[Annotated[int, Field(ge=1)], ...]


class Fact(Table):
    """One thing a run must tell.

    Args:
        meaning: one line.
        kind: what its value must be.
        choices: values it may have; empty = any.
        expected: the only value under which the numbers are those agreed on.
        required: whether a run without it is unverified.
    """

    meaning: str = ""
    kind: Literal["text", "integer", "number", "date"] = "text"
    choices: tuple[str, ...] = ()
    expected: str | int | float | None = None
    required: bool = True


class Range(Table):
    """Where a metric of repeats of the same system lies."""

    low: float
    high: float


class Baseline(Table):
    """A published figure shown beside a run's, for the same questions and the same measure only."""

    name: str
    questions: Count
    values: dict[str, float]
    source: str = ""


class Artefacts(Table):
    """Files the results folder must hold; those we do not write come with --artefact."""

    required: tuple[str, ...] = ("metrics.json", "report.md", "report.html", "raw_retrievals.jsonl")


class Cite(Table):
    """One sentence with {placeholders}: facts, metrics such as {recall@10}, {recall@10.ci_low}, {questions}, {protocol}, {version}."""

    template: str


class Protocol(Table):
    """The whole file; see docs/protocols.md."""

    name: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_.-]*$")]
    version: Annotated[str, Field(pattern=r"^\d+(\.\d+)*$")]
    title: str = ""
    about: str = ""
    corpora: Annotated[tuple[Corpus, ...], Field(min_length=1)]
    labels: Labels
    expected: Expected = Field(default_factory=Expected)
    ids: Ids = Field(default_factory=Ids)
    metrics: Annotated[dict[str, MetricOf], Field(min_length=1)]
    definition: dict[str, Any] = Field(default_factory=dict)
    facts: dict[str, Fact] = Field(default_factory=dict)
    bands: dict[str, float | Range] = Field(default_factory=dict)
    baselines: tuple[Baseline, ...] = ()
    artefacts: Artefacts = Field(default_factory=Artefacts)
    cite: Cite | None = None

    @model_validator(mode="after")
    def _names_agree(self) -> Protocol:
        """Bands and baselines speak of metrics the protocol has; the definition is one."""
        columns = self.columns()
        named = [("bands", list(self.bands)), *((f"baselines: {b.name}", list(b.values)) for b in self.baselines)]
        for place, names in named:
            for name in names:
                if name not in columns:
                    raise ValueError(f"{place}: no metric {name!r}. {known(name, columns)}")
        self.defined()
        return self

    def columns(self) -> dict[str, str]:
        """Column as the protocol calls it (recall@10) -> our column (success@10)."""
        return {f"{name}@{k}": f"{of.measure}@{k}" for name, of in self.metrics.items() for k in of.k}

    def defined(self) -> Definition:
        """The definition in force.

        Raises:
            UsageError: an option or value that does not exist.
        """
        return define(self.definition.get("compat"), **{n: v for n, v in self.definition.items() if n != "compat"})

    def fingerprint(self) -> str:
        """sha256 of what the numbers mean: options, and which measure each metric is. Different = never compared."""
        measures = {name: of.measure for name, of in self.metrics.items()}
        said = {"definition": self.defined().fingerprint, "measures": measures, "granularity": self.labels.granularity}
        return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


KINDS: dict[str, Callable[[str], str | int | float]] = {
    "text": str,
    "integer": int,
    "number": float,
    "date": lambda text: date.fromisoformat(text).isoformat(),
}


def value_of(fact: Fact, name: str, text: str) -> str | int | float:
    """A fact's value as its kind has it.

    Raises:
        UsageError: another kind, or a value that is no choice.
    """
    where = f"--fact {name}"
    try:
        value = KINDS[fact.kind](text.strip())
    except ValueError:
        example = {"integer": "1024", "number": "0.5", "date": "2026-05-10", "text": ""}[fact.kind]
        raise UsageError(
            f"not a{'n' * (fact.kind == 'integer')} {fact.kind} (saw {text!r})", where=where, fix=f"Write {name}={example}"
        ) from None
    if fact.choices and value not in fact.choices:
        raise UsageError(f"unknown value {value!r}", where=where, fix=known(str(value), fact.choices))
    if value == "":
        raise UsageError("empty", where=where, fix=f"Tell {fact.meaning or 'its value'}")
    return value
