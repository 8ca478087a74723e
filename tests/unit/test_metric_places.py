"""A metric is one line of METRICS; what else it takes is named by these tests, place by place ("Adding a metric" in the README)."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from recallwatch.base.definition import columns_of
from recallwatch.base.errors import UsageError
from recallwatch.base.metric import Metric
from recallwatch.base.metrics import METRICS, label_of

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests" / "property"))


def missing_places(entry: Metric) -> list[str]:
    """The places that do not know the metric yet."""
    from oracles import ANSWERS_IN, FORMULAS

    def holds(path: str, text: str) -> bool:
        file = ROOT / path
        return file.is_file() and text in file.read_text(encoding="utf-8")

    oracles = {"answered": ANSWERS_IN, "dated": "tests/property/test_as_of.py", "searched": "tests/property/test_searches.py"}
    has_oracle = entry.name in FORMULAS if entry.of == "judged" else holds(oracles[entry.of], entry.name)
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


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("rbp@10", "rbp(p=0.8)@10"), ("rbp(p=.8)@10", "rbp(p=0.8)@10"), (" rbp( 0.80 )@10", "rbp(p=0.8)@10"), ("RBP(p=0.5)", "rbp(p=0.5)"),
        ("nDCG@10", "ndcg@10"), ("RR@10", "mrr@10"), ("MRR", "mrr"), ("recip_rank", "mrr"), ("AP@100", "map@100"), ("map@5", "map@5"), ("R@50", "recall@50"),
        ("P@5", "precision@5"), ("P(rel=2)@5", "precision(rel=2)@5"), ("P(2)@5", "precision(rel=2)@5"), ("AP(rel=2)", "map(rel=2)"), ("Success@1", "success@1"),
        ("Rprec", "rprec(mult=1)"), ("Rprec(rel=2)", "rprec(mult=1,rel=2)"), ("Bpref", "bpref"), ("infAP", "infap"), ("ERR@20", "err(max=4)@20"),
        ("IPrec@.1", "iprec(r=0.1)"), ("IPrec(r=0.5)@20", "iprec(r=0.5)@20"), ("Judged@10", "judged@10"), ("nDCG(dcg='exp-log2')@10", "ndcg_exp@10"),
        ("nDCG(dcg='log2')@10", "ndcg@10"), ("SetP", "precision"), ("SetR", "recall"), ("SetF", "f1"), ("SetAP", "set_map"), ("11pt_avg", "iprec_11pt"),
        ("R@all", "recall"), ("ndcg_cut@10", "ndcg@10"),
    ],
)  # fmt: skip
def test_the_fields_own_names(text: str, column: str) -> None:
    """A spec in ir_measures' or trec_eval's words names one column of ours, in any case and spacing."""
    assert [str(one) for one in columns_of([text], (1, 3))] == [column]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rbp(p=2)", "from 0.01 to 0.99, saw '2'"), ("rbp(q=1)", "no parameter 'q'"), ("rbp(p=x)", "saw 'x'"), ("recall(p=1)", "no parameter 'p'"),
        ("IPrec@2", "from 0 to 1, saw '2'"), ("P(rel=x)@5", "saw 'x'"), ("nDCG(dcg='other')@10", "unknown metric"), ("nope@3", "unknown metric 'nope'"),
        ("recall@0", "whole numbers"), ("f1(rel=2)", "no parameter 'rel'"),
    ],
)  # fmt: skip
def test_what_a_spec_cannot_be(text: str, message: str) -> None:
    """A parameter out of range, or a name that nobody has, is refused by name."""
    with pytest.raises(UsageError, match=message):
        columns_of([text], (1,))


def test_names_that_outputs_write() -> None:
    """Columns keep the registry's order; people read the label with its parameters; nobody gets a measure unasked that must be named."""
    assert [str(c) for c in columns_of(["rbp(p=0.5)", "rbp", "recall"], (1,))] == ["recall@1", "rbp(p=0.5)", "rbp(p=0.8)"]
    assert (label_of("rbp(p=0.8)"), label_of("precision(rel=2)"), label_of("recall")) == (
        "RBP(p=0.8)",
        "precision(rel=2)",
        "recall",
    )
    assert not {c.metric for c in columns_of([], (1,))} & {m.name for m in METRICS.values() if m.named_only}
