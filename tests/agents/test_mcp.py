"""An agent's tools, through the SDK's own client: the command as a process, and the server in this one."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

import recallwatch
from recallwatch.agents.answers import Data
from recallwatch.agents.server import server
from recallwatch.store import ingest

mcp = pytest.importorskip("mcp")

TEXT = "where does <b>Ada</b> work"
LOGS: list[dict[str, Any]] = [
    {"query_id": f"q{n % 4}", "query_text": TEXT, "tenant_id": "acme", "ranked_ids": [f"m{n % 4}" if n % 3 else "x"],
     "timestamp": f"2026-11-0{1 + n // 10}T0{n % 10}:00:00Z", "total_ms": 5.0 + n}
    for n in range(20)
]  # fmt: skip
LABELS = [{"query_id": f"q{n}", "relevant": [f"m{n}"]} for n in range(4)]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store that was scored."""
    folder = tmp_path_factory.mktemp("agent")
    for name, rows in (("logs", LOGS), ("labels", LABELS)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    ingest(folder / "logs.jsonl", store=folder / "store")
    recallwatch.evaluate(store=folder / "store", labels=folder / "labels.jsonl", k="1,10", metrics="recall")
    return folder


def asked(connection: Any, *calls: tuple[str, dict[str, Any]]) -> tuple[dict[str, Any], list[Any]]:
    """The tools by name, and the answer of each call: its JSON, or its error as a text."""

    async def talk() -> tuple[dict[str, Any], list[Any]]:
        async with mcp.Client(connection) as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            answers = []
            for name, arguments in calls:
                answer = await client.call_tool(name, arguments)
                answers.append(answer.content[0].text if answer.is_error else answer.structured_content)
            return tools, answers

    return asyncio.run(talk())


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.name != "writer.lock"}


def test_tools_of_a_store(place: Path) -> None:
    """Each answers as the library does, tables cut; sql reads this store and nothing else; nothing in the store changes."""
    store, before = place / "store", bytes_of(place / "store")
    labels = [str(place / "labels.jsonl")]
    evil = (
        "select * from read_csv('/etc/passwd')", "copy (select 1) to '/tmp/x.csv'", "select 1; drop view recalls", "set threads = 1",
        "attach '/tmp/other.db'", f"from read_text('{place}/labels.jsonl')", "select * from nowhere",
    )  # fmt: skip
    tools, answers = asked(
        server(Data([str(store)], labels, rows=3)),
        ("evaluate", {"by": "query_class", "k": "1", "metrics": "recall"}),
        ("drift", {"reference": "2026-11-01..2026-11-02", "current": "2026-11-02..2026-11-03"}),
        ("explain", {"query": "q1"}),
        ("sql", {"query": "select query_id, query_text from recalls order by query_id desc"}),
        ("sql", {"query": "show tables"}),
        ("evaluate", {"metrics": "recal"}),
        *(("sql", {"query": query}) for query in evil),
    )
    assert set(tools) == {"evaluate", "drift", "explain", "sql"}
    assert all(tool.annotations.read_only_hint and tool.description for tool in tools.values())
    whole = recallwatch.evaluate(LOGS, LABELS, k=1, metrics="recall", by="query_class").to_dict()
    assert answers[0]["metrics"] == whole["metrics"][:3] and answers[0]["counts"]["events"] == 20
    assert answers[1]["verdict"] and len(answers[1]["findings"]) == 3 and answers[1]["left_out"]["findings"] > 0
    assert answers[2]["documents"][0]["document_id"] == "m1"
    assert answers[3] == {"columns": ["query_id", "query_text"], "rows": [["q3", TEXT]] * 3, "has_more": True}
    assert answers[4]["columns"] == ["name"] and answers[4]["has_more"]
    assert "Did you mean 'recall'?" in answers[5]
    assert all(isinstance(answer, str) and "the query" in answer for answer in answers[6:]), answers[6:]
    assert bytes_of(store) == before


def test_redacted(place: Path) -> None:
    """No text and no tenant in any answer or error; sql sees the numbers only."""
    _, answers = asked(
        server(Data([str(place / "store")], [str(place / "labels.jsonl")], redact=True)),
        ("evaluate", {"per_query": True, "by": "tenant_id"}),
        ("explain", {"query": "q1"}),
        ("explain", {"query": "Ada is unknown"}),
        ("sql", {"query": "select metric, value from metrics where day_utc is null and k = 1"}),
        ("sql", {"query": "select query_text from events"}),
        ("sql", {"query": "select query_text from recall.events"}),
    )
    assert "Ada" not in str(answers) and "acme" not in str(answers)
    assert answers[0]["queries"]
    assert answers[3]["rows"] == [["recall", pytest.approx(0.65)]]
    assert all(isinstance(answer, str) for answer in answers[4:])


def test_the_command(place: Path) -> None:
    """`recallwatch mcp` speaks the protocol on stdin and stdout; of logs there is no sql."""
    from mcp import StdioServerParameters

    words = ["-m", "recallwatch", "mcp", str(place / "logs.jsonl"), "--labels", str(place / "labels.jsonl")]
    tools, (answer,) = asked(
        StdioServerParameters(command=sys.executable, args=words, env=dict(os.environ)),
        ("evaluate", {"k": "1", "metrics": "recall"}),
    )
    assert set(tools) == {"evaluate", "drift", "explain"}
    assert answer["metrics"][0]["value"] == pytest.approx(0.65)


def test_cut_to_some_recalls(place: Path) -> None:
    """With a condition of the server every tool answers from what passes; no tool widens it, and there is no sql."""
    tools, answers = asked(
        server(Data([str(place / "store")], [str(place / "labels.jsonl")], where="query_id = 'q1'")),
        ("evaluate", {"per_query": True, "k": "1"}),
        ("explain", {"query": "q2"}),
        ("evaluate", {"where": "true) or (true"}),
        ("drift", {"where": "true"}),
    )
    assert set(tools) == {"evaluate", "drift", "explain"}
    assert (answers[0]["counts"]["events"], [row["query_id"] for row in answers[0]["queries"]]) == (5, ["q1"])
    assert "no recall of 'q2'" in answers[1]
    assert all("the server has one of its own" in answer for answer in answers[2:])
