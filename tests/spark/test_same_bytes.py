"""Spark gives the bytes of one machine: files, partitions, formats and errors alike."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from conftest import json_of, one_machine

import recallwatch
from recallwatch.base.errors import InputError, RecallwatchError

ASKED = one_machine.ASKED
FILES = (1, 14, 200)
WHOLE: dict[str, Any] = {"window": "all", "by": (), "k": "5"}


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    """The log in so many Parquet files; 40 of its 340 deliveries are of events already there."""
    folder = tmp_path_factory.mktemp("logs")
    return {files: one_machine.write(one_machine.log(), folder / str(files), files=files) for files in FILES}


@pytest.fixture(scope="module")
def first(logs: dict[int, Path], labels: Path) -> str:
    """One machine, one thread."""
    return json_of(recallwatch.evaluate(logs[1], labels, threads=1, **ASKED))


def on(spark: Any, logs: Any, labels: Path, **options: Any) -> Any:
    from recallwatch.spark import evaluate

    return evaluate(spark, logs, labels, **{"tasks": 2, **ASKED, **options})


def test_one_machine_with_two_threads(first: str, logs: dict[int, Path], labels: Path) -> None:
    """What Spark is compared with depends on no thread."""
    assert json_of(recallwatch.evaluate(logs[14], labels, threads=2, **ASKED)) == first


@pytest.mark.parametrize("files", FILES)
def test_paths(spark: Any, first: str, logs: dict[int, Path], labels: Path, files: int) -> None:
    """Each task reads its files: same bytes for 1, 14 and 200 of them, deliveries of one event in different tasks inside."""
    assert json_of(on(spark, logs[files], labels, tasks=4)) == first


@pytest.mark.parametrize("partitions", [1, 14])
def test_data(spark: Any, first: str, logs: dict[int, Path], labels: Path, partitions: int) -> None:
    """Spark reads the table, and cuts it as it likes: same bytes; the session's own zone changes nothing."""
    zone = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", "America/New_York")
    try:
        frame = spark.read.parquet(str(logs[14])).repartition(partitions, "user", "total_ms")
        assert json_of(on(spark, frame, labels)) == first
    finally:
        spark.conf.set("spark.sql.session.timeZone", zone)


def test_questions(spark: Any, tmp_path: Path) -> None:
    """Searches of one trace in several files and partitions meet, each once: what one machine says of their question, to the byte."""
    log = [{**row, "user": row["event_id"][:-1]} if row["user"] in ("ann", "bob") else row for row in one_machine.log()]
    logs = {files: one_machine.write(log, tmp_path / str(files), files=files) for files in (1, 14)}
    rows = [{**row, "hop": 1 + number % 2} for number, row in enumerate(one_machine.labels())]
    given = one_machine.write_labels(rows, tmp_path / "labels.jsonl")
    options: dict[str, Any] = {"mapped": {"trace_id": "user"}, "metrics": ("recall@5", "wasted", "hop_recall(hop=2)@5")}
    frame = spark.read.parquet(str(logs[14])).repartition(5, "event_id")
    for asked, ways in (({"unit": "trace"}, (logs[14], frame)), ({"unit": "session", "by": (), "window": "all"}, (logs[14],))):
        alone = recallwatch.evaluate(logs[1], given, threads=1, **{**ASKED, **options, **asked})
        assert alone.counts["questions"] > 1 and alone.counts["duplicate_events"] == 40
        for way in ways:
            assert json_of(on(spark, way, given, **options, **asked)) == json_of(alone)


def test_without_labels(spark: Any, logs: dict[int, Path], tmp_path: Path) -> None:
    """No labels: files, a frame and a store that Spark filled say what one machine says, and drift of that store what its logs say."""
    from recallwatch.spark import ingest

    expected = recallwatch.evaluate(logs[1], threads=1, **ASKED)
    assert expected.to_dict()["shown"][0]["n"] > 0
    frame = spark.read.parquet(str(logs[14])).repartition(3, "user")
    for given in (logs[14], frame):
        assert json_of(on(spark, given, None)) == json_of(expected)
    ingest(spark, str(logs[14]), store=str(tmp_path / "store"), tasks=3)
    by_spark = on(spark, None, None, store=str(tmp_path / "store")).to_dict()
    assert by_spark["shown"] == expected.to_dict()["shown"]
    drifts = [
        recallwatch.drift(given, window="day", series=True, incomplete=True).to_dict() for given in (logs[1], tmp_path / "store")
    ]
    assert json.dumps(drifts[0]) == json.dumps(drifts[1])


def lines() -> list[str]:
    """The log as JSON lines, bad ones among them, and an event without a list that only its status explains."""
    rows: list[dict[str, Any]] = [{**row, "stage_ms": dict(row["stage_ms"])} for row in one_machine.log()]
    return [json.dumps(row, default=str) for row in rows] + ["{bad", "INFO start", '{"query_id": "q1"}']


