"""A pull request and a chat: the action's own steps, the hooks' entries, and what is sent where the file names an address."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml
from command_line import run

from recallwatch.report import as_index

ROOT = Path(__file__).parents[2]
GH = """#!/usr/bin/env bash
echo "$*" >> "$CALLS"
case "$*" in *--paginate*) if [ -f "$CALLS.posted" ]; then echo 77; fi ;; *POST*) touch "$CALLS.posted" ;; esac
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with a log, labels and a configuration whose gate fails."""
    rows = [
        {"query_id": f"q{n % 3}", "timestamp": f"2026-11-0{1 + n // 9}T0{n % 9}:00:00Z", "ranked_ids": ["m0"]} for n in range(18)
    ]
    (tmp_path / "logs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "labels.jsonl").write_text(
        "".join(json.dumps({"query_id": f"q{n}", "relevant": [f"m{n}"]}) + "\n" for n in range(3))
    )
    (tmp_path / "recallwatch.toml").write_text(
        """logs = ["logs.jsonl"]
labels = ["labels.jsonl"]
max_age = "never"
drift = false
by = []
[gates]
min_n = 1
"recall@10" = ">= 0.9"
[outputs]
write = ["markdown", "comment", "slack", "webhook"]
title = "memory <!channel>"
"""
    )
    return tmp_path


@pytest.fixture
def inbox() -> Iterator[tuple[str, list[Any]]]:
    """A server that keeps what is posted to it; /refused answers 500."""
    got: list[Any] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            got.append((self.path, json.loads(self.rfile.read(int(self.headers["Content-Length"])))))
            self.send_response(500 if self.path == "/refused" else 200)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            """Silent."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", got
    server.shutdown()
    thread.join()
    server.server_close()


def test_the_action(place: Path) -> None:
    """Its steps, as they stand: run, summary, one comment that the second push replaces, and the run's exit code at the end."""
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    steps = {step["name"]: step for step in action["runs"]["steps"]}
    assert list(steps) == ["install", "run", "summary", "comment", "verdict"] and action["runs"]["using"] == "composite"
    assert steps["install"]["run"] == 'python -m pip install --quiet "$ACTION"'
    tools = place / "bin"
    tools.mkdir()
    (tools / "gh").write_text(GH)
    (tools / "recallwatch").write_text(f'#!/usr/bin/env bash\nexec {shlex.quote(sys.executable)} -m recallwatch "$@"\n')
    for tool in tools.iterdir():
        tool.chmod(0o755)
    known = {name: str(value.get("default", "")) for name, value in action["inputs"].items()}
    files = {"GITHUB_OUTPUT": "outputs", "GITHUB_STEP_SUMMARY": "summary.md", "CALLS": "calls"}
    env = {**os.environ, **{name: str(place / file) for name, file in files.items()}, "PATH": f"{tools}:{os.environ['PATH']}"}
    context = {f"inputs.{name}": value for name, value in known.items()} | {
        "github.event.pull_request.number": "5",
        "steps.run.outputs.exit-code": "4",
    }

    def step(name: str) -> subprocess.CompletedProcess[str]:
        own = {
            key: re.sub(r"\$\{\{ (.+?) \}\}", lambda m: context[m[1]], value) for key, value in steps[name].get("env", {}).items()
        }
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", steps[name]["run"]]  # as GitHub runs a step
        return subprocess.run(
            command, cwd=place, env={**env, "GITHUB_REPOSITORY": "o/r", **own}, capture_output=True, text=True, check=False
        )

    assert step("run").returncode == 0
    assert (place / "outputs").read_text() == "exit-code=4\n"
    for name in ("summary", "comment", "comment"):
        done = step(name)
        assert (done.returncode, done.stderr) == (0, ""), name
    assert step("verdict").returncode == 4
    assert (place / "summary.md").read_text().startswith("## ❌ memory &lt;!channel&gt;")
    calls = [line.split(" ") for line in (place / "calls").read_text().splitlines()]
    written = [call for call in calls if "-X" in call]
    assert [call[2:4] for call in written] == [["POST", "repos/o/r/issues/5/comments"], ["PATCH", "repos/o/r/issues/comments/77"]]
    assert all(call[-1] == "body=@recallwatch-report/comment.md" for call in written)
    example = yaml.safe_load((ROOT / "examples" / "pull-request.yml").read_text())
    (own,) = [one for one in example["jobs"]["recall"]["steps"] if "recallwatch@" in one["uses"]]
    assert set(own["with"]) <= set(action["inputs"])


