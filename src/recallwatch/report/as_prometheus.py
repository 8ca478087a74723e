"""metrics.prom: gauges in Prometheus' text format, for node_exporter's textfile collector or a Pushgateway."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..base.errors import printable
from ..scoring.result import Evaluation
from .dashboard_series import Sample, samples
from .night import Night

NO_NAME = re.compile("[^a-zA-Z0-9_]+")


def render(result: Evaluation) -> str:
    """The text of ``recallwatch evaluate -f prometheus``."""
    return text_of(Night(result.to_dict()))


def text_of(night: Night) -> str:
    """HELP and TYPE of each series, then its samples; no times: the scrape's own counts."""
    lines: list[str] = []
    last = ""
    for sample in samples(night):
        name = sample.series.prometheus
        if name != last:
            lines += [f"# HELP {name} {_escaped(sample.series.meaning)}", f"# TYPE {name} gauge"]
            last = name
        lines.append(f"{name}{_labels(sample)} {sample.value!r}")
    return "\n".join(lines) + "\n"


def _labels(sample: Sample) -> str:
    if not sample.attributes:
        return ""
    pairs = [f'{name}="{_quoted(value)}"' for name, value in label_names(sample.attributes).items()]
    return "{" + ",".join(pairs) + "}"


def label_names(attributes: Mapping[str, str]) -> dict[str, str]:
    """Attributes under names Prometheus takes; two that become one keep their values apart by a number."""
    names: dict[str, str] = {}
    for attribute, value in attributes.items():
        name = plain = NO_NAME.sub("_", attribute)
        number = 1
        while name in names:
            number += 1
            name = f"{plain}_{number}"
        names[name] = value
    return names


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n")


def _quoted(text: str) -> str:
    """A label's value: backslash, quote and line feed escaped; what nobody sees, or UTF-8 has no place for, as an escape."""
    return _escaped(printable(text, kept="\n")).replace('"', '\\"')
