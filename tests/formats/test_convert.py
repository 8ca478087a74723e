"""convert: canonical Parquet from any format; evaluating it equals evaluating the log."""

from pathlib import Path
from typing import Any

import make_samples
import pyarrow.parquet as pq
import pytest

import recallwatch
from recallwatch.base.errors import InputError, UsageError
from recallwatch.export.parquet import convert

REPOSITORY = Path(__file__).parents[2]
SAMPLE, SAMPLE_LABELS = REPOSITORY / "sample_logs" / "recalls", REPOSITORY / "sample_logs" / "labels.jsonl"


def numbers(result: Any) -> dict[str, Any]:
    """What must be equal: everything but where it was read from."""
    found = result.to_dict()
    counts = {name: n for name, n in found["counts"].items() if name not in ("rejected_lines", "incomplete_tail")}
    return {"counts": counts} | {name: found[name] for name in ("metrics", "latency", "cost", "coverage")}


def test_the_sample_logs(tmp_path: Path) -> None:
    """JSON lines, gzip and Parquet of several schemas become one file with the same numbers."""
    done = convert(SAMPLE, tmp_path / "events.parquet")
    assert done.events == pq.read_metadata(tmp_path / "events.parquet").num_rows
    assert numbers(recallwatch.evaluate(tmp_path / "events.parquet", SAMPLE_LABELS)) == numbers(
        recallwatch.evaluate(SAMPLE, SAMPLE_LABELS)
    )


@pytest.mark.parametrize("name", ["otlp", "langsmith", "phoenix"])
def test_a_trace(tmp_path: Path, name: str) -> None:
    """Recalls picked from spans keep times, stages, tokens and flags."""
    source = make_samples.write(tmp_path, name)
    (tmp_path / "labels.jsonl").write_text('{"query": "q", "relevant": ["d2"]}\n')
    done = convert(source, tmp_path / "events.parquet")
    assert (done.events, done.spans, done.formats) == (1, 3, {name: 1})
    converted, direct = (
        numbers(recallwatch.evaluate(path, tmp_path / "labels.jsonl")) for path in (tmp_path / "events.parquet", source)
    )
    assert converted == direct


def test_labels_of_the_log_go_to_a_file_beside(tmp_path: Path, shared_data: Path) -> None:
    """A log that carries its labels becomes two files; together they give the log's numbers."""
    source = shared_data / "pgmnemo_runs" / "lme_v0.2.1_dense.jsonl.gz"
    done = convert(source, tmp_path / "run.parquet")
    assert done.labels == str(tmp_path / "run.labels.parquet")
    assert numbers(recallwatch.evaluate(tmp_path / "run.parquet", done.labels)) == numbers(recallwatch.evaluate(source))


def test_what_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    """A missing folder is a usage error; the logs are never written over; a log without recalls writes no file."""
    log = make_samples.write(tmp_path, "otlp")
    with pytest.raises(UsageError, match="cannot be written"):
        convert(log, tmp_path / "none" / "events.parquet")
    with pytest.raises(UsageError, match="one of the logs"):
        convert(log, log)
    log.write_text('{"resourceSpans": [{"scopeSpans": [{"spans": [{"traceId": "01", "spanId": "02", "name": "x"}]}]}]}\n')
    with pytest.raises(InputError, match="1 spans, 0 recalls"):
        convert(log, tmp_path / "events.parquet")
    assert not (tmp_path / "events.parquet").exists()
