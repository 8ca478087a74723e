"""A small Spark on this machine, the same for all tests here; they are skipped where Java or pyspark is not installed."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "property"))  # the log whose bytes are compared on one machine
import test_bytes as one_machine

MEMORY = "--driver-memory 1g --conf spark.sql.shuffle.partitions=4 pyspark-shell"  # must be said before the JVM starts


@pytest.fixture(scope="session", autouse=True)
def spark_is_there() -> None:
    """Java and pyspark, or a skip that names what is missing."""
    pytest.importorskip("pyspark", reason="pyspark is not installed: pip install 'recallwatch[spark]'")
    pytest.importorskip("pandas", reason="pyspark's Arrow functions need pandas: pip install 'recallwatch[spark]'")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("Java is not installed (Debian: apt-get install default-jre-headless)")
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    os.environ.setdefault("PYSPARK_SUBMIT_ARGS", MEMORY)


@pytest.fixture(scope="module")
def spark(spark_is_there: None) -> Iterator[Any]:
    """local[2]; ended with its module, because one process has one session."""
    from recallwatch.spark import session

    found = session("local[2]")
    yield found
    found.stop()


@pytest.fixture(scope="session")
def labels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Graded labels of 22 of the log's 25 queries."""
    return one_machine.write_labels(one_machine.labels(), tmp_path_factory.mktemp("labels") / "labels.jsonl")


def json_of(result: Any) -> str:
    """The JSON without the `read` block, which says what was read and is no result.

    Also without the key of sql/, so that a file edited while the tests run is not taken for another number.
    """
    found = result.to_dict()
    del found["read"], found["state_key"]
    return json.dumps(found)
