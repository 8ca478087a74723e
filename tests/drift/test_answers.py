"""Answers without labels: overlap of the same queries, documents gone, the same bytes from logs and store, silence where nothing changed."""

import datetime as dt
import json
import math
import random
import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import recallwatch
from recallwatch.base.engine import Engine
from recallwatch.monitor.accepted import accept, read
from recallwatch.nightly.steps import report
from recallwatch.store import ingest

ROOT = Path(__file__).parents[2]
START = dt.datetime(2026, 3, 2, tzinfo=dt.UTC)


def flagged(result):
    """Starts of the windows whose answers are flagged."""
    return [window.current["from"][:10] for window in result.windows if window.verdicts()["answers"] in ("warn", "fail")]


def night(no, *, queries=40, repeats=3, replaced=0, gone=(), seed=0):
    """Rows of one night: each query's list of ten; ``replaced`` documents of each list are others, ``gone`` ones give way to a spare."""
    rows = []
    for q in range(queries):
        ids = [f"d{q}-{i}" for i in range(10 - replaced)] + [f"n{q}-{i}" for i in range(replaced)]
        ids = [f"s{q}-{i}" if d in gone else d for i, d in enumerate(ids)]
        for i in range(repeats):
            at = START + dt.timedelta(days=no, hours=(q + 7 * i) % 24, minutes=i)
            rows.append(
                {
                    "event_id": f"{no}-{q}-{i}",
                    "timestamp": at,
                    "query_text": f"question  {q}",
                    "tenant_id": f"t{q % 2}",
                    "ranked_ids": ids,
                }
            )
    random.Random(seed).shuffle(rows)
    return rows


def test_sample_nights_are_flagged_and_no_other():
    """Labels withheld: nights 8 to 10 of the sample logs, where a slice of documents was missing, and no other."""
    result = recallwatch.drift(ROOT / "sample_logs" / "recalls", window="day", series=True)
    assert flagged(result) == ["2026-11-08", "2026-11-09", "2026-11-10"]
    assert {window.verdicts()["quality"] for window in result.windows} == {""}
    assert "No labels: quality is not measured." in result.headline
    tenth = next(window for window in result.windows if window.current["from"].startswith("2026-11-10"))
    gone = next(f for f in tenth.findings if f.measured.test == "documents_gone")
    assert len(gone.measured.where) == 25
    assert {"m017", "m023", "m059"} < {row["document_id"] for row in gone.measured.where}


def test_cranfield_nights_are_flagged_and_no_other(shared_data):
    """Labels withheld: nights 6 to 9 (another index) and 10 to 12 (another analyser) of Cranfield, and no other."""
    result = recallwatch.drift(shared_data / "cranfield_runs" / "nightly.parquet", window="day", series=True)
    assert flagged(result) == [f"2026-01-{day}" for day in range(10, 17)]


def test_same_bytes_for_any_split_order_and_from_a_store(tmp_path):
    """Whatever file a recall stands in and in whatever order, drift says the same bytes; a store says what its logs say."""
    nights = [night(no, replaced=2 * (no == 9), seed=no) for no in range(10)]
    every = [row for rows in nights for row in rows]
    answers = []
    for name, files in (("one", [every[::-1]]), ("each", nights), ("odd", [every[i::3] for i in range(3)])):
        folder = tmp_path / name
        folder.mkdir()
        for i, rows in enumerate(files):
            pq.write_table(pa.Table.from_pylist(rows), folder / f"{i}.parquet")
        answers.append(json.dumps(recallwatch.drift(str(folder), window="day", series=True, threads=1 + len(files) % 2).to_dict()))
    ingest(str(tmp_path / "odd"), store=tmp_path / "store")
    answers.append(json.dumps(recallwatch.drift(store=tmp_path / "store", window="day", series=True).to_dict()))
    answers.append(json.dumps(recallwatch.drift(store=tmp_path / "store", window="day", series=True).to_dict()))
    assert len(set(answers)) == 1
    last = json.loads(answers[0])["windows"][-1]
    overlap = next(f for f in last["findings"] if f["metric"] == "overlap")
    assert (overlap["reference"], overlap["current"], overlap["verdict"]) == (1.0, pytest.approx(0.8), "warn")
    assert overlap["where"][0]["query_text"].startswith("question ") and "question  " not in overlap["where"][0]["query_text"]


def test_documents_that_left_are_named_and_may_fail_where_the_file_says_so():
    """Five of a hundred documents no longer shown are a finding with their names; `answers = "fail"` makes it fail."""
    gone = {f"d{q}-{i}" for q in range(0, 40, 2) for i in range(2)}
    rows = [row for no in range(9) for row in night(no, gone=gone if no == 8 else ())]
    table = pa.Table.from_pylist(rows)
    result = recallwatch.drift(table, window="day", series=True, answers="fail")
    found = next(f for f in result.findings if f.measured.test == "documents_gone")
    assert (found.verdict, result.verdict) == ("fail", "fail")
    assert {row["document_id"] for row in found.measured.where} == gone
    assert found.measured.current == pytest.approx(0.1)
    assert recallwatch.drift(table, window="day").verdict == "warn"


