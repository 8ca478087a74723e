"""junit.xml: gates and drift as tests, for a pipeline that shows test results."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree as ET

from ..base.errors import printable
from ..base.verdicts import FAMILIES
from .finding_rows import finding_name, state_of
from .night import Night


def render(night: Night) -> str:
    """One suite of gates, one a family of drift; insufficient = skipped, warn = passed with a note."""
    root = ET.Element("testsuites", name="recallwatch")
    suites = {
        "gates": [
            (gate["name"], gate["verdict"], f"wanted {gate['limit']}, saw {gate['seen']}: {gate['reason']}") for gate in night.gates
        ]
    }
    for family in FAMILIES:
        findings = [f for f in (night.drift or {}).get("findings", []) if f["family"] == family]
        suites[f"drift.{family}"] = [(finding_name(f), f["verdict"], _why(f)) for f in findings]
    windows = [(f"window {row['window']}", row["verdict"], row["headline"]) for row in night.skipped]
    suites["run"] = [("freshness", row["verdict"], row["headline"]) for row in night.freshness] + windows
    for name, cases in suites.items():
        if cases:
            _suite(root, name, cases)
    for name in ("tests", "failures", "skipped", "errors"):
        root.set(name, str(sum(int(suite.get(name, "0")) for suite in root)))
    ET.indent(root)
    return text_of(root)


def text_of(root: ET.Element) -> str:
    """The file of a tree."""
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _why(finding: Mapping[str, Any]) -> str:
    state = state_of(finding)
    return f"{finding['reason']}{f' ({state})' if state else ''}"


def _suite(root: ET.Element, name: str, cases: list[tuple[str, str, str]]) -> None:
    suite = ET.SubElement(root, "testsuite", name=name)
    for title, verdict, why in cases:
        case = ET.SubElement(suite, "testcase", classname=f"recallwatch.{name}", name=_legal(title), time="0")
        if verdict == "fail":
            ET.SubElement(case, "failure", message=_legal(why), type="fail").text = _legal(why)
        elif verdict == "insufficient":
            ET.SubElement(case, "skipped", message=_legal(why))
        else:
            ET.SubElement(case, "system-out").text = _legal(f"{verdict}: {why}")
    verdicts = [verdict for _, verdict, _ in cases]
    counts = {"tests": len(cases), "failures": verdicts.count("fail"), "skipped": verdicts.count("insufficient"), "errors": 0}
    for key, value in {**counts, "time": 0}.items():
        suite.set(key, str(value))


def _legal(text: str) -> str:
    """What XML has no place for, and what nobody sees, as escapes."""
    return printable(text, kept="\t\n")
