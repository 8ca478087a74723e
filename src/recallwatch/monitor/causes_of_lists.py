"""Causes that changed what the lists hold: the index, the search, the reranker, a cache, a filter."""

from __future__ import annotations

from ..base.verdicts import MOVED
from ..document.numbers import count, plural, ratio, share, significant
from ..scoring.funnel import moved
from .cause_evidence import Evidence, Row, cause

RENAMED = 0.5  # of the documents gone: with so many back under a new id, they were given new ids
FEWEST, LOST = 5, 0.1  # documents, and share of the usual ones, from which on they count as gone where no history tests it
BELOW, AHEAD = (
    0.2,
    0.4,
)  # of the documents that are new to a list: so few stand ahead of those that stayed where lists close up, so many where others outrank
OPEN = "they left the index, a filter hides them, or other documents outrank them."
BEHIND = 0.7  # of the documents gone, in lists that became shorter: so many stood behind those that stayed where lists end earlier
EXPLAINED = 0.5  # of the overlap lost, that the lists' share of the documents gone makes up
CUT = 0.8  # of the lists longer than the new longest: with so many of just that length, the number of results changed
MOST = 0.5  # queries with another answer: over it no part of the index stands out
REORDERED = 1.0  # ranks that documents moved while the same ones are shown
SAME = 0.9  # overlap over which the same documents are shown
LEAST_LOST, CARRIED = 0.02, 0.5  # share of relevant documents more that one stage loses, and its part of what all stages lose more
NAMES = {"returned": "the last step, from the candidates to the list", "first k": "the cut at k"}
SURE = 0.001  # p of a time: a single night may have too few times for a verdict, and yet searches that took longer
BATCH = 1.5  # lists shorter by so many documents
OTHER_LISTS = (
    "documents_renamed",
    "top_k",
    "stage_loses",
    "documents_gone",
    "cut_off",
    "score_floor",
)  # causes that say why the lists hold other documents


def renamed(e: Evidence) -> Row | None:
    """Documents came back under other ids: another chunking, another namespace."""
    n, gone = e.documents.get("n_renamed", 0), e.documents.get("n_gone", 0)
    if e.of("overlap") is None and e.of("documents_gone") is None:
        return None
    if gone < 1 or n < RENAMED * gone or e.documents["n_new"] == 0:
        return None
    sentence = f"{count(n)} of {plural(gone, 'document')} gone came back under an id that holds the old one or its stem: new chunks or names."
    return cause("documents_renamed", sentence, ("answers", "quality"), n_documents=n)


def stage_loses(e: Evidence) -> Row | None:
    """One stage drops what the stages before it still have; the search itself is no such stage."""
    worst, lengths = moved(e.funnel), e.change("list_length")
    if worst is None or worst[1]["stage"] == "search" or e.has("top_k", "documents_renamed"):
        return None
    before, after = worst
    whole = sum(row["lost"] * (1 if row["side"] == "current" else -1) for row in e.funnel)
    if after["lost"] - before["lost"] < max(LEAST_LOST, CARRIED * whole):
        return None
    if after["stage"] == "returned" and lengths is not None and lengths[1] < lengths[0] - 0.5:
        return None  # what made lists shorter is named by itself
    name = NAMES.get(after["stage"], f"stage {after['stage']}")
    sentence = f"Relevant documents are lost at {name}: {share(before['lost'])} → {share(after['lost'])} of them; the stages before still have them."
    return cause("stage_loses", sentence, ("quality", "answers"), stage=after["stage"])


def gone(e: Evidence) -> Row | None:
    """Documents that lists used to show are in none."""
    gone, usual = e.documents.get("n_gone", 0), e.documents.get("n_usual", 0)
    test, is_other = e.of("documents_gone", moved=False), e.of("overlap") is not None or e.of("list_depth") is not None
    is_many, ahead = is_other and gone >= max(FEWEST, LOST * usual), e.lists.get("new_ahead")
    is_closed = ahead is not None and ahead <= BELOW
    is_tested = test is not None and test.verdict != "insufficient" and not is_closed
    is_gone = e.of("documents_gone") is not None or (is_many and not is_tested)
    overlap = e.change("overlap")
    if overlap is not None and e.documents.get("gone_share", 0.0) < EXPLAINED * (overlap[0] - overlap[1]):
        return None  # most of what changed is no document gone
    if not is_gone or e.has("documents_renamed", "top_k", "stage_loses", "score_floor", "cut_off"):
        return None
    if (ahead is not None and ahead > AHEAD) or _end_earlier(e) or (e.cell is not None and not e.traits):
        return None  # others outrank them; lists end before them; or the recalls of one segment alone lost them
    why = "they left the index, or a filter hides them." if is_closed else OPEN
    sentence = f"{plural(gone, 'document')} of {count(usual)} that lists usually show are in none now: {why}"
    return cause("documents_gone", sentence, ("answers", "quality"), n_documents=gone, traits=list(e.traits))


