"""The example of docs/tuning.md does what the page shows."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def cells(text: str) -> list[list[str]]:
    """The words of each line: how wide a column is follows from the times measured here."""
    return [line.split() for line in text.splitlines()]


def test_the_sample_memory_is_tuned(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Reranking four times pays for nothing at any depth; a second run runs nothing again; the page's recalls are the example's."""
    pytest.importorskip("bm25s")
    spec = importlib.util.spec_from_file_location("tune_memory", ROOT / "examples" / "tune_memory.py")
    assert spec is not None
    assert spec.loader is not None
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    example.main(str(tmp_path), repeats=2)
    said = capsys.readouterr().out
    page = (ROOT / "docs" / "tuning.md").read_text(encoding="utf-8")
    for depth, recall in ((10, "0.7755"), (20, "0.7993"), (40, "0.7789")):
        cheap = f"candidates={depth},passes=1"
        assert f"the same recall@10 on all 49 queries as {cheap}: candidates={depth},passes=4 (+" in said
        for text in (said, page):
            assert any([cheap, recall] == line[at : at + 2] for line in cells(text) for at in range(len(line)))
    step = ["passes", "1", "4", "recall@10", "0.0000", "all", "the", "same", "0", "0", "49", "1.000"]
    assert step in cells(said) and step in cells(page)
    assert (tmp_path / "tuning.svg").read_text(encoding="utf-8").startswith("<svg")
    n = sum(len(path.read_text().splitlines()) for path in (tmp_path / "recalls").glob("*.jsonl"))
    example.main(str(tmp_path), repeats=2)
    assert n == 60 * 6 * 2 == sum(len(path.read_text().splitlines()) for path in (tmp_path / "recalls").glob("*.jsonl"))
