"""A newcomer's clone: the README's first command sets up an environment of its own and shows what the README shows."""

import os
import subprocess
from pathlib import Path

import pytest
import readme

pytestmark = pytest.mark.install


def clone(folder: Path) -> Path:
    """What a newcomer has: the tracked files and nothing else."""
    listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listing, cwd=readme.ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    for name in filter(None, names):
        source, target = readme.ROOT / name, folder / name
        if source.is_file():
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(source.read_bytes())
            target.chmod(source.stat().st_mode)
    return folder


def test_the_first_command_shows_what_the_readme_shows(tmp_path: Path) -> None:
    """Set-up and evaluate on sample_logs, as a newcomer's shell runs them: the very output in the README."""
    command, shown = readme.main_command()
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "VIRTUAL_ENV", "PYTHONPATH"))
    }
    folder = clone(tmp_path / "recallwatch")
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout == shown
