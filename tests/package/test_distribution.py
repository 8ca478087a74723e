"""What is installed is what is here: every SQL file in the wheel, and nothing of the development set needed."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.install


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel built from the source distribution, as PyPI would get it."""
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run([sys.executable, "-m", "build", "--outdir", str(folder), str(ROOT)], check=True, capture_output=True)
    return next(folder.glob("*.whl"))


def test_the_wheel_holds_every_sql_file(wheel: Path) -> None:
    """Each file of sql/ stands in the wheel, byte for byte."""
    with zipfile.ZipFile(wheel) as archive:
        for path in sorted((ROOT / "sql").rglob("*.sql")):
            assert archive.read(f"recallwatch/sql/{path.relative_to(ROOT / 'sql').as_posix()}") == path.read_bytes()


def test_the_wheel_works_alone(wheel: Path, tmp_path: Path) -> None:
    """Installed without the development set and away from the sources, the main job runs."""
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "venv")], check=True)
    python = tmp_path / "venv" / "bin" / "python"
    subprocess.run([str(python), "-m", "pip", "install", "--quiet", str(wheel)], check=True)
    command = [
        str(python),
        "-m",
        "recallwatch",
        "evaluate",
        str(ROOT / "sample_logs/recalls"),
        "--labels",
        str(ROOT / "sample_logs/labels.jsonl"),
    ]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "recall" in done.stdout
