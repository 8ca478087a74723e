"""The contract of labels: raw_labels to the relation ``labels``, and each refusal with its line. labels.py opens the files."""

from collections.abc import Sequence

from ..base.engine import Engine
from ..base.errors import InputError
from . import aliases

UNDERSTOOD = "a number; or true, false, yes, no, relevant, irrelevant; empty = not judged"
NO_ID = "d is null or json_type(d) in ('NULL', 'OBJECT', 'ARRAY')"
NO_TEXT = "t is null or json_type(t) in ('NULL', 'OBJECT', 'ARRAY')"
ALONE = "json_type(expected_texts) = 'ARRAY' and coalesce(json_type(relevant), 'NULL') = 'NULL'"


def finish(engine: Engine) -> None:
    """raw_labels to labels, then refuse what cannot be a label."""
    columns = dict.fromkeys(aliases.LABELS, "varchar") | dict.fromkeys(("has_grade", "has_relevance"), "boolean")
    for column, kind in (columns | dict.fromkeys(("expected_texts", "gold_answers", "pool"), "json")).items():
        engine.run(f"alter table raw_labels add column if not exists {column} {kind}")
    _refuse(engine, "query_id is null and query_text is null", "no query_id and no query text")
    known = engine.run("select array_to_string(label_kinds(), ', ')")[0][0]
    _refuse(engine, "kind_of(kind, judge) is null", f"kind {{}} is unknown (expected {known})", seen="kind")
    _refuse(
        engine,
        "not coalesce(probability_of(inclusion_probability) > 0, inclusion_probability is null)",
        "inclusion_probability {} is no probability (expected a number above 0 and at most 1)",
        seen="inclusion_probability",
    )
    for column in ("valid_from", "valid_to"):
        what = f"{column} {{}} is not a time (expected ISO 8601, a date or an epoch number; empty = without end)"
        _refuse(engine, f"not is_unjudged({column}) and valid_moment({column}) is null", what, seen=column)
    never = "is_never_valid(valid_moment(valid_from), valid_moment(valid_to))"
    what = "valid_from and valid_to {} leave no time at which the label holds (expected valid_from before valid_to)"
    _refuse(engine, never, what, seen="(coalesce(valid_from, '') || ' … ' || coalesce(valid_to, ''))")
    _refuse(engine, "is_misread(hop, hop_of(hop))", "hop {} is not a whole number from 1", seen="hop")
    for column, macro in (("grade", "grade_of"), ("is_relevant", "relevance_of")):
        what = f"{column} {{}} is not a {'number' if column == 'grade' else 'yes or no'} (expected {UNDERSTOOD})"
        _refuse(engine, f"not is_list and is_misread({column}, {macro}({column}))", what, seen=column)
    relevant = "(grade_of(grade) > 0 or relevance_of(is_relevant)) and coalesce(json_type(gold_answers), 'NULL') = 'NULL'"
    _refuse(
        engine,
        f"not is_list and document_id is null and texts_in(expected_texts) is null and {relevant}",
        "a grade, and no document_id",
    )
    _refuse(
        engine,
        "is_list and coalesce(json_type(relevant), 'NULL') not in ('ARRAY', 'OBJECT')"
        " and (coalesce(json_type(relevant), 'NULL') <> 'NULL' or (coalesce(json_type(expected_texts), 'NULL') = 'NULL'"
        " and coalesce(json_type(gold_answers), 'NULL') = 'NULL'))",
        "'relevant' is neither a list nor an object",
    )
    for column in ("relevant", "grades"):
        broken = f"json_type({column}) = 'OBJECT' and list_bool_or(list_transform(entries_in({column}), lambda e: is_misread(e.value, grade_of(e.value))))"
        _refuse(engine, broken, f"a grade in {column!r} is not a number (saw {{}}; expected {UNDERSTOOD})", seen=column)
    ids = """json_transform(relevant, '["JSON"]')"""
    broken = f"json_type(relevant) = 'ARRAY' and list_bool_or(list_transform({ids}, lambda d: {NO_ID}))"
    _refuse(engine, broken, "'relevant' holds something that is no id")
    texts = """json_transform(expected_texts, '["JSON"]')"""
    broken = f"{ALONE} and list_bool_or(list_transform({texts}, lambda t: {NO_TEXT}))"
    _refuse(engine, broken, "'expected_texts' holds something that is no text")
    n_ids = "if(is_list, if(json_type(relevant) = 'ARRAY', json_array_length(relevant), null), 1)"
    other = f"len(texts_in(expected_texts)) <> {n_ids}"
    _refuse(engine, f"coalesce({other}, false)", "as many expected texts as ids are wanted, in the same order")
    mixed = "json_type(relevant) = 'OBJECT' and json_type(expected_texts) not in ('OBJECT', 'NULL')"
    _refuse(engine, mixed, "'relevant' is an object, so 'expected_texts' must be one too: id to text")
    engine.file("1_normalise/labels.sql")
    if not engine.run("select count(*) from labels")[0][0]:
        n = engine.run("select count(*) from unjudged_labels")[0][0]
        raise InputError(f"no labels in there ({n} rows, none judged)" if n else "no labels in there (0 rows)", where="labels")


def _refuse(engine: Engine, condition: str, what: str, *, seen: str = "null") -> None:
    """The first row that meets a condition is an error; ``seen``: SQL of the value for {} in the text."""
    bad = engine.run(f"select file, line, left({seen}::varchar, 60) from raw_labels where {condition} order by file, line limit 1")
    if bad:
        raise InputError(what.format(repr(bad[0][2])), where=f"{bad[0][0]}:{bad[0][1]}")


def one_value(where: str, column: str) -> InputError:
    """A list or object under a name that holds one value."""
    return InputError(
        f"{column} is a list or an object (expected one value)", where=where, fix="A list of ids is called 'relevant'"
    )


def two_grades(where: str, names: Sequence[str]) -> InputError:
    """Two columns that could be the grade."""
    listed = " and ".join(map(repr, names))
    return InputError(f"{listed} could both be the grade", where=where, fix=f"Pass --map grade={names[0]}, or the other one")


def note(engine: Engine, code: str, message: str, n: int, examples: list[str]) -> None:
    """What the reading of labels has to say beside the numbers: a row of the table label_notes."""
    engine.run("create table if not exists label_notes (code varchar, message varchar, n bigint, examples varchar[])")
    engine.run("insert into label_notes values ($1, $2, $3, $4)", [code, message, n, examples])
