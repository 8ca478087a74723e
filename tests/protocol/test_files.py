"""The protocol file: closed, checked by name; two come with the tool."""

from pathlib import Path

import pytest

from recallwatch.base.errors import UsageError
from recallwatch.protocol import files

from . import world

# a change of a shipped text needs a new version, and a line here
SHIPPED = {
    "locomo 1.1": "fe68479b06945026",
    "longmemeval 1.1": "471bfe1e1e837716",
}


def test_the_shipped_texts_change_with_their_version() -> None:
    """Name and version say which text it is."""
    found = {f"{source.protocol.name} {source.protocol.version}": source.sha256[:16] for source in map(files.load, files.shipped())}
    assert found == SHIPPED


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("[expected]\nquestions", "[expected]\nquestion", "unknown key 'expected.question'. Did you mean 'questions'?"),
        ("sha256 =", "sha265 =", "corpora.0.sha256 is missing"),
        (
            'gate = "granularity"',
            'gate = "granular"',
            "ids.wrong.0.gate: expected 'granularity' or 'id collisions', saw 'granular'",
        ),
        ("[definition]\nunit =", "[definition]\nunti =", "definition: unknown option 'unti'. Did you mean 'unit'?"),
        ('measure = "fraction"', 'measure = "recal"', "metrics.recall.measure: no metric 'recal'. Did you mean 'recall'?"),
        ('"recall@1" = 0.02', '"recall@2" = 0.02', "bands: no metric 'recall@2'. Did you mean 'recall@3'?"),
        ("form = '^c", "form = '(^c", "ids.form: not a regular expression"),
        ('version = "1.0"', 'version = "one"', "version: expected a text of the form"),
        ("[ids]", "[ids", "not TOML"),
        ("seed = {kind", "seed = {kin", "unknown key 'facts.seed.kin'. Did you mean 'kind'?"),
        ("{low = 0.9", "{lo = 0.9", "bands.recall@3"),
    ],
)
def test_mistakes_are_told_by_name(tmp_path: Path, old: str, new: str, told: str) -> None:
    """One line: the file, the key, what was seen, the nearest key there is."""
    path = world.protocol(tmp_path)
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(UsageError) as caught:
        files.load(path)
    assert str(caught.value).startswith(str(path))
    assert told in str(caught.value)


def test_a_name_that_is_none() -> None:
    """The nearest protocol is named."""
    with pytest.raises(UsageError, match=r"no protocol 'locom'\. Did you mean 'locomo'"):
        files.load("locom")


def test_what_a_killed_run_left_beside_the_results(tmp_path: Path) -> None:
    """Its folder goes with the next run; older results that it had moved away are back in their place, and are not written over unasked."""
    out, left = tmp_path / "results", tmp_path / f".results.{'0' * 16}.tmp"
    for path in (left / "owner.lock", left / "new" / files.METRICS, left / "old" / files.METRICS):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(path.parent.name)
    with pytest.raises(UsageError, match="pass --replace"), files.written_whole(out, replace=False):
        pass
    assert (out / files.METRICS).read_text() == "old"
    with files.written_whole(out, replace=True) as folder:
        (folder / files.METRICS).write_text("newer")
    assert (out / files.METRICS).read_text() == "newer"
    with pytest.raises(RuntimeError), files.written_whole(out, replace=True) as folder:
        (folder / files.METRICS).write_text("half")
        raise RuntimeError
    assert ([path.name for path in tmp_path.iterdir()], (out / files.METRICS).read_text()) == (["results"], "newer")
