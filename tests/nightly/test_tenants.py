"""Two tenants ask queries of one name: what a page says of one says nothing of the other."""

import json
import re
from pathlib import Path

from recallwatch.nightly.run import run

CONFIG = 'logs = "log.jsonl"\nlabels = "labels.jsonl"\nmax_age = "never"\n[outputs]\nwrite = ["html", "json"]\n'


def test_each_tenant_has_its_explanation(tmp_path: Path) -> None:
    """Rows of one query name link to the explanation of their own tenant, which counts its recalls alone."""
    rows = [
        {
            "timestamp": f"2026-03-0{day}T{i % 24:02d}:{i % 60:02d}:00Z",
            "query_id": f"q{i % 20}",
            "tenant_id": tenant,
            "ranked_ids": ["z" if day == 4 and i % 20 < (3 if tenant == "a" else 12) else f"{tenant}{i % 20}", "x"],
        }
        for day in (1, 2, 3, 4)
        for tenant in "ab"
        for i in range(60)
    ]
    labels = [{"query_id": f"q{i}", "tenant_id": t, "relevant": [f"{t}{i}"]} for i in range(20) for t in "ab"]
    for name, given in (("log", rows), ("labels", labels)):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in given))
    (tmp_path / "r.toml").write_text(CONFIG)
    run(tmp_path / "r.toml")
    folder = tmp_path / "recallwatch-report"
    page, explained = (folder / "report.html").read_text(), json.loads((folder / "report.json").read_text())["explained"]
    asked = [(one["asked"]["query"], one["asked"]["tenant_id"]) for one in explained]
    assert len(set(asked)) == len(asked) == 15
    assert all({row["tenant_id"] for row in one["queries"]} == {one["asked"]["tenant_id"]} for one in explained)
    assert all(side["n"] == (9 if side["side"] == "before" else 3) for one in explained for side in one["sides"])
    links = dict(re.findall(r'<a href="#(why-\d+)">([ab]/q0|q11)</a>', page))
    for place, name in links.items():
        tenant, query = name.split("/") if "/" in name else ("b", name)
        assert asked[int(place.removeprefix("why-")) - 1] == (query, tenant)
    assert set(links.values()) == {"a/q0", "b/q0", "q11"}
    assert all(f'id="{place}"' in page for place in links)
