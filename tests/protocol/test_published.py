"""pgmnemo's published runs as results folders: figures recomputed, what cannot be compared refused, what fell shown as a regression."""

import json
import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from typer.testing import CliRunner

from recallwatch.cli import app
from recallwatch.labels.adapters import ADAPTERS, make
from recallwatch.protocol import files
from recallwatch.protocol.verify import check, refusals

from . import world

# run: day, published recall@10 and MRR (None = not published)
LONGMEMEVAL = {
    "lme_v0.2.1_bm25": ("2026-05-09", "0.9820", None),
    "lme_v0.2.1_dense": ("2026-05-09", "0.9326", "0.8554"),
    "lme_v0.2.1_hybrid": ("2026-05-10", "0.9486", "0.9053"),
    "lme_fixa_rrf": ("2026-05-11", "0.9246", "0.8620"),
    "lme_v0.3.0_dense": ("2026-05-13", "0.9334", "0.8472"),
    "lme_v0.4.0_hybrid": ("2026-05-15", "0.9334", "0.8521"),
    "lme_v0.6.1_realdb": ("2026-05-23", "0.7090", "0.5708"),
}
LOCOMO = {
    "locomo_v0.2.1_turn": ("2026-05-09", "0.3660", "0.2369"),
    "locomo_v0.2.1_session": ("2026-05-09", "0.7951", "0.5480"),
    "locomo_v0.2.1_hybrid_sim": ("2026-05-10", "0.9050", "0.7414"),
    "locomo_v0.3.0_session": ("2026-05-13", "0.7994", "0.5569"),
    "locomo_v0.4.0_session_hybrid": ("2026-05-15", "0.8409", "0.6365"),
}
REPEATS = {
    "locomo_v0.2.1_session": 263,
    "locomo_v0.3.0_session": 285,
    "locomo_v0.4.0_session_hybrid": 299,
    "locomo_v0.2.1_hybrid_sim": 0,
}


def made(data: Path, folder: Path, protocol: str, name: str, row: tuple[str, str, str | None], **more: Any) -> dict[str, Any]:
    """One published run as a results folder, with its figures claimed."""
    day, recall, mrr = row
    claims = [f"recall@10={recall}", *([f"mrr={mrr}"] if mrr else [])]
    facts = ["system=pgmnemo", f"system_version={name}", f"date={day}", *more.pop("facts", [])]
    return world.run(
        files.load(protocol).where, data / "pgmnemo_runs" / f"{name}.jsonl.gz", folder / name, facts=facts, claims=claims, **more
    )


