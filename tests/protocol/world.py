"""A small benchmark of our own: two conversations, six sessions, a protocol, logs of a run, and what is done to them."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from recallwatch.base.files import sha256_of
from recallwatch.protocol import declaration, files
from recallwatch.protocol import execution as runner

TURNS = {"c1": {"1": 2, "2": 3, "3": 2}, "c2": {"1": 2, "2": 2, "3": 1}}  # conversation -> session -> turns
QUESTIONS = (  # conversation, question, category, evidence
    ("c1", "Where does Ana work?", 1, ["D1:1", "D2:3"]),
    ("c1", "When did Ana move?", 2, ["D3:2"]),
    ("c1", "What does Ana eat?", 4, ["D2:1"]),
    ("c1", "Who is Ana's doctor?", 4, ["D1:2"]),
    ("c2", "Where was Bo born?", 1, ["D1:1; D2:1"]),
    ("c2", "What does Bo read?", 4, ["D3:1"]),
    ("c2", "Does Bo ski?", 3, []),
    ("c2", "When did Bo marry?", 2, ["D2:2"]),
)
RANKINGS = (
    ("D1", "D2", "D3"),
    ("D1", "D3", "D2"),
    ("D2", "D1", "D3"),
    ("D3", "D2", "D1"),
    ("D1", "D3", "D2"),
    ("D3", "D1", "D2"),
    ("D1", "D2", "D3"),
    ("D2", "D1", "D3"),
)
FACTS = ("system_version=1.0", "system=ours", "seed=7", "dimensions=16")
EXPECTED = {"questions": 8, "scored": 7, "malformed_references": 1}


def corpus(folder: Path) -> Path:
    """The data set's file, in LoCoMo's form."""
    found = []
    for name, sessions in TURNS.items():
        turns = {
            f"session_{s}": [{"dia_id": f"D{s}:{t}", "speaker": "x", "text": "…"} for t in range(1, n + 1)]
            for s, n in sessions.items()
        }
        qa = [
            {"question": q, "category": c, "evidence": e, "answer": "-"}
            for conversation, q, c, e in QUESTIONS
            if conversation == name
        ]
        found.append({"sample_id": name, "conversation": {"speaker_a": "x", **turns}, "qa": qa})
    path = folder / "small.json"
    path.write_text(json.dumps(found), encoding="utf-8")
    return path


def protocol(folder: Path, *, version: str = "1.0", more: str = "", name: str = "small", **changes: str) -> Path:
    """The protocol's file; ``changes`` replace parts of its text."""
    sha = sha256_of(corpus(folder))
    text = f"""name = "{name}"
version = "{version}"
title = "Small"
[[corpora]]
name = "small"
file = "small.json"
sha256 = "{sha}"
[labels]
adapter = "locomo"
granularity = "session"
[expected]
questions = 8
scored = 7
malformed_references = 1
types = {{multi-hop = 2, temporal = 2, open-domain = 1, single-hop = 3}}
[ids]
form = '^c\\d/D\\d+$'
segments = 6
pool = 3
repeats = "refused"
[[ids.wrong]]
name = "turns"
form = '^(c\\d/)?D\\d+:\\d+$'
gate = "granularity"
segments = 12
[[ids.wrong]]
name = "bare sessions"
form = '^D\\d+$'
gate = "id collisions"
[metrics]
recall = {{measure = "fraction", k = [1, 3]}}
mrr = {{measure = "mrr", k = [50]}}
[definition]
unit = "query"
[facts]
system = {{meaning = "what was measured"}}
system_version = {{}}
seed = {{kind = "integer"}}
dimensions = {{kind = "integer"}}
date = {{kind = "date", required = false}}
segments = {{kind = "integer", required = false}}
[bands]
"recall@1" = 0.02
"recall@3" = {{low = 0.9, high = 1.0}}
[[baselines]]
name = "theirs"
questions = 7
values = {{"recall@1" = 0.5}}
[artefacts]
required = ["metrics.json", "settings.txt"]
[cite]
template = "{{system}} {{system_version}}: recall@1 {{recall@1}} over {{questions}} questions, {{raw_sha256}}"
{more}"""
    for old, new in changes.items():
        text = text.replace(old, new)
    path = folder / f"{name}-{version}.toml"
    path.write_text(text, encoding="utf-8")
    return path


def log(
    folder: Path, *, name: str = "run.jsonl", rankings: Sequence[Sequence[str]] = RANKINGS, form: str = "{conversation}/{id}"
) -> Path:
    """A run's log: every question once; ``form`` = how it writes an id."""
    lines = []
    for number, ((conversation, question, _, _), ranking) in enumerate(zip(QUESTIONS, rankings, strict=True)):
        ids = [form.format(conversation=conversation, id=one) for one in ranking]
        lines.append(
            {
                "query_id": f"{conversation}/{number}",
                "question": question,
                "ranked_ids": ids,
                "session_id": conversation,
                "total_ms": 5.0 + number,
            }
        )
    path = folder / name
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    return path


def run(
    where: Path,
    logs: Path,
    out: Path,
    *,
    given: Path | None = None,
    facts: Sequence[str] = FACTS,
    replace: bool = False,
    **more: Any,
) -> dict[str, Any]:
    """``protocol run`` in this process; ``given`` = the corpus."""
    source = files.load(where)
    corpora = [str(given)] if given else []
    checked = declaration.declared(source.protocol, facts=facts, corpora=corpora, **more)
    return runner.run(source, [str(logs)], out, checked, replace=replace)


def gates(document: dict[str, Any]) -> dict[str, tuple[str, str]]:
    """Gate -> verdict and words."""
    return {gate["name"]: (gate["verdict"], gate["what"]) for gate in document["gates"]}


def failed(document: dict[str, Any]) -> set[str]:
    """Names of the gates that do not hold."""
    return {gate["name"] for gate in document["gates"] if gate["verdict"] != "pass"}
