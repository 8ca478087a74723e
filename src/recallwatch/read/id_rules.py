"""Id rules of a profile as SQL, for the ids of a log and of its labels; dropped ids are collected in a list."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from ..base.engine import Engine, quoted
from ..base.errors import InputError, UsageError

if TYPE_CHECKING:  # most logs need no profile, whose models take long to load
    from .profile import Profile, Rule

DROPPED = "dropped_references"  # (query_id, reference, source, source_line): label references no rule could read


def ruled(sql: str, rules: list[Rule], column: Callable[[str], str]) -> str:
    """SQL of an id after all rules; null = dropped, or nothing left of it."""
    for rule in rules:
        if rule.strip_prefix is not None:
            sql = f"if(starts_with({sql}, {quoted(rule.strip_prefix)}), substr({sql}, {len(rule.strip_prefix) + 1}), {sql})"
        elif rule.compose is not None:
            from .profile import pieces_of

            pieces = [
                quoted(text) if not is_path else sql if text == "id" else column(text) for is_path, text in pieces_of(rule.compose)
            ]
            sql = f"({' || '.join(pieces)})"
        else:
            pattern, replacement = quoted(rule.match), quoted(rule.replace)
            rewritten = f"regexp_replace(regexp_extract({sql}, {pattern}), {pattern}, {replacement})"
            sql = f"if(regexp_matches({sql}, {pattern}), {rewritten}, {sql if rule.unmatched == 'keep' else 'null'})"
    return f"nullif({sql}, '')" if rules else sql


def shown(rules: list[Rule]) -> str:
    """Rules as their file has them, for errors."""
    return "; ".join(
        ", ".join(f"{name} = {value!r}" for name, value in rule.model_dump(exclude_defaults=True).items()) for rule in rules
    )


def _refuse_all_dropped(engine: Engine, left: str) -> None:
    """Labels of which no id is left after the rules; ``left``: SQL of the labels that have one."""
    first, n = engine.run(f"select min(reference), count(*) from {DROPPED}")[0]
    if n and not engine.run(f"select exists ({left})")[0][0]:
        what = f"the rules leave no id of any label (saw {n} ids, the first {first!r})"
        raise InputError(what, where="[[ids.labels]]", fix="Mend the rules of the profile")


def event_column(name: str) -> str:
    """A name in ``compose`` beside the log's ids: a canonical column or an attribute of the record."""
    canonical = ("query_id", "query_text", "query_class", "tenant_id", "session_id", "variant", "index_version", "data_source_id")
    return name if name in canonical else f"attributes[{quoted(name)}]"


def label_column(name: str) -> str:
    """The same beside the ids of a label file."""
    if name not in ("query_id", "query_text", "tenant_id", "query_class", "judged_by"):
        known = "Known: id, query_id, query_text, tenant_id, query_class, judged_by"
        raise UsageError(f"ids.labels: compose cannot use {{{name}}}", where="profile", fix=known)
    return name


def mapped_ids(column: str, rules: list[Rule]) -> str:
    """A list of ids after the rules; a dropped one keeps its slot as an unknown id."""
    return f"list_transform({column}, lambda d: {ruled('d', rules, event_column)})"


def carried_labels(profile: Profile, spool: str, keys: Mapping[str, str]) -> str:
    """SQL of the labels a log carries, in the shape of raw_labels, and of what their rules dropped; ``keys``: column -> attribute.

    A query whose every reference is dropped has no label: an empty list would say that nothing is right.
    """
    rules = profile.ids.labels
    carried, texts, gold = (f"attributes[{quoted(keys[c])}]::json" for c in ("relevant", "expected_texts", "gold_answers"))
    names = (
        f"case coalesce(json_type({carried}), 'NULL') when 'ARRAY' then json_transform({carried}, '[\"VARCHAR\"]') "
        f"when 'OBJECT' then json_keys({carried}) when 'NULL' then null else [{carried} ->> '$'] end"
    )
    ids_sql = f"list_filter(list_transform(names, lambda d: {ruled('d', rules, event_column)}), lambda d: d is not null)"
    dropped = f"list_filter(names, lambda d: {ruled('d', rules, event_column)} is null)"
    entries = f"entries_in({carried})"
    mapped = f"list_transform({entries}, lambda e: {{'key': {ruled('e.key', rules, event_column)}, 'value': e.value}})"
    graded = f"if(json_type({carried}) = 'OBJECT', object_of(list_filter({mapped}, lambda e: e.key is not null)), to_json(kept))"
    still = f"list_filter(json_transform({texts}, '[\"JSON\"]'), lambda t, i: {ruled('names[i]', rules, event_column)} is not null)"
    renamed = f"list_transform(entries_in({texts}), lambda e: {{'key': {ruled('e.key', rules, event_column)}, 'value': e.value}})"
    texts_sql = (
        f"case when json_type({texts}) = 'OBJECT' then object_of(list_filter({renamed}, lambda e: e.key is not null)) "
        f"when len(dropped) > 0 and json_array_length({texts}) = len(names) then to_json({still}) else {texts} end"
    )
    return f"""(select query_id, query_text, tenant_id, null::varchar as document_id, null::varchar as grade, null::varchar as is_relevant, query_class,
        {graded} as relevant, null::json as grades,
        {gold} as gold_answers, true as is_list, {texts_sql} as expected_texts, source as file, source_line as line, dropped
        from (select *, {ids_sql} as kept, {dropped} as dropped from (select *, {names} as names from {spool} where reject_reason is null))
        where names is not null or {texts} is not null)"""


def take_carried(engine: Engine, labels: str) -> None:
    """Labels of the log itself -> raw_labels and the list of dropped references."""
    engine.run(f"create or replace table carried_labels as select * from ({labels})", what="the labels of the log")
    engine.file("1_normalise/carried_labels.sql")
    _refuse_all_dropped(engine, "select 1 from raw_labels")


def map_labels(engine: Engine, profile: Profile) -> None:
    """The ids of ``labels`` (of a file of their own) by the profile's rules."""
    rules = profile.ids.labels
    if not rules:
        return
    mapped = f"if(document_id = text_id(document_text), document_id, {ruled('document_id', rules, label_column)})"
    engine.run(
        f"""create or replace table {DROPPED} as
        select query_id, document_id as reference, source, source_line from labels where document_id is not null and {mapped} is null"""
    )
    engine.run(
        f"""create or replace table labels as
        select * replace ({mapped} as document_id) from labels where document_id is null or {mapped} is not null"""
    )
    _refuse_all_dropped(engine, "select 1 from labels where document_id is not null")