def test_the_hooks(place: Path) -> None:
    """Each entry of .pre-commit-hooks.yaml is a command that exists, with the arguments it comes with."""
    hooks = {hook["id"]: hook for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())}
    words = {name: shlex.split(hook["entry"])[1:] + hook.get("args", []) for name, hook in hooks.items()}
    assert all(hook["language"] == "python" and hook["entry"].startswith("recallwatch ") for hook in hooks.values())
    assert run(*words["recallwatch-check"], "logs.jsonl", "--labels", "labels.jsonl", cwd=place).returncode == 0
    assert run(*words["recallwatch-run"], cwd=place).returncode == 4


def test_an_index_of_nights() -> None:
    """One row a page, the newest first, the last run of a night; a night without a page is left out; hostile words are text."""

    def record(window: str, verdict: str, headline: str = "", **more: Any) -> dict[str, Any]:
        made = {
            "window": f"{window}T00:00:00Z",
            "period": {"to": None},
            "verdict": verdict,
            "headline": headline,
            "metrics": {"recall@10": 0.5},
        }
        return {**made, "page": as_index.page_name(made), **more}

    rows = [
        record("2026-11-01", "fail"),
        record("2026-11-02", "ok", page=None),
        record("2026-11-03", "warn"),
        record("2026-11-01", "ok", "<script>x</script>"),
    ]
    page = as_index.render("memory <b>", rows)
    assert re.findall(r'<a href="([^"]+)">', page) == ["nights/2026-11-03.html", "nights/2026-11-01.html"]
    assert "<script" not in page and "&lt;script&gt;" in page and "recall@10 0.500" in page and "memory &lt;b&gt;: 2 nights" in page
    failed = as_index.render("memory", rows, reason="logs: <gone>")
    assert (
        "The newest run could not be finished, so nothing was judged: logs: &lt;gone&gt;" in failed
        and '<header class="fail">' in failed
    )


def test_what_is_sent(place: Path, inbox: tuple[str, list[Any]]) -> None:
    """Nothing without an address; with one the files' content, also of a run without a result; an address that fails changes no verdict."""
    url, got = inbox
    config = place / "recallwatch.toml"
    plain = config.read_text()
    config.write_text(
        plain.replace('"markdown", ', '"html", ') + f'archive = true\nslack_url = "{url}/secret"\nwebhook_url = "{url}/refused"\n'
    )
    done = run("run", config)
    assert done.returncode == 4
    assert [path for path, _ in got] == ["/secret", "/refused"]
    for (_, body), name in zip(got, ("slack", "webhook"), strict=True):
        assert body == json.loads((place / "recallwatch-report" / f"{name}.json").read_text())
    assert "&lt;!channel&gt;" in got[0][1]["text"] and got[1][1]["gates"][0]["verdict"] == "fail"
    assert "slack: sent to 127.0.0.1\n" in done.stderr and "webhook: 127.0.0.1 refused the message (500)" in done.stderr
    assert "secret" not in done.stderr
    folder = place / "recallwatch-report"
    assert (folder / "nights" / "2026-11-02.html").read_bytes() == (folder / "report.html").read_bytes()
    assert '<a href="nights/2026-11-02.html">2026-11-02</a>' in (folder / "index.html").read_text()

    got.clear()
    config.write_text(plain.replace("logs.jsonl", "gone.jsonl") + f'archive = true\nslack_url = "{url}/secret"\n')
    assert run("run", config).returncode == 3
    assert "could not be finished" in (folder / "index.html").read_text()
    assert got[0][1]["text"].startswith("❌ memory &lt;!channel&gt;: no result") and "gone.jsonl" in got[0][1]["text"]
    config.write_text(plain + 'slack_url = "file:///etc/passwd"\n')
    assert "outputs.slack_url: expected an address that begins with https://" in run("run", config).stderr
    assert len(got) == 1
