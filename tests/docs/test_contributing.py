"""CONTRIBUTING.md names places that exist, and the floors of the house as they are."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def test_every_place_exists() -> None:
    """Links and paths in code marks: each is a file or a folder here; NAME stands for what is new."""
    links = re.findall(r"\]\(([^)#]+)[^)]*\)", PAGE)
    paths = re.findall(r"`((?:sql|src|tests|docs|sample_logs|examples|benchmarks)/[^`\s]*)`", PAGE)
    assert links
    assert paths
    assert [path for path in links + paths if "NAME" not in path and not (ROOT / path).exists()] == []


def test_the_floors_are_those_of_the_house() -> None:
    """The table has a row for each floor of tests/unit/test_structure.py, and it names that floor's wings."""
    tree = ast.parse((ROOT / "tests" / "unit" / "test_structure.py").read_text(encoding="utf-8"))
    floors = next(
        ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "FLOORS"
    )
    rows = re.findall(r"^\| \d+ \| (.*) \|$", PAGE, re.MULTILINE)
    assert [{re.match(r"`(\w+)`", part.strip())[1] for part in row.split(" · ")} for row in rows] == floors


def test_it_fits_a_page() -> None:
    """One page: at most 90 lines."""
    assert len(PAGE.splitlines()) <= 90
