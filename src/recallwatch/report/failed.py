"""The files of a run that could not be finished: they say so and why, in the place of an older page that would pass for today's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any
from xml.etree import ElementTree as ET

from ..base.errors import printable
from ..base.version import TOOL
from ..document.as_html import environment
from ..document.as_markdown import escaped
from ..document.outputs import json_text
from ..document.palette import PALETTE
from . import as_comment, as_junit, as_slack, as_webhook
from .files import FILES

HEADLINE = "This run could not be finished, so nothing was judged."


def _html(title: str, reason: str) -> str:
    from jinja2 import PackageLoader

    template = environment(PackageLoader("recallwatch.report")).get_template("failed.html.j2")
    return template.render(title=title, headline=HEADLINE, reason=reason, palette=PALETTE) + "\n"


def _markdown(title: str, reason: str) -> str:
    return f"## ❌ {escaped(title)}: no result\n\n{HEADLINE}\n\n{escaped(reason)}\n"


def _json(_title: str, reason: str) -> str:
    verdict: dict[str, Any] = {"tool": TOOL, "verdict": "error", "headline": f"{HEADLINE} {reason}"}
    document = {**verdict, "gates": [], "evaluation": None, "drift": None}
    return json_text(document, 1)


def _junit(title: str, reason: str) -> str:
    root = ET.Element("testsuites", name="recallwatch", tests="1", failures="0", skipped="0", errors="1")
    suite = ET.SubElement(root, "testsuite", name="run", tests="1", failures="0", skipped="0", errors="1", time="0")
    case = ET.SubElement(suite, "testcase", classname="recallwatch.run", name=title, time="0")
    ET.SubElement(case, "error", message=reason, type="error").text = reason
    return as_junit.text_of(root)


FAILED: Mapping[str, Callable[[str, str], str]] = {
    "html": _html,
    "markdown": _markdown,
    "json": _json,
    "junit": _junit,
    "comment": as_comment.failed,
    "slack": as_slack.failed,
    "webhook": as_webhook.failed,
}


def failed_files(output: str, title: str, reason: str) -> dict[str, bytes]:
    """What an output writes of a run without a result; nothing where its form has no place for a sentence.

    Args:
        output: name in FILES.
        title: of the page.
        reason: the error in a line.
    """
    text_of = FAILED.get(output)
    return {} if text_of is None else FILES[output].file(text_of(printable(title), printable(reason)))
