"""Two variants on the same queries."""

import json

import pytest

import recallwatch
from recallwatch.base.errors import UsageError
from recallwatch.variants.comparison import compare

from . import world


def both(**change):
    """Two arms over the same queries in one log."""
    return world.log(world.day(0, variant="a", per_hour=20), world.day(1, variant="b", per_hour=20, **change))


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
    assert result.similarity["overlap"] == result.similarity["rbo"] == pytest.approx(1.0)


def test_a_metric_that_is_zero_in_both_arms_cannot_move():
    """No hit anywhere: said so, never ok."""
    result = compare(
        both(), world.labels().set_column(1, "document_id", [[f"never{i}" for i in range(480)]]), a="a", b="b", allow_unmatched=True
    )
    assert "cannot move" in row(result, "success")["reason"]
    assert result.verdict == "insufficient"


def test_arms_without_a_common_query_are_compared_unpaired_and_said_so():
    """Welch on query means, named, with the warning that other queries may be harder."""
    even, odd = ([r for r in world.day(n, variant=v) if int(r["query_id"][1:]) % 2 == n] for n, v in ((0, "a"), (1, "b")))
    result = compare(world.log(even, odd), world.labels(), a="a", b="b")
    assert row(result, "recall")["method"] == "welch"
    assert any("unpaired" in note for note in result.notes)
    assert result.similarity is None or result.similarity["n_queries"] < 60


def test_an_unknown_variant_is_refused_with_those_there_are():
    """A typing mistake names the values of the column."""
    with pytest.raises(UsageError, match="Known: a, b"):
        compare(both(), world.labels(), a="a", b="c")


def test_a_variant_is_not_compared_with_itself():
    """It said that the arms have no metric in common."""
    with pytest.raises(UsageError, match=r"both variants are 'a'"):
        compare(both(), world.labels(), a="a", b="a")


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


def recalls(variant, answers, **more):
    """One recall a query; answers: whether the right document is in the list, or None for an empty list."""
    lists = {True: lambda q: [f"d{q}", "x"], False: lambda _: ["x"], None: lambda _: []}
    return [
        {
            "event_id": f"{variant}{q}",
            "query_id": f"q{q}",
            "variant": variant,
            "ranked_ids": lists[hit](q),
            "relevant": [f"d{q}"],
            **more,
        }
        for q, hit in enumerate(answers)
    ]


def written(tmp_path, *arms, name="log.jsonl"):
    """Arms as a log of JSON lines."""
    path = tmp_path / name
    path.write_text("\n".join(json.dumps(row) for arm in arms for row in arm) + "\n")
    return path


def test_the_sentence_names_what_the_verdict_rests_on(tmp_path):
    """Better answers at twice the time fail by latency: the sentence says which is better and which is worse, in ms and as a ratio."""
    a = [{**row, "total_ms": 10 + i % 5} for i, row in enumerate(recalls("a", [q % 3 > 0 for q in range(60)]))]
    b = [{**row, "total_ms": 20 + i % 5} for i, row in enumerate(recalls("b", [True] * 60))]
    result = compare(written(tmp_path, a, b), a="a", b="b")
    assert result.verdict == "fail"
    assert result.headline.startswith(
        "b against a: quality better, latency worse: recall@10 0.6667 → 1.0000 (+33.33 points, p < .001; 0 of 60"
    )
    assert "total ms 11.92 → 21.95 (× 1.84, p < .001; 60 of 60 queries worse, 0 better)" in result.headline
    (line,) = [line for line in str(result).splitlines() if line.startswith("total ms ")]
    assert "× 1.84" in line
    assert "points" not in line
    assert str(row(result, "total_ms")["effect"])[:5] == "0.611"  # the JSON keeps the log ratio, under its unit


