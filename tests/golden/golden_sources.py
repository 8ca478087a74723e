"""The published cases of six projects, read into one form. What each number means there stands in its ORIGIN.md."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from golden_cases import MEAN, Case, Claim, Options, options_of

TREC = options_of(compat="trec_eval", missing="zero")
LOGGED = options_of(unit="query", no_relevant="zero")  # rankings as listed; the mean is over queries, without labels counts 0


def _cases(folder: Path) -> list[dict[str, Any]]:
    return list(json.loads((folder / "cases.json").read_text(encoding="utf-8"))["cases"])


def _plus(options: Options, **more: Any) -> Options:
    return options_of(**{**dict(options), **more})


def ir_measures(folder: Path) -> Iterator[Case]:
    """Rows of qrels and of a run; ``rel=n`` is our rel_level, provider gdeval has exponential gain."""
    names = {"P": "precision", "AP": "map", "RR": "mrr", "R": "recall", "nDCG": "ndcg", "Success": "success", "Judged": "judged",
             "SetP": "precision", "SetR": "recall", "SetF": "f1"}  # fmt: skip
    for raw in _cases(folder):
        case = Case(raw["id"], {}, {})
        for query, document, grade, _ in raw["qrels"]:
            case.grades.setdefault(query, {})[document] = grade
        for query, document, score in raw["run"]:
            case.rankings.setdefault(query, {})[document] = score
        for entry in raw["expected"]:
            name, inside, depth = re.fullmatch(r"(\w+)(?:\((.*)\))?(?:@(.*))?", entry["measure"]).groups()
            options = TREC if entry["provider"] != "gdeval" else _plus(TREC, gain="exponential")
            if inside and inside.startswith("rel="):
                options, inside = _plus(options, rel_level=float(inside.removeprefix("rel="))), None
            elif inside and inside.startswith("gains="):
                options, inside = _plus(options, gain=inside.removeprefix("gains=")), None
            if name not in names or inside:
                case.left_out.add(entry["measure"])
                continue
            column = f"{names[name]}@{depth or 'all'}"
            case.claims.extend(Claim(entry["measure"], column, q, value, options, 1e-4) for q, value in entry["values"].items())
        yield case


def pytrec_eval(folder: Path) -> Iterator[Case]:
    """Measures under trec_eval's names; a query without judgements has no value there."""
    for raw in _cases(folder):
        case = Case(raw["id"], raw["run"], {query: grades for query, grades in raw["qrels"].items() if grades})
        for measure, values in raw["expected"].items():
            if raw["judged_docs_only"]:
                case.left_out.add(f"{measure} (judged documents only)")
                continue
            cut = re.fullmatch(r"ndcg_cut_(\d+)", measure)
            column = f"ndcg@{cut[1]}" if cut else f"{measure}@all"
            case.claims.extend(Claim(measure, column, query, value, TREC) for query, value in values.items())
        yield case


def ranx(folder: Path) -> Iterator[Case]:
    """Ranked lists; ``ndcg_burges`` has exponential gain."""
    names = {
        "precision": "precision",
        "recall": "recall",
        "f1": "f1",
        "hit_rate": "success",
        "mrr": "mrr",
        "map": "map",
        "ndcg": "ndcg",
    }
    for raw in _cases(folder):
        case = Case(raw["id"], raw["run"], raw["qrels"])
        for measure, values in raw["expected"].items():
            name, _, depth = measure.partition("@")
            options = _plus(LOGGED, gain="exponential") if name == "ndcg_burges" else LOGGED
            own = names.get(name.removesuffix("_burges"))
            if own is None:
                case.left_out.add(name)
                continue
            for query, value in values.items():
                claim = Claim(
                    measure,
                    f"{own}@{depth or 'all'}",
                    MEAN if query == "mean" else query,
                    value,
                    options,
                    raw.get("tolerance", 1e-9),
                )
                case.claims.append(claim)
        yield case


def spark(folder: Path) -> Iterator[Case]:
    """Means by cut-off; MAP@k is divided by min(k, R), graded nDCG has exponential gain."""
    names = {"precisionAt": "precision", "recallAt": "recall", "meanAveragePrecisionAt": "map", "ndcgAt": "ndcg"}
    for raw in _cases(folder):
        options = _plus(LOGGED, gain="exponential" if raw["id"] == "spark-graded" else "binary", ap="min_k_r")
        case = Case(raw["id"], raw["run"], raw["qrels"])
        for measure, values in raw["expected"].items():
            if measure == "meanAveragePrecision":
                case.claims.append(Claim(measure, "map@all", MEAN, values, options, raw["tolerance"]))
                continue
            for depth, value in values.items():
                case.claims.append(Claim(f"{measure} {depth}", f"{names[measure]}@{depth}", MEAN, value, options, raw["tolerance"]))
        yield case


def recommenders(folder: Path) -> Iterator[Case]:
    """Means over users; ratings are gains in the Wikipedia example only."""
    names = {"precision_at_k": "precision", "recall_at_k": "recall", "map": "map", "map_at_k": "map", "ndcg_at_k": "ndcg"}
    for raw in _cases(folder):
        gain = "linear" if "wiki" in raw["id"] else "binary"
        case = Case(raw["id"], raw["run"], raw["qrels"])
        for measure, value in raw["expected"].items():
            name, _, rest = measure.partition("@")
            if name not in names:
                case.left_out.add(measure)
                continue
            options = _plus(LOGGED, order="score", gain=gain)
            case.claims.append(Claim(measure, f"{names[name]}@{rest.split()[0]}", MEAN, value, options, raw["tolerance"]))
        yield case


def llama_index(folder: Path) -> Iterator[Case]:
    """One ranking a case; precision over what was returned, the ideal of nDCG is not cut."""
    names = {"hit_rate": "success", "hit_rate (granular = recall)": "recall", "mrr": "mrr", "recall": "recall", "ap": "map",
             "precision (divides by number retrieved)": "precision", "ndcg (ideal not cut)": "ndcg"}  # fmt: skip
    options = _plus(LOGGED, precision="returned", ideal="full")
    for raw in _cases(folder):
        case = Case(raw["id"], {"q": raw["ranking"]}, {"q": dict.fromkeys(raw["relevant"], 1)})
        depth = len(raw["ranking"])  # a depth of its own, so that what is cut and what is not differ
        if raw["metric"] in names:
            for at in (str(depth), "all"):
                case.claims.append(Claim(f"{raw['metric']} @{at}", f"{names[raw['metric']]}@{at}", "q", raw["expected"], options))
        else:
            case.left_out.add(raw["metric"])
        yield case


def haystack(folder: Path) -> Iterator[Case]:
    """Parallel lists; the old map is a record of a bug, its right value stands beside it."""
    for raw in _cases(folder):
        known = {"mrr": "mrr", "hit rate (any relevant found)": "success", "recall": "recall"}
        name = "map" if raw.get("wrong_on_purpose") else known[raw["metric"]]
        expected = raw.get("correct", raw["expected"])
        grades = {str(i): dict.fromkeys(ids, 1) for i, ids in enumerate(raw["relevant"])}
        case = Case(raw["id"], {str(i): ids for i, ids in enumerate(raw["rankings"])}, grades)
        values = {**{str(i): value for i, value in enumerate(expected["per_query"])}, MEAN: expected["mean"]}
        case.claims.extend(Claim(raw["metric"], f"{name}@all", query, value, LOGGED) for query, value in values.items())
        yield case
