"""What a metric is, and the numbers that are part of one, as p of ``rbp(p=0.8)``; metrics.py lists them all."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from .errors import UsageError


@dataclass(frozen=True)
class Parameter:
    """A number that is part of a metric, as p of ``rbp(p=0.8)``; its macro gets it after k.

    Args:
        name: as written in the parentheses.
        default: where it is left out; None = then it says nothing, and is no part of the metric's name.
        low, high: smallest and largest value allowed.
        meaning: one line for people.
    """

    name: str
    default: float | None
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
            raise UsageError(what, where=where, fix=f"For example {self.name}={self.default or self.low:g} ({self.meaning})")
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
        of: the input of its macro: the judged ranking, the answer and the right ones, what was right before, or a question's searches.
        needs: what a label must have for its query to count: relevant documents, documents with a gain, right answers, or only a returned list.
        parameters: numbers that are part of it, in the order its macro takes them.
        names: what the field calls it in specs (ir_measures, trec_eval), beside its own name; case is nothing.
        at: the parameter that stands after ``@`` where it is no cutoff k, as in ``IPrec@.1``.
        named_only: computed only where somebody names it.
        macros: option of the definition -> value -> sibling macro that it chooses.
        labels: preset -> what its field calls the metric.
    """

    name: str
    meaning: str
    label: str = ""
    better: Literal["higher", "lower", "neither"] = "higher"
    threshold: float = 0.01
    empty: float | None = 0.0
    whole_only: bool = False
    unit: str = "ratio 0..1"
    of: Literal["judged", "answered", "dated", "searched"] = "judged"
    needs: Literal["relevant", "gain", "gold_answers", "list"] = "relevant"
    parameters: tuple[Parameter, ...] = ()
    names: tuple[str, ...] = ()
    at: str = ""
    named_only: bool = False
    macros: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)

    def macro(self, definition: object) -> str:
        """The scalar macro that computes it under this definition."""
        for option, choices in self.macros.items():
            if getattr(definition, option) in choices:
                return choices[getattr(definition, option)]
        return f"{self.name}_at_k"

    @property
    def counted(self) -> str:
        """The macro of sql/4_aggregate/exact.sql that makes a value exact for the means."""
        others = {"answered": "counted_answer", "dated": "counted_dated"}
        return others.get(self.of, "counted" if self.empty is not None else "counted_judged")

    def level(self, values: tuple[float | None, ...]) -> float | None:
        """The smallest relevant grade among the values of its parameters, ``P(rel=2)``; None = as the definition says."""
        return next((v for parameter, v in zip(self.parameters, values, strict=True) if parameter is REL), None)

    def text_of(self, values: tuple[float | None, ...]) -> str:
        """Its name with its parameters, as every output writes it: ``rbp(p=0.8)``."""
        given = zip(self.parameters, values, strict=True)
        pairs = [f"{parameter.name}={value:g}" for parameter, value in given if value is not None]
        return f"{self.name}({','.join(pairs)})" if pairs else self.name


REL = Parameter("rel", None, -1e6, 1e6, "the smallest grade that is relevant")
PATIENCE = Parameter("p", 0.8, 0.01, 0.99, "the probability of going on to the next rank")
