"""`protocol run`: a run as agreed is VERIFIED; each thing that was not as agreed is a gate that says so."""

import json
from pathlib import Path

import pytest

from . import world


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the protocol, its corpus and a run's log."""
    folder = tmp_path_factory.mktemp("protocol")
    world.protocol(folder)
    world.log(folder)
    return folder


@pytest.fixture(scope="module")
def verified(here: Path) -> Path:
    """Results of a run as agreed."""
    world.run(
        here / "small-1.0.toml", here / "run.jsonl", here / "results" / "v1", given=here / "small.json", claims=["recall@1=0.6429"]
    )
    return here / "results" / "v1"


def test_a_run_as_agreed_is_verified(verified: Path) -> None:
    """Every gate holds: mean by hand, interval, n by type, facts, hashes; a page without a script and a raw line a recall."""
    document = json.loads((verified / "metrics.json").read_text())
    assert document["status"] == "VERIFIED"
    row = document["overall"]["recall@1"]
    assert (row["mean"], row["n"], row["measure"]) == (pytest.approx((0.5 + 0 + 1 + 0 + 1 + 1 + 1) / 7, abs=1e-15), 7, "recall")
    assert document["overall"]["mrr@50"]["truncated"], "three sessions a conversation: the lists cannot be deeper"
    assert {kind: rows["recall@1"]["n"] for kind, rows in document["by_type"].items() if rows} == {
        "multi-hop": 2,
        "single-hop": 3,
        "temporal": 2,
    }
    assert document["record"]["facts"] == {"system": "ours", "system_version": "1.0", "seed": 7, "dimensions": 16}
    assert len((verified / "raw_retrievals.jsonl").read_text().splitlines()) == 8
    page = (verified / "report.html").read_text()
    assert "VERIFIED" in page
    assert "<script" not in page
    assert "http" not in page.replace("http-equiv", "")
