"""Which cause is named first on a night with a planted fault; writes the table of docs/causes.md.

    python -m benchmarks.causes [--seeds 1,2,3] [--kinds errors,"score floor"] [--world small] [--write]

A world is a small memory service: 200 documents of two tenants, 80 questions, eight unchanged nights of 400 recalls, and one with the fault.
`recallwatch.drift` reads the nine nights as an Arrow table; the cause it names first is right, unknown or wrong.
"""

from __future__ import annotations

import argparse
import datetime as dt
import random
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

import recallwatch

PAGE = Path(__file__).parents[1] / "docs" / "causes.md"
START, END = "<!-- figures -->", "<!-- end of figures -->"
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


def without(is_gone: Callable[[World, int], bool]) -> Callable[..., Any]:
    """Documents that are in no list of the night."""
    return lambda world, _event, found: [pair for pair in found if not is_gone(world, pair[0])]


def _named(new: Callable[[str], str]) -> Callable[..., Any]:
    def fault(world: World, event: Event, found: list[tuple[int, float]]) -> None:
        event["ranked_ids"] = [new(world.ids[n]) for n, _ in found[:K]]

    return fault


def _cut(_world: World, _event: Event, found: list[tuple[int, float]]) -> list[tuple[int, float]]:
    return found[:5]


def _floor(_world: World, _event: Event, found: list[tuple[int, float]]) -> list[tuple[int, float]]:
    return [pair for pair in found if pair[1] >= 0.42]


def _timeouts(world: World, event: Event, found: list[tuple[int, float]]) -> list[tuple[int, float]]:
    if world.dice.random() > 0.5:
        return found
    event["search_ms"] *= 6
    return found[: world.dice.randrange(1, 6)]


def _reranker(_world: World, event: Event, found: list[tuple[int, float]]) -> list[tuple[int, float]]:
    first = found[:K]
    return dice(event["query_id"]).sample(first, len(first))


def _embedder(world: World, event: Event, found: list[tuple[int, float]]) -> list[tuple[int, float]]:
    chance = dice(event["query_id"] + "new")
    return list(zip(chance.sample(world.pool(event), 20), [s for _, s in found], strict=True))


def _where(**values: str) -> Callable[..., Any]:
    """Other lists for the recalls that have these values."""
    return lambda world, event, found: _embedder(world, event, found) if values.items() <= event.items() else None


def _canary(world: World, event: Event, found: list[tuple[int, float]]) -> list[tuple[int, float]] | None:
    if world.dice.random() > 0.2:
        return None
    event["app_version"] = "next"
    return _embedder(world, event, found)


def _slow(*stages: str, by: float) -> Callable[..., Any]:
    def fault(_world: World, event: Event, _found: Any) -> None:
        for stage in stages:
            event[f"{stage}_ms"] *= by

    return fault


def _share(share: float, change: Callable[[Event, list[str]], Any]) -> Callable[..., Any]:
    def fault(world: World, event: Event, found: list[tuple[int, float]]) -> None:
        if world.dice.random() < share:
            change(event, [world.ids[n] for n, _ in found[:K]])

    return fault


def _cache(world: World, event: Event, found: list[tuple[int, float]]) -> list[tuple[int, float]] | None:
    event["cache_hit"] = world.dice.random() < 0.7
    return _embedder(world, event, found) if event["cache_hit"] else None


def _other_questions(world: World, event: Event, _found: list[tuple[int, float]]) -> Any:
    query = world.dice.choice([q for q in world.queries if q["query_class"] == "chain"])
    event.update({name: query[name] for name in ("query_id", "tenant_id", "query_class") if name in query})
    return list(query["list"])


def _new_questions(world: World, event: Event, _found: list[tuple[int, float]]) -> Any:
    if world.dice.random() < 0.7:
        event["query_id"] = f"n{world.dice.randrange(60)}"


def _nothing(event: Event, _ids: list[str]) -> None:
    event["ranked_ids"] = []


