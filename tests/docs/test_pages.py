"""The pages say what the program does, and the README's commands give the output shown."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))
import readme

ROOT = Path(__file__).parents[2]
INSIDE = "RECALLWATCH_IN_README_TEST"  # set for the tests that the README's own test command runs


def test_generated_tables_are_fresh() -> None:
    """The tables of metrics, options and presets are those of the registries (python tests/readme.py refresh)."""
    for page, text in readme.fresh().items():
        assert page.read_text(encoding="utf-8") == text, f"{page.name} is stale"


def test_every_command_has_an_example_that_runs() -> None:
    """--help of each command shows an example, and the example exits with 0."""
    top = run("--help").stdout
    names = re.findall(r"^  (\w[\w-]*)  ", top.split("Commands:")[1], re.MULTILINE)
    assert {"evaluate", "list"} <= set(names)
    for name in names:
        text = " ".join(run(name, "--help").stdout.split())
        assert "Example: recallwatch " in text, name
    example = re.search(r"Example: recallwatch (evaluate \S+ --labels \S+)", " ".join(top.split()))
    assert example
    assert run(*example[1].split()).returncode == 0


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """The command, in this environment, from the repository's root."""
    return subprocess.run([sys.executable, "-m", "recallwatch", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a newcomer has: the tracked files and nothing else."""
    if os.environ.get(INSIDE):
        pytest.skip("already inside the README's own commands")
    folder = tmp_path_factory.mktemp("clone") / "recallwatch"
    listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listing, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    for name in filter(None, names):
        source, target = ROOT / name, folder / name
        if source.is_file():
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(source.read_bytes())
            target.chmod(source.stat().st_mode)
    return folder


def shell(command: str, folder: Path) -> str:
    """A README command as a newcomer's shell runs it."""
    data = os.environ.get("RECALLWATCH_TEST_DATA") or str(ROOT.parent / "shared" / "data")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "VIRTUAL_ENV"))}
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env={**environment, INSIDE: "1", "RECALLWATCH_TEST_DATA": data},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_first_command_shows_what_the_readme_shows(clone: Path) -> None:
    """Set-up and evaluate on sample_logs, in a fresh clone: the very output in the README."""
    command, shown = readme.main_command()
    assert shell(command, clone) == shown


def test_the_second_command_passes(clone: Path) -> None:
    """Set-up and tests, in a fresh clone: the closing line the README shows, whatever the numbers."""
    command, shown = readme.suite_command()
    closing = shell(command, clone).strip().splitlines()[-1]
    assert (
        re.sub(r"\d[\d.:]*", "N", closing).split(" in ")[0].split(",")[0]
        == re.sub(r"\d[\d.:]*", "N", shown.strip()).split(" in ")[0].split(",")[0]
    )
