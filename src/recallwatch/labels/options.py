"""The options of asking for labels and of taking them in."""

from __future__ import annotations

from dataclasses import dataclass

from ..base import declared as o
from ..base.declared import Owned, option
from ..base.definition import KINDS, Definition
from ..base.errors import UsageError
from ..base.options import Limits, Measures, Period, Reading
from ..base.takes import Takes


@dataclass(frozen=True)
class Worklist(Owned):
    """Number of suggestions, and content of a worksheet line."""

    n: int = option(50, "Number of lines.", check=o.whole(), short="-n")
    k: int = option(10, "Cutoff k: ranks that are looked at.", check=o.whole())
    documents: int = option(10, "Documents a line lists at most.", check=o.whole())
    # "where do I work" and "where do I work now" are one; a changed word in a short query makes another
    similar: float = option(
        0.75, "Text similarity 0..1 from which two queries share a line; 1 = same words.", check=o.number(above=0, most=1)
    )
    sample: int | None = option(
        None, "Draw so many queries whose inclusion probabilities are known, in place of the suggestions.", check=o.whole()
    )
    of: str | None = option(
        None, "Probability of a query in the sample: by its recalls (traffic, the default), or equal.", ("traffic", "queries")
    )
    by: str | None = option(None, "Give each of its values its share of the sample.", ("query_class",))
    seed: str | None = option(None, "Seed of the sample: the same one draws the same queries. Default: 1.", metavar="TEXT")
    corpus: str | None = option(
        None, "JSON lines or Parquet of ids and texts: the worksheet shows the texts. Default: those the logs hold.", metavar="FILE"
    )


@dataclass(frozen=True)
class Judgements(Owned):
    """Who judged and when, and the grade of documents that a worksheet shows and does not name."""

    judged_by: str | None = option(None, "Who judged, where a line does not say.", metavar="NAME")
    kind: str | None = option(
        None,
        "Kind of the labels, where a line does not say. Default: judge where one is named, else human.",
        choices=KINDS,
        metavar="KIND",
    )
    judge: str | None = option(None, "Name and version of the model that judged, where a line does not say.", metavar="NAME")
    judged_at: str | None = option(
        None, "Time of the judgement, where a line has none. Default: now.", check=o.moment, metavar="TIME"
    )
    others: str = option(
        "unjudged", "Grade of documents that a filled-in line shows and does not name.", ("unjudged", "not-relevant")
    )


@dataclass(frozen=True)
class Since(Owned):
    """The date from which a judge may judge otherwise; two variants whose difference is estimated."""

    since: str | None = option(
        None, "Time from which a judge may judge otherwise: agreement before and since.", check=o.moment, metavar="TIME"
    )
    between: str | None = option(
        None, "Two values of `variant`: estimate the difference of the second from the first, query by query.", metavar="A,B"
    )

    @property
    def arms(self) -> list[str] | None:
        """The two variants; None = no difference is asked for.

        Raises:
            UsageError: not two.
        """
        if self.between is None:
            return None
        names = [name.strip() for name in self.between.split(",")]
        if len(names) != 2 or not all(names) or names[0] == names[1]:
            raise UsageError(f"{self.between!r} is not two variants", where="--between", fix="For example --between bm25,hybrid")
        return names


@dataclass(frozen=True)
class Anchoring(Owned):
    """What became of ids, and where the labels under the new ones go."""

    mapping: str | None = option(
        None, "CSV, JSON or Parquet with the columns old_id and new_id; an empty new_id = the document is gone.", metavar="FILE"
    )
    write: str | None = option(
        None, "Parquet file for the labels under the new ids. Default: they are listed only.", metavar="FILE"
    )


@dataclass(frozen=True)
class Target(Owned):
    """What labels have to show: an interval of a width, or a difference."""

    metric: str = option("recall@10", "What is planned for: a metric at one cutoff k.", short="-m", metavar="METRIC@K")
    width: float | None = option(None, "Width of the 95 % interval, end to end.", check=o.number(above=0, most=1))
    detect: float | None = option(None, "A difference on the same queries that has to be seen.", check=o.number(above=0, most=1))
    power: float = option(0.8, "Probability of seeing it.", check=o.number(above=0.5, most=0.999))

    def check(self) -> None:
        """Refuse neither and both.

        Raises:
            UsageError: width and detect are not one of the two.
        """
        if (self.width is None) == (self.detect is None):
            raise UsageError(
                "one of --width and --detect is needed", where="labels plan", fix="For example --width 0.05, or --detect 0.02"
            )


SUGGEST = Takes("suggest_labels", Worklist, Period, Reading, Limits, Definition)
JUDGE = Takes(
    "check_judge", Measures, Since, Period, Reading, Limits, Definition, metrics=("recall@10", "precision@10", "mrr@10", "ndcg@10")
)
PLAN = Takes("plan_labels", Target, Period, Reading, Limits, Definition)
RE_ANCHOR = Takes("re_anchor", Anchoring, Period, Reading, Limits, Definition)
INGEST_LABELS = Takes("ingest_labels", Judgements, Limits)
