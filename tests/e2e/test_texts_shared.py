"""Labels that join by text: one without a query_id beside others with one, and a text that several labelled queries share."""

from pathlib import Path
from typing import Any

import pytest
from inputs import evaluated, jsonl, value, warned

from recallwatch.base.errors import InputError

Rows = list[dict[str, Any]]


def by_each_path(tmp_path: Path, log: Rows, labels: Rows) -> list[dict[str, Any]]:
    """The same evaluation of dicts, of files, and of a store."""
    files = jsonl(tmp_path / "log.jsonl", log), jsonl(tmp_path / "labels.jsonl", labels)
    found = [evaluated(log, labels, k="1"), evaluated(*files, k="1"), evaluated(*files, k="1", store=tmp_path / "store")]
    assert all(one["metrics"] == found[0]["metrics"] and one["warnings"] == found[0]["warnings"] for one in found)
    return found


def test_a_label_by_text_holds_where_no_label_has_the_id(tmp_path: Path) -> None:
    """A label without query_id beside one with query_id: a recall whose id no label has is found by its text, as where no label has an id."""
    log = [{"query_id": "q1", "query": "x", "ranked_ids": ["a"]}, {"query_id": "q7", "query": "what", "ranked_ids": ["n"]}]
    labels = [{"query_id": "q1", "relevant": ["a"]}, {"query": "what", "relevant": ["b"]}]
    for result in by_each_path(tmp_path, log, labels):
        assert (value(result, k=1), result["counts"]["labelled_events"], warned(result, "queries_missing")) == (0.5, 2, 0)


@pytest.mark.parametrize("log_has_ids", [True, False])
def test_a_text_of_several_labels(tmp_path: Path, log_has_ids: bool) -> None:
    """A recall without query_id whose text several labels have is not labelled, once, and counted; it was scored by each of them."""
    named = [{"query_id": "q1", "ranked_ids": ["a"]}] if log_has_ids else []
    log = [*named, {"query": "what", "ranked_ids": ["b"]}, {"query": "y", "ranked_ids": ["c"]}]
    labels = [
        {"query_id": "q1", "query": "what", "relevant": ["a"]},
        {"query": "what", "relevant": ["b"]},
        {"query": "y", "relevant": ["c"]},
    ]
    for result in by_each_path(tmp_path, log, labels):
        counts = result["counts"]
        assert (counts["labelled_events"], counts["unlabelled_events"]) == (1 + log_has_ids, 1)
        assert (value(result, k=1), warned(result, "events_of_shared_texts")) == (1.0, 1)


def test_texts_are_shared_within_a_tenant(tmp_path: Path) -> None:
    """A tenant's own label and one of all tenants share a text: recalls of others know theirs."""
    log = [{"query": "what", "tenant_id": tenant, "ranked_ids": ["b"]} for tenant in ("t1", "t2", None)]
    labels = [
        {"query_id": "1", "query": "what", "tenant_id": "t1", "relevant": ["a"]},
        {"query_id": "2", "query": "what", "tenant_id": None, "relevant": ["b"]},
    ]
    for result in by_each_path(tmp_path, log, labels):
        assert (value(result, k=1), result["counts"]["labelled_events"], warned(result, "events_of_shared_texts")) == (1.0, 2, 1)


def test_nothing_but_shared_texts(tmp_path: Path) -> None:
    """No recall can be labelled: the refusal says why."""
    labels = [{"query_id": one, "query": "what", "relevant": [one]} for one in "ab"]
    with pytest.raises(InputError, match=r"recalls have no query_id, and a text that several labelled queries share \('what'\)"):
        evaluated([{"query": "what", "ranked_ids": ["a"]}], labels)
