"""Every output of a run agrees with its JSON, and no text of a log breaks one."""

from __future__ import annotations

import csv
import dataclasses
import html
import io
import json
import re
import shutil
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import altair
import junitparser
import pyarrow.parquet as pq
import pytest
import xmlschema
from markdown_it import MarkdownIt

from recallwatch.base.errors import UsageError
from recallwatch.document import charts
from recallwatch.document.as_markdown import escaped
from recallwatch.nightly.last_night import FIELDS
from recallwatch.report import (
    as_comment,
    as_html,
    as_images,
    as_junit,
    as_report_json,
    as_slack,
    as_summary,
    as_tables,
    as_webhook,
    vega,
)
from recallwatch.report.figures import figures
from recallwatch.report.files import FILES
from recallwatch.report.night import Night
from recallwatch.report.redact import Redactor
from recallwatch.scoring.columns import column_name, headline_columns
from recallwatch.scoring.document import whole

from .night import HOSTILE


@pytest.fixture(scope="module")
def page(night: Night) -> str:
    """The page, made once."""
    return as_html.render(night)


def test_every_output_has_a_name_and_a_function() -> None:
    """Each entry of the registry can be loaded, and says what it writes."""
    for entry in FILES.values():
        module = import_module(f"recallwatch.report.{entry.module}")
        assert callable(getattr(module, entry.function))
        assert not entry.ahead or callable(import_module(f"recallwatch.report.{entry.ahead}").begin)
        assert entry.meaning


def test_json_holds_what_the_run_found(night: Night) -> None:
    """report.json is JSON without NaN and says verdict and headline as the page does."""
    found = json.loads(as_report_json.render(night))
    assert found["verdict"] == night.verdict == "fail"
    assert found["headline"] == night.headline
    assert found["evaluation"]["metrics"] == json.loads(json.dumps(night.evaluation["metrics"]))


def test_the_sentence_names_cause_size_and_time(night: Night) -> None:
    """The first sentence says since when, which index, how much, how many queries."""
    assert night.headline.startswith("Since 2026-03-08 (index v1 → v2<b>): recall@")
    assert "10 of 30 queries worse, 0 better" in night.headline
    assert night.state == "ongoing"


def test_every_chart_keeps_the_schema_of_vega_lite(night: Night) -> None:
    """Every chart is valid against the schema that Altair ships."""
    for group in figures(night).values():
        for figure in group:
            altair.Chart.from_dict(charts.spec(figure), validate=True)


def test_the_page_asks_for_nothing(page: str) -> None:
    """No element of the page refers to anything outside it; it holds less than 2 MB."""
    shell = page.split("<script", 1)[0] + page.rsplit("</script>", 1)[1]
    for word in ("src=", '<link rel="stylesheet"', "@import", "url("):
        assert word not in shell.replace("img src=x", "").replace("url(#", "")  # a gradient of the page's own
    assert len(page.encode()) < 2_000_000


def test_the_page_says_what_its_labels_can_carry(night: Night, page: str) -> None:
    """A section of its own: share labelled and judged, the width of the headline's interval now and with 20 more queries, who supplied the labels."""
    labels = night.evaluation["labels"]
    (row,) = [row for row in whole(night.evaluation["metrics"]) if (row["metric"], row["k"]) == (labels["metric"], labels["k"])]
    assert labels["width"] == pytest.approx(row["ci_high"] - row["ci_low"]) and labels["width_20_more"] < labels["width"]
    assert labels["n_queries"] == row["n_queries"] >= labels["n_effective"]
    assert "What these labels can carry" in page and f"{labels['width']:.3f}" in page
    assert sum(one["n_labels"] for one in labels["suppliers"]) > 0


def test_no_column_of_queries_is_empty(night: Night) -> None:
    """A log without texts, classes or traces: the tables of queries leave these columns out, and nothing says None."""
    queries = [{**row, "query_text": None, "query_class": None, "trace_ids": []} for row in night.evaluation["queries"]]
    told = json.loads(json.dumps({**night.drift} if night.drift else {}))
    for found in told["findings"]:
        for row in found["where"]:
            if row["kind"] == "query":
                row.update(query_text=None, query_class=None, trace_ids=[])
    page = as_html.render(dataclasses.replace(night, evaluation={**night.evaluation, "queries": queries}, drift=told))
    for name in ("Queries that carry the change", "Worst queries"):
        table = page.split(f'aria-label="{name}"')[1].split("</table>")[0]
        assert ">None<" not in table
        heads = [part.split("<")[0] for part in table.split('<button type="button">')[1:]]
        assert "text" not in heads and "class" not in heads and "traces" not in heads
        assert len(heads) == table.split("<tbody>")[1].split("</tr>")[0].count("<td")


