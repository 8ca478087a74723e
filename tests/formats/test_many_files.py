"""Many small files, and single records larger than a block."""

import json
import resource
from collections.abc import Iterator
from pathlib import Path

import make_samples
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from format_reading import found_in

from recallwatch.read import MANY, are_many_small

FILES, LIMIT = 2000, 200


@pytest.fixture
def few_open_files() -> Iterator[None]:
    """The process may hold so many files open beyond those it has, and no more."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (len(list(Path("/proc/self/fd").iterdir())) + LIMIT, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.usefixtures("few_open_files")
def test_many_files_in_few_open_ones(tmp_path: Path) -> None:
    """Ten times as many logs as may be open at once: every record is read, from its own file."""
    for number in range(FILES):
        (tmp_path / f"{number:05d}.jsonl").write_text(
            json.dumps({"event_id": f"e{number}", "query_id": "q", "ranked_ids": ["a"]}) + "\n"
        )
    found = found_in(tmp_path)
    assert len(found.events) == FILES
    assert len({event["source"] for event in found.events}) == FILES
    assert found.logs.formats == {"flat": FILES}


def test_many_small_parquet_files_keep_their_names(tmp_path: Path) -> None:
    """Files so small that they are kept in one: every recall still says which file and row it came from."""
    for number in range(MANY + 1):
        rows = pa.table({"query_id": ["q", "r"], "ranked_ids": [["a"], ["b"]]})
        pq.write_table(rows, tmp_path / f"{number:02d}.parquet")
    assert are_many_small(sorted(tmp_path.iterdir()))
    found = found_in(tmp_path)
    assert {(event["source"], event["source_line"]) for event in found.events} == {
        (str(file), row) for file in tmp_path.iterdir() for row in (1, 2)
    }


def test_a_trace_record_of_50_mb(tmp_path: Path) -> None:
    """One OTLP request far larger than a block, between two of usual size: recalls of all three."""
    path = make_samples.write(tmp_path, "otlp")
    before = len(found_in(path).events)
    usual = json.loads(next(line for line in path.read_text().splitlines() if line.strip().startswith("{")))
    spans = usual["resourceSpans"][0]["scopeSpans"][0]["spans"]
    filler = {"key": "page", "value": {"stringValue": "x" * 50_000_000}}
    spans.append({"traceId": "ab" * 16, "spanId": "cd" * 8, "name": "load page", "attributes": [filler]})
    path.write_text(path.read_text().rstrip("\n") + "\n" + json.dumps(usual) + "\n")
    found = found_in(path)
    assert len(found.events) == before
    assert not found.rejects
    assert any(span["span_id"] == "cd" * 8 and len(span["attributes"]["page"]) == 50_000_000 for span in found.spans)
