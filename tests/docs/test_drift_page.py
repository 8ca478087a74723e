"""The README's drift section shows what its command prints."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"```text\n\$ recallwatch (?P<arguments>.*) \| head -(?P<lines>\d+)\n(?P<shown>(?:.*\n)*?)```")


def test_the_drift_section_shows_what_its_command_prints() -> None:
    """The command under the heading, on sample_logs: its first lines are those in the README, to the last digit."""
    found = BLOCK.search((ROOT / "README.md").read_text(encoding="utf-8").split("## What moved")[1])
    assert found
    command = [sys.executable, "-m", "recallwatch", *found["arguments"].split()]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert "".join(done.stdout.splitlines(keepends=True)[: int(found["lines"])]) == found["shown"]