def test_a_family_that_did_not_move_is_named_as_what_it_is(tmp_path):
    """Only times got worse: quality is told to show no difference, or to have too little data; never that b is worse by it."""
    arms = [
        [{**row, "total_ms": ms + i % 5} for i, row in enumerate(recalls(v, [q % 3 > 0 for q in range(60)]))]
        for v, ms in (("a", 10), ("b", 20))
    ]
    assert (
        "; quality: no difference that matters (recall@10 0.6667 → 0.6667"
        in compare(written(tmp_path, *arms), a="a", b="b").headline
    )
    short = compare(written(tmp_path, *(arm[:10] for arm in arms)), a="a", b="b")
    assert short.headline.count("too little to tell") == 2


def test_an_arm_without_answers_is_noted(tmp_path):
    """Only empty lists, and times of 0: said before anybody believes the numbers."""
    log = written(tmp_path, recalls("a", [True] * 40, total_ms=5.0), recalls("b", [None] * 40, total_ms=0))
    notes = compare(log, a="a", b="b").notes
    assert "b returned an empty list for every recall (40)" in notes
    assert "b: every time is 0 ms; a time of 0 is not compared" in notes
    for time in ("slow", None):
        log = written(tmp_path, recalls("a", [True] * 40, total_ms=5.0), recalls("b", [True] * 40, total_ms=time))
        assert "b: no recall has a time, or one that can be one; times are not compared" in compare(log, a="a", b="b").notes


@pytest.mark.parametrize(
    ("of_b", "why"),
    [
        ({"total_ms": None}, "no recall of b has a time"),
        ({"total_ms": 0}, "no recall of b has a time above 0"),
        ({"status": "error"}, "every recall of b failed"),
        ({"total_ms": None, "rerank_ms": 3.0}, "no time of one kind is in both arms"),
    ],
)
def test_the_headline_names_latency_that_one_arm_lacks(tmp_path, of_b, why):
    """Quality alone decides then, and the sentence says so, with labels and without."""
    b = [{**row, **of_b} for row in recalls("b", [q % 2 == 0 for q in range(40)], total_ms=5.0)]
    log = written(tmp_path, recalls("a", [True] * 40, total_ms=5.0), b)
    assert compare(log, a="a", b="b").headline.endswith(f"; latency: not compared ({why})")
    for row in (rows := [json.loads(line) for line in log.read_text().splitlines()]):
        row.pop("relevant")
    result = compare(rows, a="a", b="b")
    assert result.headline.endswith(f"; times: {why}" if "failed" not in why else f"no query has a list in both; {why}")
    assert not any("no query is in both arms" in note for note in result.notes)


def test_times_that_one_arm_lacks_are_told(tmp_path):
    """A stage of one arm, recalls without a time; equal lists with other times are not one run twice; no interval of width 0."""
    slow = [
        {**row, "rerank_ms": 2.0} | ({"total_ms": None} if q < 4 else {})
        for q, row in enumerate(recalls("b", [True] * 40, total_ms=6.0))
    ]
    result = compare(written(tmp_path, recalls("a", [True] * 40, total_ms=5.0), slow), a="a", b="b")
    assert {"only b has times of rerank: not compared", "both arms returned the same list for every query"} <= set(result.notes)
    assert "b: 4 of 40 recalls have no time; those of the others are compared" in result.notes
    time = next(row for row in result.metrics if row["family"] == "latency")
    assert (time["ci_low"], time["ci_high"], time["verdict"]) == (None, None, "fail")


def test_errors_are_not_the_same_list(tmp_path):
    """Lists are compared where both arms answered: equal lists of the others are told with the failures, not as one run twice."""
    answers = [True] * 25 + [False] * 15
    new = [
        {**row, "status": "ok" if q < 25 else "error", "ranked_ids": row["ranked_ids"] if q < 25 else []}
        for q, row in enumerate(recalls("b", answers))
    ]
    notes = compare(written(tmp_path, recalls("a", answers), new), a="a", b="b").notes
    assert any(note.startswith("b: 15 of 40 recalls failed") for note in notes)
    assert "both arms returned the same list for each of the 25 queries that both answered; 15 recalls failed" in notes
    assert not any("same run" in note for note in notes)


