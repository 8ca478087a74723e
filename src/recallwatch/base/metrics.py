"""METRICS: one line per metric; what each means stands in its file in sql/3_score/."""

from dataclasses import dataclass, field
from typing import Literal

from .registry import index


@dataclass(frozen=True)
class Metric:
    """One ranking metric.

    Args:
        name: as in every output; its macro is ``<name>_at_k`` in ``sql/3_score/<name>.sql``.
        meaning: one line for people.
        cut: ``per_k`` = at each k asked for; ``whole`` = also (or only) over the whole list.
        better: which direction is an improvement.
        empty: value of an empty ranking of a labelled query; None = left out of the mean and counted.
        of: what the macro takes: the judged ranking, or the answer beside the right ones; the latter only where asked for by name.
        macros: option of the definition -> value -> sibling macro that it chooses.
    """

    name: str
    meaning: str
    better: Literal["higher", "neither"] = "higher"
    empty: float | None = 0.0
    whole_only: bool = False
    unit: str = "ratio 0..1"
    of: Literal["judged", "answered"] = "judged"
    macros: dict[str, dict[str, str]] = field(default_factory=dict)

    def macro(self, definition: object) -> str:
        """The scalar macro that computes it under this definition."""
        for option, choices in self.macros.items():
            if getattr(definition, option) in choices:
                return choices[getattr(definition, option)]
        return f"{self.name}_at_k"

    @property
    def counted(self) -> str:
        """The macro of sql/4_aggregate/exact.sql that says what a value counts as in the means."""
        return "counted_answer" if self.of == "answered" else "counted" if self.empty is not None else "counted_judged"


METRICS = index(
    Metric("recall", "share of the relevant documents in the first k"),
    Metric("precision", "relevant in the first k / k", macros={"precision": {"returned": "precision_returned_at_k"}}),
    Metric("f1", "harmonic mean of precision@k and recall@k", macros={"precision": {"returned": "f1_returned_at_k"}}),
    Metric("success", "1 if any relevant document is in the first k (hit rate)"),
    Metric("all_found", "1 if every relevant document is in the first k"),
    Metric("recall_cap", "relevant in the first k / min(k, relevant)"),
    Metric("mrr", "1 / rank of the first relevant document", whole_only=True),
    Metric("map", "mean of the precisions at the relevant ranks", whole_only=True, macros={"ap": {"min_k_r": "map_min_k_r_at_k"}}),
    Metric("ndcg", "discounted gain / that of the best possible ranking", macros={"ideal": {"full": "ndcg_full_at_k"}}),
    Metric("judged", "share of the first k that has any label", better="neither", empty=None),
    Metric("answer_exact", "1 if the logged answer is a right one, punctuation and articles aside", whole_only=True, of="answered"),
    Metric("answer_f1", "token F1 of the logged answer and the right one", whole_only=True, of="answered"),
)
