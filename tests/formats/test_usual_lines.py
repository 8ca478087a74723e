"""Lines like the first ones are read as a table: whatever stands in a line, the rows are those of the general reader."""

import json
from pathlib import Path
from typing import Any

import pytest

from recallwatch.base.engine import Engine
from recallwatch.read import flat, read_logs

USUAL = {
    "event_id": "e{0}",
    "timestamp": "2026-11-01T08:00:{0:02d}+00:00",
    "query_id": "q1",
    "tenant_id": "acme",
    "region": "eu",
    "shard": 7,
    "ranked_ids": ["a", "b\u00e9", "c"],
    "scores": [0.9, 0.5, 0.25],
    "stage_ms": {"embed": 1.5, "search": 20},
    "total_ms": 30.5,
    "embed_ms": 4,
    "input_tokens": 12,
    "top_k": 3,
    "cache_hit": True,
    "error": None,
    "tags": ["x"],
}
LONG = "9" * 25
CHANGED: dict[str, Any] = {
    "event_id": [None, 7, "", {"a": 1}, ["x"]],
    "timestamp": [None, 1_790_000_000, "01/02/2026", "9999-01-01T00:00:00Z", "2026-11-01 08:00:00,250", "", 1e300],
    "query_id": ["", None, 1.50, True, "null", {}, []],
    "region": [None, "", "[a]", "{}", {}, [], ["a"], {"b": 1}, 1.0, 10**20, True, "true", ' "x": 1', "a : b", "x : null", ": true"],
    "ranked_ids": [
        None,
        [],
        [None],
        ["a", None],
        [1, 2.0, "007"],
        [["a", 0.5]],
        [{"id": "a"}],
        [{"x": 1}],
        ["[a"],
        ["{"],
        "a",
        '["a"]',
        {},
        {"id": "a"},
        [True],
        ["a"] * 3 + [[]],
        [{}],
    ],
    "scores": [
        None,
        [],
        [None, 1, 2],
        [1, 1.0, 0.5],
        [True, 0.5, 0.25],
        [0.5, False, 0],
        ["0.5", 0.4, 0.3],
        ["", 0.4, 0.3],
        ["high", 1, 2],
        [1e999, 1, 2],
        [0.5],
        "x",
        {},
        [[1], 2, 3],
        [1, {"a": 2}, 3],
    ],
    "stage_ms": [
        None,
        {},
        {"embed": 1},
        {"search": 20, "embed": 1.5},
        {"embed": None, "search": 2},
        {"embed": 1, "search": None},
        {"embed": True, "search": 1},
        {"embed": False, "search": 0},
        {"embed": 1, "search": 1},
        {"embed": "1", "search": 2},
        {"embed": "x", "search": 2},
        {"embed": -1, "search": 2},
        {"embed": 1, "search": 2, "x": 3},
        {"embed": 1, "search": 2, "x": None},
        {"embed": {}, "search": 2},
        "x",
        [1, 2],
        {"embed": 1, "total": 5},
        {"embed": ""},
    ],
    "total_ms": [None, True, False, 1, "1", "", "x", -5, 1e16, {}, [], [1], " 7 ", "nan"],
    "embed_ms": [None, True, False, 0, "x", 1, ""],
    "input_tokens": [None, True, False, 0, 1, 1.5, "12", "x", 10**20, -1],
    "top_k": [None, True, "5", "x", 2.5],
    "cache_hit": [None, False, "true", "x", 1, {}],
    "error": ["", "timeout", True, False, "false", {"a": 1}, 0],
    "tags": [None, [], "x", [{"a": 1}], {"a": 1}, [1, True]],
    "more": [1, None, True, "x", {"a": 1}, [1]],
    "status": ["error", "ok", None],
}
TEXTS = [
    "",
    "   ",
    "{}",
    "[]",
    "null",
    "5",
    '"x"',
    "text",
    '{"a": 1',
    '{"ranked_ids": ["a"]}',
    '{"ranked_ids":["a"],"query_id":"q"}',
    '{"ranked_ids" : ["a"], "x" : 1}',
    '{"ranked_ids"\t:["a"],"status":"error"}',
    '{"status": "error", "query_id": "q"}',
    '{"query_id": "q"}',
    '{"ranked_ids": ["a"], "ranked_ids": ["b"]}',
    '{"ranked_ids": ["a"], "query_id": "q", "query_id": null}',
    '{"ranked_ids": ["a"], "total_ms": nan, "x": 5}',
    '{"ranked_ids": ["a"], "total_ms": NaN}',
    '{"ranked_ids": ["a"], "total_ms": Infinity, "x": null}',
    '{"\\u0072anked_ids": ["a"]}',
    '{"Ranked_ids": ["a"]}',
    '{"": 1, "ranked_ids": ["a"]}',
    ' {"ranked_ids": ["a"]} ',
    '{"ranked_ids": ["a"]} x',
    '{"ranked_ids": ["a"]}{"ranked_ids": ["b"]}',
    '{"cache_hit": "true", "total_ms": true, "ranked_ids": ["a"]}',
    '{"ranked_ids": ["a"], "scores": [true], "cache_hit": true}',
    '{"ranked_ids": ["a"], "scores": [nan]}',
    '{"ranked_ids": ["a"],}',
]