def test_json_lines(spark: Any, tmp_path: Path, labels: Path) -> None:
    """Text is read once and kept by Spark; rejects, their first place and its excerpt are those of one machine.

    One file holds nothing but an error without a result list: read by itself it would be no log at all.
    """
    folder, rows = tmp_path / "logs", lines()
    folder.mkdir()
    for number in range(5):
        (folder / f"part-{number}.jsonl").write_text("".join(row + "\n" for row in rows[number::5]))
    (folder / "part-5.jsonl").write_text(
        json.dumps({"event_id": "x", "timestamp": "2026-10-25T01:00:00Z", "query_id": "q3", "status": "error"}) + "\n"
    )
    options = {**ASKED, "max_rejects": 0.5}
    alone = recallwatch.evaluate(folder, labels, **options)
    assert alone.counts["rejected_lines"] == 3
    assert json_of(on(spark, folder, labels, max_rejects=0.5)) == json_of(alone)


def test_formats_side_by_side(spark: Any) -> None:
    """Parquet, JSON lines and packed JSON lines in one folder: what is spooled and what stays where it is make one log."""
    samples = Path(__file__).parents[2] / "sample_logs"
    given = samples / "labels.jsonl"
    assert len({path.suffix for path in (samples / "recalls").iterdir()}) > 1
    found = on(spark, samples / "recalls", given, **WHOLE)
    assert json_of(found) == json_of(recallwatch.evaluate(samples / "recalls", given, **{**ASKED, **WHOLE}))


def test_traces_in_several_files(spark: Any, tmp_path: Path) -> None:
    """The spans of one recall may stand in two files: one task reads them all."""
    spans = [span(f"{n:032x}", f"{n:016x}", f"q{n % 4}", [f"d{n % 3}", "d1"]) for n in range(1, 41)]
    for number in range(2):
        body = {"resourceSpans": [{"scopeSpans": [{"spans": spans[number::2]}]}]}
        (tmp_path / f"part-{number}.jsonl").write_text(json.dumps(body) + "\n")
    given = one_machine.write_labels([{"query_text": f"q{n}", "document_id": "d1"} for n in range(4)], tmp_path / "labels.json")
    logs = [str(tmp_path / f"part-{number}.jsonl") for number in range(2)]
    found = on(spark, logs, given, **WHOLE)
    assert found.counts["events"] == 40
    assert json_of(found) == json_of(recallwatch.evaluate(logs, given, **{**ASKED, **WHOLE}))


def span(trace: str, name: str, query: str, documents: list[str]) -> dict[str, Any]:
    """An OTLP span of a retrieval, in OpenInference's words."""
    texts = {"openinference.span.kind": "RETRIEVER", "input.value": query} | {
        f"retrieval.documents.{i}.document.id": document for i, document in enumerate(documents)
    }
    return {
        "traceId": trace,
        "spanId": name,
        "name": "retrieve",
        "startTimeUnixNano": "1793000000000000000",
        "endTimeUnixNano": "1793000000012000000",
        "attributes": [{"key": key, "value": {"stringValue": value}} for key, value in texts.items()],
    }


def test_columns_and_types_that_differ_by_file(spark: Any, tmp_path: Path, labels: Path) -> None:
    """A column that only some files have, or have in a narrower type, means the same in every task."""
    import pyarrow.parquet as pq

    folder = tmp_path / "logs"
    folder.mkdir()
    rows = [{"event_id": f"e{n}", "query_id": f"q{n % 20}", "ranked_ids": [f"d{n % 7}", "d1"]} for n in range(60)]
    pq.write_table(pa.Table.from_pylist([{**row, "shard": n % 2} for n, row in enumerate(rows[:20])]), folder / "a.parquet")
    pq.write_table(pa.Table.from_pylist([{**row, "shard": n + 0.5} for n, row in enumerate(rows[20:40])]), folder / "b.parquet")
    pq.write_table(pa.Table.from_pylist(rows[40:]), folder / "c.parquet")
    options: dict[str, Any] = {"by": ("shard",), "window": "all", "timezone": "UTC", "k": "5"}
    assert json_of(on(spark, folder, labels, **options)) == json_of(recallwatch.evaluate(folder, labels, per_query=True, **options))


OPTIONS = [
    {"window": "all", "by": ()},
    {
        "start": "2026-10-25",
        "end": "2026-10-26T12:00:00Z",
        "unit": "query",
        "missing": "zero",
        "percentile": "linear",
        "by": "user",
    },
]


@pytest.mark.parametrize("options", OPTIONS)
def test_options(spark: Any, logs: dict[int, Path], labels: Path, options: dict[str, Any]) -> None:
    """What is asked changes both alike."""
    asked = {**ASKED, **options}
    assert json_of(on(spark, logs[14], labels, **options)) == json_of(recallwatch.evaluate(logs[14], labels, **asked))


