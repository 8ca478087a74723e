"""The pages about the nightly run name every key, gate and output there is; the examples can be read by what they are for."""

from __future__ import annotations

import ast
import configparser
import re
from pathlib import Path

import pytest
import yaml

from recallwatch.nightly.configuration import Config, Gates, Outputs
from recallwatch.nightly.gates import COLUMNS, PRESETS, SHARES
from recallwatch.report.files import FILES

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
NIGHTLY = ("crontab", "recallwatch.service", "recallwatch.timer", "airflow.py", "kubernetes-cronjob.yaml", "github-actions.yml")
RUN = re.compile(r"recallwatch[\"',\s]+run\b")


def page(name: str) -> str:
    """A page of docs/."""
    return (ROOT / "docs" / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [*Config.model_fields, *Gates.model_fields, *Outputs.model_fields])
def test_every_key_is_documented(name: str) -> None:
    """docs/nightly.md names each key of the configuration (limits are the gates themselves)."""
    assert name == "limits" or f"`{name}`" in page("nightly.md") or f"`[{name}]`" in page("nightly.md")


@pytest.mark.parametrize("name", [*PRESETS, *SHARES, *(f"{column}:STAGE" for column in COLUMNS)])
def test_every_gate_is_documented(name: str) -> None:
    """docs/gates.md names each preset, share and percentile."""
    assert f"`{name}`" in page("gates.md")


def test_every_output_is_documented() -> None:
    """docs/nightly.md names each output."""
    row = next(line for line in page("nightly.md").splitlines() if line.startswith("| `write`"))
    assert all(name in row for name in FILES)


@pytest.mark.parametrize("name", NIGHTLY)
def test_every_example_runs_the_command(name: str) -> None:
    """Each calls `recallwatch run` with a configuration (the timer starts the service that does)."""
    path = EXAMPLES / name
    assert RUN.search(path.read_text(encoding="utf-8")) or path.suffix == ".timer"
    assert path.name in page("nightly.md")


def test_examples_are_in_their_languages() -> None:
    """YAML with the keys its reader needs, units with their sections, Python that compiles, five fields of cron."""
    job = yaml.safe_load((EXAMPLES / "kubernetes-cronjob.yaml").read_text(encoding="utf-8"))
    assert (job["kind"], job["spec"]["concurrencyPolicy"]) == ("CronJob", "Forbid")
    steps = yaml.safe_load((EXAMPLES / "github-actions.yml").read_text(encoding="utf-8"))["jobs"]["nightly"]["steps"]
    assert any(step.get("run") == "recallwatch run recallwatch.toml" for step in steps)
    for unit, section in (("recallwatch.service", "Service"), ("recallwatch.timer", "Timer")):
        parser = configparser.ConfigParser(strict=False, interpolation=None)
        parser.read(EXAMPLES / unit, encoding="utf-8")
        assert section in parser
    ast.parse((EXAMPLES / "airflow.py").read_text(encoding="utf-8"))
    line = (EXAMPLES / "crontab").read_text(encoding="utf-8").splitlines()[-1]
    assert re.match(r"15 3 \* \* \* cd ", line)
