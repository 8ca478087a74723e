"""METRICS: one line per metric; its definition is its file in sql/3_score/. Everything that lists metrics reads this."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from .errors import UsageError
from .registry import index, known, pick


@dataclass(frozen=True)
class Parameter:
    """A number that is part of a metric, as p of ``rbp(p=0.8)``; its macro gets it after k.

    Args:
        name: as written in the parentheses.
        default: where it is left out.
        low, high: smallest and largest value allowed.
        meaning: one line for people.
    """

    name: str
    default: float
    low: float
    high: float
    meaning: str

    def read(self, text: str, where: str) -> float:
        """The value of a text.

        Raises:
            UsageError: no number, or out of range.
        """
        try:
            value = float(text)
        except ValueError:
            value = float("nan")
        if not self.low <= value <= self.high:
            what = f"{self.name} must be a number from {self.low:g} to {self.high:g}, saw {text.strip()!r}"
            raise UsageError(what, where=where, fix=f"For example {self.name}={self.default:g} ({self.meaning})")
        return value


@dataclass(frozen=True)
class Metric:
    """One metric.

    Args:
        name: as in every output; its macro is ``<name>_at_k`` in ``sql/3_score/<name>.sql``.
        meaning: one line for people.
        label: what people read in tables; empty = the name.
        better: which direction is an improvement.
        threshold: smallest change of its mean worth a word, ratio 0..1: what drift takes where its settings say nothing else.
        empty: value of an empty ranking of a labelled query; None = left out of the mean and counted.
        whole_only: over the whole list unless a cutoff k is named.
        unit: of its values.
        needs: what a label must have for its query to count: relevant documents, documents with a gain, right answers, or only a returned list.
        parameters: numbers that are part of it, in the order its macro takes them.
        macros: option of the definition -> value -> sibling macro that it chooses.
        labels: preset -> what its field calls the metric.
    """

    name: str
    meaning: str
    label: str = ""
    better: Literal["higher", "neither"] = "higher"
    threshold: float = 0.01
    empty: float | None = 0.0
    whole_only: bool = False
    unit: str = "ratio 0..1"
    needs: Literal["relevant", "gain", "gold_answers", "list"] = "relevant"
    parameters: tuple[Parameter, ...] = ()
    macros: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)

    @property
    def of(self) -> Literal["judged", "answered"]:
        """The input of its macro: the judged ranking, or the answer and the right ones; the latter is scored only when named."""
        return "answered" if self.needs == "gold_answers" else "judged"

    def macro(self, definition: object) -> str:
        """The scalar macro that computes it under this definition."""
        for option, choices in self.macros.items():
            if getattr(definition, option) in choices:
                return choices[getattr(definition, option)]
        return f"{self.name}_at_k"

    @property
    def counted(self) -> str:
        """The macro of sql/4_aggregate/exact.sql that makes a value exact for the means."""
        return "counted_answer" if self.of == "answered" else "counted" if self.empty is not None else "counted_judged"

    def text_of(self, values: tuple[float, ...]) -> str:
        """Its name with its parameters, as every output writes it: ``rbp(p=0.8)``."""
        pairs = (f"{parameter.name}={value:g}" for parameter, value in zip(self.parameters, values, strict=True))
        return f"{self.name}({','.join(pairs)})" if self.parameters else self.name


METRICS = index(
    Metric("recall", "share of the relevant documents in the first k"),
    Metric("precision", "relevant in the first k / k", macros={"precision": {"returned": "precision_returned_at_k"}}),
    Metric("f1", "harmonic mean of precision@k and recall@k", "F1", macros={"precision": {"returned": "f1_returned_at_k"}}),
    Metric(
        "success",
        "1 if any relevant document is in the first k (hit rate)",
        "success (hit rate)",
        labels={"longmemeval": "recall_any"},
    ),
    Metric("all_found", "1 if every relevant document is in the first k", "all found", labels={"longmemeval": "recall_all"}),
    Metric("recall_cap", "relevant in the first k / min(k, relevant)", "recall capped"),
    Metric("mrr", "1 / rank of the first relevant document", "MRR", whole_only=True),
    Metric(
        "map",
        "mean of the precisions at the relevant ranks",
        "MAP",
        whole_only=True,
        macros={"ap": {"min_k_r": "map_min_k_r_at_k"}},
    ),
    Metric(
        "ndcg",
        "discounted gain / that of the best possible ranking",
        "nDCG",
        needs="gain",
        macros={"ideal": {"full": "ndcg_full_at_k"}},
    ),
    Metric("judged", "share of the first k that has any label", better="neither", empty=None, needs="list"),
    Metric(
        "answer_exact",
        "1 if the logged answer is a right one, punctuation and articles aside",
        whole_only=True,
        needs="gold_answers",
    ),
    Metric("answer_f1", "token F1 of the logged answer and the right one", whole_only=True, needs="gold_answers"),
)

SPEC = re.compile(r"\s*(?P<name>\w+)\s*(?:\((?P<parameters>[^()]*)\)\s*)?(?:@(?P<k>.*))?", re.DOTALL)


def parse_metric(text: str) -> tuple[Metric, tuple[float, ...], str | None]:
    """A metric, its parameters and the text after ``@`` (None = no ``@``), from ``recall``, ``nDCG@10`` or ``RBP(p=0.8)@10``.

    Raises:
        UsageError: unknown metric or parameter, a parameter out of range.
    """
    match = SPEC.fullmatch(text)
    entry = pick(METRICS, "metric", match["name"].lower() if match and match["name"].lower() in METRICS else text.partition("@")[0])
    given: dict[str, str] = {}
    for part in (match["parameters"] or "").split(",") if match else ():
        name, is_pair, value = part.partition("=")
        if part.strip():
            given[name.strip() if is_pair else ""] = value if is_pair else part
    names = [parameter.name for parameter in entry.parameters]
    if "" in given and len(names) == 1:  # rbp(0.8)
        given[names[0]] = given.pop("")
    for name in given:
        if name not in names:
            fix = known(name, names) if names else f"Write {entry.name}"
            raise UsageError(f"{entry.name} has no parameter {name!r}", where=text, fix=fix)
    values = (
        parameter.read(given[parameter.name], text) if parameter.name in given else parameter.default
        for parameter in entry.parameters
    )
    return entry, tuple(values), match["k"] if match else None


def metric_of(text: str) -> Metric:
    """The registry's entry of a metric as outputs write it, e.g. ``rbp(p=0.8)``; a k after it is passed over."""
    return parse_metric(text)[0]


def label_of(text: str, preset: str | None = None) -> str:
    """What people read for a metric as outputs write it; ``preset`` = whose field's words are used."""
    entry, values, _ = parse_metric(text)
    name = entry.labels.get(preset or "", entry.label or entry.name)
    return name + entry.text_of(values).removeprefix(entry.name)
