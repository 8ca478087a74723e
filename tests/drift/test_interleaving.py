"""Team drafts: clicks on two variants' results in one list, against plain loops; what position bias could turn."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import command_line
import pyarrow as pa
import pytest
from scipy import stats

import recallwatch
from recallwatch.base.errors import InputError, UsageError

Row = dict[str, Any]
LEVEL = 0.05


def drafts(n: int = 60, seed: int = 4, *, bias: float = 0.0) -> tuple[list[Row], list[Row]]:
    """Searches with a list of eight, each result of team old, new or both; new's are clicked more, and with ``bias`` stand higher."""
    r = random.Random(seed)
    log, clicks = [], []
    for i in range(n):
        teams = [r.choice(("old", "new")) for _ in range(8)]
        if r.random() < bias:
            teams.sort(key=lambda team: team != "new")
        if i % 5 == 0:
            teams[0] = "both"
        ids = [f"d{i}-{j}" for j in range(8)]
        log.append({"event_id": f"e{i}", "query_id": f"s{i}", "ranked_ids": ids, "teams": teams})
        for rank, (team, document) in enumerate(zip(teams, ids, strict=True), 1):
            if r.random() < (0.5 if team == "new" else 0.2) / rank**0.5:
                clicks.append({"query_id": f"s{i}", "document_id": document, "kind": "click"})
    clicks.append({"query_id": "s1", "document_id": "elsewhere", "kind": "click"})
    return log, clicks


def signs(log: list[Row], clicks: list[Row], exponent: float) -> dict[str, int]:
    """Search -> which team has more credit: 1 new, −1 old; searches without a click on either are left out."""
    clicked = {(row["query_id"], row["document_id"]) for row in clicks}
    out = {}
    for row in log:
        credit = {"old": 0.0, "new": 0.0}
        seen = False
        for rank, (team, document) in enumerate(zip(row["teams"], row["ranked_ids"], strict=True), 1):
            if team in credit and (row["query_id"], document) in clicked:
                credit[team] += rank**exponent
                seen = True
        if seen:
            difference = credit["new"] - credit["old"]
            out[row["query_id"]] = 0 if abs(difference) < 1e-9 else 1 if difference > 0 else -1
    return out


def sign_test(values: list[int]) -> tuple[float, int]:
    """The exact two-sided p, and who is ahead where it is significant."""
    wins, losses = values.count(1), values.count(-1)
    p = float(stats.binomtest(wins, wins + losses).pvalue) if wins + losses else 1.0
    return p, 0 if p > LEVEL else 1 if wins > losses else -1


OPTIONS: dict[str, Any] = {"teams": "teams", "a": "old", "b": "new"}


def compared(log: Any, clicks: Any, **options: Any) -> recallwatch.Comparison:
    return recallwatch.compare(log, clicks, **{**OPTIONS, "threads": 1, **options})


@pytest.mark.parametrize("bias", [0.0, 1.0])
def test_credit_and_sign_test_are_those_of_plain_loops(bias: float) -> None:
    """Wins, ties, losses and the exact p; the exponent of position bias at which the sign test says something else."""
    log, clicks = drafts(bias=bias)
    result = compared(log, clicks)
    (row,) = result.metrics
    plain = list(signs(log, clicks, 0.0).values())
    p, winner = sign_test(plain)
    assert (row["wins"], row["losses"], row["ties"]) == (plain.count(1), plain.count(-1), plain.count(0))
    assert (row["metric"], row["method"], row["n_queries"]) == ("credit", "mcnemar", len(plain))
    assert row["p_value"] == pytest.approx(p)
    assert (row["verdict"] == "improved") == (winner == 1) == (result.verdict == "improved")
    steps = [round(0.1 * step, 1) for step in range(21)]
    flips = next((step for step in steps if sign_test(list(signs(log, clicks, step).values()))[1] != winner), None)
    assert row["flips_at_exponent"] == flips
    (note,) = [note for note in result.notes if note.startswith("position bias of clicks")]
    assert ("the verdict stands" in note) if flips is None else (f"rank^-{flips:g}" in note)


def test_clicks_that_follow_the_rank_alone_are_named() -> None:
    """One team stands first in every list, and only rank 1 to 3 are looked at: the verdict holds for equal chances, and not for 1 / rank."""
    log, clicks = [], []
    for i in range(40):
        log.append({"query_id": f"s{i}", "ranked_ids": [f"d{i}-{j}" for j in range(4)], "teams": ["new", "old", "new", "old"]})
        clicks += [{"query_id": f"s{i}", "document_id": f"d{i}-{rank}", "kind": "click"} for rank in ((0, 2) if i % 4 else (0,))]
        clicks += [{"query_id": f"s{i}", "document_id": f"d{i}-3", "kind": "click"}]
    result = compared(log, clicks)
    assert result.verdict == "improved"
    assert result.metrics[0]["flips_at_exponent"] == next(
        step for step in (round(0.1 * s, 1) for s in range(21)) if sign_test(list(signs(log, clicks, step).values()))[1] != 1
    )


def test_every_form_of_teams_says_the_same(tmp_path: Path) -> None:
    """A list or a text parted by commas, in JSON, Arrow and a store; human labels of the same searches are not looked at."""
    log, clicks = drafts()
    wanted = compared(log, clicks).to_dict()
    human = [{"query_id": row["query_id"], "document_id": row["ranked_ids"][-1], "kind": "human"} for row in log]
    text = [{**row, "teams": ", ".join(row["teams"])} for row in log]
    for rows in (log, text):
        (tmp_path / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        (tmp_path / "clicks.jsonl").write_text("".join(json.dumps(row) + "\n" for row in clicks + human))
        given = str(tmp_path / "log.jsonl"), "--labels", str(tmp_path / "clicks.jsonl")
        done = command_line.run("compare", *given, "--teams", "teams", "--a", "old", "--b", "new", "-f", "json")
        assert json.loads(done.stdout) == wanted
        assert compared(pa.Table.from_pylist(rows), pa.Table.from_pylist(clicks)).to_dict() == wanted
    command_line.run("ingest", str(tmp_path / "log.jsonl"), "--store", str(tmp_path / "store"))
    assert recallwatch.compare(store=tmp_path / "store", labels=tmp_path / "clicks.jsonl", **OPTIONS).to_dict() == wanted


def test_what_is_no_team_draft_is_refused() -> None:
    """Fewer teams than results, no clicks, teams that nobody clicked, one team alone: each says what was expected."""
    log, clicks = drafts()
    short = [{**row, "teams": row["teams"][:3]} for row in log]
    with pytest.raises(InputError, match=r"has 3 teams and 8 results, expected one each"):
        compared(short, clicks)
    with pytest.raises(InputError, match="no clicks among the labels"):
        compared(log, [{**row, "kind": "human"} for row in clicks])
    with pytest.raises(UsageError, match="no click on a result of red or blue"):
        compared(log, clicks, a="red", b="blue")
    with pytest.raises(UsageError, match="two teams are needed"):
        compared(log, clicks, b=None)
    with pytest.raises(UsageError, match="no column or attribute 'team'"):
        compared(log, clicks, teams="team")
