"""The same inputs give the same bytes: row order, file split, threads and the machine's time zone move no digit."""

import json
import os
import subprocess
import sys

import numpy as np
import pyarrow.parquet as pq
import pytest

import recallwatch

from . import world


@pytest.fixture(scope="module")
def table():
    return world.log(world.day(0, per_hour=30), world.day(1, per_hour=30, lost=0.4, slow={"rerank": 1.3}))


def text(logs, labels, **options):
    return json.dumps(recallwatch.drift(logs, labels, reference=world.DAY1, current=world.DAY2, **options).to_dict())


def test_order_split_and_threads_move_no_digit(table, tmp_path):
    """Shuffled rows in three files, one and two threads: equal bytes."""
    first = text(table, world.labels(), threads=1)
    order = np.random.default_rng(1).permutation(table.num_rows)
    for part in range(3):
        pq.write_table(table.take(order[part::3]), tmp_path / f"part{part}.parquet")
    assert text(str(tmp_path), world.labels(), threads=2) == first


def test_the_machines_time_zone_moves_no_digit(table, tmp_path):
    """A process under another TZ writes the same bytes."""
    pq.write_table(table, tmp_path / "log.parquet")
    pq.write_table(world.labels(), tmp_path / "labels.parquet")
    code = (
        "import sys, json, recallwatch\n"
        f"r = recallwatch.drift(sys.argv[1], sys.argv[2], reference='{world.DAY1}', current='{world.DAY2}', timezone='Europe/Berlin', threads=1)\n"
        "print(json.dumps(r.to_dict()))"
    )
    seen = [
        subprocess.run(
            [sys.executable, "-c", code, str(tmp_path / "log.parquet"), str(tmp_path / "labels.parquet")],
            env={**os.environ, "TZ": zone},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for zone in ("UTC", "America/St_Johns")
    ]
    assert seen[0] == seen[1]
    assert json.loads(seen[0])["reference"]["from"] == "2026-03-01T23:00:00Z"
