"""The one vocabulary of verdicts: order, families, levels; and every output says the same of the same findings."""

import datetime as dt
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from recallwatch.base.errors import ExitCode, UsageError
from recallwatch.base.verdicts import FAMILIES, VERDICTS, check_level, exit_code, families, gravest, overall
from recallwatch.cli import app


def row(verdict: str, family: str = "quality", **more: object) -> dict[str, object]:
    """A finding as far as verdicts look at it."""
    return {"family": family, "verdict": verdict, "segment": {}, "stage": None, "quantile": None, **more}


@pytest.mark.parametrize(
    ("rows", "verdict"),
    [
        ([], "ok"),
        ([row("ok"), row("improved")], "improved"),
        ([row("insufficient"), row("improved")], "insufficient"),
        ([row("ok"), row("insufficient")], "ok"),
        ([row("ok"), row("insufficient", "latency", stage="total", quantile=0.95)], "ok"),
        ([row("ok"), row("insufficient", "latency", stage="total", quantile=0.5)], "insufficient"),
        ([row("insufficient"), row("warn", "health"), row("improved")], "warn"),
        ([row("warn"), row("fail", "mix")], "fail"),
    ],
)
def test_only_a_headline_test_without_data_counts(rows: list[dict[str, object]], verdict: str) -> None:
    """fail > warn > insufficient > improved > ok, where insufficient is the first metric's or the total p50's."""
    assert overall(rows) == verdict


def test_a_family_in_which_nothing_could_be_tested_is_insufficient() -> None:
    """Whatever its tests are; one that has none is not tested, and not ok."""
    found = families([row("insufficient", "mix"), row("insufficient", "health"), row("ok", "health")])
    assert found == {**dict.fromkeys(FAMILIES, ""), "mix": "insufficient", "health": "ok"}


def test_a_gate_that_passes_is_ok() -> None:
    """``pass`` is the ok of gates, and never graver than anything."""
    assert [gravest(["pass", word]) for word in VERDICTS] == list(VERDICTS)


def test_levels_alarm_from_themselves_on() -> None:
    """--fail-on warn alarms at warn and fail, never at improved; an unknown level is refused with those there are."""
    table = {
        level: [word for word in VERDICTS if exit_code(word, level) == ExitCode.ALARM]
        for level in ("fail", "warn", "insufficient", "never")
    }
    assert table == {"fail": ["fail"], "warn": ["fail", "warn"], "insufficient": ["fail", "warn", "insufficient"], "never": []}
    with pytest.raises(UsageError, match="Known: fail, warn, insufficient, never"):
        check_level("often")


def test_the_page_says_of_a_family_what_the_series_says(tmp_path: Path) -> None:
    """25 queries, 2 recalls a day, one relevant id at rank 10 in half of them: too noisy to tell, on the strip of the page as in the text."""
    at = dt.datetime(2026, 3, 2, tzinfo=dt.UTC)
    lines = [
        {
            "event_id": f"{day}-{q}-{i}",
            "timestamp": (at + dt.timedelta(days=day, hours=12 * i, minutes=2 * q)).isoformat(),
            "query_id": f"q{q}",
            "ranked_ids": [f"x{n}" for n in range(9)] + [f"d{q}" if (q * 7 + day * 3 + i * 5 + q * day * i) % 4 < 2 else "y"],
            "relevant": [f"d{q}"],
            "total_ms": 10.0 + q,
        }
        for day in range(4)
        for q in range(25)
        for i in range(2)
    ]
    (tmp_path / "log.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n")
    log = str(tmp_path / "log.jsonl")
    told = CliRunner().invoke(app, ["drift", log, "--window", "day", "--series", "-f", "json"])
    document = json.loads(told.stdout)
    quality = [families(window["findings"])["quality"] for window in document["windows"]]
    assert "insufficient" in quality
    (tmp_path / "run.toml").write_text(f"logs = [{log!r}]\n[outputs]\nwrite = ['html', 'json']\n")
    done = CliRunner().invoke(app, ["run", "-q", str(tmp_path / "run.toml")])
    assert done.exit_code == 0, done.output
    page = next(tmp_path.rglob("*.html")).read_text()
    for window in document["windows"]:
        day = window["current"]["from"][:10]
        for family, verdict in families(window["findings"]).items():
            assert f'title="{day} {family}: {verdict}"' in page
