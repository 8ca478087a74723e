"""The commands: what they print, and the exit codes a pipeline relies on (0 verified, 4 regression or unverified, 3 bad input)."""

import json
import os
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from recallwatch.base.errors import InputError, UsageError
from recallwatch.cli import app

from . import world


def invoke(*arguments: object) -> Result:
    """The command in this process."""
    return CliRunner().invoke(app, [str(one) for one in arguments])


def test_run_verify_history_cite(here: Path, tmp_path: Path) -> None:
    """A run as agreed: 0 and its numbers; verify and cite likewise; a history with nothing to compare: 0."""
    facts = [word for fact in world.FACTS for word in ("--fact", fact)]
    arguments = [
        "--corpus",
        here / "small.json",
        "--artefact",
        f"settings.txt={here / 'conf.txt'}",
        "-o",
        tmp_path / "out",
        "-m",
        "recall@1",
    ]
    done = invoke("protocol", "run", here / "small-1.0.toml", "--logs", here / "run.jsonl", *arguments, *facts)
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith("VERIFIED  ours 1.0: small 1.0\n")
    assert "recall@1   0.6429" in done.stdout
    assert "mrr@50" not in done.stdout
    done = invoke("protocol", "verify", tmp_path / "out")
    assert (done.exit_code, done.stdout.split("\n")[0]) == (0, "VERIFIED  out  ours 1.0: small 1.0")
    done = invoke("protocol", "cite", tmp_path / "out")
    assert (done.exit_code, done.stdout[:43]) == (0, "ours 1.0: recall@1 0.6429 over 7 questions,")
    done = invoke("protocol", "history", tmp_path, "-f", "json")
    assert (done.exit_code, [row["verdict"] for row in json.loads(done.stdout)]) == (0, ["first"])


def test_what_is_not_verified_is_not_quoted(here: Path, verified: Path, tmp_path: Path) -> None:
    """No corpus: 4, and neither verify nor cite prints a number of it."""
    labels = ["--labels", verified / "raw_retrievals.jsonl"]
    done = invoke("protocol", "run", here / "small-1.0.toml", "--logs", here / "run.jsonl", *labels, "-o", tmp_path / "out")
    assert done.exit_code == 4
    assert "UNVERIFIED" in done.stdout
    for command in ("verify", "cite"):
        done = invoke("protocol", command, tmp_path / "out")
        assert done.exit_code == 4
        assert "small.json was not given" in done.output
        assert "0.6429" not in done.output


def test_several_definitions_at_once(versions: Path) -> None:
    """verify of a folder of folders looks at each, and refuses to set different definitions against each other: 4."""
    done = invoke("protocol", "verify", versions / "v0.9", versions / "any")
    assert done.exit_code == 4
    assert "any is not compared with v0.9: different definitions" in done.stdout


def test_bad_input(here: Path, tmp_path: Path) -> None:
    """Half a folder and a corpus that is not there are errors of the input, a metric defined otherwise is one of usage."""
    assert isinstance(invoke("protocol", "verify", tmp_path).exception, InputError)
    run = ["protocol", "run", here / "small-1.0.toml", "--logs", here / "run.jsonl", "-o", tmp_path / "out"]
    assert isinstance(invoke(*run, "--corpus", tmp_path / "gone.json").exception, InputError)
    assert isinstance(invoke(*run, "-m", "recall=any").exception, UsageError)
    assert InputError.exit_code == 3


def test_labels(tmp_path: Path) -> None:
    """labels writes the file, and tells counts and malformed references on stderr; stdout stays empty."""
    path = world.corpus(tmp_path)
    done = invoke("labels", "locomo", path, "-o", tmp_path / "labels.parquet", "--protocol", "none")
    assert (done.exit_code, done.stdout) == (0, "")
    assert "c2/4: 'D1:1; D2:1' counts for c2/D1" in done.stderr
    assert (tmp_path / "labels.parquet").stat().st_size > 0


@pytest.mark.parametrize("kind", ["protocols", "label-adapters"])
def test_lists(kind: str) -> None:
    """Both are listed from their registries."""
    done = invoke("list", kind)
    assert done.exit_code == 0
    assert {"locomo", "longmemeval"} <= {line.split()[0] for line in done.stdout.splitlines()}


def test_results_name_no_place(verified: Path) -> None:
    """A results folder tells files by name only: no path of the machine it was made on."""
    for path in verified.iterdir():
        assert str(verified.parent.parent) not in path.read_text(encoding="utf-8")
        assert os.sep + "tmp" not in path.read_text(encoding="utf-8")


def test_dry_run(here: Path, tmp_path: Path) -> None:
    """Everything that can be checked before a run is: 0 where it holds, 4 with what does not, 2 and 3 as the run would; nothing is written."""
    facts = [word for fact in world.FACTS for word in ("--fact", fact)]
    start = ("protocol", "dry-run", here / "small-1.0.toml", "--logs", here / "run.jsonl", "-o", tmp_path / "out")
    whole = ("--corpus", here / "small.json", "--artefact", f"settings.txt={here / 'conf.txt'}", *facts)
    done = invoke(*start, *whole)
    assert done.exit_code == 0, done.output
    assert "Every gate that can be judged before the run holds." in done.stdout
    done = invoke(*start, "--fact", "system=ours")
    assert done.exit_code == 4
    for what in ("small.json was not given", "not known without the corpus", "missing: settings.txt"):
        assert what in " ".join(done.stdout.split())
    with pytest.raises(InputError, match="no such log"):
        raise invoke(*start[:4], tmp_path / "gone.jsonl", *start[5:], *whole).exception or AssertionError
    assert not list(tmp_path.iterdir())


def test_ids_that_never_meet_give_no_figures(here: Path, tmp_path: Path) -> None:
    """A run none of whose ids is a labelled one prints no figure, on screen and on its pages; the gate says why, and it is not quoted."""
    log = world.log(tmp_path, form="{conversation}/x{id}")
    document = world.run(here / "small-1.0.toml", log, tmp_path / "out", given=here / "small.json")
    assert document["status"] == "UNVERIFIED"
    assert world.gates(document)["meeting"][0] == "fail"
    for page in ("report.md", "report.html"):
        assert "95 % interval" not in (tmp_path / "out" / page).read_text(encoding="utf-8")
