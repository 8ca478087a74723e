"""Spark's workers fill a store in a bucket, and sum its days there."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import SAMPLES

import recallwatch

STORE = "s3://bucket/store"
ASKED: dict[str, Any] = {"window": "day", "k": "5"}


@pytest.fixture
def spark(bucket: Any) -> Iterator[Any]:
    """local[2]; made after the bucket, because its workers learn the endpoint from the environment."""
    pytest.importorskip("pyspark", reason="pyspark is not installed: pip install 'recallwatch[spark]'")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("Java is not installed (Debian: apt-get install default-jre-headless)")
    from recallwatch.spark import session

    found = session("local[2]")
    yield found
    found.stop()


def test_logs_and_store_in_a_bucket(sample: Any, spark: Any, tmp_path: Path) -> None:
    """Ingest and evaluate on Spark, everything on object storage: the bytes of a local store of one machine."""
    from recallwatch.spark import evaluate

    labels = SAMPLES / "labels.jsonl"
    found = evaluate(spark, "s3://bucket/logs", labels, store=STORE, tasks=2, **ASKED).to_dict()
    alone = recallwatch.evaluate("s3://bucket/logs", labels, store=tmp_path / "store", **ASKED).to_dict()
    assert json.dumps(found) == json.dumps(alone)
    assert not sample.exists("bucket/store/writer.lock")