def line(number: int, **changed: Any) -> str:
    """A usual record, with some of its values changed."""
    record = {key: value.format(number) if isinstance(value, str) else value for key, value in USUAL.items()}
    return json.dumps(record | changed)


def without(number: int, key: str) -> str:
    """A usual record that lacks one name."""
    return json.dumps({name: value for name, value in json.loads(line(number)).items() if name != key})


def rows(log: Path) -> tuple[list[dict[str, Any]], dict[str, Any], tuple[str, ...], bool]:
    """Every row of a log, its names and attributes, and whether its lines were all like the first ones."""
    engine = Engine(threads=1)
    try:
        for name in ("0_schema.sql", "0_options.sql", "1_normalise/values.sql"):
            engine.file(name)
        logs = read_logs(engine, [str(log)])
        found = engine.rows("select * from normalised order by source, source_line, event_id, ranked_ids")
        return found, dict(logs.names), tuple(sorted(logs.attributes)), logs.facts is not None
    finally:
        engine.close()


@pytest.fixture
def same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Compares the two readers on some lines behind 25 usual ones; returns whether all were like the first ones."""

    def compare(*texts: str, end: str = "\n", folder: str = "day=2026-11-01") -> bool:
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / "log.jsonl").write_text("\n".join([*(line(n) for n in range(25)), *texts]) + end, encoding="utf-8")
        found = rows(tmp_path)
        with monkeypatch.context() as patched:
            patched.setattr(flat, "usual_of", lambda *_: None)
            expected = rows(tmp_path)
        assert [json.dumps(part, sort_keys=True, default=str) for part in found[:3]] == [
            json.dumps(part, sort_keys=True, default=str) for part in expected[:3]
        ]
        assert not expected[3]
        return found[3]

    return compare


@pytest.mark.parametrize("key", CHANGED)
def test_a_changed_value(same: Any, key: str) -> None:
    """Every value that a name may have, by itself and all in one log."""
    texts = [line(30 + n, **{key: value}) for n, value in enumerate(CHANGED[key])]
    same(*texts, *([without(59, key)] if key in USUAL else []))
    for text in texts[:: max(1, len(texts) // 4)]:
        same(text)


@pytest.mark.parametrize("text", TEXTS)
def test_a_line_of_another_form(same: Any, text: str) -> None:
    """What is no record, or one of other names, between usual ones."""
    same(text, line(40))


def test_only_a_line_unlike_the_first_ones_is_read_by_itself(same: Any) -> None:
    """Usual lines and some that lack a name are all of the table; one with another name is not."""
    assert same(line(30), without(31, "total_ms"), without(32, "stage_ms"), line(33, total_ms=1, scores=[1.0, 0.5, 0.2]))
    assert same(line(30, region=None), line(31, region="x", error="timeout"))
    assert not same(line(30, more=1))
    assert not same(line(30, total_ms=True))


def test_an_unfinished_last_line(same: Any) -> None:
    """A last line without its end, whole or cut."""
    assert not same(line(30), end="")
    assert not same(line(30)[:-20], end="")


def test_attributes_that_are_lists(same: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Names that become no attribute leave an empty map of them, as they do by the general reader."""
    monkeypatch.setattr("test_usual_lines.USUAL", {key: USUAL[key] for key in ("event_id", "ranked_ids", "tags")})
    assert same(line(30), folder="plain")


@pytest.mark.parametrize("changed", [{f"name{n}": n for n in range(1200)}, {"stage_ms": {f"stage{n}": 1.5 for n in range(1200)}}])
def test_lines_of_very_many_names(tmp_path: Path, changed: dict[str, Any]) -> None:
    """A thousand names and more, at the top or of stages: the general reader's, whose statement does not grow with their number."""
    log = tmp_path / "log.jsonl"
    log.write_text("".join(line(n, **changed) + "\n" for n in range(25)), encoding="utf-8")
    found, _names, attributes, are_usual = rows(log)
    assert len(found) == 25 and not are_usual
    assert len(attributes) > 1200 or len(found[0]["stage_ms"]) >= 1200
