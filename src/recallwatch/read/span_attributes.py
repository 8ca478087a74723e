"""``--map`` on traces: a path from an attribute's name on, as the attribute in which a recall's column is looked for."""

from collections.abc import Mapping

from ..base.engine import Engine, quoted
from ..base.errors import InputError
from .flat_paths import of_logs
from .record_paths import json_path, steps_of

# the attribute in which recalls_from_spans.sql looks for a column first
MAPPED = {
    "query_id": "query.id",
    "query_text": "gen_ai.retrieval.query.text",
    "query_class": "query.class",
    "tenant_id": "tenant.id",
    "session_id": "session.id",
    "variant": "variant",
    "index_version": "index_version",
    "data_source_id": "gen_ai.data_source.id",
    "top_k": "gen_ai.retrieval.top_k",
    "input_tokens": "gen_ai.usage.input_tokens",
    "output_tokens": "gen_ai.usage.output_tokens",
    "cost_usd": "cost_usd",
    "cache_hit": "cache.hit",
    "ranked_ids": "recallwatch.documents",
}


RETRIEVAL = "retrieval"  # --map retrieval=NAME or ATTRIBUTE=VALUE: which spans retrieve, beside those that say so themselves


def retrieves(mapped: Mapping[str, str]) -> str:
    """SQL of whether a span is one of those that ``--map retrieval=…`` names: by its name, * any letters, or by an attribute's value."""
    attribute, equals, value = mapped[RETRIEVAL].partition("=")
    if equals:
        return f"coalesce({attribute_at(attribute.strip(), 'text')} = {quoted(value.strip())}, false)"
    return f"coalesce(name glob {quoted(attribute)}, false)"


def of_spans(mapped: Mapping[str, str]) -> dict[str, str]:
    """The columns that ``--map`` names."""
    return of_logs({column: path for column, path in mapped.items() if column != RETRIEVAL})


def named_attributes(mapped: Mapping[str, str]) -> str:
    """SQL that gives spans the attributes ``--map`` names, under the names that are looked for.

    Raises:
        InputError: a column that a span has by itself, such as its time.
    """
    values = []
    for column, path in of_spans(mapped).items():
        if column not in MAPPED:
            what = f"--map {column}={path}: a trace's {column} is that of the span"
            raise InputError(what, fix=f"Of traces can be named: {', '.join(MAPPED)}")
        value = attribute_at(path, "strings" if column == "ranked_ids" else "text")
        values.append(f"{{'key': {quoted(MAPPED[column])}, 'value': {value}}}")
    if RETRIEVAL in mapped:
        values.append(f"{{'key': 'gen_ai.operation.name', 'value': if({retrieves(mapped)}, 'retrieval', null)}}")
    more = f"map_from_entries(list_filter([{', '.join(values)}], lambda rw_e: rw_e.value is not null))"
    both = f"map_concat(attributes, {more})"
    return f"replace ({both} as attributes, told_of({both}) as told)" if values else ""


def attribute_at(path: str, kind: str) -> str:
    """SQL of what a path leads to: an attribute of that name, or the rest of the path in an attribute that holds JSON.

    ``input`` and ``output`` are also what vendors call the span's own; ``kind`` ``strings``: a list of ids as JSON.
    """
    steps = steps_of(path)
    choices = []
    for n in range(len(steps), 0, -1):
        names = [".".join(steps[:n])] + ([f"{steps[0]}.value"] if n == 1 and steps[0] in ("input", "output") else [])
        rest = json_path(steps[n:])
        for name in names:
            held = f"attributes[{quoted(name)}]"
            inside = f"json_extract_string(if(json_valid({held}), {held}, null), {quoted(rest)})"
            if kind == "strings":
                ids = inside if "[*]" in rest else f"json_transform({inside if n < len(steps) else held}, '[\"VARCHAR\"]')"
                choices.append(f"to_json(list_transform(nullif({ids}, []), lambda rw_x: {{'id': rw_x}}))::varchar")
            elif "[*]" in rest:
                choices.append(f"{inside}[1]")
            else:
                choices.append(inside if n < len(steps) else held)
    return f"coalesce({', '.join(choices)})"


def refuse_unnamed(engine: Engine, spans: str, mapped: Mapping[str, str]) -> None:
    """Refuse a path that leads no span to a value; ``spans``: SQL of all of them."""
    if RETRIEVAL in mapped and not engine.run(f"select exists (select 1 from {spans} where {retrieves(mapped)})")[0][0]:
        names = engine.run(f"select name from {spans} where name is not null group by name order by count(*) desc, name limit 5")
        what = f"--map retrieval={mapped[RETRIEVAL]}: no such span (names: {', '.join(row[0] for row in names)} …)"
        raise InputError(what, fix="Name a span, with * for any letters, or ATTRIBUTE=VALUE")
    for column, path in of_spans(mapped).items():
        there = f"select exists (select 1 from {spans} where reject_reason is null and {attribute_at(path, 'text')} is not null)"
        if not engine.run(there)[0][0]:
            what = f"--map {column}={path}: no span has a value there (expected: an attribute's name, then a path in it)"
            raise InputError(what, fix="Mend the path, or leave it out")
