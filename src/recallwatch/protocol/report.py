"""report.md, report.html and the text of the command: one set of tables, drawn three ways. Rounding happens here and nowhere else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..base.metrics import metric_of
from ..document import as_html
from ..document.as_html import visible
from ..document.as_markdown import escaped, table
from ..document.model import COUNT, MS, NAME, RATIO4, TEXT, VERDICT, Column, Section, between, heads
from ..document.numbers import points, ratio4, share, with_interval
from ..document.palette import PALETTE
from . import model, requirements

SIGNS = {"pass": "ok", "fail": "FAIL", "unknown": "?"}
SENTENCES = {
    "VERIFIED": "Every gate of the protocol holds: these numbers may be quoted.",
    "UNVERIFIED": "Not obtained as agreed: these numbers must not be quoted.",
    "BLOCKED": "BLOCKED.md stands in this folder: these numbers must not be quoted.",
}


def write(folder: Path, protocol: model.Protocol, document: Mapping[str, Any], *, blocked: str) -> None:
    """report.md and report.html of a results folder."""
    (folder / "report.md").write_text(markdown(protocol, document, blocked=blocked), encoding="utf-8")
    (folder / "report.html").write_text(html(protocol, document, blocked=blocked), encoding="utf-8")


def title(document: Mapping[str, Any]) -> str:
    """``pgmnemo v0.2.1: longmemeval 1.0``."""
    facts, stamp = document["record"]["facts"], document["protocol"]
    system = " ".join(str(facts[name]) for name in ("system", "system_version") if name in facts)
    return f"{system + ': ' if system else ''}{stamp['name']} {stamp['version']}"


def sections(protocol: model.Protocol, document: Mapping[str, Any], only: Sequence[str] = ()) -> list[Section]:
    """Gates, numbers, by type, baselines, facts: in the order a reader needs them."""
    figures = [_numbers(document, only), _by_type(protocol, document, only), _baselines(protocol, document)]
    every = [
        _gates(document),
        *([] if requirements.is_unmet(document) else figures),
        _latency(document),
        _facts(protocol, document),
        _malformed(document),
        _hashes(document),
    ]
    return [section for section in every if section.rows]


def _gates(document: Mapping[str, Any]) -> Section:
    order = ("fail", "unknown", "pass")
    ranked = sorted(document["gates"], key=lambda gate: order.index(gate["verdict"]))
    return gates_section([(gate["name"], SIGNS[gate["verdict"]], gate["what"]) for gate in ranked])


def gates_section(rows: Sequence[tuple[str, str, str]], title: str = "Gates") -> Section:
    """Gates with their sign and what they saw."""
    return Section(title, [Column("gate", NAME), Column("", VERDICT), Column("what", TEXT)], rows)


def _numbers(document: Mapping[str, Any], only: Sequence[str]) -> Section:
    rows = [
        (name, row["mean"], (row["ci_low"], row["ci_high"]), row["n_queries"], meaning(row))
        for name, row in document["overall"].items()
        if not only or name in only
    ]
    counts, answered = document["counts"], document["answered"]
    notes = ["mean over questions, 95 % interval for other questions like these"]
    if answered["no_answer_queries"]:
        empty = answered["correctly_empty"]
        what = "none of them was asked" if empty is None else f"{share(empty)} of their recalls correctly returned nothing"
        notes.append(f"no-answer questions: {answered['no_answer_queries']:,} asked, in no mean; {what}")
    if counts["questions_asked"] < counts["labelled_questions"]:
        notes.append(f"{counts['labelled_questions'] - counts['questions_asked']:,} labelled questions were never asked")
    columns = heads(
        ("metric", NAME), ("mean", RATIO4), ("95 % interval", between(ratio4)), ("questions", COUNT), ("what it is", TEXT)
    )
    return Section("Results", columns, rows, notes)


def meaning(row: Mapping[str, Any]) -> str:
    """The meaning of a column."""
    return f"{metric_of(row['measure']).meaning}{'; truncated' if row['truncated'] else ''}"


def lead(protocol: model.Protocol) -> list[str]:
    """The columns a table by type has room for: the first two metrics and the last, at ten where there is that, else deepest."""
    names = [f"{name}@{10 if 10 in of.k else max(of.k)}" for name, of in protocol.metrics.items()]
    return names if len(names) <= 3 else [*names[:2], names[-1]]


def _by_type(protocol: model.Protocol, document: Mapping[str, Any], only: Sequence[str]) -> Section:
    names = list(only) or lead(protocol)
    rows = []
    for kind, cells in document["by_type"].items():
        if not any(cells[name]["n"] for name in cells):
            continue
        n = max(cell["n_queries"] for cell in cells.values())
        rows.append((kind, n, *(_mean(cells.get(name)) for name in names)))
    columns = [Column("type", NAME), Column("questions", COUNT), *(Column(name) for name in names)]
    return Section("By type of question", columns, rows)


def _mean(row: Mapping[str, Any] | None) -> str:
    return ratio4(None) if row is None else with_interval(row["mean"], row["ci_low"], row["ci_high"], ratio4)


def _baselines(protocol: model.Protocol, document: Mapping[str, Any]) -> Section:
    rows = []
    for baseline in protocol.baselines:
        for name, value in baseline.values.items():
            row = document["overall"].get(name)
            if row is None or row["mean"] is None:
                continue
            why_not = _not_comparable(document, baseline, row)
            change = "not compared" if why_not else points(row["mean"] - value, 2)
            rows.append((baseline.name, name, value, change, why_not or baseline.source))
    columns = heads(("baseline", NAME), ("metric", NAME), ("its value", RATIO4), "this run", ("where from", TEXT))
    return Section("Beside others", columns, rows)


def _not_comparable(document: Mapping[str, Any], baseline: model.Baseline, row: Mapping[str, Any]) -> str:
    """Why a run must not be set against a baseline; empty = it may."""
    n = document["counts"]["questions_scored"]
    bad = [g["name"] for g in document["gates"] if g["name"] in ("granularity", "id collisions") and g["verdict"] != "pass"]
    if bad:
        return f"{bad[0]}: see the gates"
    if baseline.questions != n:
        return f"{baseline.questions:,} questions there, {n:,} here"
    return "truncated here" if row["truncated"] else ""


def _latency(document: Mapping[str, Any]) -> Section:
    rows = [
        (stage, row["n"], *(row[name] for name in ("p50_ms", "p95_ms", "p99_ms", "max_ms")))
        for stage, row in document["latency"].items()
    ]
    columns = [Column("stage", NAME), Column("n", COUNT), *(Column(name, MS) for name in ("p50", "p95", "p99", "max"))]
    return Section("Latency, ms", columns, rows)


def _facts(protocol: model.Protocol, document: Mapping[str, Any]) -> Section:
    facts, record = document["record"]["facts"], document["record"]
    rows = [
        (name, str(facts.get(name, "not told")), protocol.facts[name].meaning if name in protocol.facts else "not asked for")
        for name in (*protocol.facts, *(name for name in facts if name not in protocol.facts))
    ]
    notes = [f"deviation: {row['what']}, because {row['why']}" for row in record["deviations"]]
    return Section("Facts of the run", [Column("fact", NAME), Column("value", TEXT), Column("meaning", TEXT)], rows, notes)


def _malformed(document: Mapping[str, Any]) -> Section:
    corpus = document["record"]["corpus"]
    rows = [(m["query_id"], m["reference"], m["document_id"] or "nothing") for m in (corpus["malformed"] if corpus else [])[:30]]
    columns = [Column("question", NAME), Column("reference", TEXT), Column("counts for", NAME)]
    return Section("Malformed references of the labels", columns, rows)


def _hashes(document: Mapping[str, Any]) -> Section:
    record, stamp = document["record"], document["protocol"]
    rows = [
        (f"protocol {stamp['name']} {stamp['version']}", stamp["sha256"]),
        ("definition", document["fingerprint"]),
        ("raw_retrievals.jsonl", document["hashes"]["raw_retrievals.jsonl"]),
        ("sql/", document["hashes"]["sql"]),
        *((f"log {log['file']}", log["sha256"]) for log in record["logs"]),
        *((f"corpus {corpus['file']}", corpus["sha256"]) for corpus in record["corpora"].values()),
    ]
    return Section("Hashes (sha256)", [Column("of", NAME), Column("sha256", NAME)], rows)


def markdown(protocol: model.Protocol, document: Mapping[str, Any], *, blocked: str) -> str:
    """GitHub-flavoured markdown; no text of the log or the facts can end a cell or become markup."""
    parts = [f"# {escaped(title(document))}: {document['status']}", escaped(sentence(document, blocked))]
    parts += [table(section, level=2) for section in sections(protocol, document)]
    parts.append(f"recallwatch {document['tool']['version']}; check with `recallwatch protocol verify`")
    return "\n\n".join(parts) + "\n"


def sentence(document: Mapping[str, Any], blocked: str) -> str:
    """What the status means, and the reason of a block."""
    reason = f" {blocked.splitlines()[0]}" if blocked else ""
    return SENTENCES[document["status"]] + reason


def html(protocol: model.Protocol, document: Mapping[str, Any], *, blocked: str) -> str:
    """One page that needs no network and runs no script."""
    from jinja2 import PackageLoader
    from markupsafe import Markup

    loaders = PackageLoader("recallwatch.protocol"), PackageLoader("recallwatch.report")
    filters: dict[str, Any] = {"text": visible, "table": lambda section: Markup(as_html.table(section))}  # noqa: S704  # its texts are escaped
    return (
        as_html.environment(*loaders, **filters)
        .get_template("protocol.html.j2")
        .render(
            title=title(document),
            status=document["status"],
            sentence=SENTENCES[document["status"]],
            blocked=blocked,
            about=" ".join(protocol.about.split()),
            sections=sections(protocol, document),
            bars=_bars(protocol, document),
            palette=PALETTE,
            tool=document["tool"],
        )
    )


def _bars(protocol: model.Protocol, document: Mapping[str, Any]) -> list[dict[str, Any]]:
    """One metric a group, one mark a type with its interval, for the page's picture; places are per cent of the axis."""
    groups = []
    for name in lead(protocol)[:2]:
        rows = [("all", document["overall"].get(name)), *((kind, cells.get(name)) for kind, cells in document["by_type"].items())]
        marks = [
            {
                "label": label,
                "at": 100 * row["mean"],
                "low": 100 * (row["ci_low"] if row["ci_low"] is not None else row["mean"]),
                "high": 100 * (row["ci_high"] if row["ci_high"] is not None else row["mean"]),
                "shown": ratio4(row["mean"]),
                "n": f"{row['n_queries']:,}",
            }
            for label, row in rows
            if row and row["mean"] is not None
        ]
        groups.append({"name": name, "marks": marks})
    return [group for group in groups if group["marks"]]
