"""docs/dashboards.md and docs/suggest.md say what the program does: every query of a panel runs and finds something."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import dashboards
import duckdb
import jsonschema
import pytest
from prometheus_client.parser import text_string_to_metric_families
from report.night import config_of, write_world

from recallwatch.labels.options import INGEST_LABELS
from recallwatch.nightly.configuration import Outputs
from recallwatch.nightly.run import run
from recallwatch.report.dashboard_series import SERIES

DOCS = Path(__file__).parents[2] / "docs"
BLOCK = re.compile(r"```(promql|sql|yaml)\n(.*?)```", re.DOTALL)
SELECTOR = re.compile(r"(recallwatch_\w+)(?:\{([^}]*)\})?")
PAGE = (DOCS / "dashboards.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def night(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which a nightly run with a store has written metrics.prom."""
    folder = tmp_path_factory.mktemp("dashboards")
    write_world(folder, nights=3, queries=6, texts=("plain",), broken_from=2)
    outputs = Outputs(folder=str(folder / "out"), write=("prometheus",))
    run(config_of(folder, store=str(folder / "store"), outputs=outputs, by=("query_class",)))
    return folder


def blocks(kind: str) -> list[str]:
    """The code blocks of a kind."""
    return [body for found, body in BLOCK.findall(PAGE) if found == kind]


def test_every_panel_has_both_queries() -> None:
    """A title, PromQL, SQL: one each."""
    panels = PAGE.split("## Grafana")[1].split("## Alerts")[0].split("\n**")[1:]
    assert len(panels) >= 10
    assert all([kind for kind, _ in BLOCK.findall(panel)] == ["promql", "sql"] for panel in panels)


@pytest.mark.parametrize("sql", blocks("sql"), ids=lambda sql: sql.split(" from ")[0][:50])
def test_every_sql_runs_on_a_store(night: Path, sql: str) -> None:
    """In a plain DuckDB client, over recall.duckdb; rows come back."""
    connection = duckdb.connect(str(night / "store" / "recall.duckdb"), read_only=True)
    try:
        assert connection.execute(sql.replace("'store/", f"'{night}/store/")).fetchall()
    finally:
        connection.close()


def served(night: Path) -> dict[str, list[dict[str, Any]]]:
    """Series of the run's metrics.prom: name -> labels of its samples."""
    text = (night / "out" / "metrics.prom").read_text(encoding="utf-8")
    return {f.name: [one.labels for one in f.samples] for f in text_string_to_metric_families(text)}


ABSENT = {"recallwatch_cost_per_recall_USD", "recallwatch_cache_hits_ratio"}  # this log has neither


@pytest.mark.parametrize("query", [*blocks("promql"), *blocks("yaml")], ids=lambda query: query[:50])
def test_every_promql_selects_series_that_are_served(night: Path, query: str) -> None:
    """Each selector names a series of metrics.prom, and at least one sample has the labels it asks for."""
    found = served(night)
    for name, matchers in SELECTOR.findall(query):
        if name in ABSENT or "prom" in name:
            continue
        wanted = re.findall(r'(\w+)(!?=)"([^"]*)"', matchers)
        assert any(all((one.get(label, "") == value) == (sign == "=") for label, sign, value in wanted) for one in found[name]), (
            name
        )


def test_every_series_is_on_the_page() -> None:
    """Each gauge that can be written stands in the table, in full or as the end of a name beside it."""
    for one in SERIES.values():
        assert one.prometheus in PAGE or f"…_{one.prometheus.removeprefix('recallwatch_metric_')}" in PAGE, one.prometheus


def test_the_worksheet_page_names_every_choice() -> None:
    """docs/suggest.md has each reason and option of the worksheet."""
    page = (DOCS / "suggest.md").read_text(encoding="utf-8")
    assert all(f"`{word}`" in page for word in ("traffic", "class", "unjudged", "moved", "relevant", "similar", "like_labelled"))
    assert all(word in page for word in INGEST_LABELS.options["others"].metadata["choices"])


SCHEMA = {  # what Grafana's dashboard kind asks of these parts: https://github.com/grafana/grafana/tree/main/kinds/dashboard
    "type": "object",
    "required": ["title", "uid", "schemaVersion", "panels", "templating", "time"],
    "properties": {
        "uid": {"type": "string", "maxLength": 40},
        "schemaVersion": {"type": "integer", "minimum": 36},
        "editable": {"type": "boolean"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "templating": {"type": "object", "required": ["list"]},
        "panels": {
            "type": "array",
            "minItems": 10,
            "items": {
                "type": "object",
                "required": ["id", "type", "title", "datasource", "gridPos", "fieldConfig", "targets"],
                "properties": {
                    "id": {"type": "integer", "minimum": 1},
                    "type": {"enum": ["timeseries", "table", "gauge", "state-timeline", "stat"]},
                    "datasource": {"type": "object", "required": ["type", "uid"]},
                    "fieldConfig": {"type": "object", "required": ["defaults", "overrides"]},
                    "gridPos": {
                        "type": "object",
                        "required": ["h", "w", "x", "y"],
                        "properties": {"w": {"maximum": 24}, "x": {"minimum": 0, "maximum": 23}},
                    },
                    "targets": {"type": "array", "minItems": 1, "items": {"type": "object", "required": ["refId"]}},
                },
            },
        },
    },
}


@pytest.mark.parametrize("language", ["promql", "sql"])
def test_the_dashboards_hold_every_panel(language: str) -> None:
    """The files to import keep Grafana's schema, ask for a data source, and hold each panel of the page with its query."""
    made = dashboards.dashboard(language)
    jsonschema.validate(made, SCHEMA)
    assert [panel["title"] for panel in made["panels"]] == re.findall(
        r"^\*\*([^*]+)\*\*, ", PAGE.split("## Grafana")[1], re.MULTILINE
    )
    key = "expr" if language == "promql" else "rawSql"
    asked = [target[key].replace("${store}", "store") for panel in made["panels"] for target in panel["targets"]]
    assert "\n".join(asked).split("\n") == [line for block in blocks(language) for line in block.strip().split("\n")]
    (source,) = made["__inputs"]
    assert {panel["datasource"]["uid"] for panel in made["panels"]} == {f"${{{source['name']}}}"}
    assert len({panel["id"] for panel in made["panels"]}) == len(made["panels"])


@pytest.mark.parametrize("language", ["promql", "sql"])
def test_grafana_s_own_sdk_reads_the_dashboards(language: str) -> None:
    """Read by Grafana's SDK (its published schema) and written again, every panel, query and place is there."""
    models = pytest.importorskip("grafana_foundation_sdk.models.dashboard")
    plugins = pytest.importorskip("grafana_foundation_sdk.cog.plugins")
    encoder = pytest.importorskip("grafana_foundation_sdk.cog.encoder")
    plugins.register_default_plugins()
    made = dashboards.dashboard(language)
    back = json.loads(encoder.JSONEncoder().encode(models.Dashboard.from_json(made)))
    assert kept({name: value for name, value in made.items() if not name.startswith("__")}, back)  # those two are of the import


def kept(value: Any, again: Any) -> bool:
    """Whether all of a value is still there; more may stand beside it."""
    if isinstance(value, dict):
        return all(name in again and kept(inner, again[name]) for name, inner in value.items())
    if isinstance(value, list):
        return len(value) == len(again) and all(map(kept, value, again))
    return bool(value == again)
