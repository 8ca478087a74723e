"""README, "Any other log": the files shown are the files there, and the command gives the output shown."""

from pathlib import Path

import readme
from command_line import run

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
    done = run(*arguments[1:])
    assert done.returncode == 0, done.stderr
    assert done.stdout == shown
    assert command in section()


def test_every_format_is_on_the_page() -> None:
    """docs/formats.md names each format of the registry."""
    page = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
    assert [name for name in FORMATS if f"`{name}`" not in page] == []
