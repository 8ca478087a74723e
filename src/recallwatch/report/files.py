"""FILES: what a run can write. One file and one line each; all read the same Night, so all agree with the JSON cell for cell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from ..base.registry import index
from .night import Night


@dataclass(frozen=True)
class FileOutput:
    """An output of a run.

    Args:
        name: as in ``[outputs] write``.
        meaning: one line for people, the files' names or patterns first.
        module: file in report/.
        function: its function Night -> the file's text, or {file name: bytes}.
        ahead: module in report/ whose ``begin`` starts, beside the reading, what needs no Night; empty = there is nothing of that kind.
        is_page: whether it has room for the explanation of each query it names.
        is_read: whether people read it, so that times are those of their zone.
    """

    name: str
    meaning: str
    module: str
    function: str = "render"
    ahead: str = ""
    is_page: bool = False
    is_read: bool = False

    def write(self, night: Night) -> Mapping[str, bytes]:
        """The files; the module is loaded on first use."""
        made = self._named(self.function)(night.local if self.is_read else night)
        return self.file(made) if isinstance(made, str) else made

    @property
    def files(self) -> list[str]:
        """Names of the files, or their patterns."""
        return self.meaning.partition(":")[0].split(", ")

    def file(self, text: str) -> dict[str, bytes]:
        """A text as the file of this output."""
        return {self.files[0]: text.encode("utf-8", "backslashreplace")}

    def begin(self) -> None:
        """Start what needs no Night and takes long."""
        if self.ahead:
            import_module(f".{self.ahead}", __package__).begin()

    def _named(self, name: str) -> Any:
        return getattr(import_module(f".{self.module}", __package__), name)


FILES = index(
    FileOutput("html", "report.html: the page people open, no network needed", "as_html", ahead="vega", is_page=True, is_read=True),
    FileOutput("json", "report.json: every number the other outputs show", "as_report_json"),
    FileOutput("markdown", "report.md: short, for a pull request or a step summary", "as_summary", is_read=True),
    FileOutput("comment", "comment.md: one comment on a pull request, under 65,000 characters", "as_comment", is_read=True),
    FileOutput("slack", "slack.json: a message for a Slack webhook; sent where slack_url is named", "as_slack", is_read=True),
    FileOutput("webhook", "webhook.json: an event for any other webhook; sent where webhook_url is named", "as_webhook"),
    FileOutput("junit", "junit.xml: gates and drift as tests", "as_junit", is_read=True),
    FileOutput("prometheus", "metrics.prom: gauges for node_exporter's textfile collector", "as_prometheus", "text_of"),
    FileOutput("csv", "metrics.csv, latency.csv: one row a cell", "as_tables", "csv_files"),
    FileOutput("parquet", "metrics.parquet, latency.parquet: the same, typed", "as_tables", "parquet_files"),
    FileOutput("svg", "charts/*.svg: the main charts", "as_images", "svg_files", is_read=True),
    FileOutput("png", "charts/*.png: the same as pixels", "as_images", "png_files", is_read=True),
)