def _end_earlier(e: Evidence) -> bool:
    lengths, behind = e.change("list_length"), e.lists.get("gone_behind")
    is_shorter = lengths is not None and lengths[1] < lengths[0] - BATCH / 2 and e.of("duplicate_ids") is None
    return is_shorter and behind is not None and behind > BEHIND


def cut(e: Evidence) -> Row | None:
    """All lists end at one rank, and what they lost stood behind it; or all are longer."""
    depth = e.of("list_depth")
    if depth is not None and (depth.measured.effect or 0.0) > 0:
        before, after = (significant(value or 0.0) for value in (depth.measured.reference, depth.measured.current))
        return cause("top_k", f"Lists are {after} documents long, {before} before: more are asked for, or logged.", ("health",))
    lists, lengths = e.lists, e.change("list_length")
    if lengths is None or lists.get("share_cut") is None or lengths[1] > lengths[0] - BATCH or e.of("duplicate_ids") is not None:
        return None
    stood_behind = lists["gone_rank"] is None or lists["gone_rank"] >= lists["longest_c"] - BATCH
    if lists["longest_c"] <= lists["longest_r"] - 1 and lists["share_cut"] >= CUT and stood_behind:
        last = (
            "no list holds a document"
            if lists["longest_c"] == 0
            else f"lists end at {plural(round(lists['longest_c']), 'document')}"
        )
        before = significant(lists["longest_r"])
        return cause(
            "top_k", f"{last[0].upper()}{last[1:]}, {before} before: fewer are asked for, or logged.", ("answers", "quality")
        )
    return None


def short(e: Evidence) -> Row | None:
    """Lists are shorter, each by another number of documents."""
    lengths = e.change("list_length")
    if lengths is None or e.of("list_length") is None or lengths[1] > lengths[0] - 0.5 or e.has("top_k", "documents_gone"):
        return None
    empty = e.change("empty") or (0.0, 0.0)
    if lengths[0] - lengths[1] < lengths[0] * (empty[1] - empty[0]) + BATCH / 2:  # the empty ones alone shorten the mean
        return None
    before, after = map(significant, lengths)
    slower = any(
        f.measured.test == "latency" and (f.measured.effect or 0) > 0 and f.measured.p is not None and f.measured.p < SURE
        for f in e.findings
    )
    if e.of("errors") is not None or e.of("latency") is not None or slower:
        sentence = f"Lists are shorter ({before} → {after} documents) where recalls also became slower or failed: searches end before they are done."
        return cause("cut_off", sentence, ("answers", "quality"))
    sentence = (
        f"Lists are shorter ({before} → {after} documents), each by another number: a score floor or a filter drops documents."
    )
    return cause("score_floor", sentence, ("answers", "quality"))


def cached(e: Evidence) -> Row | None:
    """A cache answers more often than it used to."""
    finding = e.of("cache_hits", moved=False)  # more hits are no worse by themselves
    if finding is None or finding.verdict not in MOVED or (finding.measured.effect or 0.0) <= 0:
        return None
    if e.of("overlap") is None and e.of("quality") is None:
        return None
    before, after = finding.measured.reference or 0.0, finding.measured.current or 0.0
    return cause(
        "cache",
        f"The cache answers {share(before)} → {share(after)} of the recalls: it may hand out old lists.",
        ("answers", "quality"),
    )


def segment(e: Evidence) -> Row | None:
    """Recalls with one value of a column or attribute, or with two of two, hold the loss."""
    if e.cell is None or e.has("documents_gone", "documents_renamed"):
        return None
    cell, part = (
        e.cell,
        "All" if e.cell["share_of_change"] >= 1 else share(e.cell["share_of_change"]),
    )  # more where others became better
    sentence = (
        f"{part} of the loss of {cell['metric']} is in {share(cell['share_of_traffic'])} of the recalls: "
        f"{ratio(cell['before'])} → {ratio(cell['after'])} there, {ratio(cell['other_before'])} → {ratio(cell['other_after'])} in the others."
    )
    return cause("one_segment", sentence, ("quality",), **cell)


def order(e: Evidence) -> Row | None:
    """The same documents in another order."""
    overlap, move = e.change("overlap"), e.lists.get("rank_move")
    if overlap is None or move is None or overlap[1] < SAME or overlap[1] < overlap[0] - (1 - SAME) or move < REORDERED:
        return None
    sentence = f"The same documents come back in another order: {significant(move)} ranks from where they were, on average, as after a change of the reranker."
    return cause("order", sentence, ("answers", "quality"))


def other_answers(e: Evidence) -> Row | None:
    """Most queries get other documents, and few of those before have left."""
    if e.of("overlap") is None or e.of("empty") is not None or e.has(*OTHER_LISTS):
        return None
    changed = e.lists.get("share_changed") or 0.0
    if changed < MOST:
        return None
    new = e.change("documents_new")
    known = ", which were shown before too" if new is not None and new[1] < EXPLAINED else ""
    sentence = f"{share(changed)} of the queries get other documents{known}, as after a change of the embedder or the search."
    return cause("other_ranking", sentence, ("answers", "quality"))
