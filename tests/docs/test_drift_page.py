"""The README's drift section shows what its command prints."""

import re
from pathlib import Path

from command_line import run

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"```text\n\$ recallwatch (?P<arguments>.*) \| head -(?P<lines>\d+)\n(?P<shown>(?:.*\n)*?)```")


def test_the_drift_section_shows_what_its_command_prints() -> None:
    """The command under the heading, on sample_logs: its first lines are those in the README, to the last digit."""
    found = BLOCK.search((ROOT / "README.md").read_text(encoding="utf-8").split("## What moved")[1])
    assert found
    done = run(*found["arguments"].split())
    assert done.returncode == 0, done.stderr
    assert "".join(done.stdout.splitlines(keepends=True)[: int(found["lines"])]) == found["shown"]
