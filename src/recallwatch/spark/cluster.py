"""A Spark session: jobs over parts or frames, and their rows."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ..base.errors import RecallwatchError, UsageError, first_line
from .shipment import SPARK_ROW, Shipment, raise_first
from .tasks import run

NEEDED = "pip install 'recallwatch[spark]'"


class SparkError(RecallwatchError):
    """Spark itself failed: lost its cluster, ran out of something. Exit 1."""


def session(master: str) -> Any:
    """A session on a master: local[2], local-cluster[…], spark://…, sc://… (Spark Connect).

    Raises:
        UsageError: pyspark is not installed, or the master is not there.
    """
    try:
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise UsageError("--engine spark needs pyspark", fix=NEEDED) from error
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName("recallwatch").config("spark.sql.session.timeZone", "UTC")
    if master.startswith("sc://"):
        builder = builder.remote(master)
    else:
        if master.startswith("local"):
            os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        builder = builder.master(master).config("spark.ui.enabled", "false").config("spark.ui.showConsoleProgress", "false")
    try:
        spark = builder.getOrCreate()
    except Exception as error:  # Py4J, gRPC and Java each raise their own
        raise UsageError(
            f"no Spark there ({first_line(error)})", where=f"--master {master}", fix="Check the address, and that Java is installed"
        ) from error
    if not master.startswith("sc://"):
        spark.sparkContext.setLogLevel("ERROR")
    return spark


def is_frame(given: Any) -> bool:
    """Whether logs are a Spark DataFrame, classic or Connect."""
    return hasattr(given, "mapInArrow")


def slots(spark: Any) -> int:
    """Tasks that run at once; Spark Connect does not say, so two."""
    try:
        return max(1, int(spark.sparkContext.defaultParallelism))
    except Exception:  # a Connect session has no context
        return 2


class Cluster:
    """The jobs of one evaluation, and the frames that Spark stores until it ends.

    Args:
        spark: a session, which stays the caller's.
        tasks: how many a job is cut into at most.
    """

    def __init__(self, spark: Any, *, tasks: int) -> None:
        self.spark, self.tasks = spark, tasks
        self._persisted: list[Any] = []

    def parts(self, parts: Sequence[Any], *, first: int = 0) -> Any:
        """A DataFrame with one partition a part, each holding its number."""
        return self.spark.range(first, first + len(parts), 1, len(parts))

    def job(self, frame: Any, name: str, shipment: Shipment) -> Any:
        """A DataFrame of ROW: one job over a frame, computed lazily."""
        return frame.mapInArrow(functools.partial(run, name, shipment), SPARK_ROW)

    def keep(self, frame: Any) -> Any:
        """The same frame, computed once; on the workers' disks, because it may be large."""
        from pyspark import StorageLevel

        persisted = frame.persist(StorageLevel.DISK_ONLY)
        self._persisted.append(persisted)
        return persisted

    def rows(self, frame: Any) -> list[Any]:
        """The rows of a frame, by kind and number; raises the first error of a task."""
        with _spark_errors():
            collected = frame.collect()
        raise_first([bytes(row.blob) for row in collected if row.kind == "error"])
        return sorted(collected, key=lambda row: (row.kind, row.number or 0, bytes(row.blob or b"")))

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *_: object) -> None:
        for frame in self._persisted:
            frame.unpersist()


@contextmanager
def _spark_errors() -> Iterator[None]:
    try:
        yield
    except RecallwatchError:
        raise
    except Exception as error:  # Py4J, gRPC and Java each raise their own
        raise SparkError(
            f"Spark failed ({first_line(error)})", where="--engine spark", fix="See the log of its driver and executors"
        ) from error