def test_what_moved_leads_to_its_section(night: Night, page: str) -> None:
    """Each finding that moved links to the charts and queries behind it; every link on the page has its place."""
    places = set(re.findall(r'<a (?:class="id" )?(?:rel="[^"]*" )?href="#([^"]+)"', page))
    assert {"queries"} <= places
    assert places <= set(re.findall(r' id="([^"]+)"', page))


def test_the_page_shows_hostile_texts_as_text(page: str) -> None:
    """No text of the log opens a tag; what turns the reading direction is an escape."""
    for text in HOSTILE:
        if "<" in text:
            assert text not in page
    assert page.count("</script>") == 3
    assert html.escape(HOSTILE[0], quote=False) in page
    assert "\u202e" not in page
    assert "\\u202e" in page
    assert "x" * 500 not in page


def test_ninety_days_of_five_segments_fit_in_two_megabytes(night: Night) -> None:
    """The page stays small where the history is long."""
    import datetime as dt

    start = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
    windows = [(start + dt.timedelta(days=i)).isoformat().replace("+00:00", "Z") for i in range(90)]
    segments = [{}, *({"query_class": f"a class with a longish name {i}"} for i in range(5))]
    last = night.drift["current"]["from"] if night.drift else ""
    evaluation = dict(night.evaluation)
    for table in ("metrics", "latency"):
        rows = [row for row in night.evaluation[table] if row["window"] == last and not row["segment"]]
        whole = [row for row in night.evaluation[table] if row["window"] is None]
        evaluation[table] = whole + [{**row, "window": w, "segment": s} for w in windows for s in segments for row in rows]
    drift = {
        **(night.drift or {}),
        "windows": [{**(night.drift or {})["windows"][-1], "current": {"from": w, "events": 300}} for w in windows],
    }
    assert len(as_html.render(dataclasses.replace(night, evaluation=evaluation, drift=drift)).encode()) < 2_000_000


def test_the_same_run_gives_the_same_bytes(night: Night, page: str) -> None:
    """Nothing on the page depends on the clock."""
    assert as_html.render(night) == page
    assert as_junit.render(night) == as_junit.render(night)


def test_a_night_is_json(night: Night) -> None:
    """Every output is the same where the results come from what a store kept of them."""
    kept = json.loads(json.dumps({name: getattr(night, name) for name in FIELDS}))
    again = dataclasses.replace(night, **kept)
    for entry in (entry for entry in FILES.values() if entry.name != "svg"):  # Vega numbers the gradients of a process
        assert entry.write(again) == entry.write(night), entry.name


