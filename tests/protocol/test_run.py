"""`protocol run`: a run as agreed is VERIFIED; each thing that was not as agreed is a gate that says so."""

import json
from pathlib import Path
from typing import Any

import pytest

from recallwatch.base.errors import InputError, UsageError
from recallwatch.protocol import declaration, files
from recallwatch.protocol.verify import check

from . import world


def test_a_run_as_agreed_is_verified(verified: Path) -> None:
    """Every gate holds: mean by hand, interval, n by type, facts, hashes; a page without a script and a raw line a recall."""
    document = json.loads((verified / "metrics.json").read_text())
    assert document["status"] == "VERIFIED"
    row = document["overall"]["recall@1"]
    by_hand = (0.5 + 0 + 1 + 0 + 1 + 1 + 1) / 7
    assert (row["mean"], row["n"], row["measure"]) == (pytest.approx(by_hand, abs=1e-15), 7, "recall")
    assert row["ci_low"] < by_hand < row["ci_high"]
    assert not document["overall"]["mrr@50"]["truncated"], "three sessions a conversation: a list of three is all there is"
    assert {kind: rows["recall@1"]["n"] for kind, rows in document["by_type"].items()} == {
        "multi-hop": 2,
        "single-hop": 3,
        "temporal": 2,
    }
    assert document["record"]["facts"] == {"system": "ours", "system_version": "0.9", "seed": 7, "dimensions": 16}
    assert document["latency"]["total"]["p50_ms"] == 8.0
    assert len((verified / "raw_retrievals.jsonl").read_text().splitlines()) == 8
    assert (verified / "settings.txt").read_text() == "k = 10\n"
    page = (verified / "report.html").read_text()
    assert "VERIFIED" in page
    assert "<script" not in page
    assert "http" not in page.replace("http-equiv", "")
    assert "deviation: one thread, because no more there" in (verified / "report.md").read_text()
    assert [path.name for path in verified.parent.iterdir() if path.name.startswith(".")] == [], "no temporary folder stays"


