"""A small made-up service for drift tests: queries with fixed answers, hours with a load, seeded; numbers are ours."""

import datetime as dt

import numpy as np
import pyarrow as pa

START = dt.datetime(2026, 3, 2, tzinfo=dt.UTC)  # a Monday
DAY1, DAY2 = "2026-03-02..2026-03-03", "2026-03-03..2026-03-04"
CLASSES, TENANTS = ("lookup", "howto", "multi_hop"), ("acme", "bolt")
RELEVANT = 4


def labels(queries=60):
    """Four relevant documents and four judged ones without relevance for each query."""
    rows = [(f"q{q}", f"d{q}-{i}", 1 if i < RELEVANT else 0) for q in range(queries) for i in range(2 * RELEVANT)]
    return pa.table({"query_id": [r[0] for r in rows], "document_id": [r[1] for r in rows], "grade": [r[2] for r in rows]})


def day(no, seed=0, *, queries=60, per_hour=60, hours=range(24), lost=None, slow=None, weights=None, unlabelled=0.2, **odd):
    """One day of recalls as columns of lists.

    Args:
        no: days after START.
        seed: of the traffic; the answers never change by themselves.
        queries: number of labelled ones.
        per_hour: recalls.
        hours: of the day.
        lost: fraction of relevant documents that are gone, or a function (query, class, tenant) -> fraction.
        slow: stage -> factor.
        weights: class -> popularity factor.
        unlabelled: share of recalls without labels.
        odd: empty, error, missing, duplicate, null_id, hit: probability; fresh: judged documents replaced by unknown ones;
            prefix: of query ids; version: index version; variant.
    """
    r = np.random.default_rng([seed, no])
    n = per_hour * len(hours)
    popularity = 1 / np.arange(1, queries + 1) ** 0.6
    klass = np.arange(queries) % 3
    for name, factor in (weights or {}).items():
        popularity = np.where(klass == CLASSES.index(name), popularity * factor, popularity)
    q = r.choice(queries, n, p=popularity / popularity.sum())
    tenant = r.integers(0, 2, n)
    known = r.random(n) >= unlabelled
    hour = np.repeat(np.array(list(hours)), per_hour)
    at = [START + dt.timedelta(days=no, hours=int(h), seconds=float(s)) for h, s in zip(hour, r.random(n) * 3600, strict=True)]
    load = 1 + 0.1 * np.sin(hour / 24 * 2 * np.pi)
    base = {"embed": 5.0, "search": 20.0, "rerank": 40.0}
    ms = {s: b * load * (slow or {}).get(s, 1.0) * np.exp(r.normal(0, 0.3, n)) for s, b in base.items()}
    chance = {name: r.random(n) < odd.get(name, 0.0) for name in ("empty", "error", "missing", "duplicate", "null_id", "hit")}
    rows = []
    for i in range(n):
        gone = lost(q[i], CLASSES[klass[q[i]]], TENANTS[tenant[i]]) if callable(lost) else (lost or 0.0)
        ids = _answer(int(q[i]), gone, fresh=odd.get("fresh", 0.0))
        if chance["duplicate"][i]:
            ids[1] = ids[0]
        if chance["null_id"][i]:
            ids[-1] = None
        if chance["empty"][i] or chance["error"][i]:
            ids = []
        stages = {s: float(v[i]) for s, v in ms.items() if not (s == "rerank" and chance["missing"][i])}
        rows.append(
            {
                "event_id": f"e{no}-{i}",
                "timestamp": at[i],
                "query_id": f"{odd.get('prefix', 'q')}{q[i]}" if known[i] else f"u{q[i]}",
                "query_class": CLASSES[klass[q[i]]],
                "tenant_id": TENANTS[tenant[i]],
                "index_version": odd.get("version", "v1"),
                "variant": odd.get("variant", "hybrid"),
                "ranked_ids": ids,
                "stage_ms": None if chance["hit"][i] else list(stages.items()),
                "total_ms": float(sum(v[i] for v in ms.values()) + 3),
                "cache_hit": bool(chance["hit"][i]),
                "status": "error" if chance["error"][i] else "ok",
            }
        )
    return rows


def _answer(q, gone, *, fresh):
    """Ten ids: some relevant documents, judged ones, unknown ones; which are lost depends on the document alone."""
    draw = np.random.default_rng([q, 7]).random(2 * RELEVANT)
    ids = [f"d{q}-{i}" for i in range(RELEVANT) if draw[i] >= max(gone, 0.25)]
    ids += [f"d{q}-{i}" for i in range(RELEVANT, 2 * RELEVANT) if draw[i] >= fresh]
    return (ids + [f"x{q}-{i}" for i in range(10)])[:10]


SCHEMA = pa.schema(
    [
        ("event_id", pa.string()),
        ("timestamp", pa.timestamp("us", "UTC")),
        *((name, pa.string()) for name in ("query_id", "query_class", "tenant_id", "index_version", "variant")),
        ("ranked_ids", pa.list_(pa.string())),
        ("stage_ms", pa.map_(pa.string(), pa.float64())),
        ("total_ms", pa.float64()),
        ("cache_hit", pa.bool_()),
        ("status", pa.string()),
    ]
)


def log(*days):
    """Days as one Arrow table."""
    return pa.Table.from_pylist([row for one in days for row in one], SCHEMA)
