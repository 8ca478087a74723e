"""The worlds in which benchmarks/causes.py plants its faults: a small service, measured nights, and the drift simulator's."""

from __future__ import annotations

import datetime as dt
import json
import math
import os
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

SHARED = Path(__file__).parents[2] / "shared"
DATA = Path(os.environ.get("RECALLWATCH_TEST_DATA") or SHARED / "data") / "cranfield_runs"
YARDSTICKS = Path(os.environ.get("RECALLWATCH_YARDSTICKS") or SHARED / "yardsticks")
DEEP, DAY = 20, 86400
NIGHTS, RECALLS, QUERIES, K = 9, 400, 80, 10
FIRST = dt.datetime(2026, 3, 1, tzinfo=dt.UTC)
Event = dict[str, Any]


def dice(seed: int | str) -> random.Random:
    """Chance that is the same for the same seed."""
    return random.Random(seed)  # noqa: S311 -- a simulation keeps no secret


class World:
    """Documents, questions and their usual lists; all of it of one seed."""

    def __init__(self, seed: int, style: str = "m{n:03}") -> None:
        self.dice, self.name = dice(seed), f"of {seed}"
        self.ids = [self.id_of(n, style) for n in range(200)]
        self.tenant = ["acme" if n < 120 else "bolt" for n in range(200)]
        self.queries = [self._query(number) for number in range(QUERIES)]
        self.labels = [
            {"query_id": q["query_id"], "relevant": self.dice.sample([self.ids[n] for n, _ in q["list"][:8]], 3)}
            for q in self.queries
        ]

    @staticmethod
    def id_of(n: int, style: str) -> str:
        """The id of a document."""
        return style.format(n=n, place=("eu", "us", "ap")[n % 3], folder=("guides", "tickets", "wiki", "mail")[n * 7 % 4])

    def pool(self, event: Event) -> list[int]:
        """The documents that a recall could return."""
        return [n for n in range(200) if self.tenant[n] == event["tenant_id"]]

    def _query(self, number: int) -> Event:
        tenant = "acme" if number % 5 < 3 else "bolt"
        own = self.pool({"tenant_id": tenant})
        scores = sorted((self.dice.betavariate(2, 3) for _ in range(20)), reverse=True)
        return {
            "query_id": f"q{number:02}", "tenant_id": tenant, "query_class": ("lookup", "temporal", "chain")[number % 3],
            "list": list(zip(self.dice.sample(own, 20), scores, strict=True)),
        }  # fmt: skip

    def _user(self, event: str) -> Event:
        """What a log says of who asked; it is by chance, and says nothing of the answer."""
        chance = dice(event + self.name)
        shares = {"region": (4, 3, 2, 1), "device": (6, 3), "app_version": (5, 3, 2), "locale": (3, 3, 2, 1, 1)}
        return {name: f"{name[0]}{chance.choices(range(len(w)), w)[0]}" for name, w in shares.items()}

    def traffic(self, _number: int, recalls: int) -> Iterator[tuple[Event, list[tuple[int, float]], Event]]:
        """Each recall of a night: its query, its candidates, and what else is logged."""
        for _ in range(recalls):
            query = self.queries[min(int(self.dice.expovariate(1 / 18)), QUERIES - 1)]
            found = sorted(((n, s + self.dice.gauss(0, 0.004)) for n, s in query["list"]), key=lambda pair: -pair[1])
            search, rerank = self.dice.lognormvariate(2.0, 0.25), self.dice.lognormvariate(1.0, 0.25)
            yield query, found, {"cache_hit": self.dice.random() < 0.1, "search_ms": search, "rerank_ms": rerank}

    def night(
        self, number: int, fault: Callable[[World, Event, list[tuple[int, float]]], Any] | None = None, recalls: int = RECALLS
    ) -> list[Event]:
        """The recalls of one night; a fault changes the candidates of a recall, and then the event."""
        events = []
        for place, (query, found, more) in enumerate(self.traffic(number, recalls)):
            event: Event = {
                "event_id": f"{number}-{place}", "timestamp": FIRST + dt.timedelta(days=number, seconds=place * 86400 // recalls),
                "query_id": query["query_id"], "tenant_id": query["tenant_id"], "query_class": query["query_class"], "status": "ok",
                **more, **self._user(f"{number}-{place}"), "collection": f"c{dice(query['query_id'] + self.name).randrange(4)}",
            }  # fmt: skip
            change = fault(self, event, found) if fault else None
            first = (change if isinstance(change, list) else found)[:K]
            event.setdefault("ranked_ids", [self.ids[n] for n, _ in first])
            event["scores"] = [s for _, s in first][: len(event["ranked_ids"])]
            event["total_ms"] = event["search_ms"] + event["rerank_ms"]
            events.append(event)
        return events


def scores(query: str) -> list[float]:
    """The scores of a query's candidates, as the small world has them."""
    chance = dice(query)
    return sorted((chance.betavariate(2, 3) for _ in range(DEEP)), reverse=True)


class Cranfield(World):
    """The seven unchanged nights of ``cranfield_runs``: real lists of 20 (10 are handed out) and times of 225 queries over 1,400 documents."""

    UNCHANGED = (1, 2, 3, 4, 5, 13, 14)
    CLASSES = {"short": "lookup", "medium": "temporal", "long": "chain"}  # noqa: RUF012  # names the faults know

    def __init__(self, seed: int, style: str = "m{n:03}") -> None:
        self.dice, self.name = dice(seed), f"of {seed}"
        self.ids = [self.id_of(n, style) for n in range(1401)]
        rows = pq.read_table(DATA / "nightly.parquet").to_pylist()
        self.runs = [
            [row for row in rows if row["run_id"] == f"nightly-{self.dice.choice(self.UNCHANGED):02}"] for _ in range(NIGHTS)
        ]
        self.own = {row["query_id"]: self._query_of(row) for row in rows if row["run_id"] == "nightly-01"}
        self.queries = list(self.own.values())
        labels = [json.loads(line) for line in (DATA / "labels.jsonl").read_text().splitlines()]
        self.labels = [{**row, "document_id": self.ids[int(row["document_id"])]} for row in labels]

    def _query_of(self, row: Event) -> Event:
        found = list(zip(map(int, row["ranked_ids"]), scores(row["query_id"]), strict=False))
        tenant = "acme" if dice(row["query_id"] + self.name).random() < 0.6 else "bolt"
        return {"query_id": row["query_id"], "tenant_id": tenant, "query_class": self.CLASSES[row["query_class"]], "list": found}

    def pool(self, _event: Event) -> list[int]:
        """Any document."""
        return list(range(1, 1401))

    def traffic(self, number: int, recalls: int) -> Iterator[tuple[Event, list[tuple[int, float]], Event]]:
        """One of the measured runs, at its own times of day."""
        run = self.runs[number]
        for row in run[: len(run) * recalls // RECALLS]:
            at = FIRST + dt.timedelta(days=number, seconds=row["ts"].timestamp() % DAY)
            ms = (
                {name: row["stage_ms"][name] or 0.0 for name in ("analyze", "embed", "search_lexical", "search_vector", "fuse")}
                if row["stage_ms"]
                else {}
            )
            fuse = ms.get("fuse") or row["total_ms"] / 2
            query = self.own[row["query_id"]]
            times = {"search_ms": row["total_ms"] - fuse, "rerank_ms": fuse}
            yield query, list(query["list"]), {"timestamp": at, "cache_hit": row["cache_hit"], **times}


class Simulated(World):
    """The drift simulator's traffic: 200 labelled queries and a tail, lists that change from night to night; no document is of two queries."""

    CLASSES = {"howto": "temporal", "entity": "chain"}  # noqa: RUF012  # names the faults know

    def __init__(self, seed: int, style: str = "m{n:03}") -> None:
        sys.path.append(str(YARDSTICKS))
        import drift_sim
        import numpy as np

        self.sim, self.dice, self.name = drift_sim, dice(seed), f"of {seed}"
        self.world, self.chance = drift_sim.World(seed), lambda number: np.random.default_rng([seed, 50 + number])
        self.ids = _Ids(style)
        usual = drift_sim.simulate_window(self.world, self.chance(99), n_events=20 * RECALLS, churn=0.0)
        lists = {int(q): self._first(usual, i) for i, q in enumerate(usual.qid)}
        self.queries = [{"list": self._deep(q, lists.get(q, [])), **self._about(q)} for q in range(self.world.Q)]
        judged = [(q, j) for q in range(self.world.Q) for j in range(50) if self.world.judge_u[q][j] < 0.85]
        rows = [(q, q * 100 + j, 1) for q in range(self.world.Q) for j in range(self.world.R[q])]
        rows += [(q, q * 100 + 10 + j, 0) for q, j in judged]
        self.labels = [{"query_id": f"q{q}", "document_id": self.ids[n], "grade": grade} for q, n, grade in rows]

    def _about(self, q: int) -> Event:
        name = str(self.sim.CLASSES[self.world.cls[q]])
        return {"query_id": f"q{q}", "query_class": self.CLASSES.get(name, name), "tenant_id": "acme"}

    @staticmethod
    def _first(night: Any, i: int) -> list[int]:
        """The list of one recall."""
        return [] if night.rank_idx[i] < 0 else [int(n) for n in night.rankings[night.rank_idx[i]]]

    def _deep(self, q: int, first: list[int]) -> list[tuple[int, float]]:
        """A list of ten, and ten candidates below it."""
        others = dice(f"{q}{self.name}").sample([n for n in range(q * 100 + 10, q * 100 + 60) if n not in first], 50 - len(first))
        return list(zip([*first, *others][:DEEP], scores(f"q{q}"), strict=True))

    def pool(self, event: Event) -> list[int]:
        """The query's own documents."""
        q = int(event["query_id"][1:])
        return [*range(q * 100, q * 100 + 6), *range(q * 100 + 10, q * 100 + 60)]

    def traffic(self, number: int, recalls: int) -> Iterator[tuple[Event, list[tuple[int, float]], Event]]:
        """A night of 1,000 recalls, by the hour."""
        night = self.sim.simulate_window(
            self.world, self.chance(number), n_events=1000 * recalls // RECALLS, day=number, churn=0.05
        )
        for i in sorted(range(night.n), key=lambda i: (int(night.hour[i]), i)):
            q, tenant = int(night.qid[i]), str(self.sim.TENANTS[night.tenant[i]])
            first = self._first(night, i)
            at = FIRST + dt.timedelta(days=number, hours=int(night.hour[i]), seconds=self.dice.randrange(3600))
            ms = {name: float(night.lat[name][i]) for name in ("embed", "ann", "rerank")}
            known = not any(math.isnan(value) for value in ms.values())
            search, rerank = (ms["embed"] + ms["ann"], ms["rerank"]) if known else (25.0, 40.0)
            more = {"timestamp": at, "cache_hit": self.dice.random() < 0.1, "search_ms": search, "rerank_ms": rerank}
            yield {**self._about(q), "tenant_id": tenant}, self._deep(q, first), more


class _Ids:
    """Names of any number of documents, made when they are needed."""

    def __init__(self, style: str) -> None:
        self.style = style

    def __getitem__(self, n: int) -> str:
        return World.id_of(n, self.style)


WORLDS: dict[str, Any] = {"small": World, "cranfield": Cranfield, "simulated": Simulated}
