"""The README's commands: read by the tests, and by .ci/run so that CI runs the very line a newcomer is shown."""

import re
import sys
from pathlib import Path

README = Path(__file__).parents[1] / "README.md"


def blocks() -> list[tuple[str, str]]:
    """Each ```console block as (command, output shown under it)."""
    found = []
    for block in re.findall(r"```console\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL):
        lines = block.splitlines()
        command = lines[0].removeprefix("$ ")
        found.append((command, "\n".join(lines[1:])))
    return found


def main_command() -> tuple[str, str]:
    """The first command: set-up and the main job, with its output."""
    return blocks()[0]


def test_command() -> tuple[str, str]:
    """The command that runs the tests."""
    return next(block for block in blocks() if "pytest" in block[0])


if __name__ == "__main__":
    sys.stdout.write({"main-command": main_command, "test-command": test_command}[sys.argv[1]]()[0] + "\n")
