"""The tutorial notebook runs from top to bottom, and shows what its text says."""

from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")


@pytest.mark.filterwarnings("ignore")  # Jupyter's own
def test_every_cell_runs() -> None:
    """No cell fails; results show a picture with a table, frames and values themselves."""
    notebook: Any = nbformat.read(ROOT / "examples" / "tutorial.ipynb", as_version=4)
    nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(ROOT)}}).execute()
    shown = [cell.outputs for cell in notebook.cells if cell.cell_type == "code"]
    assert all(shown[1:])
    result = shown[1][0].data["text/html"]
    assert "data:image/svg+xml" in result and "<table" in result
    assert "recall@10" in shown[2][0].data["text/html"] or "query_class" in shown[2][0].data["text/html"]
