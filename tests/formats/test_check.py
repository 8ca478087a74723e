"""check: the doctor's long form, and its exit code."""

import json
from pathlib import Path
from typing import Any

import make_samples
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from command_line import run

from recallwatch.evaluation.check import FINDINGS, Check, check


def codes(found: Check) -> dict[str, dict[str, Any]]:
    return {finding["code"]: finding for finding in found.findings}


def log_of(folder: Path, *lists: list[str], **more: Any) -> Path:
    """A flat log: query q0, q1, … with these lists."""
    path = folder / "log.jsonl"
    path.write_text("".join(json.dumps({"query_id": f"q{i}", "ranked_ids": ids, **more}) + "\n" for i, ids in enumerate(lists)))
    return path


def labels_of(folder: Path, *lists: list[str], **more: Any) -> Path:
    """Labels of q0, q1 and so on."""
    path = folder / "labels.jsonl"
    path.write_text("".join(json.dumps({"query_id": f"q{i}", "relevant": ids, **more}) + "\n" for i, ids in enumerate(lists)))
    return path


def test_a_sound_log_has_nothing_to_say(tmp_path: Path) -> None:
    """Fine: exit 0; per column the path it came from and how often it is filled."""
    found = check(log_of(tmp_path, ["a", "b"], ["b", "a"]), labels_of(tmp_path, ["a"], ["a"]), k="2")
    assert found.exit_code == 0
    columns = {row["column"]: row for row in found.columns}
    assert columns["ranked_ids"] == {"column": "ranked_ids", "paths": ["ranked_ids"], "n": 2, "n_filled": 2}
    assert found.read["formats"] == [{"format": "flat", "files": 1, "meaning": "one JSON object or Parquet row a recall"}]


@pytest.mark.parametrize(
    ("ids", "code", "example"),
    [
        (["D8:6; D9:17"], "packed_ids", "D8:6; D9:17"),
        (["doc:1"], "other_spelling", "no prefix before : / or #: doc:1 = 1 (1 ids)"),
        (["A"], "other_spelling", "lower case: A = a (1 ids)"),
        (["007"], "other_spelling", "no leading zeros: 007 = 7 (1 ids)"),
        (["nowhere"], "unknown_ids", "nowhere"),
    ],
)
def test_label_ids_that_cannot_match(tmp_path: Path, ids: list[str], code: str, example: str) -> None:
    """Each oddity by name, with an example and the rule that would map it."""
    found = codes(check(log_of(tmp_path, ["1", "7", "a"], ["1"]), labels_of(tmp_path, ids, ["1"])))
    assert example in found[code]["examples"]


def test_numbers_without_meaning_are_exit_3(tmp_path: Path) -> None:
    """No label id was ever returned, or no query is labelled: not a warning."""
    log = log_of(tmp_path, ["a"], ["b"])
    assert codes(check(log, labels_of(tmp_path, ["x"], ["y"])))["no_known_ids"]["severity"] == "warn"
    (tmp_path / "labels.jsonl").write_text('{"query_id": "other", "relevant": ["a"]}\n')
    found = check(log, tmp_path / "labels.jsonl")
    assert codes(found)["meaningless"]["message"].startswith("labels: no event matches any label")
    assert found.exit_code == 3


def test_pool_and_chance(tmp_path: Path) -> None:
    """A known pool gives what chance alone scores; k that reaches the pool is named."""
    found = check(log_of(tmp_path, ["a", "b"], ["b"]), labels_of(tmp_path, ["a"], ["b"]), k="1,4", pool_size=4)
    assert [(row["k"], row["expected_recall"]) for row in found.chance] == [(1, 0.25), (4, 1.0)]
    assert codes(found)["k_reaches_pool"]["n"] == 2


def test_shared_and_repeated_ids(tmp_path: Path) -> None:
    """An id of two conversations, and a list that holds one id twice."""
    (tmp_path / "log.jsonl").write_text(
        '{"query_id": "q0", "ranked_ids": ["D1", "D1"], "session_id": "s1"}\n{"query_id": "q1", "ranked_ids": ["D1"], "session_id": "s2"}\n'
    )
    found = codes(check(tmp_path / "log.jsonl", labels_of(tmp_path, ["D1"], ["D1"])))
    assert found["shared_ids"]["examples"] == ["D1"]
    assert found["repeated_ids"]["n"] == 1


def test_classes_that_contradict_their_labels(tmp_path: Path) -> None:
    """A multi-hop question with one label."""
    found = codes(check(log_of(tmp_path, ["a"], ["b"]), labels_of(tmp_path, ["a"], ["b"], query_class="multi-hop")))
    assert found["class_contradicts"]["n"] == 2


