"""Two variants on the same queries."""

import json

import pytest

import recallwatch
from recallwatch.base.errors import UsageError
from recallwatch.variants.comparison import compare

from . import world


def both(**change):
    """Two arms over the same queries in one log."""
    return world.log(world.day(0, variant="a"), world.day(1, variant="b", **change))


def row(result, metric, **segment):
    return next(r for r in result.metrics if r["metric"] == metric and r["segment"] == segment)


def test_a_worse_variant_is_named_with_its_losers():
    """b lost documents: it fails, and the queries it lost are listed."""
    result = compare(both(lost=0.5), world.labels(), a="a", b="b")
    assert result.verdict == "fail"
    recall = row(result, "recall")
    assert recall["effect"] < 0
    assert recall["losers"]
    assert recall["wins"] + recall["ties"] + recall["losses"] == recall["n_queries"]
    assert "b is worse than a" in result.headline
    json.dumps(result.to_dict(), allow_nan=False)
    assert "rankings: overlap@10" in str(result)


def test_a_better_variant_is_improved():
    """Direction is the metric's: more found is better."""
    assert (
        compare(world.log(world.day(0, variant="a", lost=0.5), world.day(1, variant="b")), world.labels(), a="a", b="b").verdict
        == "improved"
    )


def test_the_same_answers_twice_are_noticed():
    """Equal lists for every query are more likely one run under two names than two variants."""
    result = compare(both(), world.labels(), a="a", b="b")
    assert result.verdict == "ok"
    assert any("same list for every query" in note for note in result.notes)
    assert result.likeness["overlap"] == result.likeness["rbo"] == pytest.approx(1.0)


def test_a_metric_that_is_zero_in_both_arms_cannot_move():
    """No hit anywhere: said so, never ok."""
    result = compare(both(), world.labels().set_column(1, "document_id", [[f"never{i}" for i in range(480)]]), a="a", b="b")
    assert "cannot move" in row(result, "success")["reason"]
    assert result.verdict == "insufficient"


def test_arms_without_a_common_query_are_compared_unpaired_and_said_so():
    """Welch on query means, named, with the warning that other queries may be harder."""
    even, odd = ([r for r in world.day(n, variant=v) if int(r["query_id"][1:]) % 2 == n] for n, v in ((0, "a"), (1, "b")))
    result = compare(world.log(even, odd), world.labels(), a="a", b="b")
    assert row(result, "recall")["method"] == "welch"
    assert any("unpaired" in note for note in result.notes)
    assert result.likeness is None or result.likeness["n_queries"] < 60


def test_an_unknown_variant_is_refused_with_those_there_are():
    """A typing mistake names the values of the column."""
    with pytest.raises(UsageError, match="Known: a, b"):
        compare(both(), world.labels(), a="a", b="c")


def test_two_logs_are_two_arms():
    """A second log is the second arm; the same ids of events in both do not collide."""
    result = compare(world.log(world.day(0)), world.labels(), other=world.log(world.day(0, lost=0.5)), a="before", b="after")
    assert result.verdict == "fail"
    assert result.a["events"] == result.b["events"]


def test_results_of_different_definitions_are_refused(tmp_path):
    """Two numbers that do not mean the same are not compared without force."""
    paths = []
    for no, options in enumerate(({}, {"gain": "exponential"})):
        result = recallwatch.evaluate(world.log(world.day(0)), world.labels(), per_query=True, **options)
        paths.append(tmp_path / f"r{no}.json")
        paths[-1].write_text(json.dumps(result.to_dict()))
    with pytest.raises(UsageError, match="definitions differ"):
        compare(paths[0], other=paths[1])
    assert compare(paths[0], other=paths[1], force=True).verdict in ("ok", "insufficient")


def test_the_published_fix_is_worse_and_the_pairs_show_it(shared_data):
    """pgmnemo's hybrid against its fix A: the unpaired gate said neutral, 500 pairs say −0.0241 for certain."""
    folder = shared_data / "pgmnemo_runs"
    result = compare(
        folder / "lme_v0.2.1_hybrid.jsonl.gz",
        folder / "lme_v0.2.1_hybrid.jsonl.gz",
        other=folder / "lme_fixa_rrf.jsonl.gz",
        mapped={"ranked_ids": "retrieved_top10"},
    )
    recall = row(result, "recall")
    assert recall["effect"] == pytest.approx(-0.0241, abs=5e-5)
    assert (recall["losses"], recall["wins"], recall["n_queries"]) == (25, 4, 500)
    assert recall["p_t"] == pytest.approx(9e-5, rel=0.1)
    assert recall["p_flips"] == pytest.approx(1.4e-5, rel=0.2)
    assert recall["verdict"] == "fail"
    success = row(result, "success")
    assert success["method"] == "mcnemar"
    assert success["p_value"] == pytest.approx(2 / 2**9)
