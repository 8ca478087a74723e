"""One query explained: the reason of every expected document, from the log alone."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import command_line
import pytest

import recallwatch

EXPECTED = ["top", "deep", "cut", "dropped", "elsewhere", "nowhere", "gone", "later", "old"]
REASONS = {
    "top": None,
    "deep": "deeper than k",
    "cut": "candidate, cut",
    "dropped": "candidate, reranked out",
    "elsewhere": "no candidate",
    "nowhere": "in no list",
    "gone": "in no list since",
    "later": "in no list yet",
    "old": "in no list of the version",
}


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def recall(number: int, query: str, ids: list[str], **more: Any) -> dict[str, Any]:
    moment = f"2026-03-{1 + number // 24:02}T{number % 24:02}:00:00Z"
    return {
        "event_id": f"e{number}",
        "trace_id": f"{number:032x}",
        "query_id": query,
        "query": f"the {query}?",
        "timestamp": moment,
        "ranked_ids": ids,
        **more,
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A query with a document for each reason; another that gets three of them, at other times and of another version."""
    folder = tmp_path_factory.mktemp("explain")
    got = {"candidate_ids": ["top", "x", "dropped", "deep", "cut"], "total_ms": 5.0, "index_version": "v2"}
    rows = [recall(n, "q1", ["top", "x", "deep", "y"], **got) for n in (30, 31)]
    rows.append(recall(32, "q1", [], status="error", index_version="v2"))
    rows.append(recall(1, "q2", ["gone"]))
    rows += [
        recall(2, "q2", ["old", "elsewhere"], index_version="v1"),
        recall(40, "q2", ["old", "later", "elsewhere"], index_version="v1"),
    ]
    rows.append(recall(41, "q2", ["elsewhere"], index_version="v2"))
    write(folder / "log.jsonl", rows)
    write(folder / "labels.jsonl", [{"query_id": "q1", "relevant": EXPECTED}, {"query_id": "q2", "relevant": ["elsewhere"]}])
    return folder


def test_each_reason_is_named(folder: Path) -> None:
    """Every way a document can miss the first k is told apart; an error is the reason of all of them, and the commonest reason is shown."""
    result = recallwatch.explain("q1", folder / "log.jsonl", folder / "labels.jsonl", k=2)
    rows = {row["document_id"]: row for row in result.documents}
    assert {name: row["reason"] for name, row in rows.items() if name != "top"} == {k: v for k, v in REASONS.items() if k != "top"}
    assert (rows["top"]["n"], rows["top"]["n_returned"], rows["top"]["reason"]) == (3, 2, "the recall failed")
    assert (rows["deep"]["best_rank"], rows["cut"]["best_candidate_rank"], rows["elsewhere"]["n_queries_shown"]) == (3, 5, 1)
    assert [(row["document_id"], row["n"]) for row in result.instead] == [("x", 2)]
    assert result.sides[0]["recall"] == pytest.approx(2 / 27)
    text = str(result)
    assert 'q1 "the q1?": recall@2 0.074' in text
    assert "in no list of any query under index version v2" in text


def test_all_names_of_a_query_find_it(folder: Path) -> None:
    """Id, text in any spacing, event and trace; from logs and from a store the same answer."""
    logs, labels = folder / "log.jsonl", folder / "labels.jsonl"
    by_id = recallwatch.explain("q1", logs, labels, k=2).to_dict()
    for name in ("the  q1? ", "e30", f"{30:032x}"):
        other = recallwatch.explain(name, logs, labels, k=2).to_dict()
        assert other["documents"] == by_id["documents"]
        assert [row["event_id"] for row in other["recalls"] if row["is_named"]] == ([] if "q1" in name else ["e30"])
    recallwatch.evaluate(logs, labels, store=folder / "store")
    stored = recallwatch.explain("q1", folder / "store", k=2).to_dict()
    assert stored == by_id


