"""Which cause is named first on a night with a planted fault; writes the table of docs/causes.md.

    python -m benchmarks.causes [--seeds 1,2,3] [--kinds errors,"score floor"] [--world small] [--write]

A world is a small memory service: 200 documents of two tenants, 80 questions, eight unchanged nights of 400 recalls, and one with the fault.
`recallwatch.drift` reads the nine nights as an Arrow table; the cause it names first is right, unknown or wrong.
"""

from __future__ import annotations

import argparse
import datetime as dt
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa

import recallwatch

from .causes_worlds import FIRST, NIGHTS, RECALLS, WORLDS, Event, K, World, dice

PAGE = Path(__file__).parents[1] / "docs" / "causes.md"
START, END = "<!-- figures -->", "<!-- end of figures -->"


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
