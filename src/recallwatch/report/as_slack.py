"""slack.json: a run as a message for a Slack incoming webhook; no text of the log can mention anybody or become a link."""

from __future__ import annotations

from typing import Any

from ..document.outputs import json_text
from . import page
from .as_summary import SIGNS
from .night import WORDS, Night

HEAD, TEXT, FIELDS = 150, 3_000, 10  # characters and fields that Slack takes


def render(night: Night) -> str:
    """Verdict and title; the sentence; gates that fail and queries that carry the change; what was read."""
    title = f"{SIGNS[night.verdict]} {night.title}: {WORDS[night.verdict].lower()}"
    lines = [f"• {plain(gate['name'])} {plain(gate['seen'])}, wanted {plain(gate['limit'])}" for gate in night.failed]
    lost = [f"• {plain(query['query'])} {query['before']} → {query['after']}" for query in page.losers(night)]
    lists = [f"*{name}*\n" + "\n".join(some[:FIELDS]) for name, some in (("Gates that fail", lines), ("Queries", lost)) if some]
    return json_text(message(title, night.headline, lists, " · ".join(page.facts(night))))


def message(title: str, sentence: str, lists: list[str], context: str = "") -> dict[str, Any]:
    """A message of Slack's blocks."""
    blocks: list[dict[str, Any]] = [
        {"type": "header", "text": {"type": "plain_text", "text": title[:HEAD]}},
        *({"type": "section", "text": {"type": "mrkdwn", "text": text[:TEXT]}} for text in (plain(sentence), *lists) if text),
    ]
    if context:
        blocks.append({"type": "context", "elements": [{"type": "mrkdwn", "text": plain(context)[:TEXT]}]})
    return {"text": f"{plain(title)}: {plain(sentence)}"[:TEXT], "blocks": blocks}


def plain(text: str) -> str:
    """Text in which Slack sees no mention, link or entity of its own, as it asks for: & < > escaped."""
    return str(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def failed(title: str, reason: str) -> str:
    """The message of a run without a result."""
    return json_text(message(f"❌ {title}: no result", reason, []))