@pytest.mark.parametrize("tenants", [1, 20])
def test_one_query_that_got_another_list_is_no_hole(tenants):
    """It has a third of the recalls, so much of what lists held is gone; all of it stood in one query's lists, whichever tenants ask it."""
    rows = [row for no in range(9) for row in night(no)]
    busy = [
        {**row, "event_id": f"{row['event_id']}-{i}", "tenant_id": f"b{i % tenants}"}
        for row in rows
        if row["query_text"] == "question  0"
        for i in range(20)
    ]
    busy = [{**row, "ranked_ids": [f"n{d}" for d in row["ranked_ids"]]} if row["timestamp"].day == 10 else row for row in busy]
    rows = [row for row in rows if row["query_text"] != "question  0"] + busy
    found = {f.measured.test: f for f in recallwatch.drift(pa.Table.from_pylist(rows), window="day").findings}
    for name, least in (("documents_gone", 0.1), ("documents_new", 0.03), ("overlap", 0.03)):
        assert found[name].verdict == "ok", name
        assert abs(found[name].measured.effect) > least, name
        assert found[name].measured.p > 0.05, name


def test_two_windows_alone_are_provisional():
    """Two windows are judged by what each has in common with itself: a swap is seen, equal lists are not flagged."""
    for replaced, verdict in ((0, "ok"), (3, "warn")):
        table = pa.Table.from_pylist([*night(0), *night(1, replaced=replaced)])
        (found,) = [
            f
            for f in recallwatch.drift(table, reference="2026-03-02..2026-03-03", current="2026-03-03..2026-03-04").findings
            if f.family == "answers"
        ]
        assert (found.verdict, found.measured.provisional) == (verdict, True)


def test_queries_that_never_return_say_so():
    """Where no query is asked twice there is nothing to compare: insufficient, never ok, and the rest is judged."""
    rows = [{**row, "query_text": f"{row['query_text']} {no} {i}"} for no in range(3) for i, row in enumerate(night(no))]
    result = recallwatch.drift(pa.Table.from_pylist(rows), window="day")
    (found,) = [f for f in result.findings if f.family == "answers"]
    assert (found.verdict, found.reason) == ("insufficient", "too little data: 0 queries in both windows, 20 are needed")


def test_measures_are_those_of_a_plain_loop():
    """Overlap, gone and new shares equal a slow loop over lists that vary from recall to recall."""
    r = random.Random(5)
    held: dict[tuple[int, int], list[list[str]]] = {}
    for day in range(6):
        for q in range(12):
            held[day, q] = [[f"d{q}-{i}" for i in r.sample(range(14), r.randint(0, 10))] for _ in range(r.randint(0, 4))]
    with Engine(threads=1) as engine:
        for name in ("0_options", "4_aggregate/exact"):
            engine.file(f"{name}.sql")
        engine.options(opt_kappa=1.0, answer_judged=0)
        asked = [(day, q, f"q{q}", f"q{q}", None, None, len(lists), 0, None, 0, None) for (day, q), lists in held.items() if lists]
        kinds = {
            "day_no": "integer",
            "query": "ubigint",
            "query_id": "varchar",
            "query_text": "varchar",
            "tenant_id": "varchar",
            "query_class": "varchar",
        }
        kinds |= {"n": "bigint", "n_top": "bigint", "top": "decimal(38, 9)", "n_margin": "bigint", "margin": "decimal(38, 9)"}
        engine.values("held_answered", kinds, asked)
        shown = [
            (day, q, d, sum(d in one for one in lists), 1)
            for (day, q), lists in held.items()
            for d in sorted({d for one in lists for d in one})
        ]
        engine.values(
            "held_answers",
            {"day_no": "integer", "query": "ubigint", "document_id": "varchar", "n": "bigint", "sum_rank": "bigint"},
            shown,
        )
        pairs = [(0, "reference" if day < 5 else "current", day, day) for day in range(6)]
        engine.values("answer_pairs", {"pair_no": "integer", "side": "varchar", "unit_no": "integer", "day_no": "integer"}, pairs)
        engine.file("5_drift/answers.sql")
        (row,) = engine.rows("from answer_measures")
    expected = loop(held)
    assert {name: row[name] for name in expected} == pytest.approx(expected, rel=1e-9)


def with_itself(lists):
    """What two different lists of a query have in common, on the average, of the mean length."""
    if len(lists) < 2:
        return None
    length = sum(map(len, lists)) / len(lists)
    common = [len(set(a) & set(b)) for i, a in enumerate(lists) for j, b in enumerate(lists) if i != j]
    return sum(common) / len(common) / length if length else 1.0