def refusal(call: Any) -> tuple[str, str]:
    with pytest.raises(RecallwatchError) as told:
        call()
    return type(told.value).__name__, str(told.value)


def test_refusals(spark: Any, logs: dict[int, Path], tmp_path: Path) -> None:
    """What one machine refuses, Spark refuses in the same words: no match, an unknown slice, a period without events."""
    other = one_machine.write_labels([{"query_id": "nobody", "document_id": "d1"}], tmp_path / "other.jsonl")
    right = one_machine.write_labels(one_machine.labels(), tmp_path / "labels.jsonl")
    for given, options in ((other, {}), (right, {"by": "nonsense"}), (right, {"start": "2031-01-01"})):
        asked = {**ASKED, **options}
        assert refusal(lambda g=given, o=options: on(spark, logs[14], g, **o)) == refusal(
            lambda g=given, a=asked: recallwatch.evaluate(logs[14], g, **a)
        )


def test_a_path_that_no_record_has(spark: Any, tmp_path: Path, labels: Path) -> None:
    """A --map path is an error where no file has a value there; one file alone may lack it."""
    (tmp_path / "logs").mkdir()
    for name, key in (("a", "words"), ("b", "other")):
        row = {"query_id": "q1", "ranked_ids": ["d1"], "timestamp": "2026-03-01T00:00:00Z", key: "words"}
        (tmp_path / "logs" / f"{name}.jsonl").write_text(json.dumps(row) + "\n")
    refused = {}
    for path in ("words", "nowhere"):
        try:
            on(spark, tmp_path / "logs", labels, mapped={"query_text": path}, allow_unmatched=True, **WHOLE)
        except InputError as error:
            refused[path] = str(error)
    assert list(refused) == ["nowhere"]
    assert "--map query_text=nowhere: no " in refused["nowhere"]


def test_an_error_of_a_task_is_one_line(spark: Any, logs: dict[int, Path], labels: Path) -> None:
    """A ranking that repeats an id, where that is refused, is told by the task that sees it, without a trace."""
    with pytest.raises(InputError, match="repeats an id in its ranking"):
        on(spark, logs[14], labels, duplicates="error")


def test_labels_that_logs_carry(spark: Any, tmp_path: Path) -> None:
    """Labels beside the recalls of flat logs are found by the tasks that read them."""
    from recallwatch.spark import evaluate

    for number in range(3):
        rows = [{"query_id": f"q{n % 5}", "ranked_ids": ["a", f"d{n % 3}"], "relevant": [f"d{n % 5}"]} for n in range(number, 20)]
        (tmp_path / f"{number}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert json_of(evaluate(spark, tmp_path, None, tasks=2)) == json_of(recallwatch.evaluate(tmp_path))


TEXTS = [
    {"query_id": f"q{n % 7}", "event_id": f"e{n}", "total_ms": 3.0 + n, "user": f"u{n % 2}"}
    | (
        {"texts": [f"word {n % 5} of q{n % 7}", "something else", *(["Paris is the capital."] if n % 3 else [])]}
        if n % 4
        else {"ranked_ids": ["d0", "x"]}
    )
    | ({"answer": f"answer {n % 3}"} if n % 3 else {})
    for n in range(60)
]
EXPECTED = [
    {
        "query_id": f"q{n}",
        "relevant": [f"d{n}", "e"],
        "expected_texts": [f"a word {n} of q{n}", "paris is the  capital."],
        "gold_answer": "answer 1",
    }
    for n in range(7)
]


@pytest.mark.parametrize("match", ["id,exact,token_f1", "coverage"])
def test_relevance_by_texts(spark: Any, tmp_path: Path, match: str) -> None:
    """--match says the same on Spark: strategies, exact counts, answers, recalls that could not be judged, texts in any task."""
    folder, expected = tmp_path / "logs", tmp_path / "expected.jsonl"
    folder.mkdir()
    for number in range(3):
        (folder / f"part-{number}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in TEXTS[number::3]))
    expected.write_text("".join(json.dumps(row) + "\n" for row in EXPECTED))
    options = {
        "match": match,
        "by": ("user",),
        "window": "all",
        "k": "1,3",
        "metrics": ("recall", "success", "answer_f1"),
        "per_query": True,
    }
    one = recallwatch.evaluate(folder, expected, threads=1, **options)
    assert json_of(on(spark, folder, expected, **options)) == json_of(one)
    document = one.to_dict()
    assert {row["strategy"] for row in document["match"]} - {""} == set(match.split(","))
    assert {"answer_f1", "recall"} == {row["metric"] for row in document["metrics"]} - {"success"}
    assert any(0 < row["exact_found"] < row["relevant_found"] for row in document["metrics"] if row["k"])
