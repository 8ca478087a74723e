"""Whether log and labels speak of the same queries and documents; a join that finds next to nothing is an error, never a zero."""

from __future__ import annotations

from ..base.engine import Engine
from ..base.errors import InputError
from ..read.label_contract import note

# rule of known_ids.sql that makes a chunk's id its document's -> the pattern of a profile's rule
CHUNKS = {
    "the part before the first #": "^([^#]+)#.*$",
    "the part before the first :": "^([^:]+):.*$",
    "the part before the number of a chunk": "(?i)^(.*?)[#:/_.-]+(?:chunk|part|page|passage)?[_-]?[0-9]+$",
}

# number of relevant documents returned, and of relevant documents: of all sums, or of the first recalls alone
BY_SUMS = """select count(distinct (label_no, document_id)), (select sum(label.n_relevant) from labelled_queries
    where label_no in (select label_no from quality_sums)) from found_sums"""
BY_RECALLS = """with few as (select label_no, judged from recalls where label_no is not null limit {})
    select count(*) filter (len(list_filter(judged.hits, lambda h: h.is_relevant)) > 0), count(*) filter (judged.n_relevant > 0) from few"""
FIRST = (200, 2000)  # recalls that are looked at, and where they find next to nothing


def refuse_unmet(engine: Engine, *, allow: bool, from_sums: bool = False) -> None:
    """Refuse labels whose queries or documents the log does not know under the names the labels give them.

    Args:
        engine: holds ``labels``, ``labelled_queries`` and ``events_once``; with ``from_sums`` the sums, else the view ``recalls``.
        allow: only a note of the labels then.
        from_sums: whether all is summed already; else a look at the first labelled recalls is enough where they find something.

    Raises:
        InputError: no query matches; or next to no labelled document was ever returned, and a rule or another form of id explains it.
    """
    if not from_sums and not engine.run("select exists (select 1 from recalls where label_no is not null)")[0][0]:
        refuse_no_match(engine)
    looks = [BY_SUMS] if from_sums else [BY_RECALLS.format(n) for n in FIRST]
    if not all(is_little_matched(engine, counts) for counts in looks):
        return
    engine.file("6_report/known_ids.sql")
    error, unexplained = unmet(engine)
    if error is not None and not allow:
        raise error
    what = str(error).partition(": ")[2] if error is not None else unexplained
    if what:
        note(engine, "no_known_ids", what, engine.run("select n_labelled - n_known from id_meeting")[0][0], [])


def is_little_matched(engine: Engine, counts: str = BY_SUMS) -> bool:
    """Whether next to nothing relevant came back, where relevance is decided by ids."""
    if not engine.run("select by_id_only() and opt_rankings()")[0][0]:
        return False
    n_matched, n_relevant = engine.run(counts)[0]
    return bool(n_relevant) and n_matched < 0.01 * n_relevant


def unmet(engine: Engine) -> tuple[InputError | None, str]:
    """Of known_ids.sql: what explains that next to no labelled id is known, as an error; else a sentence that nothing does, "" = ids are known."""
    row = engine.rows("from id_meeting")[0]
    if not row["is_apart"]:
        return None, ""
    what = f"{row['n_known']} of {row['n_labelled']} relevant label ids were ever returned, for any query"
    sides = f"labels have {row['label_examples']}, the logs' {row['n_logged']} ids {row['log_examples']}"
    if row["is_by_rule"]:
        why = f"the rule '{row['rule']}' would map {row['n_by_rule']} of them: {row['label_id']!r} = {row['log_id']!r}"
        fix = "Map them by [[ids.labels]] or [[ids.events]] of a --profile, or pass --allow-unmatched"
        if row["rule"] in CHUNKS and len(row["log_id"]) > len(row["label_id"]):
            own = f"[[ids.events]] match = '{CHUNKS[row['rule']]}', replace = '\\1'"
            fix = f"Labels name documents, the log chunks: write {own} in a --profile and pass --duplicates collapse, or pass --allow-unmatched"
    elif row["is_other_form"]:
        why = f"the labels' ids are {row['label_form']}, the logs' are {row['log_form']}"
        fix = "Name the labels of this log, map the ids by a --profile, or pass --allow-unmatched"
    else:
        return None, f"{what}; the {sides}"
    return InputError(f"{what} ({sides}); {why}", where="labels", fix=fix), ""


def refuse_no_match(engine: Engine) -> None:
    """A join without matches is an error with examples of both sides, never a zero."""
    column = {"query_id": "query_id", "query_text": "query_text", "both": "coalesce(query_id, query_text)"}[
        engine.run("select opt_join()")[0][0]
    ]
    sides = [
        engine.run(f"select coalesce(min(q, 2), []), count(q) from (select distinct {column} as q from {relation})")[0]
        for relation in ("events_once", "labelled_queries")
    ]
    (seen, n_seen), (known, n_known) = sides
    what = f"no event matches any label: the logs have {seen} ({n_seen} queries), the labels have {known} ({n_known})"
    if set(seen) & set(known) and not engine.run("select exists (select 1 from labelled_queries where tenant_id is null)")[0][0]:
        logged, labelled = (
            engine.run(f"select coalesce(min(distinct tenant_id, 2), []) from {relation}")[0][0]
            for relation in ("events_once", "labelled_queries")
        )
        what = f"no event matches any label: the queries are the same, the tenants are not: the logs have {logged}, the labels {labelled}"
    shared = engine.run("select min(query_text) from events_once where is_shared_text(tenant_id, query_id, query_text)")[0][0]
    if shared is not None:
        what = f"no event matches any label: recalls have no query_id, and a text that several labelled queries share ({shared!r})"
    raise InputError(what, where="labels", fix="Check that both speak of the same queries, or pass --map query_id=<path>")
