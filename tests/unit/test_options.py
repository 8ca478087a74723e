"""Every function declares its options and refuses all others; every value is checked in our own words, before any data is read."""

import inspect
import math

import pytest

import recallwatch
from recallwatch import export
from recallwatch.base.definition import Definition
from recallwatch.base.errors import UsageError
from recallwatch.base.options import Limits, Measures, Period, Reading, Windows
from recallwatch.evaluation.check import check
from recallwatch.export import EXPORTS
from recallwatch.export.evaluations import evaluation_events
from recallwatch.export.parquet import convert
from recallwatch.spark import evaluate_on, ingest_on
from recallwatch.store import ingest
from recallwatch.variants.sweep import Sweep

LOGS, LABELS = "sample_logs/recalls", "sample_logs/labels.jsonl"
PUBLIC = [
    recallwatch.evaluate, recallwatch.drift, recallwatch.compare, recallwatch.lift, recallwatch.pareto, recallwatch.stability,
    recallwatch.suggest_labels, recallwatch.ingest_labels, recallwatch.evaluate_retriever, recallwatch.sweep, recallwatch.score,
    check, convert, ingest, evaluation_events, EXPORTS["gauges"].send,
    Sweep.pareto, Sweep.stability, export.set_gauges, export.evaluation_events, evaluate_on, ingest_on,
]  # fmt: skip


@pytest.mark.parametrize("function", PUBLIC, ids=lambda function: function.__name__)
def test_a_public_function_names_its_parameters(function):
    """The signature has no bare ``**options``, and the docstring has a line for each parameter that is an option."""
    parameters = inspect.signature(function).parameters.values()
    assert not [p for p in parameters if p.kind is inspect.Parameter.VAR_KEYWORD]
    assert "{options}" not in function.__doc__
    if "max_rejects" in inspect.signature(function).parameters:
        assert "max_rejects: Share of bad lines" in inspect.getdoc(function)


@pytest.mark.parametrize(
    ("function", "arguments", "options", "name"),
    [
        (recallwatch.suggest_labels, (LOGS, LABELS), {"window": "day"}, "window"),
        (convert, (LOGS, "never.parquet"), {"gain": "binary"}, "gain"),
        (recallwatch.compare, (LOGS, LABELS), {"a": "v1", "b": "v2", "by": "index_version", "window": "day"}, "window"),
        (recallwatch.compare, (LOGS, LABELS), {"a": "v1", "b": "v2", "by": "index_version", "k": "1,2"}, "k"),
        (recallwatch.lift, (LOGS, LABELS), {"per_query": True}, "per_query"),
        (recallwatch.drift, (LOGS, LABELS), {"k": "1,2", "window": "day"}, "k"),
        (recallwatch.evaluate, (LOGS, LABELS), {"treads": 1}, "treads"),
    ],
)
def test_an_option_that_would_do_nothing_is_refused(function, arguments, options, name):
    """A name that a function does not take is an error that lists the names it takes."""
    with pytest.raises(UsageError, match=f"unknown option '{name}'.*Known: .*max_rejects"):
        function(*arguments, **options)


def test_the_nearest_name_is_offered():
    """A typing error names the option that was meant."""
    with pytest.raises(UsageError, match="Did you mean 'threads'"):
        recallwatch.evaluate(LOGS, LABELS, treads=1)


def test_a_ready_definition_and_single_options_exclude_each_other():
    """What a ready definition says is not said a second time."""
    with pytest.raises(UsageError, match="definition"):
        recallwatch.evaluate(LOGS, LABELS, definition=Definition(), gain="binary")


@pytest.mark.parametrize(
    ("group", "options"),
    [
        (Definition, {"gain": "1=nan"}), (Definition, {"gain": 3}), (Definition, {"rel_level": math.nan}),
        (Definition, {"rel_level": math.inf}), (Definition, {"rel_level": "x"}), (Definition, {"depth": 1.5}), (Definition, {"depth": True}),
        (Definition, {"match_threshold": "nan"}), (Definition, {"match": None}), (Definition, {"unit": []}),
        (Reading, {"max_rejects": math.nan}), (Reading, {"max_rejects": "1e400"}), (Reading, {"max_rejects": -1}),
        (Reading, {"mapped": "x"}), (Reading, {"mapped": {"a": ""}}), (Reading, {"mapped": 3}), (Reading, {"on_bad_line": ""}),
        (Reading, {"profile": ""}), (Reading, {"log_format": 1}),
        (Windows, {"window": "fortnight"}), (Windows, {"timezone": "x'); drop"}), (Windows, {"timezone": None}),
        (Period, {"start": "yesterday"}), (Period, {"end": 3}), (Period, {"start": "2026-02-01", "end": "2026-01-01"}),
        (Limits, {"threads": 0}), (Limits, {"threads": 10**7}), (Limits, {"memory_limit": "4"}), (Limits, {"memory_limit": "0GB"}),
        (Measures, {"k": "0"}), (Measures, {"k": {}}), (Measures, {"metrics": ["recall", 3]}), (Measures, {"metrics": "nope"}),
    ],
)  # fmt: skip
def test_a_wrong_value_is_a_usage_error_of_one_line(group, options):
    """Types, ranges and non-finite numbers are checked where the option is owned; the message names the option."""
    with pytest.raises(UsageError) as told:
        group(**options)
    assert "\n" not in str(told.value)
    assert not [word for word in ("Binder Error", "Input should be", "TypeError", "Traceback") if word in str(told.value)]


def test_values_are_taken_in_the_forms_people_have():
    """Texts of the command line, dates and dicts of the library mean the same."""
    import datetime as dt

    assert Period(start=dt.date(2026, 11, 1)).start == "2026-11-01"
    assert Reading(max_rejects="2%").max_rejects == 0.02
    assert Reading(mapped=["a=b.c"]).mapped == {"a": "b.c"}
    assert Definition(gain={1: 4, 2: 3}).gain == "1=4,2=3"
    assert Measures(metrics="recall,mrr", k=[1, None]).k == (1, None)
