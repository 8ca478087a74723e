"""Why a window moved: likely causes, best first, each with what the log shows for it. Numbers come from the findings and sql/5_drift/causes.sql.

A cause is named only where what was measured leaves no other of this list; else the row says ``unknown``. Nothing is run again: the log is the evidence.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..base.verdicts import MOVED
from ..document.numbers import count, ms, plural, share, significant

if TYPE_CHECKING:
    from .finding import Finding
    from .sides import Sides

Row = dict[str, Any]
RENAMED = 0.5  # of the documents gone: with so many back under a new id, they were given new ids
FEWEST, LOST = 5, 0.1  # documents, and share of the usual ones, from which on they count as gone where no history tests it
EXPLAINED = 0.5  # of the overlap lost, that the lists' share of the documents gone makes up
CUT = 0.8  # of the lists longer than the new longest: with so many of just that length, the number of results changed
MOST = 0.5  # queries with another answer: over it no part of the index stands out
ONE_STAGE = 0.5  # of a change of the total
REORDERED = 1.0  # ranks that documents moved while the same ones are shown
SAME = 0.9  # overlap over which the same documents are shown
BATCH = 1.5  # lists shorter by so many documents
RECORDS = {
    "empty": "an empty list",
    "duplicate_ids": "an id twice in a list",
    "null_ids": "an unknown id in a list",
    "invalid_times": "a time that is none",
    "stage_missing": "no time of a stage",
    "rejected": "a form that cannot be read",
    "class_null": "no query class",
    "tenant_null": "no tenant",
}  # tests of health that speak of single records
OTHER_LISTS = (
    "documents_renamed",
    "top_k",
    "documents_gone",
    "cut_off",
    "score_floor",
)  # causes that say why the lists hold other documents


@dataclass
class Evidence:
    """What causes are read from.

    Args:
        moved: findings that moved for the worse.
        findings: all of them.
        documents, lists: the one row of cause_documents and cause_lists; empty where answers were not compared.
        traits: what the documents gone share, best first.
        named: the causes named so far: a rule yields to those before it.
    """

    moved: Sequence[Finding]
    findings: Sequence[Finding]
    documents: Row
    lists: Row
    traits: Sequence[Row]
    named: dict[str, Row] = field(default_factory=dict)

    def of(self, test: str, *, moved: bool = True, stage: str | None = None) -> Finding | None:
        """The first finding of a test, over everything; None = there is none."""
        for finding in self.moved if moved else self.findings:
            m = finding.measured
            if m.test == test and not m.segment and stage in (None, m.stage):
                return finding
        return None

    def has(self, *causes: str) -> bool:
        """Whether one of these causes is named already."""
        return not self.named.keys().isdisjoint(causes)

    def change(self, test: str) -> tuple[float, float] | None:
        """Reference and current value of a test that was made."""
        finding = self.of(test, moved=False)
        if finding is None or finding.measured.reference is None or finding.measured.current is None:
            return None
        return finding.measured.reference, finding.measured.current


def name_causes(findings: Sequence[Finding], sides: Sides) -> list[Row]:
    """Likely causes of what moved, best first; ``unknown`` where nothing of the list fits; empty where nothing moved for the worse."""
    moved = [finding for finding in findings if finding.verdict in MOVED and finding.verdict != "improved"]
    if not moved:
        return []
    engine = sides.state.engine
    overlap = next((f.measured for f in findings if f.measured.test == "overlap"), None)
    documents: Row = {}
    lists: Row = {}
    traits: list[Row] = []
    if overlap is not None and overlap.current is not None:
        engine.file("5_drift/causes.sql")
        documents, lists = (engine.rows(f"from {name}")[0] for name in ("cause_documents", "cause_lists"))
        traits = engine.rows("from cause_traits limit 3")
    evidence = Evidence(moved, findings, documents, lists, traits)
    for rule in RULES:
        if (row := rule(evidence)) is not None:
            evidence.named[row["cause"]] = row
    return list(evidence.named.values()) or [_row("unknown", "No cause that recallwatch looks for fits this change.", ())]


def _row(cause: str, sentence: str, families: Sequence[str], **more: Any) -> Row:
    return {"cause": cause, "sentence": sentence, "families": list(families), **more}


def _errors(e: Evidence) -> Row | None:
    """More recalls end in an error."""
    finding = e.of("errors")
    if finding is None:
        return None
    before, after = finding.measured.reference or 0.0, finding.measured.current or 0.0
    return _row("errors", f"More recalls ended in an error: {share(before)} → {share(after)}.", ("health", "quality", "answers"))


def _renamed(e: Evidence) -> Row | None:
    """Documents came back under other ids: another chunking, another namespace."""
    n, gone = e.documents.get("n_renamed", 0), e.documents.get("n_gone", 0)
    if e.of("overlap") is None and e.of("documents_gone") is None:
        return None
    if gone < 1 or n < RENAMED * gone or e.documents["n_new"] == 0:
        return None
    sentence = f"{count(n)} of {plural(gone, 'document')} gone came back under an id that holds the old one or its stem: new chunks or names."
    return _row("documents_renamed", sentence, ("answers", "quality"), n_documents=n)


def _gone(e: Evidence) -> Row | None:
    """Documents that lists used to show are in none."""
    gone, usual = e.documents.get("n_gone", 0), e.documents.get("n_usual", 0)
    is_tested = e.of("documents_gone", moved=False) is not None
    is_gone = e.of("documents_gone") is not None if is_tested else e.of("overlap") is not None and gone >= max(FEWEST, LOST * usual)
    overlap = e.change("overlap")
    if overlap is not None and e.documents.get("gone_share", 0.0) < EXPLAINED * (overlap[0] - overlap[1]):
        return None  # most of what changed is no document gone
    if not is_gone or e.has("documents_renamed", "top_k"):
        return None
    sentence = f"{plural(gone, 'document')} of {count(usual)} that lists usually show are in none now: they left the index, or a filter hides them."
    return _row("documents_gone", sentence, ("answers", "quality"), n_documents=gone, traits=list(e.traits))


def _cut(e: Evidence) -> Row | None:
    """All lists end at one rank."""
    lists = e.lists
    lengths = e.change("list_length")
    if lengths is None or lists.get("share_cut") is None or lengths[1] > lengths[0] - BATCH:
        return None
    if lists["longest_c"] <= lists["longest_r"] - 1 and lists["share_cut"] >= CUT:
        sentence = f"Lists end at {significant(lists['longest_c'])} documents, {significant(lists['longest_r'])} before: fewer are asked for, or logged."
        return _row("top_k", sentence, ("answers", "quality"))
    return None


def _short(e: Evidence) -> Row | None:
    """Lists are shorter, each by another number of documents."""
    lengths = e.change("list_length")
    if lengths is None or e.of("list_length") is None or lengths[1] > lengths[0] - 0.5 or e.has("top_k", "documents_gone"):
        return None
    empty = e.change("empty") or (0.0, 0.0)
    if lengths[0] - lengths[1] < lengths[0] * (empty[1] - empty[0]) + BATCH / 2:  # the empty ones alone shorten the mean
        return None
    before, after = map(significant, lengths)
    if e.of("errors") is not None or e.of("latency") is not None:
        sentence = f"Lists are shorter ({before} → {after} documents) where recalls also became slower or failed: searches end before they are done."
        return _row("cut_off", sentence, ("answers", "quality"))
    sentence = (
        f"Lists are shorter ({before} → {after} documents), each by another number: a score floor or a filter drops documents."
    )
    return _row("score_floor", sentence, ("answers", "quality"))


def _cached(e: Evidence) -> Row | None:
    """A cache answers more often than it used to."""
    finding = e.of("cache_hits", moved=False)  # more hits are no worse by themselves
    if finding is None or finding.verdict not in MOVED or (finding.measured.effect or 0.0) <= 0:
        return None
    if e.of("overlap") is None and e.of("quality") is None:
        return None
    before, after = finding.measured.reference or 0.0, finding.measured.current or 0.0
    return _row(
        "cache",
        f"The cache answers {share(before)} → {share(after)} of the recalls: it may hand out old lists.",
        ("answers", "quality"),
    )


def _segment(e: Evidence) -> Row | None:
    """One segment carries the loss."""
    quality = e.of("quality")
    if quality is None or e.has("documents_gone", "documents_renamed"):
        return None
    best = next((row for row in quality.measured.where if row["kind"] == "segment"), None)
    if best is None or best["excess"] < MOST:
        return None
    sentence = (
        f"One segment carries {share(best['share_of_change'])} of the change with {share(best['share_of_traffic'])} of the traffic."
    )
    return _row("one_segment", sentence, ("quality",), segment=best["segment"])


def _order(e: Evidence) -> Row | None:
    """The same documents in another order."""
    overlap, move = e.change("overlap"), e.lists.get("rank_move")
    if overlap is None or move is None or overlap[1] < SAME or overlap[1] < overlap[0] - (1 - SAME) or move < REORDERED:
        return None
    sentence = f"The same documents come back in another order: {significant(move)} ranks from where they were, on average, as after a change of the reranker."
    return _row("order", sentence, ("answers", "quality"))


def _other_answers(e: Evidence) -> Row | None:
    """Most queries get other documents, and few of those before have left."""
    if e.of("overlap") is None or e.of("empty") is not None or e.has(*OTHER_LISTS):
        return None
    changed = e.lists.get("share_changed") or 0.0
    if changed < MOST:
        return None
    sentence = f"{share(changed)} of the queries get other documents, which were shown before too, as after a change of the embedder or the search."
    return _row("other_ranking", sentence, ("answers", "quality"))


def _slow(e: Evidence) -> Row | None:
    """Times moved, in one stage or in several."""
    finding = e.of("latency", stage="total") or e.of("latency")
    if finding is None or (finding.measured.effect or 0.0) <= 0:
        return None
    carrier = next((row for row in finding.measured.where if row["kind"] == "stage"), None)
    if carrier is None or (carrier["share_of_change"] or 0.0) < ONE_STAGE:
        if finding.measured.stage not in (None, "total"):
            return _row("slow_stage", f"Stage {finding.measured.stage} became slower.", ("latency",), stage=finding.measured.stage)
        where = "no single stage carries half of the time added" if carrier else "the log has no times of stages that say where"
        return _row("slow", f"Recalls became slower; {where}.", ("latency",))
    times = f"{ms(carrier['reference_ms'])} → {ms(carrier['current_ms'])} ms"
    part = "all" if carrier["share_of_change"] >= 1 else share(carrier["share_of_change"])  # more where other stages became faster
    sentence = f"Stage {carrier['stage']} carries {part} of the time added ({times})."
    return _row("slow_stage", sentence, ("latency",), stage=carrier["stage"])


def _labels(e: Evidence) -> Row | None:
    """The labels no longer fit what is asked or shown."""
    moved = [finding for finding in e.moved if finding.family == "labels"]
    if not moved or e.has(*OTHER_LISTS):
        return None
    return _row(
        "labels",
        "The labels no longer fit: other queries are asked, or documents are shown that nobody judged.",
        ("labels", "quality"),
    )


def _traffic(e: Evidence) -> Row | None:
    """Other questions, or more or fewer of them."""
    moved = [finding for finding in e.moved if finding.family == "mix" or finding.measured.test == "volume"]
    if not moved:
        return None
    return _row(
        "traffic",
        "The traffic changed: other queries, tenants or classes than before, or another number of recalls.",
        ("mix", "health"),
    )


def _broken_records(e: Evidence) -> Row | None:
    """Records lack what they had, or hold it twice."""
    names = sorted({f.measured.test for f in e.moved if f.family == "health"} & RECORDS.keys())
    if "empty" in names and e.has("documents_gone", "cut_off", "score_floor"):  # a list may have lost its only document
        names.remove("empty")
    if not names:
        return None
    words = ", ".join(RECORDS[name] for name in names)
    return _row("records", f"More records than before have {words}.", ("health",), tests=names)


RULES: tuple[Callable[[Evidence], Row | None], ...] = (  # in the order in which a person would look; each may ask what was named before it
    _errors, _renamed, _cut, _gone, _short, _cached, _order, _segment, _other_answers, _slow, _labels, _traffic, _broken_records,
)  # fmt: skip
