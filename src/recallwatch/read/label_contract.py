"""The contract of labels: raw_labels to the relation ``labels``, and each refusal with its line. labels.py opens the files."""

from collections.abc import Sequence
from typing import NamedTuple

from ..base.engine import Engine
from ..base.errors import InputError
from . import aliases

UNDERSTOOD = "a number; or true, false, yes, no, relevant, irrelevant; empty = not judged"
NO_ID = "d is null or json_type(d) in ('NULL', 'OBJECT', 'ARRAY')"
NO_TEXT = "t is null or json_type(t) in ('NULL', 'OBJECT', 'ARRAY')"
MOMENTS = {"valid_from": "since", "valid_to": "until"}  # each is looked at by several rules, and long to bind
ROWS = f"(select *, {', '.join(f'valid_moment({column}) as {name}' for column, name in MOMENTS.items())} from raw_labels)"
ALONE = "json_type(expected_texts) = 'ARRAY' and coalesce(json_type(relevant), 'NULL') = 'NULL'"
NOTES = ("label_notes", "code varchar, message varchar, n bigint, examples varchar[]")


class Rule(NamedTuple):
    """What no row of raw_labels may be.

    Args:
        condition: SQL; true = the row is refused.
        what: the words of the error.
        seen: SQL of the value for {} in them.
    """

    condition: str
    what: str
    seen: str = "null"


def finish(engine: Engine) -> None:
    """raw_labels to labels; a row that cannot be a label is refused."""
    columns = dict.fromkeys(aliases.LABELS, "varchar") | dict.fromkeys(("has_grade", "has_relevance"), "boolean")
    columns |= dict.fromkeys(("expected_texts", "gold_answers", "pool"), "json")
    nulls = ", ".join(f"null::{kind} as {column}" for column, kind in columns.items())
    engine.run(f"create or replace table raw_labels as from raw_labels union all by name select {nulls} where false")
    _refuse(engine, _rules(engine.run("select array_to_string(label_kinds(), ', ')")[0][0]))
    engine.file("1_normalise/labels.sql")
    if not engine.run("select count(*) from labels")[0][0]:
        n = engine.run("select count(*) from unjudged_labels")[0][0]
        raise InputError(f"no labels in there ({n} rows, none judged)" if n else "no labels in there (0 rows)", where="labels")


def _rules(kinds: str) -> list[Rule]:
    """All rules, in the order they are told; a condition may count on those before it."""
    of_time = [
        Rule(
            f"not is_unjudged({column}) and {moment} is null",
            f"{column} {{}} is not a time (expected ISO 8601, a date or an epoch number; empty = without end)",
            column,
        )
        for column, moment in MOMENTS.items()
    ]
    of_values = [
        Rule(
            f"not is_list and is_misread({column}, {macro}({column}))",
            f"{column} {{}} is not a {kind} (expected {UNDERSTOOD})",
            column,
        )
        for column, macro, kind in (("grade", "grade_of", "number"), ("is_relevant", "relevance_of", "yes or no"))
    ]
    return [
        Rule("nullif(query_id, '') is null and query_text is null", "no query_id and no query text"),
        Rule("kind_of(kind, judge) is null", f"kind {{}} is unknown (expected {kinds})", "kind"),
        Rule(
            "not coalesce(probability_of(inclusion_probability) > 0, inclusion_probability is null)",
            "inclusion_probability {} is no probability (expected a number above 0 and at most 1)",
            "inclusion_probability",
        ),
        *of_time,
        Rule(
            f"is_never_valid({', '.join(MOMENTS.values())})",
            "valid_from and valid_to {} leave no time at which the label holds (expected valid_from before valid_to)",
            "coalesce(valid_from, '') || ' … ' || coalesce(valid_to, '')",
        ),
        Rule("is_misread(hop, hop_of(hop))", "hop {} is not a whole number from 1", "hop"),
        *of_values,
        Rule(
            "not is_list and document_id is null and texts_in(expected_texts) is null"
            " and (grade_of(grade) > 0 or relevance_of(is_relevant)) and coalesce(json_type(gold_answers), 'NULL') = 'NULL'",
            "a grade, and no document_id",
        ),
        *_of_lists(),
    ]


def _of_lists() -> list[Rule]:
    """Those of lists in a row."""
    of_grades = [
        Rule(
            f"json_type({column}) = 'OBJECT' and list_bool_or(list_transform(entries_in({column}), lambda e: is_misread(e.value, grade_of(e.value))))",
            f"a grade in {column!r} is not a number (saw {{}}; expected {UNDERSTOOD})",
            column,
        )
        for column in ("relevant", "grades")
    ]
    n_ids = "if(is_list, if(json_type(relevant) = 'ARRAY', json_array_length(relevant), null), 1)"
    return [
        Rule(
            "is_list and coalesce(json_type(relevant), 'NULL') not in ('ARRAY', 'OBJECT')"
            " and (coalesce(json_type(relevant), 'NULL') <> 'NULL' or (coalesce(json_type(expected_texts), 'NULL') = 'NULL'"
            " and coalesce(json_type(gold_answers), 'NULL') = 'NULL'))",
            "'relevant' is neither a list nor an object (saw {}; expected ids, or id to grade)",
            "relevant",
        ),
        *of_grades,
        Rule(
            f"""json_type(relevant) = 'ARRAY' and list_bool_or(list_transform(json_transform(relevant, '["JSON"]'), lambda d: {NO_ID}))""",
            "'relevant' holds something that is no id (saw {}; expected ids, or an object of id to grade)",
            "relevant",
        ),
        Rule(
            f"""{ALONE} and list_bool_or(list_transform(json_transform(expected_texts, '["JSON"]'), lambda t: {NO_TEXT}))""",
            "'expected_texts' holds something that is no text",
        ),
        Rule(
            f"coalesce(len(texts_in(expected_texts)) <> {n_ids}, false)",
            "as many expected texts as ids are wanted, in the same order",
        ),
        Rule(
            "json_type(relevant) = 'OBJECT' and json_type(expected_texts) not in ('OBJECT', 'NULL')",
            "'relevant' is an object, so 'expected_texts' must be one too: id to text",
        ),
    ]


def _refuse(engine: Engine, rules: Sequence[Rule]) -> None:
    """The first rule that a row breaks is an error, with the first such row: one look at the rows for all rules."""
    broken = " ".join(f"when {rule.condition} then {number}" for number, rule in enumerate(rules))
    row = f"select *, case {{}} end as broken from {ROWS}"
    first = engine.run(f"select broken, file, line from ({row.format(broken)}) where broken is not null order by all limit 1")
    if first:
        number, file, line = first[0]
        seen = f"select left(({rules[number].seen})::varchar, 60) from {ROWS} where file = $1 and line = $2 and {rules[number].condition} limit 1"
        raise InputError(rules[number].what.format(repr(engine.run(seen, [file, line])[0][0])), where=f"{file}:{line}")


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
    engine.run("create table if not exists {} ({})".format(*NOTES))
    engine.run("insert into label_notes values ($1, $2, $3, $4)", [code, message, n, examples])
