"""The join of labels and events: contradicting labels and joins without matches are refused, else it creates the view `recalls`."""

from collections.abc import Mapping

from ..base.engine import Engine, quoted
from ..base.errors import InputError


def join_labels(engine: Engine, *, log_columns: set[str], facts: Mapping[str, int] | None = None) -> None:
    """Make labelled_queries of labels, and the view `recalls`; refuse labels that contradict each other or join to nothing.

    ``facts`` (counts of 1_normalise/inspect.sql over all events) spare checks that would find nothing.
    Without labels no recall is labelled.
    """
    engine.options(
        **{macro: facts is None or facts[n] > 0 for macro, n in (("some_error", "n_status"), ("some_null_id", "n_null_ids"))}
    )
    is_long = "true" if facts is None else f"{facts['n_records']} > opt_exact_limit()"
    engine.run(f"create or replace macro some_long_group() as {is_long}")
    engine.file("2_judge/labels.sql")
    _finish_periods(engine)
    refuse_texts_alone(engine)
    refuse_answers_alone(engine)
    _refuse_conflicts(engine)
    has_id, has_text, tenants = engine.run(
        """select count(query_id) > 0, count(query_text) > 0,
            coalesce(list(distinct tenant_id order by tenant_id) filter (tenant_id is not null), []) from labelled_queries"""
    )[0]
    by_id, by_text = has_id and "query_id" in log_columns, has_text and "query_text" in log_columns
    if not has_id and not has_text:
        by_id = by_text = True
    if not by_id and not by_text:
        raise InputError(
            f"logs have {', '.join(sorted(log_columns & {'query_id', 'query_text'})) or 'neither query_id nor query_text'}, "
            f"labels have {'query_id' if has_id else 'query_text'}: nothing to join by",
            fix="Pass --map query_id=<path> or --map query_text=<path>; where a recorder hashed the texts, see recallwatch labels hash",
        )
    engine.options(opt_join="both" if by_id and by_text else "query_id" if by_id else "query_text", has_labels=has_id or has_text)
    engine.run(f"create or replace macro opt_tenants() as {quoted(list(tenants))}::varchar[]")
    make_recalls(engine)


def _finish_periods(engine: Engine) -> None:
    """label_periods -> label_periods with what long labels and labels over time need, and labelled_queries."""
    is_dated, is_long = engine.run(
        "select coalesce(bool_or(is_dated), false), coalesce(max(len(label.documents)), 0) >= opt_long_label() from label_periods"
    )[0]
    for name in [*(["expired"] if is_dated else []), *(["long_labels"] if is_long else [])]:
        engine.file(f"2_judge/{name}.sql")
    set_queries(engine)


def set_queries(engine: Engine) -> None:
    """label_periods -> labelled_queries, and whether any label changes over time."""
    engine.options(some_dated_label=engine.run("select coalesce(bool_or(is_dated), false) from label_periods")[0][0])
    engine.file("2_judge/labelled_queries.sql")


def _refuse_conflicts(engine: Engine) -> None:
    conflict = engine.run(
        """select query_key, document_id, is_of_query, ends_empty, first_at, last_at from label_conflicts
        where opt_label_conflicts() = 'error' order by query_key, document_id limit 1"""
    )
    if conflict:
        query, document, is_of_query, ends_empty, first, last = conflict[0]
        nothing, one = "says that nothing is right", f"names {document!r}"
        what = (
            f"document {document!r} of query {query.split(':', 1)[1]!r} has two grades"
            if not is_of_query
            else (
                f"for query {query.split(':', 1)[1]!r} it {nothing if ends_empty else one}, the other {one if ends_empty else nothing}"
            )
        )
        fix = "Remove one, or pass --label-conflicts max, mean, majority, last or drop"
        raise InputError(f"contradicts {first}: {what}", where=last, fix=fix)
    dropped = engine.run(
        """select count(distinct query_key), min_by(first_at, (query_key, document_id)), min_by(last_at, (query_key, document_id)) from label_conflicts
        where opt_label_conflicts() = 'drop' and not exists (select 1 from labelled_queries) having count(*) > 0"""
    )
    if dropped:
        n, first, last = dropped[0]
        raise InputError(
            f"contradicts {first}, and no query is left: {n} of {n} have labels that contradict each other (--label-conflicts drop)",
            where=last,
            fix="Mend the labels, or pass --label-conflicts max, mean, majority or last",
        )
    empty = engine.run(
        """select query_id, query_text from labelled_queries
        where opt_no_relevant() = 'error' and label.n_relevant = 0 order by label_no limit 1"""
    )
    if empty:
        fix = "Label it, or pass --no-relevant skip or zero"
        raise InputError(f"query {empty[0][0] or empty[0][1]!r} has no relevant label", where="labels", fix=fix)


def make_recalls(engine: Engine) -> None:
    """label_periods, labelled_queries and events_once -> the view `recalls`; texts are looked at only where ``--match`` names more than ids."""
    by_question = engine.run("select by_question()")[0][0]
    engine.file("2_judge/questions.sql" if by_question else "2_judge/askings.sql")
    if engine.run("select opt_join() = 'both' and exists (select 1 from labelled_queries where query_id is null)")[0][0]:
        engine.file("2_judge/texts_alone.sql")
    engine.file("2_judge/recalls.sql")
    if engine.run("select exists (select 1 from label_index where label_no is null)")[0][0]:
        engine.file("2_judge/shared_texts.sql")
    if not engine.run("select by_id_only()")[0][0]:
        for name in ("tokens", "match", "recalls_by_text"):
            engine.file(f"2_judge/{name}.sql")
    if by_question:
        engine.file("2_judge/classed_events.sql")


def refuse_texts_alone(engine: Engine) -> None:
    """Labels that have a text and no id, where ids are all that is looked at: nothing could ever be right.

    Raises:
        InputError: there are such labels; with their number and the place of the first.
    """
    rows = engine.run(
        """select min_by(source || ':' || source_line, (source, source_line)), count(*) from labels
        where by_id_only() and document_id = text_id(document_text) having count(*) > 0"""
    )
    if rows:
        what = f"{rows[0][1]} labels have a text and no id, so no id can be right"
        raise InputError(what, where=rows[0][0], fix="Pass --match id,token_f1")


def refuse_answers_alone(engine: Engine) -> None:
    """Refuse labels with a gold answer and no documents where metrics of the ranking are requested.

    Raises:
        InputError: there are such queries; with their number and the place of the first.
    """
    rows = engine.run(
        """select min_by(r.first_at, q.label_no), count(distinct q.label_no), (select count(*) from labelled_queries) from labelled_queries as q
        inner join label_rows as r on r.query_key = q.query_key and r.document_id is null
        where opt_rankings() and q.is_answer_only having count(*) > 0"""
    )
    if rows:
        where, n, n_all = rows[0]
        what = f"{n} of {n_all} queries have a gold answer and no relevant ids, so only answers can be scored"
        fix = "Pass -m answer_exact -m answer_f1 alone, or add the ids ([] for a no-answer query)"
        raise InputError(what, where=where, fix=fix)
