"""The README's commands and generated parts: read by the tests and by .ci/run, refreshed by ``python tests/readme.py refresh``."""

import dataclasses
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import dashboards
import stub

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
OPTIONS = ROOT / "docs" / "metrics.md"
_BLOCK = re.compile(r"```console\n\$ (?P<command>.*)\n(?P<output>(?:.*\n)*?)```")
_SHOWN = re.compile(r"(?P<command>```(?:console|text)\n\$ (?:.*&& \.venv/bin/)?recallwatch )(?P<arguments>.*)\n(?:.*\n)*?```")


def commands() -> list[tuple[str, str]]:
    """Each ``console`` block: the command and the output shown under it."""
    return [(found["command"], found["output"]) for found in _BLOCK.finditer(README.read_text(encoding="utf-8"))]


def main_command() -> tuple[str, str]:
    """The first command: all set-up, and the main job with its output."""
    return commands()[0]


def suite_command() -> tuple[str, str]:
    """The command that sets up and runs the tests."""
    return next(block for block in commands() if "pytest" in block[0])


def closing(output: str) -> str:
    """What a runner's last line says first, numbers aside: ``N passed``; more would differ between machines (skipped, seconds)."""
    return re.sub(r"\d+", "N", output.strip().splitlines()[-1]).split(" in ")[0].split(",")[0]


def metrics_table() -> str:
    """The README's table of metrics, from the registry."""
    from recallwatch.base.metrics import METRICS

    rows = [
        f"| `{m.name}` | {m.meaning} | {m.unit} | {m.better} | [{m.name}.sql](sql/3_score/{m.name}.sql) |" for m in METRICS.values()
    ]
    return "\n".join(["| metric | meaning | unit | better | defined in |", "|---|---|---|---|---|", *rows])


def _named(parameter: Any) -> str:
    """A parameter, what it is where nobody says, and its range; one that says nothing then has neither."""
    return (
        parameter.name
        if parameter.default is None
        else f"{parameter.name} = {parameter.default:g} ({parameter.low:g} to {parameter.high:g})"
    )


def definitions_table() -> str:
    """What each metric is called, takes and needs, from the registry."""
    from recallwatch.base.metrics import METRICS

    needs = {
        "relevant": "a relevant document",
        "gain": "a document with a gain",
        "gold_answers": "a right answer",
        "list": "a returned list",
    }
    rows = [
        f"| `{m.name}` | {m.label or m.name} | {', '.join(f'{_named(p)}: {p.meaning}' for p in m.parameters) or '—'} "
        f"| {needs[m.needs]} | {'left out' if m.empty is None else f'{m.empty:g}'} |"
        for m in METRICS.values()
    ]
    return "\n".join(["| metric | shown as | parameters | counts where there is | an empty list |", "|---|---|---|---|---|", *rows])


def options_table() -> str:
    """The table of definition options, from their fields."""
    from recallwatch.base.definition import Definition

    rows = [
        f"| `--{f.name.replace('_', '-')}` | {f.metadata['help']} | {', '.join(f.metadata['choices']) or '—'} | {'—' if f.default is None else f.default} |"
        for f in dataclasses.fields(Definition)
    ]
    return "\n".join(["| option | what it decides | values | default |", "|---|---|---|---|", *rows])


def presets_table() -> str:
    """The table of ``--compat`` presets."""
    from recallwatch.base.definition import PRESETS

    rows = [f"| `--compat {name}` | {', '.join(f'`{k}={v}`' for k, v in chosen.items())} |" for name, chosen in PRESETS.items()]
    return "\n".join(["| preset | options |", "|---|---|", *rows])


def between(text: str, mark: str, content: str) -> str:
    """Text with the part between ``<!-- mark -->`` and ``<!-- /mark -->`` replaced."""
    return re.sub(
        rf"(<!-- {mark} -->\n).*?(<!-- /{mark} -->)", lambda found: f"{found[1]}{content}\n{found[2]}", text, flags=re.DOTALL
    )


def fresh() -> dict[Path, str]:
    """Each page with its generated parts as they should be (command output left alone)."""
    return {
        README: between(README.read_text(encoding="utf-8"), "metrics", metrics_table()),
        OPTIONS: between(
            between(between(OPTIONS.read_text(encoding="utf-8"), "metrics", definitions_table()), "options", options_table()),
            "presets",
            presets_table(),
        ),
        **dashboards.fresh(),
        stub.STUB: stub.stub(),
    }


def tables() -> None:
    """Write the generated parts."""
    for page, text in fresh().items():
        page.write_text(text, encoding="utf-8")


def refresh() -> None:
    """Write the generated parts, and the output of every command of ours that the README shows (run in this environment)."""
    tables()
    README.write_text(_SHOWN.sub(_shown, README.read_text(encoding="utf-8")), encoding="utf-8")


def _shown(block: re.Match[str]) -> str:
    """A block with the output that its command gives now; with ``| head -N`` its first N lines."""
    words, _, head = block["arguments"].partition(" | head -")
    run = [sys.executable, "-m", "recallwatch", *words.split()]
    output = subprocess.run(run, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    lines = output.splitlines(keepends=True)[: int(head) if head else None]
    return f"{block['command']}{block['arguments']}\n{''.join(lines)}```"


if __name__ == "__main__":
    if sys.argv[1] in ("refresh", "tables"):
        {"refresh": refresh, "tables": tables}[sys.argv[1]]()
    elif sys.argv[1] == "closing-line":
        seen, shown = closing(sys.stdin.read()), closing(suite_command()[1])
        if seen != shown:
            sys.exit(f"the suite ended with {seen!r}, the README shows {shown!r}")
    else:
        sys.stdout.write({"main-command": main_command, "suite-command": suite_command}[sys.argv[1]]()[0] + "\n")
