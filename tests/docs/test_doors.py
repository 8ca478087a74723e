"""Each door's example, as its page writes it, is run: notebook, pytest, recorder, sweep, dashboards, nightly run, store, agent."""

from __future__ import annotations

import json
import os
import re
import shlex
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import typer
from command_line import ROOT, run

import recallwatch
from recallwatch.cli import app
from recallwatch.testing import assert_quality

GROUP: Any = typer.main.get_command(app)
KEPT = {"where I work": ["acme"], "my allergy": ["m7"], "my deadlines": ["acme", "q3"]}


def blocks(page: str, language: str, after: str = "") -> list[str]:
    """The code blocks of a page, from a heading on."""
    text = (ROOT / page).read_text(encoding="utf-8").partition(after)[2] if after else (ROOT / page).read_text(encoding="utf-8")
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


def done(code: str, **names: Any) -> dict[str, Any]:
    """What a block leaves behind."""
    exec(code, names)  # noqa: S102  # the page's own code
    return names


def search(query: str, k: int = 10) -> list[str]:
    """A memory that does not know the allergy."""
    return KEPT.get(query, [])[:k]


@pytest.mark.wide
def test_the_notebook_page() -> None:
    """Its block gives a result, and every call of its table gives something."""
    result = done(blocks("docs/notebook.md", "python")[0])["result"]
    assert list(result.tables()) == ["metrics", "latency", "cost", "queries"]
    assert result.to_polars(wide=True)["recall@2"].to_list() == [0.75]
    assert result.to_polars("queries").height == 2 and result.plot().svg().startswith("<svg") and result.figures()


@pytest.mark.wide
def test_the_readme_s_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    """The README's Python, on the sample logs."""
    monkeypatch.chdir(ROOT)
    left = done(blocks("README.md", "python", "**A notebook.**")[0])
    assert left["result"].to_polars().columns[:5] == ["window", "query_class", "metric", "k", "value"]


def test_the_testing_page(tmp_path: Path) -> None:
    """The test it writes runs as written, and the message it shows is the one that comes."""
    memory = SimpleNamespace(search=lambda query, k: {**KEPT, "my allergy": ["shellfish"]}[query][:k])
    first, fixture = blocks("docs/testing.md", "python")
    written = done(first, memory=memory)
    written["test_memory_recall"]()
    asked: list[tuple[Any, ...]] = []
    done(fixture, memory=memory, CASES=written["CASES"])["test_memory_recall"](
        lambda *given, **limits: asked.append((*given, limits))
    )
    assert asked == [(memory.search, written["CASES"], 3, {"recall": 0.95, "mrr": 0.75})]
    report = recallwatch.evaluate_retriever(search, written["CASES"], k=1, record_to=tmp_path)
    with pytest.raises(AssertionError) as caught:
        assert_quality(report, recall=0.7)
    assert f"AssertionError: {caught.value}".rstrip() == blocks("docs/testing.md", "text")[0].rstrip()


def test_the_recording_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The recall it writes down is in the log, with its stages and candidates; the wrapped functions record too."""
    monkeypatch.chdir(tmp_path)
    hits = [SimpleNamespace(id=f"m{n}", score=1.0 - n / 100) for n in range(50)]
    index = SimpleNamespace(search=lambda *_: hits)
    whole, watched, wrapped = blocks("docs/recording.md", "python")
    left = done(whole, query="where do I work?", embed=len, index=index, rerank=lambda _, found: found[::-1])
    left = done(watched.replace(": ...", ": return ['m1']"), recorder=left["recorder"])
    assert left["search"]("my allergy") == ["m1"]
    ids = SimpleNamespace(invoke=lambda _: ["m2"], retrieve=lambda _: ["m3"])
    assert done(wrapped, recorder=left["recorder"], retriever=ids)["hits"] == ["m3"]
    left["recorder"].close()
    rows = [json.loads(line) for path in sorted(tmp_path.glob("recalls/*.jsonl")) for line in path.read_text().splitlines()]
    assert [len(row["ranked_ids"]) for row in rows] == [10, 1, 1]
    assert set(rows[0]["stage_ms"]) == {"embed", "search", "rerank"} and len(rows[0]["candidate_ids"]) == 50
    assert not any("query_text" in row for row in rows)


@pytest.mark.wide
def test_the_tuning_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The sweep it writes runs, and prints a table of variants, the front and the repeats."""
    monkeypatch.chdir(tmp_path)
    kept = {"where do I work?": ["acme"], "my allergy": ["shellfish"]}
    memory = SimpleNamespace(search=lambda query, candidates, rerank: kept[query])  # noqa: ARG005  # the page calls it so
    swept = done(blocks("docs/tuning.md", "python")[0], my_memory=memory)["swept"]
    said = capsys.readouterr().out
    assert len(swept.pareto(y="recall@10", x="p95:total").to_dict()["variants"]) == 6
    assert "candidates=40,rerank=true" in said and "3 repeats" in said


