"""The house keeps its rules: imports one way, files short, nothing heavy at import."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "recallwatch"
# who may be imported by whom: a module imports only from layers before its own, or from its own folder
LAYERS = [
    {"errors", "sqlfiles", "tracing"},
    {"registry", "record", "worksheet", "written"},
    {"metrics", "engine"},
    {"config", "matching"},
    {"read", "scoring", "keys", "narrate"},
    {"doctor", "request"},
    {"result"},
    {"measure"},
    {"report", "store"},
    {"pipeline"},
    {"loaded", "relabel"},
    {"drift", "check", "convert", "lift", "suggest", "export", "harness", "labelling"},
    {"pareto_axis", "sweep_cells", "stability_steps"},
    {"pareto", "stability"},
    {"pareto_text", "stability_text"},
    {"pareto_picture"},
    {"sweep_grid"},
    {"sweep_record"},
    {"sweep"},
    {"compare", "nightly", "testing"},
    {"notebook", "pytest_plugin"},
    {"protocol"},
    {"spark"},
    {"commands"},
    {"cli"},
    {"__main__"},
]
PLACE = {name: number for number, layer in enumerate(LAYERS) for name in layer}


def room(path: Path) -> str:
    """The top-level module or folder a file belongs to."""
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imports(path: Path) -> set[str]:
    """Rooms a file imports when it is itself imported (not inside functions, not for type checking only)."""
    package = ["recallwatch", *path.relative_to(SOURCE).parts[:-1]]
    found: set[str] = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom) and node.level:
            base = package[: len(package) - node.level + 1] + (node.module.split(".") if node.module else [])
            found |= {base[1]} if len(base) > 1 else {alias.name for alias in node.names}
    return found & set(PLACE)


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda p: str(p.relative_to(SOURCE)))
def test_imports_point_one_way(path: Path) -> None:
    """A file imports only rooms of earlier layers, or its own."""
    own = room(path)
    if own == "__init__":
        return
    assert own in PLACE, f"{own} has no layer yet: give it one in LAYERS"
    wrong = {name for name in imports(path) if name != own and PLACE[name] >= PLACE[own]}
    assert not wrong, f"{own} imports {wrong}, which come after it"


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda p: str(p.relative_to(SOURCE)))
def test_files_stay_short(path: Path) -> None:
    """No file over 300 lines."""
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 300


def test_only_the_engine_imports_duckdb() -> None:
    """One module knows the database's package."""
    users = {str(p.relative_to(SOURCE)) for p in SOURCE.rglob("*.py") if "import duckdb" in p.read_text(encoding="utf-8")}
    assert users == {"engine.py"}


@pytest.mark.parametrize(
    "code", ["import recallwatch", "import sys; sys.argv = ['recallwatch', '--help']; from recallwatch.cli import app"]
)
def test_import_and_help_load_nothing_heavy(code: str) -> None:
    """`import recallwatch` and --help load neither duckdb, polars, pyarrow, numpy nor scipy."""
    script = f"{code}\nimport sys\nprint(sorted({{m.split('.')[0] for m in sys.modules}} & {{'duckdb', 'polars', 'pyarrow', 'numpy', 'scipy'}}))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
