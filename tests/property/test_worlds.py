"""Random small worlds, held by the command, a store, the library with Arrow, SQL by hand and plain loops to one answer or one refusal.

RECALLWATCH_WORLDS says how many worlds (default 66). Worlds that have an answer are put into one log, up to 18 of them, each with queries
of its own, and compared query by query; worlds to refuse stand alone.
"""

from __future__ import annotations

import csv
import io
import json
import os
import random
import sys
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from oracles import Event, Options, value
from typer.testing import CliRunner

import recallwatch
from recallwatch.base.errors import InputError
from recallwatch.cli import app

sys.path.insert(0, str(Path(__file__).parents[1] / "sql"))
from sql_readme import connected

WORLDS = int(os.environ.get("RECALLWATCH_WORLDS", "66"))
COLUMNS = [("recall", 2), ("precision", 3), ("mrr", None), ("ndcg", 3), ("judged", 2), ("map", None)]
NAMES = [metric if k is None else f"{metric}@{k}" for metric, k in COLUMNS]
IDS = ["a", "b", "c", "d", "A", "10", "10.0", "007", " a ", "x,y", 'say "q"', "é", "text:1"]
GRADE_NAMES = ["grade", "relevance", "rel", "score", "label", "rating", "judgment", "judgement", "relevancy", "target", "gain"]
WORDS = {
    True: ["true", "True ", "yes", "relevant", "1", "1.0", True, 1],
    False: ["false", " FALSE", "no", "Irrelevant", "not relevant", "0.0", False, 0],
}
FORMS = ["long", "flags", "csv", "lists", "grades", "apart", "arrow"]

Key = tuple[str | None, str | None]  # query id or text, tenant of the label


@dataclass
class World:
    """What was judged, as data; rows of a log and of labels that say so; per query what its documents are worth."""

    form: str
    log: list[dict[str, Any]] = field(default_factory=list)
    labels: list[dict[str, Any]] = field(default_factory=list)
    grades: dict[Key, dict[str, float]] = field(default_factory=dict)
    events: dict[Key, list[list[str | None]]] = field(default_factory=lambda: defaultdict(list))
    n_unjudged: int = 0


def world(number: int, form: str) -> World:
    """One to four queries by id or text alone, some of a tenant; each asked one to three times, judged in one form."""
    draw = random.Random(number)
    made = World(form)
    for q in range(draw.randint(1, 4)):
        by_text = draw.random() < 0.3
        name = f"w{number} what  is {q}?" if by_text else f"w{number}:{q}"
        tenant = draw.choice([None, None, "t1", "t2"])
        query: dict[str, Any] = {"query" if by_text else "query_id": name}
        if tenant is not None:
            query["tenant_id"] = tenant
        key = (" ".join(name.split()), tenant)
        told = documents(draw)
        rows, grades, n_unjudged = FORM[form](draw, query, told)
        made.labels += rows
        made.n_unjudged += n_unjudged
        if rows and len(rows) > n_unjudged:
            made.grades[key] = grades
        for _ in range(draw.randint(1, 3)):
            asked_by = tenant if tenant is not None else draw.choice([None, "t1", "t3"])
            ranked = [draw.choice([*IDS, *told, *told, None]) for _ in range(draw.randint(0, 5))]
            made.log.append({**query, "tenant_id": asked_by, "ranked_ids": ranked})
            made.events[key].append(ranked)
        if tenant is not None:  # another tenant's recall is nobody's
            made.log.append({**query, "tenant_id": "t9", "ranked_ids": list(told)})
    draw.shuffle(made.log)
    draw.shuffle(made.labels)
    return made


def documents(draw: random.Random) -> list[str]:
    """Documents that somebody looked at; one at least."""
    return draw.sample(IDS, draw.randint(1, 4))


def long(draw: random.Random, query: dict[str, Any], told: list[str]) -> tuple[list[dict[str, Any]], dict[str, float], int]:
    """One row a document, the grade under any of its names, as a number or as text, there and empty, not there at all, or said twice."""
    rows, grades, n_unjudged = [], {}, 0
    for document in told:
        name, grade = draw.choice(GRADE_NAMES), draw.choice([-1, 0, 0.5, 1, 2, 3])
        kind = draw.choice(["number", "text", "empty", "none", "twice", "word"])
        row = {**query, "document_id": document}
        if kind == "empty":
            rows.append({**row, name: draw.choice([None, "", " "])})
            n_unjudged += 1
            continue
        if kind == "none":
            grade = 1
        elif kind == "word":
            grade = draw.choice([0, 1])
            row[name] = draw.choice(WORDS[bool(grade)])
        else:
            row[name] = f" {grade} " if kind == "text" else grade
        rows += [row] * (2 if kind == "twice" else 1)
        grades[document] = float(grade)
    return rows, grades, n_unjudged


