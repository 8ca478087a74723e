"""Few records take shorter ways through planning; what they give is what many give."""

import recallwatch
from recallwatch import read
from recallwatch.base.metrics import METRICS
from recallwatch.scoring import quality

SAMPLE = {"logs": "sample_logs/recalls", "labels": "sample_logs/labels.jsonl"}


def test_few_and_many_give_the_same(monkeypatch):
    """Held as a table or read anew, a metric called once for all its cutoffs or once for each: not one digit differs."""
    metrics = (*(name for name, metric in METRICS.items() if metric.of != "searched"), "P(rel=1)@5")
    asked = {"metrics": metrics, "k": (1, 10, None), "gain": "linear", "no_relevant": "zero", "per_query": True}
    few = recallwatch.evaluate(**SAMPLE, **asked).to_dict()
    for module in (read, quality):
        monkeypatch.setattr(module, "FEW", 0)
    assert recallwatch.evaluate(**SAMPLE, **asked).to_dict() == few
