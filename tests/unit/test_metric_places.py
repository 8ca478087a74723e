"""A metric is one line of METRICS; what else it takes is named by these tests, place by place ("Adding a metric" in the README)."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from recallwatch.base.definition import columns_of
from recallwatch.base.errors import UsageError
from recallwatch.base.metrics import METRICS, Metric, Parameter, label_of

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests" / "property"))


def missing_places(entry: Metric) -> list[str]:
    """The places that do not know the metric yet."""
    from oracles import ANSWERS_IN, FORMULAS

    def holds(path: str, text: str) -> bool:
        file = ROOT / path
        return file.is_file() and text in file.read_text(encoding="utf-8")

    has_oracle = entry.name in FORMULAS if entry.of == "judged" else holds(ANSWERS_IN, entry.name)
    places = {
        f"sql/3_score/{entry.name}.sql, with the macro {entry.name}_at_k": holds(
            f"sql/3_score/{entry.name}.sql", f"macro {entry.name}_at_k("
        ),
        f"tests/sql/3_score/{entry.name}.test": holds(f"tests/sql/3_score/{entry.name}.test", f"{entry.name}_at_k("),
        f"sql/README.md, the line .read sql/3_score/{entry.name}.sql": holds(
            "sql/README.md", f".read sql/3_score/{entry.name}.sql"
        ),
        "tests/property/oracles.py, a plain loop in FORMULAS": has_oracle,
        "README.md, by `python tests/readme.py refresh`": holds("README.md", f"| `{entry.name}` |"),
        "docs/metrics.md, by `python tests/readme.py refresh`": holds("docs/metrics.md", f"| `{entry.name}` |"),
    }
    return [place for place, is_there in places.items() if not is_there]


@pytest.mark.parametrize("name", METRICS)
def test_a_metric_stands_in_every_place(name: str) -> None:
    """The failure names each place that is missing."""
    assert missing_places(METRICS[name]) == []


def test_a_metric_that_is_nowhere_names_every_place() -> None:
    """The test above can fail, and the README names the same places."""
    missing = missing_places(Metric("nowhere", "for this test"))
    assert len(missing) == 6
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for place in (
        "sql/3_score/",
        "base/metrics.py",
        "tests/sql/3_score/",
        "tests/property/oracles.py",
        "sql/README.md",
        "tests/readme.py refresh",
    ):
        assert place in text.split("## Adding a metric")[1].split("\n## ")[0]


def test_parameters_are_part_of_the_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """A spec names a metric, its parameters and k in any spelling; what is out of range or unknown is refused."""
    p = Parameter("p", 0.8, 0.0, 1.0, "patience")
    table = {**METRICS, "rbp": Metric("rbp", "rank-biased precision", "RBP", parameters=(p,))}
    monkeypatch.setattr("recallwatch.base.metrics.METRICS", table)
    monkeypatch.setattr("recallwatch.base.definition.METRICS", table)
    for text in ("rbp@10", "rbp(p=.8)@10", "RBP(p=0.8)@10", " rbp( 0.80 )@10"):
        assert [str(c) for c in columns_of([text], (1,))] == ["rbp(p=0.8)@10"]
    assert [str(c) for c in columns_of(["rbp(p=0.5)", "rbp", "recall"], (1,))] == ["recall@1", "rbp(p=0.5)@1", "rbp(p=0.8)@1"]
    assert label_of("rbp(p=0.8)") == "RBP(p=0.8)"
    for text, message in (
        ("rbp(p=2)", "from 0 to 1, saw '2'"),
        ("rbp(q=1)", "no parameter 'q'"),
        ("rbp(p=x)", "saw 'x'"),
        ("recall(p=1)", "no parameter"),
    ):
        with pytest.raises(UsageError, match=message):
            columns_of([text], (1,))