@pytest.fixture(scope="module")
def published(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """All runs, by the labels they carry; LoCoMo's with its corpus."""
    folder = tmp_path_factory.mktemp("published")
    found = {name: made(shared_data, folder / "lme", "longmemeval", name, row) for name, row in LONGMEMEVAL.items()}
    corpus = shared_data / "locomo" / "locomo10.json"
    for name, row in LOCOMO.items():
        facts = ["segments=5882" if name.endswith("turn") else "segments=272"]
        found[name] = made(shared_data, folder / "locomo", "locomo", name, row, given=corpus, labels=["log"], facts=facts)
    found["folder"] = {"is": folder}
    return found


@pytest.mark.parametrize("run", [*LONGMEMEVAL, *LOCOMO])
def test_published_figures(published: dict[str, dict[str, Any]], run: str) -> None:
    """recall@10 is recomputed to four decimals but for BM25, whose recall is a hit rate; MRR is deeper than the lists and told so."""
    document = published[run]
    published_recall, mrr = ({**LONGMEMEVAL, **LOCOMO}[run])[1:]
    column = "success@10" if run == "lme_v0.2.1_bm25" else "recall@10"
    assert f"{document['overall'][column]['mean']:.4f}" == published_recall
    found = world.gates(document)
    assert found["depth"][0] == "fail"
    assert "mrr@50: truncated" in found["depth"][1]
    assert document["status"] == "UNVERIFIED"
    told = found["claims"][1]
    if run == "lme_v0.2.1_bm25":
        assert told == "recall@10 0.9820 claimed, 0.9476 recomputed: 0.9820 is success@10, another definition"
    else:
        assert told.startswith(f"mrr@50 {mrr} claimed")
        assert told.endswith("the lists are truncated, so it cannot be recomputed")


def test_locomo_counts_and_coverage(published: dict[str, dict[str, Any]]) -> None:
    """The corpus is the agreed one; every question keeps a label at session level; nine malformed references are listed."""
    corpus = published["locomo_v0.2.1_turn"]["record"]["corpus"]
    assert corpus["segments"] == {"session": 272, "turn": 5882}
    assert len(corpus["malformed"]) == 9
    assert world.gates(published["locomo_v0.2.1_turn"])["oracle coverage"] == (
        "pass",
        "100 % of 1,982 questions keep a label that names a document of the corpus",
    )
    assert world.gates(published["locomo_v0.2.1_turn"])["corpus"][0] == "pass"


def test_turns_are_not_sessions(published: dict[str, dict[str, Any]]) -> None:
    """The turn-level run is unverified for its granularity: 5,882 segments instead of 272."""
    verdict, told = world.gates(published["locomo_v0.2.1_turn"])["granularity"]
    assert verdict == "fail"
    assert told.startswith("19,820 ids are turns, such as 'D10:1', 5,882 segments instead of 272 (agreed: session)")
    assert told.endswith("5,882 segments in the index instead of 272")


@pytest.mark.parametrize("run", REPEATS)
def test_bare_ids_collide(published: dict[str, dict[str, Any]], run: str) -> None:
    """Sessions without their conversation are unverified for id collisions; a list that holds one twice shows it."""
    found = world.gates(published[run])
    assert found["granularity"][0] == "pass"
    verdict, told = found["id collisions"]
    assert verdict == "fail"
    assert told.startswith("19,820 ids are sessions without their conversation, such as 'D1' (agreed: session)")
    assert (f"{REPEATS[run]} of 1,982 lists hold an id twice" in told) is (REPEATS[run] > 0)


def test_fix_a_is_a_regression(published: dict[str, dict[str, Any]], tmp_path: Path) -> None:
    """hybrid to fix A, paired over 500 questions: 25 worse, 4 better, p < 0.001, outside the band, exit 4; unpaired it went unseen."""
    for name in ("lme_v0.2.1_hybrid", "lme_fixa_rrf"):
        shutil.copytree(published["folder"]["is"] / "lme" / name, tmp_path / name)
    done = CliRunner().invoke(app, ["protocol", "history", str(tmp_path), "-f", "json"])
    assert done.exit_code == 4
    fixed = json.loads(done.stdout)[1]
    assert (fixed["results"], fixed["compared_with"], fixed["verdict"]) == ("lme_fixa_rrf", "lme_v0.2.1_hybrid", "regression")
    row = fixed["metrics"]["recall@10"]
    assert round(row["delta"], 4) == -0.0241
    assert (row["worse"], row["better"], row["is_inside"], row["verdict"]) == (25, 4, False, "regression")
    assert row["p_value"] < 0.001


def test_any_is_refused_beside_fraction(shared_data: Path, published: dict[str, dict[str, Any]], tmp_path: Path) -> None:
    """BM25 under a protocol that calls 'any' recall keeps its figure, and is refused beside the runs that mean the fraction."""
    text = (
        files.load("longmemeval")
        .text.replace('recall = {measure = "recall"', 'recall = {measure = "any"')
        .replace('version = "1.1"', 'version = "0.9"')
    )
    (tmp_path / "any.toml").write_text(text)
    document = made(shared_data, tmp_path, str(tmp_path / "any.toml"), "lme_v0.2.1_bm25", LONGMEMEVAL["lme_v0.2.1_bm25"])
    assert world.gates(document)["claims"][0] == "pass"
    both = [check(tmp_path / "lme_v0.2.1_bm25"), check(published["folder"]["is"] / "lme" / "lme_v0.2.1_dense")]
    assert refusals(both) == [
        "lme_v0.2.1_dense is not compared with lme_v0.2.1_bm25: different definitions: "
        "recall is success in lme_v0.2.1_bm25 and recall in lme_v0.2.1_dense"
    ]
    assert {gate.name: gate.verdict for gate in both[1].gates}["numbers"] == "pass"


def test_a_run_as_agreed_on_locomo(shared_data: Path, tmp_path: Path) -> None:
    """Ids with their conversation, every fact told, lists of 32: the corpus' own labels score it and it is VERIFIED."""
    path = shared_data / "locomo" / "locomo10.json"
    labels: pa.Table = make(ADAPTERS["locomo"], path).labels
    sizes = {
        c["sample_id"]: sum(k.startswith("session_") and isinstance(v, list) for k, v in c["conversation"].items())
        for c in json.loads(path.read_text())
    }
    asked = sorted({row["query_id"] for row in labels.to_pylist()})
    with (tmp_path / "run.jsonl").open("w") as stream:
        for query in asked:
            conversation = query.split("/")[0]
            ids = [f"{conversation}/D{n}" for n in range(1, sizes[conversation] + 1)]
            stream.write(json.dumps({"query_id": query, "ranked_ids": ids}) + "\n")
    facts = [
        "system=in order",
        "system_version=1",
        "date=2026-11-01",
        "embedder=none",
        "embedder_dimensions=0",
        "embedder_max_tokens=0",
        "embedder_batch=0",
        "search_scope=conversation",
    ]
    facts += ["segments=272", "seed=none", "settings=default", "hardware=any"]
    document = world.run(files.load("locomo").where, tmp_path / "run.jsonl", tmp_path / "out", given=path, facts=facts)
    assert not world.failed(document)
    assert document["status"] == "VERIFIED"
    assert document["overall"]["recall@25"]["n"] == 1982