# kind -> (style of the ids, fault, recalls of the night, the causes that are right)
KINDS: dict[str, tuple[str, Callable[..., Any] | None, int, tuple[str, ...]]] = {
    "unchanged": ("m{n:03}", None, RECALLS, ()),
    "shard lost (number modulo)": ("m{n:03}", without(lambda _w, n: n % 6 == 5), RECALLS, ("documents_gone remainder",)),
    "id prefix lost": ("{place}-{n:03}", without(lambda w, n: w.ids[n].startswith("ap")), RECALLS, ("documents_gone prefix",)),
    "folder lost": ("{folder}/{n:03}", without(lambda w, n: w.ids[n].startswith("wiki")), RECALLS, ("documents_gone folder",)),
    "tenant's documents lost": ("m{n:03}", without(lambda w, n: w.tenant[n] == "bolt" and n % 10 < 9), RECALLS, ("documents_gone tenant_id",)),
    "documents lost at random": ("m{n:03}", without(lambda _w, n: n % 11 == n // 11 % 11), RECALLS, ("documents_gone -",)),
    "new chunks": ("m{n:03}#1", _named(lambda d: d[:-1] + "c" + str(len(d))), RECALLS, ("documents_renamed",)),
    "new id namespace": ("m{n:03}", _named(lambda d: "kb:" + d), RECALLS, ("documents_renamed",)),
    "fewer results asked for": ("m{n:03}", _cut, RECALLS, ("top_k",)),
    "score floor": ("m{n:03}", _floor, RECALLS, ("score_floor",)),
    "time-outs cut lists": ("m{n:03}", _timeouts, RECALLS, ("cut_off",)),
    "reranker changed": ("m{n:03}", _reranker, RECALLS, ("order",)),
    "embedder changed": ("m{n:03}", _embedder, RECALLS, ("other_ranking",)),
    "filter on one class": ("m{n:03}", _where(query_class="temporal"), RECALLS, ("one_segment query_class",)),
    "filter on one tenant": ("m{n:03}", _where(tenant_id="bolt"), RECALLS, ("one_segment tenant_id",)),
    "filter on one tenant on one device": ("m{n:03}", _where(tenant_id="acme", device="d1"), RECALLS, ("one_segment device tenant_id",)),
    "filter on one region": ("m{n:03}", _where(region="r1"), RECALLS, ("one_segment region",)),
    "a new version for a fifth": ("m{n:03}", _canary, RECALLS, ("one_segment app_version",)),
    "cache hands out other lists": ("m{n:03}", _cache, RECALLS, ("cache",)),
    "slow stage": ("m{n:03}", _slow("rerank", by=3), RECALLS, ("slow_stage rerank",)),
    "everything slow": ("m{n:03}", _slow("search", "rerank", by=2), RECALLS, ("slow", "slow_stage search")),
    "errors": ("m{n:03}", _share(0.2, lambda e, _ids: e.update(status="error", ranked_ids=[])), RECALLS, ("errors",)),
    "empty lists": ("m{n:03}", _share(0.3, _nothing), RECALLS, ("records empty",)),
    "repeated ids": ("m{n:03}", _share(0.5, lambda e, ids: e.update(ranked_ids=[*ids[:9], ids[0]])), RECALLS, ("records duplicate_ids",)),
    "ids missing": ("m{n:03}", _share(0.3, lambda e, ids: e.update(ranked_ids=[*ids[:9], None])), RECALLS, ("records null_ids",)),
    "other mix of questions": ("m{n:03}", _other_questions, RECALLS, ("traffic", "labels")),
    "new questions": ("m{n:03}", _new_questions, RECALLS, ("labels", "traffic")),
    "a tenth of the traffic": ("m{n:03}", None, RECALLS // 10, ("traffic",)),
}  # fmt: skip


OF_TENANTS = ("tenant's documents lost",)  # only in the small world do documents belong to tenants


def first_cause(kind: str, seed: int, make: Callable[[int, str], World] = World) -> str:
    """The cause named first on the night of the fault, with its segment, stage or trait; empty = nothing got worse."""
    style, fault, recalls, _ = KINDS[kind]
    world = make(seed, style)
    nights = [event for number in range(NIGHTS - 1) for event in world.night(number)]
    logs = pa.Table.from_pylist([*nights, *world.night(NIGHTS - 1, fault, recalls)])
    at = FIRST + dt.timedelta(days=NIGHTS - 1)
    sides = {"reference": f"{FIRST:%Y-%m-%d}..{at:%Y-%m-%d}", "current": f"{at:%Y-%m-%d}..{at + dt.timedelta(days=1):%Y-%m-%d}"}
    causes = recallwatch.drift(logs, world.labels, **sides).to_dict()["causes"]
    return told(causes[0]) if causes else ""


def told(cause: dict[str, Any]) -> str:
    """A cause in two words."""
    detail = ""
    if cause["cause"] == "documents_gone":
        detail = cause["traits"][0]["trait"] if cause["traits"] else "-"
    elif cause["cause"] == "one_segment":
        detail = " ".join(cause["segment"])
    else:
        detail = cause.get("stage", "") or " ".join(cause.get("tests", []))
    return f"{cause['cause']} {detail}".strip()


def verdict(kind: str, named: str) -> str:
    """right, unknown or wrong."""
    expected = KINDS[kind][3]
    if not expected:
        return "right" if not named else "wrong"
    if named in expected or named.partition(" ")[0] in expected:
        return "right"
    unshared = "documents_gone -"  # the documents are known, and not what they share
    return "unknown" if named in ("", "unknown") or (named == unshared and expected[0].startswith("documents_gone")) else "wrong"


def main() -> None:
    """Measure, print, and put the table into the page where asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", default="1,2,3")
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--world", default="small", help="small, cranfield or simulated (benchmarks/causes_worlds.py)")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    from .causes_worlds import WORLDS

    seeds, start = [int(seed) for seed in given.seeds.split(",")], START.replace("figures", f"figures, {given.world}")
    lines = ["| fault | right | unknown | wrong | named otherwise |", "|---|---:|---:|---:|---|"]
    whole: Counter[str] = Counter()
    for kind in given.kinds.split(","):
        if given.world != "small" and kind in OF_TENANTS:
            continue
        named = [first_cause(kind, seed, WORLDS[given.world]) for seed in seeds]
        counts = Counter(verdict(kind, name) for name in named)
        whole += counts
        others = sorted({name or "nothing" for name in named if verdict(kind, name) != "right"})
        lines.append(f"| {kind} | {counts['right']} | {counts['unknown']} | {counts['wrong']} | {', '.join(others)} |")
        print(lines[-1], flush=True)
    lines.append(f"| **all** | {whole['right']} | {whole['unknown']} | {whole['wrong']} | |")
    print(lines[-1])
    if given.write:
        text = PAGE.read_text(encoding="utf-8")
        before, _, rest = text.partition(start)
        after = rest.partition(END)[2]
        PAGE.write_text(
            f"{before}{start}\n{len(seeds)} worlds a fault.\n\n" + "\n".join(lines) + f"\n{END}{after}", encoding="utf-8"
        )


if __name__ == "__main__":
    main()
