"""Macros kept in the user's cache folder: those that no run changes, the same numbers without them, a damaged file made again."""

import re
from pathlib import Path

import pytest

import recallwatch
from recallwatch.base import kept_macros, sqlfiles
from recallwatch.base.engine import Engine

MACRO = re.compile(r"create (?:or replace )?macro (\w+)")
SOURCE = Path(recallwatch.__file__).parent


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where this test's macros are kept."""
    path = tmp_path / "it's a cache" / "macros.duckdb"
    monkeypatch.setattr(kept_macros, "_place", lambda: path)
    return path


def evaluated() -> str:
    log = [{"event_id": "1", "query_id": "q", "ranked_ids": ["a", "b"], "scores": [2.0, 1.0], "total_ms": 1.5}]
    result = recallwatch.evaluate(log, [{"query_id": "q", "relevant": ["b"]}], rel_level=1, order="score")
    return str([result.metrics.to_pylist(), result.latency.to_pylist()])


def has_kept_macros(engine: Engine) -> bool:
    names = engine.run("select database_name from duckdb_databases()")
    return (kept_macros.NAME,) in names


def test_no_run_makes_a_macro_of_a_kept_name() -> None:
    """What is kept and made again by another file, or by a caller, would be whichever came last."""
    texts = {name: sqlfiles.text_of(name) for name in sqlfiles.every_name()}
    kept = [name for file in kept_macros.files() for name in MACRO.findall(texts[file])]
    assert len(kept) == len(set(kept)) > 100
    elsewhere = [texts[name] for name in texts.keys() - kept_macros.files()]
    elsewhere += [path.read_text(encoding="utf-8") for path in SOURCE.rglob("*.py")]
    assert not set(kept) & {name for text in elsewhere for name in MACRO.findall(text)}
    for file in kept_macros.files():
        assert not re.search(r"^(?:create (?:or replace )?(?:table|view)|insert|select)\b", texts[file], re.MULTILINE), file


def test_the_same_numbers_kept_or_made(place: Path) -> None:
    """Made, attached, attached by two at once; without a folder; from a damaged file, which is made again."""
    first = evaluated()
    assert place.is_file()
    made = place.stat().st_mtime_ns
    with Engine() as one, Engine() as two:
        for engine in (one, two):
            engine.file("0_options.sql")
            engine.file("3_score/recall.sql")
            assert has_kept_macros(engine)
    assert (evaluated(), place.stat().st_mtime_ns) == (first, made)
    place.write_bytes(b"no database")
    assert (evaluated(), place.exists()) == (first, False)
    assert (evaluated(), place.exists()) == (first, True)


def test_without_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: Path) -> None:
    """No home, or one that is a file: macros are made by each engine."""
    first = evaluated()
    (tmp_path / "file").touch()
    for other in (Path("cache/macros.duckdb"), tmp_path / "file" / "macros.duckdb"):
        monkeypatch.setattr(kept_macros, "_place", lambda other=other: other)
        with Engine() as engine:
            engine.file("0_options.sql")
            engine.file("3_score/recall.sql")
            assert not has_kept_macros(engine)
        assert evaluated() == first


def test_names_of_another_database_get_macros_of_their_own(tmp_path: Path, place: Path) -> None:
    """recall.duckdb holds what its views need."""
    with Engine() as engine:
        engine.run(f"attach '{tmp_path / 'own.duckdb'}' as own")
        engine.use("own")
        engine.file("0_options.sql")
        engine.file("3_score/recall.sql")
        assert not has_kept_macros(engine)
        assert engine.run("select count(*) from duckdb_functions() where database_name = 'own' and function_name = 'recall_at_k'")
    assert not place.exists()
