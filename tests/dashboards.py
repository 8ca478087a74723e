"""examples/grafana-*.json: dashboards to import, made of the panels of docs/dashboards.md, whose queries other tests run."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parents[1] / "docs" / "dashboards.md"
PANEL = re.compile(
    r"^\*\*(?P<title>[^*]+)\*\*, (?P<kind>[^.;\n]*)(?P<more>[^\n]*)\n(?P<body>.*?)(?=^\*\*|^## )", re.MULTILINE | re.DOTALL
)
BLOCK = re.compile(r"```(promql|sql)\n(.*?)```", re.DOTALL)
KINDS = {"time series": "timeseries", "table": "table", "gauge": "gauge", "state timeline": "state-timeline", "stat": "stat"}
# language -> name and id of the data source's plugin, and of the input that an import asks for
SOURCES = {
    "promql": ("Prometheus", "prometheus", "DS_PROMETHEUS"),
    "sql": ("DuckDB", "motherduck-duckdb-datasource", "DS_DUCKDB"),
}
WIDTH, HEIGHT, ACROSS = 12, 8, 24  # of a panel, and of the grid


def dashboard(language: str) -> dict[str, Any]:
    """The dashboard of one data source, as Grafana imports it."""
    name, plugin, wanted = SOURCES[language]
    found = list(PANEL.finditer(PAGE.read_text(encoding="utf-8").split("## Grafana")[1]))
    store = {
        "name": "store",
        "label": "folder of the store",
        "type": "textbox",
        "query": "store",
        "current": {"text": "store", "value": "store"},
    }
    return {
        "__inputs": [{"name": wanted, "label": name, "type": "datasource", "pluginId": plugin, "pluginName": name}],
        "__requires": [
            {"type": "grafana", "id": "grafana", "name": "Grafana", "version": "11.0.0"},
            {"type": "datasource", "id": plugin, "name": name, "version": "1.0.0"},
        ],
        "uid": f"recallwatch-{plugin.split('-')[0]}",
        "title": f"recallwatch ({name})",
        "tags": ["recallwatch"],
        "timezone": "utc",
        "schemaVersion": 39,
        "version": 1,
        "editable": True,
        "time": {"from": "now-30d", "to": "now"},
        "refresh": "",
        "templating": {"list": [store] if language == "sql" else []},
        "annotations": {"list": []},
        "panels": [_panel(at, one, language, {"type": plugin, "uid": f"${{{wanted}}}"}) for at, one in enumerate(found)],
    }


def _panel(at: int, found: re.Match[str], language: str, source: dict[str, str]) -> dict[str, Any]:
    kind = next(kind for words, kind in KINDS.items() if found["kind"].startswith(words))
    queries = dict(BLOCK.findall(found["body"]))[language].strip()
    each = queries.split("\n") if language == "promql" else [queries.replace("'store/", "'${store}/")]
    legend = re.search(r"legend `([^`]+)`", found["kind"] + found["more"])
    is_seconds = "seconds" in found["kind"] + found["more"] and language == "promql"
    return {
        "id": at + 1,
        "type": kind,
        "title": found["title"],
        "datasource": source,
        "gridPos": {"h": HEIGHT, "w": WIDTH, "x": WIDTH * (at % 2), "y": HEIGHT * (at // 2)},
        "fieldConfig": {"defaults": {"unit": "s"} if is_seconds else {}, "overrides": []},
        "options": {},
        "targets": [
            _target(chr(ord("A") + n), query, language, kind, source) | _legend(language, legend) for n, query in enumerate(each)
        ],
    }


def _legend(language: str, found: re.Match[str] | None) -> dict[str, str]:
    return {"legendFormat": found[1]} if found and language == "promql" else {}


def _target(name: str, query: str, language: str, kind: str, source: dict[str, str]) -> dict[str, Any]:
    if language == "sql":
        return {"refId": name, "datasource": source, "rawSql": query, "format": 0 if kind == "timeseries" else 1}
    return {
        "refId": name,
        "datasource": source,
        "expr": query,
        "instant": kind in ("table", "gauge", "stat"),
        "range": kind not in ("table", "gauge", "stat"),
    }


def fresh() -> dict[Path, str]:
    """The files as they should be."""
    folder = PAGE.parents[1] / "examples"
    names = {"promql": "prometheus", "sql": "duckdb"}
    return {folder / f"grafana-{name}.json": json.dumps(dashboard(language), indent=2) + "\n" for language, name in names.items()}
