"""Fourteen really measured nights: what went wrong in which, and that nothing else is called."""

import pytest

import recallwatch

pytestmark = pytest.mark.filterwarnings("error")


@pytest.fixture(scope="module")
def files(shared_data):
    folder = shared_data / "cranfield_runs"
    return folder / "nightly.parquet", folder / "labels.jsonl"


def night(n):
    return f"2026-01-{n + 4:02d}"


def windows(files, first, last):
    return recallwatch.drift(*files, reference=f"{night(1)}..{night(6)}", current=f"{night(first)}..{night(last + 1)}", threads=1)


def failed(result):
    return {family for family, verdict in result.verdicts().items() if verdict == "fail"}


def test_nights_6_to_9_lost_documents_and_these_are_named(files):
    """The index lacks every document whose number divides by 7: quality alone fails, and those ids are the lost ones."""
    result = windows(files, 6, 9)
    assert failed(result) == {"quality"}
    recall = next(f for f in result.findings if f.measured.test == "quality" and f.measured.metric == "recall")
    assert recall.measured.effect == pytest.approx(-0.0532, abs=5e-5)
    assert (recall.measured.extra["worse"], recall.measured.extra["better"], recall.measured.extra["queries"]) == (70, 22, 225)
    lost = [int(row["document_id"]) for row in recall.measured.where if row["kind"] == "document"]
    assert len(lost) == 10
    assert all(document % 7 == 0 for document in lost)
    assert "(index v1 → v2)" in result.headline


def test_nights_10_to_12_are_slow_and_the_new_stage_is_named(files):
    """The rerank stage came; latency alone fails, quality does not."""
    result = windows(files, 10, 12)
    assert failed(result) == {"latency"}
    assert "new stage rerank" in result.headline
    total = next(f for f in result.findings if f.measured.stage == "total" and f.measured.quantile == 0.5)
    assert (total.verdict, total.measured.blocks) == ("fail", "runs")
    assert total.measured.where[0]["stage"] == "rerank"


def test_nights_13_and_14_are_as_before(files):
    """Nothing fails, though night 14's p95 is ten times its neighbour's."""
    assert failed(windows(files, 13, 14)) == set()


def test_night_by_night_only_the_bad_nights_are_called(files):
    """A series against accepted nights: 6-9 quality, 10-12 latency, 2 and 3 too few runs, every other night neither."""
    result = recallwatch.drift(*files, window="day", series=True, threads=1)
    told = dict(zip(range(2, 15), result.windows, strict=True))
    assert {n for n, w in told.items() if "quality" in failed(w)} == {6, 7, 8, 9}
    assert {n for n, w in told.items() if "latency" in failed(w)} == {10, 11, 12}
    assert {n for n, w in told.items() if failed(w) - {"quality", "latency"}} == set()
    assert {n for n, w in told.items() if w.verdicts()["latency"] == "insufficient"} == {2, 3}
    assert all("new stage rerank" in told[n].headline for n in (10, 11, 12))
    states = {n: next(f for f in w.findings if f.measured.metric == "recall").state for n, w in told.items()}
    assert [states[n] for n in (5, 6, 7, 9, 10, 11)] == [None, "new", "ongoing", "ongoing", "recovered", None]
    assert all("Since 2026-01-10" in told[n].headline for n in (6, 7, 8, 9))


def test_an_accepted_night_enters_the_reference(files):
    """Nights 6 to 9 accepted for quality: the lost documents become the norm from then on."""
    result = recallwatch.drift(*files, window="day", series=True, threads=1, accepted=[(night(n), "quality") for n in (6, 7, 8, 9)])
    last = result.windows[-1]
    assert last.verdicts()["quality"] != "fail"
    assert result.windows[8].reference["days"] > result.windows[4].reference["days"]