def flags(draw: random.Random, query: dict[str, Any], told: list[str]) -> tuple[list[dict[str, Any]], dict[str, float], int]:
    """One row a document, relevant or not in any words."""
    relevant = {document: draw.random() < 0.6 for document in told}
    rows = [{**query, "document_id": d, "is_relevant": draw.choice(WORDS[yes])} for d, yes in relevant.items()]
    return rows, {d: float(yes) for d, yes in relevant.items()}, 0


def lists(draw: random.Random, query: dict[str, Any], told: list[str]) -> tuple[list[dict[str, Any]], dict[str, float], int]:
    """A list of relevant ids, perhaps empty, perhaps with a repeat."""
    told = told if draw.random() < 0.8 else []
    return [{**query, "relevant": told + told[:1]}], dict.fromkeys(told, 1.0), 0


def by_grade(draw: random.Random, query: dict[str, Any], told: list[str]) -> tuple[list[dict[str, Any]], dict[str, float], int]:
    """An object id -> grade; one entry may be null, and is not judged."""
    grades = {document: float(draw.choice([0, 1, 2])) for document in told}
    unjudged = {} if draw.random() < 0.6 else {"nobody looked": None}
    return [{**query, "relevant": {**grades, **unjudged}}], grades, 0


def apart(draw: random.Random, query: dict[str, Any], told: list[str]) -> tuple[list[dict[str, Any]], dict[str, float], int]:
    """Relevant ids and, apart from them, the grades of these."""
    grades = {document: float(draw.choice([1, 2, 3])) for document in told}
    return [{**query, "relevant": told, "grades": grades}], grades, 0


FORM = {"long": long, "flags": flags, "csv": flags, "lists": lists, "grades": by_grade, "apart": apart, "arrow": flags}


def written(folder: Path, worlds: list[World]) -> tuple[Path, Path]:
    """All worlds of one form as one log and one file of labels."""
    log, labels = folder / "log.jsonl", folder / "labels.jsonl"
    log.write_text("".join(json.dumps(row) + "\n" for one in worlds for row in one.log))
    rows = [row for one in worlds for row in one.labels]
    if worlds[0].form == "csv":
        names = ["query_id", "query", "tenant_id", "document_id", "is_relevant"]
        text = io.StringIO()
        csv.writer(text).writerows([names, *([row.get(name) for name in names] for row in rows)])
        labels = folder / "labels.csv"
        labels.write_text(text.getvalue())
    else:
        labels.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return log, labels


def tables(worlds: list[World]) -> tuple[pa.Table, pa.Table]:
    """The same as Arrow: what was judged as one row a document, the log with lists."""
    log = [{"query_id": None, "query": None, **row} for one in worlds for row in one.log]
    rows = []
    for one in worlds:
        for (name, tenant), grades in one.grades.items():
            query = {"query_id": None, "query": name} if " " in str(name) else {"query_id": name, "query": None}
            rows += [
                {**query, "tenant_id": tenant, "document_id": document, "grade": grade}
                for document, grade in (grades or {None: None}).items()
            ]
    kinds = [(name, pa.string()) for name in ("query_id", "query", "tenant_id")]
    return (
        pa.Table.from_pylist(log, pa.schema([*kinds, ("ranked_ids", pa.list_(pa.string()))])),
        pa.Table.from_pylist(rows, pa.schema([*kinds, ("document_id", pa.string()), ("grade", pa.float64())])),
    )


Answers = dict[Key, dict[str, float]]


def by_loops(worlds: list[World]) -> Answers:
    """Plain loops: the mean of each query's events; a query without a relevant document has no values."""
    answers: Answers = {}
    for one in worlds:
        for key, grades in one.grades.items():
            found = {}
            for (metric, k), name in zip(COLUMNS, NAMES, strict=True):
                values = [value(metric, k, Event(ranked, grades), Options()) for ranked in one.events[key]]
                counted = [v for v in values if v is not None]
                if counted and any(grade > 0 for grade in grades.values()):
                    found[name] = sum(counted) / len(counted)
            answers[key] = found
    return answers


def by_sql(worlds: list[World]) -> Answers:
    """judge() and the metric macros as sql/README.md shows them, in a plain DuckDB."""
    keys = [(key, grades) for one in worlds for key, grades in one.grades.items()]
    rows = [
        {"n": n, "ranked_ids": ranked, "grades": list(grades.items())}
        for n, (key, grades) in enumerate(keys)
        for one in worlds
        for ranked in one.events.get(key, [])
    ]
    kinds = [("n", pa.int64()), ("ranked_ids", pa.list_(pa.string())), ("grades", pa.map_(pa.string(), pa.float64()))]
    connection = connected()
    connection.register("given", pa.Table.from_pylist(rows, pa.schema(kinds)))
    connection.execute(
        """create table judged_recalls as select n, judge(ranked_ids, grades) as judged from given
        where len(ranked_ids) = 0 or list_count(ranked_ids) > 0"""
    )
    values = ", ".join(f"avg({metric}_at_k(judged, {'null' if k is None else k}))" for metric, k in COLUMNS)
    found = connection.execute(f"select n, {values} from judged_recalls where judged.n_relevant > 0 group by n").fetchall()
    means = {row[0]: {name: v for name, v in zip(NAMES, row[1:], strict=True) if v is not None} for row in found}
    return {key: means.get(n, {}) for n, (key, _) in enumerate(keys)}