def test_a_page_needs_no_second_process(night: Night, page: str, no_script: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where none can be started, the drawing library is made in this one: the same bytes."""
    monkeypatch.setattr(vega.sys, "executable", "/nowhere/python")
    assert as_html.render(night) == page
    assert not list(no_script.rglob("*"))


@pytest.mark.parametrize("home", ["empty", "broken", "a file", "none"])
def test_the_drawing_library_is_made_once_a_version(no_script: Path, home: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is kept in the user's cache folder; what is broken there is made anew, and where nothing can be kept it is made each time."""
    made = vega.script()
    (kept,) = no_script.rglob("vega-*.js")
    if home == "broken":
        kept.write_bytes(kept.read_bytes()[:-1] + b"x")
    elif home == "a file":
        shutil.rmtree(no_script)
        no_script.write_text("")
    elif home == "none":
        monkeypatch.setattr(vega.platformdirs, "user_cache_path", lambda *_, **__: Path("~/.cache"))
    vega.begin.cache_clear()
    if home == "empty":
        monkeypatch.setattr(vega.subprocess, "run", None)  # not asked
    assert vega.script() == made
    assert home in ("a file", "none") or vega._kept(kept)
    assert not Path("~").exists()


@pytest.fixture
def no_script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty cache folder, of a process that has drawn nothing yet."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    vega.begin.cache_clear()
    yield tmp_path / "cache"
    vega.begin.cache_clear()


def test_tables_behind_the_charts_hold_the_numbers_of_the_json(night: Night) -> None:
    """Each trend's table has a row a window, with the JSON's value behind each cell."""
    for figure in figures(night)["trends"]:
        rows = [
            r
            for r in night.evaluation["metrics"]
            if r["window"] and not r["segment"] and f"{column_name(r)}, by traffic" == figure.title
        ]
        assert [cell[1][1] for cell in figure.rows] == [row["value"] for row in rows]


def test_csv_and_parquet_hold_every_cell(night: Night) -> None:
    """Both have the JSON's rows in its order, floats in full."""
    files = {**as_tables.csv_files(night), **as_tables.parquet_files(night)}
    for name in ("metrics", "latency"):
        wanted = night.evaluation[name]
        read = list(csv.DictReader(io.StringIO(files[f"{name}.csv"].decode())))
        typed = pq.read_table(io.BytesIO(files[f"{name}.parquet"])).to_pylist()
        assert len(read) == len(typed) == len(wanted)
        value = "value" if name == "metrics" else "p95_ms"
        for row, text, cell in zip(wanted, read, typed, strict=True):
            assert (float(text[value]) if text[value] else None) == row[value] == cell[value]
            assert json.loads(text["segment"]) == row["segment"] == dict(cell["segment"])


def test_junit_keeps_its_schema_and_counts(night: Night) -> None:
    """junit.xml is valid against the schema, and a library reads as many failures as there are failing gates and findings."""
    data = as_junit.render(night)
    xmlschema.XMLSchema(Path(__file__).with_name("junit.xsd")).validate(data)
    suites = {suite.name: suite for suite in junitparser.JUnitXml.fromstring(data.encode())}
    assert suites["gates"].failures == sum(gate["verdict"] == "fail" for gate in night.gates) > 0
    assert suites["gates"].skipped == sum(gate["verdict"] == "insufficient" for gate in night.gates)
    assert night.drift is not None
    quality = [f for f in night.drift["findings"] if f["family"] == "quality"]
    assert suites["drift.quality"].tests == len(quality)
    assert suites["drift.quality"].failures == sum(f["verdict"] == "fail" for f in quality)


def tables_of(text: str) -> list[list[list[str]]]:
    """The tables a markdown library sees: rows of cells as plain text."""
    found: list[list[list[str]]] = []
    is_within = False
    for token in MarkdownIt("commonmark").enable("table").parse(text):
        if token.type in ("table_open", "table_close"):
            is_within = token.type == "table_open"
            found += [[]] if is_within else []
        elif token.type == "tr_open":
            found[-1].append([])
        elif token.type == "inline" and is_within and token.level >= 3:
            found[-1][-1].append("".join(html.unescape(child.content) for child in token.children or []))
    return found


def test_markdown_lists_every_warning(night: Night) -> None:
    """Number and message of each warning of the JSON stand in report.md and in the comment, as on the page."""
    warnings = night.evaluation["warnings"]
    assert warnings
    for text in (as_summary.render(night), as_comment.render(night)):
        for one in warnings:
            assert "- " + escaped(f"{one['n']:,} {one['message']}") in text


def test_markdown_tables_say_what_the_json_says(night: Night) -> None:
    """A markdown library finds every gate with its verdict, every lead metric with the JSON's value, and no extra column."""
    gates, findings, lost, quality, latency = tables_of(as_summary.render(night))
    assert {tuple(row[1:3]) for row in gates[1:]} == {(gate["name"], gate["limit"]) for gate in night.gates}
    assert all(len(row) == len(table[0]) for table in (gates, findings, lost, quality, latency) for row in table)
    sides = {(row["side"], column_name(row)): row["value"] for row in night.sides["metrics"] if not row["segment"]}
    for row in quality[1:]:
        assert row[1:] == [f"{sides['reference', row[0]]:.3f}", f"{sides['current', row[0]]:.3f}"]
    assert [row[0] for row in quality[1:]] == headline_columns(night.evaluation)
    assert len(lost) > 1 and all(
        cell.replace(".", "").isdigit() for row in lost[1:] for cell in row[2:4]
    )  # before and after of a query are numbers as people read them


def test_markdown_makes_no_markup_of_a_log(night: Night) -> None:
    """Rendered with HTML allowed, nothing of the log becomes an element."""
    rendered = MarkdownIt("commonmark", {"html": True}).enable("table").render(as_summary.render(night))
    for word in ("<script", "<img", "<b>", "<i>"):
        assert word not in rendered


def test_images_are_drawn_without_a_browser(night: Night) -> None:
    """Each main chart is an SVG that parses, whatever characters its texts hold."""
    files = as_images.svg_files(night)
    assert "charts/latency-total.svg" in files
    for data in files.values():
        assert xmlschema.XMLResource(data.decode()).root.tag.endswith("svg")
    assert as_images._name(figures(night)["trends"][0]).startswith("trend-")


def walk(value: Any) -> str:
    """All text of a JSON."""
    return json.dumps(value, ensure_ascii=False)


def test_messages_say_what_the_run_says(night: Night, monkeypatch: pytest.MonkeyPatch) -> None:
    """A comment fits on a pull request and begins with the line it is found by; Slack sees no markup of the log; a webhook's values are the JSON's."""
    comment = as_comment.render(night)
    assert comment.startswith("<!-- recallwatch -->\n## ❌") and len(comment) < 65_000
    assert any(as_comment.bars([row["value"] for row in figure.data]) in comment for figure in figures(night)["trends"])
    assert as_summary.render(night).split("\n\n")[-1] in comment
    monkeypatch.setattr(as_comment, "LIMIT", 3_000)
    short = as_comment.render(night)
    assert len(short) <= 3_000 + len("\n\n\n*Cut: report.md has the rest.*") and short.endswith("*Cut: report.md has the rest.*\n")

    message = json.loads(as_slack.render(night))
    texts = [block["text"]["text"] for block in message["blocks"] if "text" in block]
    assert not any(sign in text for text in texts for sign in "<>") and all(len(text) <= 3_000 for text in texts)
    assert len(texts[0]) <= 150 and night.title in texts[0] and as_slack.plain(night.headline) == texts[1]

    event = json.loads(as_webhook.render(night))
    report = json.loads(as_report_json.render(night))
    assert [event[name] for name in ("verdict", "headline", "state")] == [report[name] for name in ("verdict", "headline", "state")]
    moved = [row for row in report["drift"]["findings"] if row["verdict"] in ("fail", "warn", "improved")]
    assert all({**whole, **row} == whole for row, whole in zip(event["findings"], moved, strict=True))


def test_redacted_texts_are_in_no_output(night: Night) -> None:
    """With ids hidden too, no query text and no query or document id stands in any output; equal texts stay equal."""
    hidden = Redactor("salt", ids=True).night(night)
    written = ("html", "json", "markdown", "junit", "csv", "comment", "slack", "webhook")
    outputs = {name: b"".join(FILES[name].write(hidden).values()).decode() for name in written}
    for name, text in outputs.items():
        plain = html.unescape(text).replace("\\", "")
        for secret in ("window.hacked", "right to left", "rocks", "line two", "d0|<i>", "pipes ||"):
            assert secret not in plain, (name, secret)
    assert "lost ids #" in hidden.headline
    assert Redactor("salt").hashed("a") == Redactor("salt").hashed("a") != Redactor("other").hashed("a")


def test_redacting_keeps_every_number(night: Night) -> None:
    """Only texts change: the metrics are the same."""
    hidden = Redactor("salt").night(night)
    assert walk(hidden.evaluation["metrics"]) == walk(night.evaluation["metrics"])
    assert {row["query_id"] for row in hidden.sides["queries"]} == {row["query_id"] for row in night.sides["queries"]}


def test_redacting_needs_a_salt() -> None:
    """Short texts could be guessed from a bare hash."""
    with pytest.raises(UsageError, match=r"outputs.salt: redacting needs a salt"):
        Redactor("")


def test_a_link_is_only_made_of_http(night: Night) -> None:
    """A template of another scheme gives no link."""
    from recallwatch.report.page import trace

    other = dataclasses.replace(night, trace_url="javascript:alert('{trace_id}')")
    assert trace(other, "ab") == ("ab", None)
    assert trace(night, "a/b?c") == ("a/b?c", "https://traces.example/t/a%2Fb%3Fc")
