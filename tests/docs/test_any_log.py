"""README, "Any other log": the files shown are the files there, and the command gives the output shown."""

import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
import readme

from recallwatch.read import FORMATS

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "any_log"


def section() -> str:
    """The README's part about a profile."""
    return readme.README.read_text(encoding="utf-8").split("### Any other log")[1].split("\n## ")[0]


def test_the_files_shown_are_the_example() -> None:
    """The profile whole; of log and labels the first line."""
    assert f"```toml\n{(EXAMPLE / 'rag.toml').read_text()}```" in section()
    for name in ("queries.jsonl", "labels.jsonl"):
        assert f"```json\n{(EXAMPLE / name).read_text().splitlines()[0]}\n```" in section()


def test_the_command_gives_what_is_shown() -> None:
    """Log, labels, profile, command, output: start to finish."""
    command, shown = next(block for block in readme.commands() if "--profile" in block[0])
    arguments = command.split()
    assert arguments[0] == "recallwatch"
    done = subprocess.run(
        [sys.executable, "-m", "recallwatch", *arguments[1:]], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == shown
    assert command in section()


def test_every_format_is_on_the_page() -> None:
    """docs/formats.md names each format of the registry."""
    page = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
    assert [name for name in FORMATS if f"`{name}`" not in page] == []