@pytest.mark.wide
def test_the_dashboards_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its Python hands gauges and events over; nobody listens, and nothing fails."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "recalls").mkdir()
    row = {"query_id": "q1", "ranked_ids": ["m1"], "timestamp": "2026-11-14T10:00:00Z", "event_id": "e1"}
    (tmp_path / "recalls" / "a.jsonl").write_text(json.dumps(row) + "\n")
    (tmp_path / "labels.jsonl").write_text('{"query_id": "q1", "relevant": ["m1"]}\n')
    recallwatch.evaluate("recalls", "labels.jsonl", store="store")
    done(next(block for block in blocks("docs/dashboards.md", "python") if "set_gauges" in block))


def test_the_agent_page() -> None:
    """The entry for an agent's configuration names the command with its arguments (tests/agents speaks to it)."""
    entry = json.loads(blocks("docs/agents.md", "json")[0])["mcpServers"]["recallwatch"]
    assert (entry["command"], entry["args"]) == ("recallwatch", ["mcp", "store"])
    assert run(*entry["args"], "--help").returncode == 0


PLACES = {"LOGS": "logs", "logs/": "logs", "labels.jsonl": "labels.jsonl"}


@pytest.mark.wide
@pytest.mark.parametrize(
    ("page", "after", "codes"),
    [("docs/nightly.md", "", (0, 4)), ("docs/store.md", "", (0,)), ("docs/store.md", "## Erasing", (0,))],
)
def test_the_commands_of_a_page(tmp_path: Path, page: str, after: str, codes: tuple[int, ...]) -> None:
    """The first block of commands runs in a folder with two nights of the sample logs, line by line."""
    (tmp_path / "logs").mkdir()
    for night in ("01", "08"):
        name = f"recalls-2026-11-{night}.parquet"
        (tmp_path / "logs" / name).symlink_to(ROOT / "sample_logs" / "recalls" / name)
    (tmp_path / "labels.jsonl").symlink_to(ROOT / "sample_logs" / "labels.jsonl")
    if after:
        assert run("ingest", "logs", "--store", "store", cwd=tmp_path).returncode == 0
    text = (ROOT / page).read_text(encoding="utf-8").partition(after)[2] if after else (ROOT / page).read_text(encoding="utf-8")
    lines = re.search(r"```\n(recallwatch .*?)```", text, re.DOTALL)
    assert lines
    for line in lines[1].splitlines():
        words = [PLACES.get(word, word) for word in shlex.split(line, comments=True)]
        done = run(*words[1:], cwd=tmp_path)
        assert done.returncode in codes, (line, done.stderr)


def commands_in(text: str) -> list[str]:
    """Each command line of ours: in a block, or between backticks."""
    blocks = re.findall(r"```[a-z]*\n(.*?)```", text, re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines()]
    inline = re.findall(r"`(recallwatch [^`]+)`", re.sub(r"```[a-z]*\n.*?```", "", text, flags=re.DOTALL))
    return [found[0] for line in [*lines, *inline] if (found := re.search(r"(?<![\w./-])recallwatch (?!import)[a-z][^|#]*", line))]


def test_every_flag_on_a_page_is_one_of_its_command() -> None:
    """README, docs, examples, CONTRIBUTING: each command that is written there exists, and takes the flags written after it."""
    pages = [
        ROOT / "README.md",
        *sorted((ROOT / "docs").glob("*.md")),
        *(p for p in sorted((ROOT / "examples").iterdir()) if p.is_file()),
    ]
    wrong, seen = [], 0
    for page in pages:
        for line in commands_in(page.read_text(encoding="utf-8")):
            words = line.replace('"', " ").replace("'", " ").split()[1:]
            command = known_command(words)
            if command is None:
                wrong.append((page.name, line))
                continue
            flags = {name for parameter in command.params for name in parameter.opts} | {"--help", "--help-all"}
            for flag in (word.partition("=")[0].rstrip(".,;:)") for word in words if re.match(r"--?[a-zA-Z]", word)):
                seen += 1
                if flag not in flags:
                    wrong.append((page.name, line, flag))
    assert not wrong
    assert seen > 150


def known_command(words: list[str]) -> Any:
    """The command that a line names; of a group its own; None = there is none."""
    command: Any = GROUP.get_command(None, words[0]) if words[0] in GROUP.commands else None
    for word in words[1:2]:
        command = getattr(command, "commands", {}).get(word, command)
    return command


SHOWN = [
    (page.name, part.partition("\n")[0], part.partition("\n")[2])
    for page in sorted((ROOT / "docs").glob("*.md"))
    for block in re.findall(r"```(?:text|console)\n\$ (.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    for part in block.split("\n$ ")
    if part.startswith("recallwatch ") and "sample_logs/" in part.partition("\n")[0]
]


@pytest.mark.wide
@pytest.mark.parametrize(("page", "command", "shown"), SHOWN, ids=[f"{page}-{command[12:60]}" for page, command, _ in SHOWN])
def test_a_page_shows_what_its_command_prints(page: str, command: str, shown: str) -> None:
    """Every line of it, at the width of the page (… stands for lines left out)."""
    words, *_ = command.partition(" | head")
    printed = [run(*shlex.split(words)[1:], env={**os.environ, "COLUMNS": width}).stdout.splitlines() for width in ("120", "100")]
    wanted = [line.rstrip() for line in shown.splitlines() if line.strip() not in ("", "…")]
    assert any(all(line in {one.rstrip() for one in lines} for line in wanted) for lines in printed), (page, printed[0][:20])