def loop(held):
    """The same measures, slowly."""
    before = {q: [one for day in range(5) for one in held[day, q]] for q in range(12)}
    now = {q: held[5, q] for q in range(12)}
    both = [q for q in range(12) if before[q] and now[q]]
    h = {q: len(before[q]) * len(now[q]) / (len(before[q]) + len(now[q])) for q in both}
    alike = {q: with_itself(before[q]) for q in both}
    known = [one for one in alike.values() if one is not None]
    w = {q: h[q] / (h[q] + 1) * (sum(one**2 for one in known) / len(known) if alike[q] is None else alike[q] ** 2) for q in both}
    w = {q: w[q] / sum(w.values()) for q in both}

    def share(lists, d):
        return sum(d in one for one in lists) / len(lists)

    def common(q):
        lengths = [sum(len(one) for one in side[q]) / len(side[q]) for side in (before, now)]
        every = {d for one in before[q] + now[q] for d in one}
        return 1.0 if max(lengths) == 0 else sum(share(before[q], d) * share(now[q], d) for d in every) / max(lengths)

    old = {d for q in range(12) for one in before[q] for d in one}
    slots_now = sum(w[q] * len(one) / len(now[q]) for q in both for one in now[q])
    windows = {d: sum(any(d in one for q in both for one in held[day, q]) for day in range(5)) for d in old}
    usual = {d for d in old if windows[d] >= 3}
    expected = {d: sum(len(now[q]) * share(before[q], d) for q in both) for d in usual}
    certain = {d: (windows[d] / 5 * (1 - math.exp(-expected[d] / 8))) ** 4 for d in usual}
    filled = {d: sum(w[q] * share(before[q], d) for q in both) for d in usual}
    least = max(certain.values()) * sum(filled.values()) / 5
    gone = {d for d in usual if not any(d in one for q in both for one in now[q])}
    overlap = sum(w[q] * common(q) for q in both)
    at_risk = [sum(w[q] * share(before[q], d) * certain[d] for d in usual) for q in both]
    lost = [sum(w[q] * share(before[q], d) * certain[d] for d in gone) for q in both]
    shown = [sum(w[q] * len(one) / len(now[q]) for one in now[q]) for q in both]
    gained = [sum(w[q] * share(now[q], d) for d in {d for one in now[q] for d in one} - old) for q in both]

    def spread(own, whole):
        return math.sqrt(sum((x / sum(own) - y / sum(whole)) ** 2 for x, y in zip(own, whole, strict=True)))

    part = sum(filled[d] * certain[d] for d in gone) / max(sum(filled[d] * certain[d] for d in usual), least)
    new = sum(gained) / slots_now
    return {
        "gone_se": part * spread(lost, at_risk),
        "gone_n": sum(at_risk) ** 2 / sum(x * x for x in at_risk),
        "new_se": new * spread(gained, shown),
        "new_n": sum(shown) ** 2 / sum(x * x for x in shown),
        "overlap_n": 1 / sum(w[q] ** 2 for q in both),
        "overlap_se": math.sqrt(sum((w[q] * (common(q) - overlap)) ** 2 for q in both)),
        "n_queries": len(both),
        "overlap": overlap,
        "n_gone": len(gone),
        "n_usual": len(usual),
        "gone": part,
        "new": new,
    }


def test_accepted_answers_become_the_norm(tmp_path):
    """A swap that stays is flagged each night; `recallwatch accept --family answers` makes it the norm, of another family it changes nothing."""
    table = pa.Table.from_pylist([row for no in range(14) for row in night(no, replaced=3 * (no >= 8))])
    pq.write_table(table, tmp_path / "log.parquet")
    ingest(str(tmp_path / "log.parquet"), store=tmp_path / "store")
    days = [f"2026-03-{day:02}" for day in range(10, 16)]
    for family, still in ((None, days), ("latency", days), ("answers", [])):
        if family is not None:
            accept(tmp_path / "store", days[0], family, from_here=True, reason="a new index")
        accepted = read(tmp_path / "store")
        assert flagged(recallwatch.drift(store=tmp_path / "store", window="day", series=True, accepted=accepted)) == still


def test_redaction_covers_lists_before_and_after_and_documents_gone(tmp_path, monkeypatch):
    """With texts and ids hidden, no id of a document, no text and no tenant of the changed answers stands in an output; the hashes do."""
    gone = {f"d{q}-{i}" for q in range(40) for i in range(3)}
    pq.write_table(
        pa.Table.from_pylist([row for no in range(9) for row in night(no, gone=gone if no == 8 else ())]), tmp_path / "log.parquet"
    )
    monkeypatch.setenv("RECALLWATCH_SALT", "salt")
    secrets = re.compile(r"\b[ds]\d+-\d\b|question\s|\bt[01]\b")
    for form in ("json", "markdown", "html"):
        options = {"output": form, "window": "day", "outputs": {"redact": True, "redact_ids": True}}
        text = report([str(tmp_path / "log.parquet")], [], **options)
        shown = re.sub(r"(?s)<script nonce.*?</script>|<style>.*?</style>", "", text)  # code of the charts; their data stay
        assert not (found := secrets.findall(shown)), (form, found[:5])
        assert "gone (#" in shown
