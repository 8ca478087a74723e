"""Erased recalls leave every file of a store and stay away; all other files keep their bytes, all other numbers their digits."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path
from typing import Any

import duckdb
import pytest
from command_line import run

import recallwatch
from recallwatch import UsageError
from recallwatch.store import erase, erasure, ingest, open_store
from recallwatch.store.maintenance import info

DAYS = ("2025-03-01", "2025-03-04", "2025-03-07")
LATER = (dt.datetime.now(dt.UTC) + dt.timedelta(days=1)).isoformat()
LABELS = [{"query_id": f"q{n}", "relevant": [f"m{n}"]} for n in range(6)]


def events(day: str, tenants: tuple[str, ...]) -> list[dict[str, Any]]:
    """Six recalls of each tenant in two sessions."""
    return [
        {"event_id": f"{tenant}-{day}-{n}", "timestamp": f"{day}T0{n}:00:00Z", "query_id": f"q{n}", "query_text": f"{tenant} asks {n}",
         "tenant_id": tenant, "session_id": f"{tenant}-s{n % 2}", "ranked_ids": [f"m{n}" if n % 3 else "m0", "x"], "total_ms": 5.0 + n}
        for tenant in tenants
        for n in range(6)
    ]  # fmt: skip


def write(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Logs of three days, the second without acme."""
    (tmp_path / "logs").mkdir()
    for day in DAYS:
        write(tmp_path / "logs" / f"{day}.jsonl", events(day, ("acme", "bolt") if day != DAYS[1] else ("bolt",)))
    with (tmp_path / "logs" / f"{DAYS[0]}.jsonl").open("a") as log:
        log.write('{"tenant_id": "acme", "ranked_ids": 7, "query_id": "q1"}\n')
    write(tmp_path / "labels.jsonl", LABELS)
    return tmp_path


def keep_verdict(store: Path) -> None:
    """One as drift keeps them: it names a query."""
    kept = '{"head": {}, "verdicts": {"2025-03-01T00:00:00Z": {"of": "", "told": "acme asks 1"}}}'
    (store / "aggregates" / "verdicts-0.json").write_text(kept)


def n_events(store: Path) -> int:
    """Recalls that are committed."""
    return int(info(open_store(store))["events"])


def everything(store: Path) -> str:
    """All that stands in a store, Parquet and database unpacked."""
    parts = [path.read_text() for path in store.rglob("*.json")]
    for path in store.rglob("*.parquet"):
        parts += map(str, duckdb.sql(f"from read_parquet('{path}')").fetchall())
    with duckdb.connect(str(store / "recall.duckdb"), read_only=True) as connection:
        for schema, name in connection.sql("select schema_name, table_name from duckdb_tables()").fetchall():
            parts += map(str, connection.sql(f'from "{schema}"."{name}"').fetchall())
    return "\n".join(parts)


def bytes_of(store: Path, *folders: str) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for folder in folders for path in (store / folder).rglob("*") if path.is_file()}


def numbers(result: recallwatch.Evaluation) -> dict[str, Any]:
    return {name: result.to_dict()[name] for name in ("metrics", "latency", "cost", "coverage", "answered")}


def test_a_tenant(place: Path) -> None:
    """What is left is what logs without the tenant give; nothing names it; a log that still has it brings nothing back."""
    store, log = place / "store", place / "logs" / f"{DAYS[0]}.jsonl"
    recallwatch.evaluate(place / "logs", place / "labels.jsonl", store=store, max_rejects="20%")
    keep_verdict(store)
    before = bytes_of(store, "events", "aggregates")
    assert "acme" in everything(store)
    done = run("store", "erase", store, "--tenant", "acme")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("12 recalls of 2 logs erased, 1 excerpt of a rejected line")
    assert "acme" not in everything(store)
    after = bytes_of(store, "events", "aggregates")
    assert any(DAYS[1] in name and "/events/" in name for name in after)
    assert all(after[name] == data for name, data in before.items() if DAYS[1] in name)
    assert not [name for name in before if DAYS[0] in name and name in after]

    (place / "bolt").mkdir()
    for day in DAYS:
        write(place / "bolt" / f"{day}.jsonl", events(day, ("bolt",)))
    assert numbers(recallwatch.evaluate(store=store)) == numbers(recallwatch.evaluate(place / "bolt", place / "labels.jsonl"))
    assert run("store", "verify", store).returncode == 0

    back = {**events(DAYS[0], ("acme",))[0], "event_id": "back", "timestamp": LATER}
    with log.open("a") as grown:
        grown.write(json.dumps(back) + "\n")
    ingest(place / "logs", store=store, max_rejects="20%")
    assert n_events(store) == 18 + 1  # what it logs after the erasure counts again
    runs = [json.loads(path.read_text()) for path in sorted((store / "runs").glob("*.json"))]
    assert [entry["n_events"] for entry in runs if entry["command"] == "erase"] == [12]


@pytest.mark.parametrize("step", ["remember", "_drop_sums", "_without", "renew", "collect_garbage"])
def test_a_killed_erasure_is_finished_by_the_same_call(place: Path, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    """After an end at any step nothing of the tenant is left once the call was made again: no verdict, no sum, no database."""
    store = place / "store"
    recallwatch.evaluate(place / "logs", place / "labels.jsonl", store=store, max_rejects=0.5)
    keep_verdict(store)
    assert "acme" in everything(store)

    def killed(*given: Any, **named: Any) -> Any:
        do(*given, **named)
        raise KeyboardInterrupt

    do = getattr(erasure, step)
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(erasure, step, killed)
        erase(store, tenant="acme")
    erase(store, tenant="acme")
    assert "acme" not in everything(store)


def test_a_session_and_a_time(place: Path) -> None:
    """A session; recalls before a day; nothing to erase changes no byte."""
    store = place / "store"
    ingest(place / "logs", store=store, max_rejects="20%")
    assert erase(store, session="bolt-s1").n_events == 9
    assert erase(store, before=DAYS[1]).to_dict()["days"] == [DAYS[0]]
    assert n_events(store) == 3 + 9
    before = bytes_of(store, "events", "aggregates", "commits", "runs")
    assert erase(store, tenant="nobody").n_events == erase(store, before="2025-03-02").n_events == 0
    assert bytes_of(store, "events", "aggregates", "commits", "runs") == before
    for wrong in ({}, {"tenant": "a", "session": "b"}, {"before": "yesterday"}):
        with pytest.raises(UsageError, match=r"^(erase|--before): "):
            erase(store, **wrong)


def test_retention_in_the_file(place: Path) -> None:
    """A nightly run erases what is older than `retention`, says so, and leaves the rest."""
    config = place / "recallwatch.toml"
    config.write_text(
        'logs = ["logs"]\nlabels = ["labels.jsonl"]\nstore = "store"\nretention = "30d"\nmax_age = "never"\nread.max_rejects = "20%"\n'
    )
    from recallwatch.nightly.run import run as nightly

    now = dt.datetime(2025, 4, 2, 6, tzinfo=dt.UTC)
    done = nightly(config, now=now)
    assert done.night.evaluation["counts"]["events"] == 6 + 12
    assert any("12 recalls from before 2025-03-03 erased" in note for note in done.night.notes)
    config.write_text(config.read_text().replace("30d", "a month"))
    assert "retention: not an age: 'a month'. Write \"400d\"" in run("run", config).stderr
