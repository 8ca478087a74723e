"""Plays an agent that answers questions of three steps with several searches; writes searches.jsonl and labels.jsonl beside itself. Seeded."""

import datetime as dt
import hashlib
import json
import random
from pathlib import Path

HERE = Path(__file__).parent
PEOPLE = [
    "Mia",
    "Jon",
    "Aya",
    "Leo",
    "Ida",
    "Max",
    "Noa",
    "Tom",
    "Eva",
    "Kim",
    "Ole",
    "Zoe",
    "Ben",
    "Liv",
    "Ray",
    "Una",
    "Pia",
    "Udo",
    "Sam",
    "Lea",
    "Gil",
    "Fay",
    "Rex",
    "Ivy",
]
STEPS = ("Who is {}'s brother?", "Where does that brother work?", "In which city is that company?")
FOUND = {1: 0.95, 2: 0.80, 3: 0.65}  # how often a step's search brings its fact: each step leans on the one before
WORSE = {1: 0.95, 2: 0.65, 3: 0.35}  # from the fifth day on: the agent's rewriting of later steps broke
DAYS = 7


def main() -> None:
    """24 questions a day, for seven days."""
    draw = random.Random(20261101)
    facts = {(q, hop): f"fact-{3 * q + hop:03}" for q in range(len(PEOPLE)) for hop in (1, 2, 3)}
    others = [f"note-{n:03}" for n in range(60)]
    searches, number = [], 0
    for day in range(DAYS):
        found = FOUND if day < 4 else WORSE
        for q, name in enumerate(PEOPLE):
            number += 1
            at = dt.datetime(2026, 11, 1 + day, 9, tzinfo=dt.UTC) + dt.timedelta(minutes=7 * q, seconds=draw.randint(0, 50))
            for hop, text in enumerate(STEPS, 1):
                ids: list[str] = []
                for _ in range(2):  # a step that found nothing is searched once more; the same query often gets the same list
                    is_found = draw.random() < found[hop]
                    ids = ids if ids and not is_found and draw.random() < 0.7 else draw.sample(others, 5)
                    if is_found:
                        ids = [*ids[:4]]
                        ids.insert(draw.randint(0, 2), facts[q, hop])
                    ms = round(draw.uniform(20, 60), 1)
                    searches.append(
                        {
                            "event_id": f"s{len(searches):04}",
                            "timestamp": at.isoformat().replace("+00:00", "Z"),
                            "trace_id": hashlib.sha256(str(number).encode()).hexdigest()[:32],
                            "question_id": f"q{q:02}",
                            "query_text": text.format(name),
                            "ranked_ids": ids,
                            "top_k": 5,
                            "total_ms": ms,
                            "input_tokens": draw.randint(30, 90),
                        }
                    )
                    at += dt.timedelta(milliseconds=ms + draw.randint(400, 1500))
                    if is_found:
                        break
    labels = [
        {"query_id": f"q{q:02}", "query": f"In which city does {name}'s brother work?", "document_id": facts[q, hop], "hop": hop}
        for q, name in enumerate(PEOPLE)
        for hop in (1, 2, 3)
    ]
    for path, rows in (("searches.jsonl", searches), ("labels.jsonl", labels)):
        (HERE / path).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


if __name__ == "__main__":
    main()