@pytest.mark.parametrize("n", [1, 30])
def test_no_common_query_is_not_a_query_that_cannot_move(tmp_path, n):
    """Arms that share nothing say so, whatever they score: no sentence speaks of queries of both arms."""
    every = recalls("a", [True] * 2 * n)
    log = written(tmp_path, every[:n], [{**row, "variant": "b"} for row in every[n:]])
    result = compare(log, a="a", b="b")
    assert result.verdict == "insufficient"
    assert any(note.startswith(f"no query is in both arms ({n} only in a, {n} only in b)") for note in result.notes)
    assert "cannot move" not in str(result)
    assert "in both arms" in row(result, "recall")["reason"]


def test_a_log_named_json_is_a_log(tmp_path):
    """What a file is, is told by its content: two JSON arrays of recalls are two arms; a result beside a log is refused."""
    paths = [tmp_path / f"{name}.json" for name in "ab"]
    for path in paths:
        path.write_text(json.dumps(recalls(path.stem, [q % 2 == 0 for q in range(40)])))
    result = compare(paths[0], other=paths[1])
    assert (result.a["name"], result.a["events"], result.b["events"]) == ("a", 40, 40)
    kept = tmp_path / "result.json"
    kept.write_text(json.dumps(recallwatch.evaluate(str(paths[0]), per_query=True).to_dict()))
    with pytest.raises(UsageError, match="one is a result of an evaluation, the other a log"):
        compare(kept, other=paths[1])


def test_classes_that_moved_apart_are_told_as_that(tmp_path):
    """Worse in one class and better in another, equal over everything: the sentence says where, and not that b is worse."""
    arms = []
    for variant in "ab":
        rows = recalls(variant, [q < 30 if variant == "a" else q >= 30 for q in range(60)])
        arms.append([{**row, "query_class": "lookup" if q < 30 else "howto"} for q, row in enumerate(rows)])
    result = compare(written(tmp_path, *arms), a="a", b="b", metrics=["recall@10"])
    assert result.headline.startswith("b against a: quality mixed: recall@10 (lookup) 1.0000 → 0.0000")
    assert "recall@10 (howto) 0.0000 → 1.0000" in result.headline


def test_a_variant_that_finds_all_is_better_where_the_labels_name_right_documents_alone(tmp_path):
    """b finds every right document, a two of three: all 20 documents that a alone shows would have to be right to turn it, so it stands."""
    a, b = ({q: [f"d{q}", "x"] if v == "b" or q % 3 else ["x", "y"] for q in range(60)} for v in "ab")
    rows = [
        {"query_id": f"q{q}", "variant": v, "ranked_ids": ids, "relevant": [f"d{q}"]}
        for v, arm in (("a", a), ("b", b))
        for q, ids in arm.items()
    ]
    result = compare(written(tmp_path, rows), a="a", b="b")
    assert {row["verdict"] for row in result.metrics if row["family"] == "quality"} == {"improved"}
    assert row(result, "recall")["tipping_point"] == 1.0
    assert "Where relevant documents are lost" not in str(result)  # no stage is logged


def test_what_the_labels_lack_is_told(tmp_path):
    """Arms whose records carry different labels of a query are both judged by all of them, and compare says so, as evaluate does."""
    rows = [{"query_id": f"q{q}", "variant": v, "ranked_ids": [v, "x"], "relevant": [v]} for q in range(30) for v in "ab"]
    note = "30 queries whose records carry different labels: what any record of a query names is relevant for all of them"
    assert note in compare(rows, a="a", b="b").notes
    path = tmp_path / "log.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    recallwatch.evaluate(path, store=tmp_path / "store", metrics="recall")
    assert note in compare(store=tmp_path / "store", a="a", b="b").notes
