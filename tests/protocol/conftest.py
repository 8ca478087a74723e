"""Results folders that several files look at; nobody writes into them."""

import json
import shutil
from pathlib import Path

import pytest

from . import world

BETTER = [(good, *(d for d in ("D1", "D2", "D3") if d != good)) for good in ("D1", "D3", "D2", "D1", "D1", "D3", "D1", "D2")]


@pytest.fixture(scope="session")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a protocol, its corpus and a log."""
    folder = tmp_path_factory.mktemp("protocol")
    world.protocol(folder)
    world.log(folder)
    (folder / "conf.txt").write_text("k = 10\n")
    return folder


@pytest.fixture(scope="session")
def verified(here: Path) -> Path:
    """Results of a run as agreed."""
    out = here / "results" / "v0.9"
    facts = ["system_version=0.9", *world.FACTS[1:]]
    more = {
        "claims": ["recall@1=0.6429"],
        "artefacts": [f"settings.txt={here / 'conf.txt'}"],
        "deviations": ["one thread: no more there"],
    }
    world.run(here / "small-1.0.toml", here / "run.jsonl", out, given=here / "small.json", facts=facts, **more)
    return out


@pytest.fixture(scope="session")
def versions(here: Path, verified: Path) -> Path:
    """A folder of results: 0.9, 0.9.5 under another definition of recall, 0.10 with better lists, 0.11 with the same lists."""
    (here / "better").mkdir()
    other = world.protocol(here, version="2.0", **{'measure = "fraction"': 'measure = "any"'})
    for where, version, rankings, name in (
        (other, "0.9.5", world.RANKINGS, "any"),
        (here / "small-1.0.toml", "0.10", BETTER, "v0.10"),
    ):
        log = world.log(here / "better", rankings=rankings)
        facts = [f"system_version={version}", *world.FACTS[1:]]
        artefacts = [f"settings.txt={here / 'conf.txt'}"]
        world.run(where, log, verified.parent / name, given=here / "small.json", facts=facts, artefacts=artefacts)
    shutil.copytree(verified.parent / "v0.10", verified.parent / "v0.11")
    path = verified.parent / "v0.11" / "metrics.json"
    document = json.loads(path.read_text())
    document["record"]["facts"]["system_version"] = "0.11"
    path.write_text(json.dumps(document))
    return verified.parent
