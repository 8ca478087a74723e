"""The examples in docstrings, run: each prints what stands under it."""

import doctest
import importlib
from pathlib import Path

import pytest

import recallwatch

PACKAGE = Path(recallwatch.__file__).parent
MODULES = [
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")
    for path in sorted(PACKAGE.rglob("*.py"))
    if ">>> " in path.read_text(encoding="utf-8")
]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_print_what_they_show(name: str) -> None:
    """Every module with an example: at least one runs, none prints anything else."""
    done = doctest.testmod(importlib.import_module(name))
    assert done.attempted > 0
    assert done.failed == 0