def answers_of(result: dict[str, Any]) -> Answers:
    """Query and tenant of a label -> its values, of one of our results."""
    return {(row["query_id"] or row["query_text"], row["tenant_id"]): row["values"] for row in result["queries"]}


def by_command(log: Path, labels: Path) -> dict[str, Any]:
    """``recallwatch evaluate`` in this process."""
    flags = [part for name in NAMES for part in ("-m", name)]
    done = CliRunner().invoke(app, ["evaluate", str(log), "--labels", str(labels), "--per-query", "-f", "json", *flags])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def same(found: Answers, wanted: Answers, path: str) -> None:
    """Every query has the values the loops gave, to the last digits."""
    for key, values in wanted.items():
        assert found.get(key, {}) == pytest.approx(values, abs=1e-9), f"{path}: {key}"


N_REFUSED = WORLDS // 6
BATCH = max(1, min(18, -(-(WORLDS - N_REFUSED) // len(FORMS))))  # few worlds are of every form too
BATCHES = [(first, min(BATCH, WORLDS - N_REFUSED - first)) for first in range(0, WORLDS - N_REFUSED, BATCH)]


@pytest.mark.parametrize(("first", "n"), BATCHES)
def test_one_answer(tmp_path: Path, first: int, n: int) -> None:
    """Command, store, library with Arrow, SQL by hand and plain loops give each query of each world one answer."""
    form = FORMS[first // BATCH % len(FORMS)]
    worlds = [world(first + i, form) for i in range(n)]
    wanted = by_loops(worlds)
    log, labels = written(tmp_path, worlds)
    command = by_command(log, labels)
    same(answers_of(command), wanted, "command")
    warned = {row["code"]: row["n"] for row in command["warnings"]}
    n_unjudged = sum(one.n_unjudged for one in worlds)
    assert form != "long" or warned.get("unjudged_labels", 0) == n_unjudged
    options = {"metrics": tuple(NAMES), "per_query": True}
    same(answers_of(recallwatch.evaluate(log, labels, store=tmp_path / "store", **options).to_dict()), wanted, "store")
    same(answers_of(recallwatch.evaluate(*tables(worlds), **options).to_dict()), wanted, "Arrow")
    same(by_sql(worlds), wanted, "SQL by hand")


def broken(number: int) -> tuple[list[dict[str, Any]], list[str]]:
    """A log, and lines of labels that must be refused."""
    draw = random.Random(number)
    query, document = {"query_id": f"w{number}"}, draw.choice(IDS)
    row = {**query, "document_id": document}
    both = draw.sample(GRADE_NAMES, 2)
    kinds = [
        [{**row, draw.choice(GRADE_NAMES): draw.choice(["high", "n/a", "1,5", [1], {"v": 1}, "NaN"])}],
        [{**row, "is_relevant": draw.choice(["maybe", 2, -1, "2", [True], "none"])}],
        [{**row, "is_relevant": True}, {**row, "is_relevant": False}],
        [{**row, "grade": 1}, {**row, "grade": 2}],
        [{**query, "relevant": []}, {**query, "relevant": [document]}],
        [{**query, "relevant": {document: draw.choice(["high", [1], "inf"])}}],
        [{**query, "relevant": draw.choice([["a", None], [["a"]], "a", 5, [{"id": "a"}]])}],
        [{**row, both[0]: 0, both[1]: 1}],
        [{**query, "document_id": [document]}],
        [{"document_id": document}],
    ]
    lines = [json.dumps(row) for row in kinds[number % (len(kinds) + 1)]] if number % (len(kinds) + 1) < len(kinds) else []
    name = json.dumps(document)
    lines = lines or [f'{{"query_id": "w{number}", "relevant": {{{name}: 1, {name}: 0}}}}']
    rest = [json.dumps({"query_id": "other", "relevant": ["a"]})]
    return [{**query, "ranked_ids": [document, "a"]}, {"query_id": "other", "ranked_ids": ["a"]}], draw.choice(
        [rest + lines, lines + rest]
    )


@pytest.mark.parametrize("number", range(N_REFUSED))
def test_one_refusal(tmp_path: Path, number: int) -> None:
    """Labels that cannot be read, or that contradict each other, are refused by command and store in the same words, with their line."""
    rows, lines = broken(number)
    log, labels = tmp_path / "log.jsonl", tmp_path / "labels.jsonl"
    log.write_text("".join(json.dumps(row) + "\n" for row in rows))
    labels.write_text("".join(line + "\n" for line in lines))
    with pytest.raises(InputError) as command:
        by_command(log, labels)
    with pytest.raises(InputError) as store:
        recallwatch.evaluate(log, labels, store=tmp_path / "store", metrics="recall")
    assert str(command.value) == str(store.value)
    assert f"{labels}:" in str(command.value)
