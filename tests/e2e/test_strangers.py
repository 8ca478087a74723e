"""What strangers brought that was read wrong in silence: refused, counted, or told what it is."""

from pathlib import Path
from typing import Any

import pytest
from inputs import evaluated, jsonl, value, warned

from recallwatch.base.errors import InputError

LOG = [{"query_id": "q", "ranked_ids": ["a", "b"]}]
LABELS = [{"query_id": "q", "relevant": ["a"]}]


def test_two_columns_of_one_name(tmp_path: Path) -> None:
    """Two grades in one row of a CSV: the second was not read."""
    path = tmp_path / "labels.csv"
    path.write_text("query_id,document_id,grade,grade\nq,a,0,1\n")
    with pytest.raises(InputError, match=r"labels\.csv:1: two columns are called 'grade'"):
        evaluated(LOG, path)


def test_a_run_is_no_label_file(tmp_path: Path) -> None:
    """Ranks beside scores: every returned document was relevant, so that recall was 1; a caller may say that scores are grades."""
    path = tmp_path / "run.csv"
    path.write_text("query_id,document_id,rank,score\nq,a,1,0.9\nq,b,2,0.1\n")
    with pytest.raises(InputError, match=r"run\.csv: a column of ranks beside scores: a list of results"):
        evaluated(LOG, path)
    assert value(evaluated(LOG, path, mapped={"labels.grade": "score"})) == 1


def test_labels_that_are_not_read_are_named() -> None:
    """Documents said not to be relevant in a list of their own."""
    assert warned(evaluated(LOG, [{**LABELS[0], "hard_negatives": ["b"]}]), "label_columns_not_read") == 1


@pytest.mark.parametrize(("relevant", "seen"), [([{"name": "a"}], r"""\[{"name":"a"}\]"""), ("a, b", '"a, b"')])
def test_a_list_that_is_none_is_shown(relevant: Any, seen: str) -> None:
    """The error says what was seen and what is expected."""
    with pytest.raises(InputError, match=rf"labels:1: 'relevant' .* \(saw '{seen}'; expected ids, or "):
        evaluated(LOG, [{"query_id": "q", "relevant": relevant}])


def test_labels_of_other_tenants_alone() -> None:
    """The queries meet, the tenants do not: the refusal names the tenants of both sides."""
    with pytest.raises(
        InputError, match=r"the queries are the same, the tenants are not: the logs have \['t1'\], the labels \['t2'\]"
    ):
        evaluated([{**LOG[0], "tenant_id": "t1"}], [{**LABELS[0], "tenant_id": "t2"}])


@pytest.mark.parametrize(("status", "n"), [("500", 1), (404, 1), ("cancelled", 1), (200, 0), ("done", 0)])
def test_how_services_say_that_a_search_failed(status: Any, n: int) -> None:
    """Codes of HTTP from 400 on, and words."""
    result = evaluated([{**LOG[0], "status": status}, LOG[0]], LABELS)
    assert (result["counts"]["error_events"], value(result)) == (n, 1 - n / 2)


def test_an_empty_id_names_nothing(tmp_path: Path) -> None:
    """A query or tenant logged as "" is not known: such a recall joins by its text, in a store too, and such a label is none."""
    log = [{"query_id": "", "tenant_id": "", "query": "what", "ranked_ids": ["a"]}, LOG[0]]
    labels = [{"query_id": "", "query": "what", "relevant": ["b"]}, {**LABELS[0], "tenant_id": ""}]
    for result in (evaluated(log, labels), evaluated(jsonl(tmp_path / "l.jsonl", log), labels, store=tmp_path / "store")):
        assert (value(result), result["counts"]["labelled_events"], result["counts"]["labelled_queries"]) == (0.5, 2, 2)
    with pytest.raises(InputError, match="labels:1: no query_id and no query text"):
        evaluated(log, [{"query_id": "", "relevant": ["a"]}])