@pytest.fixture(scope="module")
def bad(here: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run in which everything is otherwise: corpus, labels, ids, depth, facts, claims, questions, lines; and it is blocked."""
    folder = tmp_path_factory.mktemp("bad")
    path = folder / "small.json"
    path.write_text((here / "small.json").read_text().replace("D2:2", "D9:2").replace("D1:1; D2:1", "D"))
    log = world.log(folder, rankings=[("D1", "D1"), *(one[:2] for one in world.RANKINGS[1:])])
    lines = log.read_text().splitlines()
    for number, form in ((1, "D{}"), (2, "c1/D{}:1"), (3, "c1-{}")):
        lines[number] = json.dumps({**json.loads(lines[number]), "ranked_ids": [form.format(3), form.format(2)]})
    log.write_text("\n".join([*lines[:-1], lines[0], "oops"]) + "\n")
    labels = folder / "labels.jsonl"
    rows = [("c1/0", ["c1/D1"]), ("c1/1", ["D3", "c1/D3"]), ("c1/2", ["c1/D2"]), ("c2/4", ["c2/D1"]), ("c2/7", ["c2/D1"])]
    labels.write_text("".join(json.dumps({"query_id": q, "relevant": ids}) + "\n" for q, ids in rows))
    out = folder / "out"
    out.mkdir()
    (out / "BLOCKED.md").write_text("The embedder was the wrong one.\n")
    more: dict[str, Any] = {"labels": [str(labels)], "claims": ["recall@1=0.7500", "mrr=0.9"], "max_rejects": 0.2}
    world.run(here / "small-1.0.toml", log, out, given=path, facts=["seed=8", "segments=12", "weather=<script>|x|"], **more)
    return out


GATES = {
    "corpus": "small.json is another file: sha256 ",
    "labels": "taken from labels.jsonl: 2 questions have other documents than agreed; 3 questions are missing; 2 questions are not of the corpus",
    "counts": "5 questions (agreed: 8); 5 questions with a right answer (agreed: 7); by type: multi-hop 0 (agreed: 2)",
    "oracle coverage": "71.43 % of 7 questions keep a label that names a document of the corpus (2 do not; agreed: 100 %)",
    "questions": "4 questions scored (agreed: 7); 1 recalls ask a question again (agreed: once)",
    "granularity": "2 ids are turns, such as 'c1/D2:1', 12 segments instead of 6 (agreed: session); 12 segments in the index instead of 6",
    "id collisions": "2 ids are bare sessions, such as 'D2' (agreed: session); 2 of 5 lists hold an id twice, which",
    "depth": "recall@3, mrr@50: truncated, the lists hold 2 ranks and not 3",
    "facts": "not told: system, system_version, dimensions",
    "log": "1 lines could not be read",
    "artefacts": "missing: settings.txt",
    "claims": "recall@1 0.7500 claimed, 0.6250 recomputed: 0.7500 is success@1, another definition; mrr@50 0.9 claimed, 0.7500 recomputed",
}


@pytest.mark.parametrize("gate", GATES)
def test_what_was_not_as_agreed_is_named(bad: Path, gate: str) -> None:
    """Each gate that fails says what was seen and what was agreed."""
    verdict, words = world.gates(json.loads((bad / "metrics.json").read_text()))[gate]
    assert verdict == "fail"
    assert words.startswith(GATES[gate])


def test_blocked(bad: Path) -> None:
    """BLOCKED.md in the folder stays there and decides; the question nobody asked is kept beside."""
    assert json.loads((bad / "metrics.json").read_text())["status"] == "BLOCKED"
    assert "The embedder was the wrong one" in (bad / "report.md").read_text()
    assert (bad / "BLOCKED.md").exists()
    assert "| weather | &lt;script&gt;\\|x\\| | not asked for |" in (bad / "report.md").read_text()
    assert "<script" not in (bad / "report.html").read_text()
    assert json.loads((bad / "not_asked.jsonl").read_text())["query_id"] == "c2/7"


def test_without_a_corpus_nothing_is_known(here: Path, tmp_path: Path) -> None:
    """Labels of a file alone: what only the corpus can say is not known, so the run is UNVERIFIED; old results give way whole."""
    out = tmp_path / "out"
    out.mkdir()
    for name in ("metrics.json", "stray.txt"):
        (out / name).write_text("old")
    labels = here / "results" / "v0.9" / "raw_retrievals.jsonl"
    document = world.run(here / "small-1.0.toml", here / "run.jsonl", out, labels=[str(labels)], replace=True)
    found = world.gates(document)
    assert document["status"] == "UNVERIFIED"
    assert found["corpus"] == ("fail", "small.json was not given (--corpus small=FILE)")
    assert found["labels"][0] == found["oracle coverage"][0] == "unknown"
    assert found["counts"][0] == "pass"
    assert not (out / "stray.txt").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["out"], "no temporary folder stays"


def test_results_are_never_mixed(here: Path, verified: Path) -> None:
    """A folder that holds results is left alone without --replace."""
    before = files.manifest(verified)
    with pytest.raises(UsageError, match=r"files stand there already .*--replace"):
        world.run(here / "small-1.0.toml", here / "run.jsonl", verified, given=here / "small.json")
    assert files.manifest(verified) == before
    with pytest.raises(UsageError, match="a file stands there"):
        world.run(here / "small-1.0.toml", here / "run.jsonl", here / "run.jsonl", given=here / "small.json")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("oops\n", "run.jsonl"),
        ('{"query_id": "none of them", "ranked_ids": ["c1/D1"]}\n', "no event matches any label: the logs have"),
    ],
)
def test_a_run_that_fails_leaves_nothing(here: Path, tmp_path: Path, text: str, told: str) -> None:
    """A log out of contract is an error; no half results folder stays behind."""
    (tmp_path / "run.jsonl").write_text(text)
    with pytest.raises(InputError, match=told):
        world.run(here / "small-1.0.toml", tmp_path / "run.jsonl", tmp_path / "out", given=here / "small.json")
    assert [path.name for path in tmp_path.iterdir()] == ["run.jsonl"]


def test_a_change_of_the_text_needs_a_new_version(here: Path, verified: Path, tmp_path: Path) -> None:
    """The same name and version with another text is refused while results made under the old text stand beside."""
    changed = world.protocol(tmp_path, more="# a word more\n")
    with pytest.raises(UsageError, match=r"the text of small 1\.0 changed .*Raise its version"):
        world.run(changed, here / "run.jsonl", verified.parent / "v2", given=here / "small.json")
    shipped = tmp_path / "locomo.toml"
    shipped.write_text(files.load("locomo").text + "# a word more\n")
    with pytest.raises(UsageError, match=r"the text of locomo 1\.1 changed .*the one that comes with recallwatch"):
        world.run(shipped, here / "run.jsonl", tmp_path / "v2", facts=[])


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"facts": ["sed=3"]}, "--fact: unknown fact 'sed'. Did you mean 'seed'"),
        ({"facts": ["seed=x"]}, "--fact seed: not an integer (saw 'x'). Write seed=1024"),
        ({"facts": ["date=yesterday"]}, "--fact date: not a date (saw 'yesterday'). Write date=2026-05-10"),
        ({"facts": ["seed"]}, "--fact: expected NAME=VALUE, saw 'seed'"),
        ({"deviations": ["another embedder"]}, "--deviation: no reason given"),
        ({"claims": ["recall=0.5"]}, "--claim: recall has several depths"),
        ({"claims": ["recall@1=high"]}, "--claim recall@1: not a number"),
        ({"corpora": ["other=x.json"]}, "--corpus: unknown name 'other'"),
        ({"corpora": ["gone.json"]}, "--corpus small: gone.json: no such file"),
        ({"artefacts": ["metrics.json=x"]}, "--artefact: a file cannot be called 'metrics.json' there"),
        ({"unit": "event"}, "--unit: small 1.0 has unit 'query', not 'event'"),
    ],
)
def test_what_a_person_mistypes(here: Path, given: dict[str, Any], told: str) -> None:
    """Every mistake is one line, told before any data is read."""
    with pytest.raises((UsageError, InputError)) as caught:
        declaration.declared(files.load(here / "small-1.0.toml").protocol, **given)
    assert str(caught.value).startswith(told)


@pytest.mark.parametrize(
    ("asked_for", "told"),
    [
        ("recall@1=any", "--metric: small 1.0 defines recall as recall (fraction), not as success (any)"),
        ("recall@2", "--metric: small 1.0 has recall at 1, 3, not at 2. Ask for recall@3"),
        ("recal", "--metric: small 1.0 has no metric 'recal'. Did you mean 'recall'"),
    ],
)
def test_a_metric_the_protocol_defines_otherwise(here: Path, asked_for: str, told: str) -> None:
    """recall asked for as any where fraction is agreed, a depth or a name that the protocol does not have: refused."""
    protocol = files.load(here / "small-1.0.toml").protocol
    with pytest.raises(UsageError) as caught:
        declaration.columns_of(protocol, [asked_for])
    assert str(caught.value).startswith(told)
    assert declaration.columns_of(protocol, ["recall=fraction", "mrr"]) == ["recall@1", "recall@3", "mrr@50"]


def test_relevance_by_text_can_be_made_again(tmp_path: Path) -> None:
    """Where the definition tells relevance by texts, the raw retrievals keep them: verify makes the same numbers."""
    protocol = world.protocol(tmp_path, **{'unit = "query"': 'unit = "query"\nmatch = "id,token_f1"'})
    log, labels = tmp_path / "texts.jsonl", tmp_path / "labels.jsonl"
    log.write_text(json.dumps({"query_id": "a", "ranked_ids": [None], "texts": ["Paris is the capital of France."]}) + "\n")
    labels.write_text(
        json.dumps({"query_id": "a", "expected_texts": ["Paris is the capital and most populous city of France"]}) + "\n"
    )
    document = world.run(protocol, log, tmp_path / "out", labels=[str(labels)])
    assert document["overall"]["recall@1"]["mean"] == 1.0
    assert {gate.name: gate.verdict for gate in check(tmp_path / "out").gates}["numbers"] == "pass"
