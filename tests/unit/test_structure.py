"""The house keeps its rules: imports one way, files short, nothing heavy at import."""

import ast
import subprocess
import sys
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "recallwatch"
# the floors of the house, from the ground up: a file imports only from floors below its own, or from its own wing.
# Imports inside functions and for type checking count like all others.
FLOORS = [
    {"base"},
    {"document"},
    {"stats", "record"},
    {"read"},
    {"scoring"},
    {"store", "report"},
    {"evaluation"},
    {"labels", "export", "testing", "monitor", "explanation"},
    {"variants"},
    {"nightly", "protocol", "spark", "agents"},
    {"commands"},
]
PLACE = {name: number for number, floor in enumerate(FLOORS) for name in floor}
DOORS = {"__init__", "__main__", "cli", "pytest_plugin"}  # the files at the root: they open onto any wing
MODULES = sorted(SOURCE.rglob("*.py"))


def name_of(path: Path) -> str:
    """A file as the module it is, without the package: ``read.flat``; a folder's ``__init__`` is the folder."""
    return ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")


NAMES = {name_of(path) for path in MODULES}


def imports(path: Path) -> set[str]:
    """Every module of ours that a file imports, wherever the import stands."""
    package = ["recallwatch", *path.relative_to(SOURCE).parts[:-1]]
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.ImportFrom) or not node.level:
            continue
        base = ".".join([*package[1 : len(package) - node.level + 1], *([node.module] if node.module else [])])
        for alias in node.names:
            full = f"{base}.{alias.name}" if base else alias.name
            found.add(full if full in NAMES else base)
    return found - {name_of(path)}


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_imports_point_one_way(path: Path) -> None:
    """A file imports only wings of lower floors, or its own."""
    own = name_of(path).partition(".")[0]
    if own in DOORS:
        return
    assert own in PLACE, f"{own} has no floor yet: give it one in FLOORS"
    wings = {name.partition(".")[0] for name in imports(path)} - {own}
    wrong = {name for name in wings if PLACE.get(name, len(FLOORS)) >= PLACE[own]}
    assert not wrong, f"{own} imports {wrong}, which stand on the same floor or above"


def test_no_circles() -> None:
    """No module needs itself, by whatever way: inside functions and for type checking neither."""
    graph = {name_of(path): imports(path) & NAMES for path in MODULES}
    try:
        tuple(TopologicalSorter(graph).static_order())
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


def test_root_holds_doors_only() -> None:
    """Rooms are in wings."""
    assert {path.stem for path in SOURCE.glob("*.py")} == DOORS


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_files_stay_short(path: Path) -> None:
    """No file over 300 lines."""
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 300


def test_only_the_engine_imports_duckdb() -> None:
    """One module knows the database's package."""
    users = {str(p.relative_to(SOURCE)) for p in SOURCE.rglob("*.py") if "import duckdb" in p.read_text(encoding="utf-8")}
    assert users == {"base/engine.py"}


@pytest.mark.parametrize(
    "code", ["import recallwatch", "import sys; sys.argv = ['recallwatch', '--help']; from recallwatch.cli import app"]
)
def test_import_and_help_load_nothing_heavy(code: str) -> None:
    """`import recallwatch` and --help load neither duckdb, polars, pyarrow, numpy nor scipy."""
    script = f"{code}\nimport sys\nprint(sorted({{m.split('.')[0] for m in sys.modules}} & {{'duckdb', 'polars', 'pyarrow', 'numpy', 'scipy'}}))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


START = """
import importlib, sys
for name in sys.argv[1:]:
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:  # a package of an extra, which is not installed here
        if error.name.startswith("recallwatch"):
            raise
"""


def test_every_module_starts() -> None:
    """Each module is imported without a warning: what a new Python takes away shows here first."""
    names = sorted(f"recallwatch.{name}" for name in NAMES - {"__init__", "__main__"})
    done = subprocess.run([sys.executable, "-W", "error", "-c", START, *names], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
