"""trec_eval's own test outputs: every value of every measure we have, per topic and mean, to their four decimals."""

from pathlib import Path

import pytest
from golden_trec import ELSEWHERE, LEFT_OUT, OTHERWISE, SETTINGS, evaluated, family, measured, ours, published

import recallwatch

OUTPUTS = {  # output file -> the setting that made it
    "out.test": "aq",
    "out.test.a": "aq",
    "out.test.aq": "aq",
    "out.test.aqc": "aqc",
    "out.test.aqcM": "aqcM",
    "out.test.aql": "aql",
    "out.test.meas_params": "meas_params",
    "out.comment.test": "comment",
}
OUTPUTS |= {f"v9.0.8/{name}": setting for name, setting in OUTPUTS.items() if name != "out.comment.test"}
# how many values of a file are compared: a rule that met none would prove nothing
COMPARED = {"out.test": 24, "out.test.a": 82, "out.test.aq": 328, "out.test.aqc": 324, "out.test.aqcM": 324, "out.test.aql": 320}
COMPARED |= {"out.test.meas_params": 80, "out.comment.test": 24}


@pytest.fixture(scope="module")
def folder(shared_data: Path) -> Path:
    """The trec_eval test collection."""
    return shared_data / "trec_eval"


@pytest.mark.parametrize("output", OUTPUTS)
def test_every_value_equals_the_official_output(folder: Path, output: str) -> None:
    """Each measure that has a name of ours equals trec_eval's value to its four decimals, per topic and mean."""
    values = measured(folder, OUTPUTS[output])
    expected = {(measure, topic): text for (measure, topic), text in published(folder / output).items() if ours(measure)}
    for place, measures in OTHERWISE.items():
        if place in output:
            expected = {key: text for key, text in expected.items() if family(key[0]) not in measures}
    found = {(measure, topic): f"{values.get((str(ours(measure)), topic), float('nan')):.4f}" for measure, topic in expected}
    assert found == expected
    if output in COMPARED:
        assert len(expected) == COMPARED[output]


@pytest.mark.parametrize("output", OUTPUTS)
def test_what_is_left_out_is_named(folder: Path, output: str) -> None:
    """A measure of theirs is compared, said in another form, or listed by name as left out."""
    others = {family(measure) for measure, _ in published(folder / output) if not ours(measure)}
    assert others - {*LEFT_OUT, *ELSEWHERE} == set()


def test_the_list_of_left_out_measures_is_not_stale(folder: Path) -> None:
    """Every name on the left-out list occurs in an output."""
    seen = {family(measure) for output in OUTPUTS for measure, _ in published(folder / output)}
    assert set(LEFT_OUT) | set(ELSEWHERE) <= seen


@pytest.mark.parametrize("setting", ["aq", "aqc", "aqcM", "aql"])
def test_relevant_documents_per_topic(folder: Path, setting: str) -> None:
    """n_relevant of a query is their num_rel, n_queries their num_q."""
    expected, found = published(folder / f"out.test.{setting}"), evaluated(folder, setting)
    assert {query["query_id"]: str(query["n_relevant"]) for query in found["queries"]} == {
        topic: value for (measure, topic), value in expected.items() if measure == "num_rel" and topic != "all"
    }
    assert {str(row["n_queries"]) for row in found["metrics"] if not row["metric"].startswith(("judged", "rbp_residual"))} == {
        expected["num_q", "all"]
    }


@pytest.mark.parametrize("measure", ["unj_5", "unj_10", "unj_20"])
def test_unjudged_share_is_the_rest_of_judged(folder: Path, measure: str) -> None:
    """Where k ranks came back and no judgement is below 0, judged@k = 1 - unj_k."""
    values, expected = measured(folder, "aq"), published(folder / "out.test.aq")
    for topic in ("301", "302", "303", "all"):
        assert f"{1 - values[measure.replace('unj_', 'judged@'), topic]:.4f}" == expected[measure, topic]


def test_comments_in_the_judgements_change_nothing(folder: Path) -> None:
    """Lines that begin with # are not judgements."""
    assert measured(folder, "with-comments") == measured(folder, "aq")


def test_only_judged_topics_count(folder: Path) -> None:
    """The passage run asks 301 topics, 31 of them judged: the means are over 31, the rest is counted."""
    counts = evaluated(folder, "comment")["counts"]
    assert (counts["labelled_events"], counts["unlabelled_events"]) == (31, 270)


def test_one_topic_alone(folder: Path) -> None:
    """Topic 302 from files of its own scores what it scores among the others."""
    run, judgements = folder / "results-302.test", folder / "qrels-302.test"
    alone = recallwatch.evaluate(run, judgements, compat="trec_eval", metrics="map,mrr", per_query=True)
    values = alone.to_dict()["queries"][0]["values"]
    assert values == {name: measured(folder, "aq")[name, "302"] for name in ("map", "mrr")}


def test_every_setting_is_used() -> None:
    """No setting stands there unused."""
    assert set(SETTINGS) - set(OUTPUTS.values()) == {"with-comments"}