def test_against_a_moment_or_a_version(folder: Path) -> None:
    """Two sides, each with its own numbers; a moment that divides nothing is refused."""
    for against in ("2026-03-02T07:00:00Z", "2026-03-02 07:00:00+00"):
        result = recallwatch.explain("q1", folder / "log.jsonl", folder / "labels.jsonl", k=2, against=against)
        assert [(row["side"], row["n"]) for row in result.sides] == [("before", 1), ("after", 2)]
    for against in ("2030-01-01", "v9"):
        with pytest.raises(recallwatch.InputError, match="on one side"):
            recallwatch.explain("q1", folder / "log.jsonl", folder / "labels.jsonl", against=against)


@pytest.mark.parametrize("query", ["q9", "'; drop table recalls; --", "", "\x1b[31m", "%", "x" * 5000])
def test_what_the_log_does_not_hold(folder: Path, query: str) -> None:
    """One line that names the nearest, whatever was typed."""
    done = command_line.run("explain", query, folder / "log.jsonl", "--labels", folder / "labels.jsonl")
    assert (done.returncode, done.stdout) == (2, "")
    assert "no recall of" in done.stderr
    assert done.stderr.count("\n") == 1
    assert "\x1b" not in done.stderr


def test_the_sample_night_is_explained() -> None:
    """The hole of index v2 in the sample logs is named for a query that lost its document; every format is written."""
    arguments = ("explain", "q01", "sample_logs/recalls", "--labels", "sample_logs/labels.jsonl", "--against", "v2")
    done = command_line.run(*arguments)
    assert "recall@10 1.000 → 0.625; m017 is missing from 6 of 16 recalls" in done.stdout
    assert "in no list of any query under index version v2: not indexed there" in " ".join(done.stdout.split())
    for kind, mark in (("json", '"documents"'), ("markdown", "| expected |")):
        assert mark in command_line.run(*arguments, "-f", kind).stdout


def test_a_page_has_the_ranks_the_gap_and_the_traces(folder: Path, tmp_path: Path) -> None:
    """By the name of -o: ranks day by day, how far the score of a deeper document is under that of rank k, a link to each trace; no script."""
    rows = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
    scored = [{**row, "scores": [0.9, 0.7, 0.4, 0.1]} if len(row["ranked_ids"]) == 4 else row for row in rows]
    log = write(tmp_path / "log.jsonl", scored)
    result = recallwatch.explain("q1", log, folder / "labels.jsonl", k=2, trace_url="https://traces.example/{trace_id}")
    deep = next(row for row in result.documents if row["document_id"] == "deep")
    assert deep["median_score_gap"] == pytest.approx(0.3)
    assert [(row["n"], row["n_returned"], row["median_rank"]) for row in result.ranks if row["document_id"] == "deep"] == [
        (3, 0, 3.0)
    ]
    assert result.recalls[-1]["trace_url"] == f"https://traces.example/{30:032x}"
    page = tmp_path / "q1.html"
    arguments = ("--labels", folder / "labels.jsonl", "--k", "2", "--trace-url", "https://traces.example/{trace_id}", "-o", page)
    assert command_line.run("explain", "q1", log, *arguments).returncode == 0
    text = page.read_text(encoding="utf-8")
    assert f'href="https://traces.example/{30:032x}"' in text and "rank of deep" in text and "<script" not in text
    assert "javascript:" not in str(
        recallwatch.explain("q1", log, folder / "labels.jsonl", trace_url="javascript:{trace_id}").recalls
    )


def test_a_page_explains_each_query_it_names(folder: Path, tmp_path: Path) -> None:
    """The named query links to its explanation on the same page; redacted, neither its id nor an id of a document is in it."""
    arguments = ("report", folder / "log.jsonl", "--labels", folder / "labels.jsonl", "-o", tmp_path / "page.html")
    assert command_line.run(*arguments).returncode == 0
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert '<a href="#why-1">q1</a>' in text and '<div id="why-1">' in text
    assert command_line.run(*arguments, "--redact", "--redact-ids", env={"RECALLWATCH_SALT": "salt"}).returncode == 0
    hidden = re.sub(r"(?s)<script nonce.*?</script>|<style>.*?</style>", "", (tmp_path / "page.html").read_text(encoding="utf-8"))
    assert '<div id="why-1">' in hidden
    own = hidden.split('<section id="why">')[1].split("</section>")[0]
    assert not re.findall(r"\b(?:dropped|elsewhere|nowhere|q1)\b", own)
