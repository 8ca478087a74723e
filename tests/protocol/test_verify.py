"""`protocol verify` and `cite`: numbers are made again from the raw retrievals; what was edited, cut or blocked is not quoted."""

import dataclasses
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import recallwatch
from recallwatch.base.errors import InputError, UsageError
from recallwatch.document.outputs import json_text
from recallwatch.protocol import files, model
from recallwatch.protocol.cite import cite
from recallwatch.protocol.verify import Checked, check, refusals


@pytest.fixture(scope="module")
def untouched(verified: Path) -> Checked:
    """A verified folder, looked at again."""
    return check(verified)


def test_an_untouched_folder(untouched: Checked) -> None:
    """Recomputed to the last digit, every hash and gate as it was."""
    assert untouched.status == "VERIFIED"
    found = {gate.name: gate.what for gate in untouched.gates}
    assert found["folder"] == "6 files as they were written"
    assert found["numbers"].endswith("rows recomputed, equal to the last digit")


def test_raw_retrievals_are_a_log_with_labels(verified: Path) -> None:
    """Anybody's `recallwatch evaluate` makes the same numbers of the file alone."""
    raw = verified / "raw_retrievals.jsonl"
    result = recallwatch.evaluate(raw, str(raw), metrics=("recall@1",), unit="query")
    document = json.loads((verified / "metrics.json").read_text())
    assert result.to_dict()["metrics"][0]["value"] == document["overall"]["recall@1"]["mean"]


def edit(path: Path, old: str, new: str) -> None:
    """Replace a text in a file."""
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def test_files_edited_by_hand(verified: Path, tmp_path: Path) -> None:
    """Whatever was changed is named by file or by number, and nothing is quoted."""
    folder = tmp_path / "v1"
    shutil.copytree(verified, folder)
    document = json.loads((folder / "metrics.json").read_text())
    document["overall"]["recall@1"]["mean"] = 0.9
    document["by_type"]["temporal"]["mrr@50"]["n"] = 3
    (folder / "metrics.json").write_text(json_text(document, 1))
    edit(folder / "report.md", "0.6429", "0.9")
    edit(folder / "protocol.toml", "0.02", "0.2")
    (folder / "settings.txt").unlink()
    (folder / "more.txt").write_text("x")
    one = check(folder)
    found = {gate.name: gate.what for gate in one.gates if gate.verdict == "fail"}
    assert one.status == "UNVERIFIED"
    assert found["numbers"] == "overall.recall@1.mean 0.9 (recomputed: 0.642857); by_type.temporal.mrr@50.n 3 (recomputed: 2)"
    assert found["folder"] == (
        "metrics.json, protocol.toml, report.md: edited after it was written; settings.txt: gone; more.txt: not there when it was written"
    )
    assert found["protocol"].startswith("protocol.toml is not the text the run was made under")
    assert found["artefacts"] == "missing: settings.txt"


def test_retrievals_edited_with_their_hashes(verified: Path, tmp_path: Path) -> None:
    """A better list and a manifest that fits it: the numbers no longer follow, and metrics.json names another hash."""
    folder = tmp_path / "v1"
    shutil.copytree(verified, folder)
    edit(folder / "raw_retrievals.jsonl", '"c1/D1","c1/D3"', '"c1/D3","c1/D1"')
    (folder / "manifest.json").write_text(json_text(files.manifest(folder), 1))
    (folder / "BLOCKED.md").write_text("wrong embedder")
    one = check(folder)
    found = {gate.name: gate.what for gate in one.gates if gate.verdict == "fail"}
    assert found["numbers"].startswith("overall.recall@1.mean 0.642857 (recomputed: 0.785714)")
    assert found["folder"] == "raw_retrievals.jsonl is not the one metrics.json was made of"
    assert (one.status, one.blocked) == ("BLOCKED", "wrong embedder")


@pytest.mark.parametrize(
    ("work", "told"),
    [
        (lambda folder: (folder / "metrics.json").unlink(), "half a results folder: no metrics.json"),
        (lambda folder: (folder / "manifest.json").unlink(), "half a results folder: no manifest.json"),
        (lambda folder: (folder / "metrics.json").write_text("{"), "cannot be read"),
        (lambda folder: (folder / "metrics.json").write_text("{}"), "no by_type, counts, gates"),
        (lambda folder: (folder / "raw_retrievals.jsonl").write_text('{"query_id": "c1/0", "ran'), "raw_retrievals"),
        (shutil.rmtree, "no such results folder"),
    ],
    ids=["metrics", "manifest", "cut", "empty", "raw", "nothing"],
)
def test_a_folder_half_written(verified: Path, tmp_path: Path, work: Callable[[Path], object], told: str) -> None:
    """An error that names the file (exit 3): there is nothing to verify."""
    shutil.copytree(verified, tmp_path / "v1")
    work(tmp_path / "v1")
    with pytest.raises(InputError, match=told):
        check(tmp_path / "v1")


def test_different_definitions_are_not_set_against_each_other(untouched: Checked, versions: Path) -> None:
    """recall as any and recall as fraction: each is fine alone, together they are refused by name."""
    other = check(versions / "any")
    assert other.status == "VERIFIED"
    assert refusals([untouched, other]) == [
        "any is not compared with v0.9: different definitions: recall is recall in v0.9 and success in any"
    ]
    assert refusals([untouched, untouched]) == []


def test_cite(untouched: Checked) -> None:
    """The template filled in from the recomputed numbers; deviations are told; an unknown name is a mistake of the protocol."""
    told = cite(untouched)
    assert told.startswith("ours 0.9: recall@1 0.6429 over 7 questions, ")
    assert told.endswith(" Deviation: one thread (no more there).")
    protocol = untouched.source.protocol.model_copy(update={"cite": model.Cite(template="{question}")})
    with pytest.raises(UsageError, match=r"\[cite\] names \{question\}\. Did you mean 'questions'"):
        cite(dataclasses.replace(untouched, source=dataclasses.replace(untouched.source, protocol=protocol)))