@pytest.mark.parametrize(
    ("run", "repeats"), [("locomo_v0.2.1_session", 263), ("locomo_v0.3.0_session", None), ("locomo_v0.4.0_session_hybrid", None)]
)
def test_the_collisions_of_the_locomo_session_runs(shared_data: Path, run: str, repeats: int | None) -> None:
    """263 to 299 lists of ten repeat an id, as ids of all conversations were compared bare; the counts are those of expected.json."""
    path = shared_data / "pgmnemo_runs" / f"{run}.jsonl.gz"
    expected = json.loads((path.parent / "expected.json").read_text())[path.name]["rows_with_repeated_id"]
    found = codes(check(path))
    assert found["repeated_ids"]["n"] == expected == (repeats or expected)
    assert 263 <= expected <= 299
    assert found["shared_ids"]["n"] > 20


def test_the_mixed_definition_of_pgmnemo(shared_data: Path) -> None:
    """BM25's logged recall@10 is a hit rate: its mean is our success@10."""
    found = check(shared_data / "pgmnemo_runs" / "lme_v0.2.1_bm25.jsonl.gz")
    (finding,) = [f for f in found.findings if f["code"] == "other_definition" and "recall@10" in f["message"]]
    assert "is not our recall@10 (0.9476): it agrees with our success@10" in finding["message"]


def test_the_malformed_references_of_locomo(shared_data: Path) -> None:
    """Nine of its references are no turn: packed, of another shape, spelled with a zero, or never returned; all are named."""
    found = codes(check(shared_data / "pgmnemo_runs" / "locomo_v0.2.1_turn.jsonl.gz"))
    assert found["packed_ids"]["examples"] == [
        "D21:18 D21:22 D11:15 D11:19",
        "D22:1 D22:2 D9:10 D9:11",
        "D8:6; D9:17",
        "D9:1 D4:4 D4:6",
    ]
    assert found["odd_ids"]["examples"] == ["D", "D:11:26"]
    assert found["other_spelling"]["examples"] == ["no leading zeros: D30:05 = D30:5 (1 ids)"]


def test_traces_without_recalls(tmp_path: Path, shared_data: Path) -> None:
    """The plain sentence, as a finding; by the command: on stdout, exit 3, JSON where asked for."""
    path = shared_data / "telemetry" / "otlp2parquet" / "traces.jsonl"
    done = run("check", path, "-f", "json")
    assert done.returncode == 3
    (finding,) = json.loads(done.stdout)["findings"]
    assert finding["code"] == "no_recalls"
    assert finding["message"].startswith("19 spans, 0 recalls, 0 records rejected: no retrieval spans with ids; looked for")


def test_the_text_of_a_trace_with_recalls(tmp_path: Path) -> None:
    """What was read, from where, and that there are no labels."""
    text = str(check(make_samples.write(tmp_path, "langfuse")))
    assert text.startswith(
        "3 spans (0 duplicates), 1 recall, 0 records rejected · labels: none\n1 file read as langfuse (Langfuse traces or observations)\n"
    )
    assert "no labels given" in text


@pytest.mark.parametrize("form", ["txt", "jsonl", "parquet"])
def test_ids_the_corpus_does_not_have(tmp_path: Path, form: str) -> None:
    """--corpus names label ids no search can return, and returned ids of another corpus; its size is the pool."""
    ids = ["a", "b", "7"]
    corpus = tmp_path / f"corpus.{form}"
    if form == "parquet":
        pq.write_table(pa.table({"id": ids}), corpus)
    else:
        corpus.write_text("".join(f"{i}\n" if form == "txt" else json.dumps({"_id": i, "text": "a text"}) + "\n" for i in ids))
    found = check(log_of(tmp_path, ["a", "x"], ["b"]), labels_of(tmp_path, ["a", "gone"], ["b"]), corpus=corpus, k="2")
    by_code = codes(found)
    assert by_code["labels_not_in_corpus"]["examples"] == ["gone"]
    assert by_code["unknown_ids"]["examples"] == ["gone"]
    assert by_code["returned_not_in_corpus"]["examples"] == ["x"]
    assert found.chance[0]["expected_recall"] == pytest.approx(2 / 3)


def test_ranks_no_label_speaks_of(tmp_path: Path) -> None:
    """Of the ranks within k that hold nothing relevant: how many are judged; the rest only counts as a miss."""
    log = log_of(tmp_path, ["a", "b", "c", "d"])
    labels = labels_of(tmp_path)
    labels.write_text(json.dumps({"query_id": "q0", "relevant": {"a": 1, "b": 0}}) + "\n")
    finding = codes(check(log, labels, k="3"))["unjudged_slots"]
    assert finding["n"] == 2
    assert "1 of them judged" in finding["message"]


def test_every_code_of_the_sql_is_known() -> None:
    """A finding made in sql/ has its words in FINDINGS."""
    folder = Path(__file__).parents[2] / "sql" / "6_report"
    text = "".join((folder / f"check_{name}.sql").read_text() for name in ("labels", "lists", "corpus"))
    made = {line.split("'")[1] for line in text.splitlines() if line.startswith("select '")}
    assert made == set(FINDINGS)
