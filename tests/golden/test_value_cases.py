"""Numbers that other projects publish in their own tests: each equals ours, under the option it needs."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import golden_sources
import pytest
from golden_cases import Case, Claim, differences

import recallwatch

_JUDGED_ONLY = ["AP", "AP@4", "IPrec@0.5", "P@4", "R@2", "RR", "Rprec", "SetAP", "SetF", "SetP", "Success@2", "nDCG", "nDCG@4"]
JUDGED_ONLY = {
    re.sub(r"(\w+)(.*)", r"\1(judged_only=True)\2", name) for name in _JUDGED_ONLY
}  # unjudged ids are never taken out here
INTERPOLATED = {f"IPrec@{at}" for at in (0.25, 0.5, 0.75)} | {f"IPrec(rel=2)@{at}" for at in (0.1, 0.25, 0.5, 0.75)}
COUNTS = {"NumQ", "NumRel", "NumRet", "NumRet(rel=1)", "NumRet(rel=2)", "NumRet(rel=3)"}
OTHER = {"ERR@2", "ERR@20", "SetAP", "SetAP(rel=2)", "SetAP(rel=3)", "SetF(beta=0.5)", "SetF(beta=2.0)", "SetP(relative=True)"}
OTHER |= {"SetP(relative=True,rel=2)", "infAP", "infAP(rel=2)"}

SOURCES: dict[str, tuple[Callable[[Path], Iterator[Case]], int, int, set[str]]] = {
    # folder -> reader, cases, numbers compared, measures left out: those we do not have, and those over judged documents only
    "ir_measures": (golden_sources.ir_measures, 7, 63, JUDGED_ONLY | INTERPOLATED | COUNTS | OTHER),
    "pytrec_eval": (golden_sources.pytrec_eval, 9, 14, {"ndcg (judged documents only)"}),
    "ranx": (golden_sources.ranx, 17, 25, {"bpref", "dcg", "dcg_burges", "hits", "r-precision", "rbp.5", "rbp.8", "rbp.95"}),
    "spark_ranking_metrics": (golden_sources.spark, 3, 32, set()),
    "recommenders": (golden_sources.recommenders, 2, 6, {f"r_precision_at_k@{k}" for k in (3, 5, 10)}),
    "llama_index": (golden_sources.llama_index, 32, 64, set()),
    "haystack": (golden_sources.haystack, 6, 32, set()),
}
CWL_LEFT_OUT = {"RBP(p=0.9,rel=1)", "SDCG(max_rel=1)@10"}
CWL = {"AP": "map", "RR": "mrr", "P@1": "precision@1", "P@5": "precision@5", "P@10": "precision@10", "P@20": "precision@20"}


@pytest.fixture(scope="module")
def wrong(shared_data: Path) -> dict[str, dict[tuple[str, str, str], tuple[float, float | None]]]:
    """Project -> claims that do not hold; all projects in one go, since cases with equal options share an evaluation."""
    cases = {folder: list(reader(shared_data / folder)) for folder, (reader, *_) in SOURCES.items()}
    found = differences(case for many in cases.values() for case in many)
    return {
        folder: {key: pair for key, pair in found.items() if key[0] in {case.name for case in many}}
        for folder, many in cases.items()
    }


@pytest.mark.parametrize("folder", SOURCES)
def test_every_published_value_holds(wrong: dict[str, dict[tuple[str, str, str], tuple[float, float | None]]], folder: str) -> None:
    """Each number of a project, per query and mean, is ours too."""
    assert wrong[folder] == {}


@pytest.mark.parametrize("folder", SOURCES)
def test_what_is_left_out_is_named(shared_data: Path, folder: str) -> None:
    """Every case is read, and exactly the listed measures are not compared."""
    reader, n_cases, n_numbers, left_out = SOURCES[folder]
    cases = list(reader(shared_data / folder))
    assert {measure for case in cases for measure in case.left_out} == left_out
    assert (len(cases), sum(len(case.claims) for case in cases)) == (n_cases, n_numbers)


def test_a_value_that_is_off_is_seen() -> None:
    """The comparison itself can fail: a wrong number, and a number that we do not give."""
    claims = [
        Claim("right", "recall@1", "q", 0.5, ()),
        Claim("wrong", "recall@2", "q", 0.5, ()),
        Claim("unknown", "recall@1", "p", 0.5, ()),
    ]
    case = Case("a case", {"q": ["x", "y"]}, {"q": {"x": 1, "y": 1}}, claims)
    assert differences([case]) == {("a case", "wrong", "q"): (0.5, 1.0), ("a case", "unknown", "p"): (0.5, None)}


def test_run_files_of_cwl(shared_data: Path) -> None:
    """AP, RR and P@k of the C/W/L example, read from its own run and qrels files."""
    folder = shared_data / "ir_measures"
    expected = json.loads((folder / "cwl_expected.json").read_text(encoding="utf-8"))
    assert set(expected["expected"]) - set(CWL) == CWL_LEFT_OUT
    found = recallwatch.evaluate(
        folder / "cwl.run", folder / "cwl.qrels", compat="trec_eval", metrics=sorted(CWL.values()), per_query=True
    )
    values = {query["query_id"]: query["values"] for query in found.to_dict()["queries"]}
    for measure, column in CWL.items():
        ours = {query: values[query][column] for query in values}
        assert ours == pytest.approx(expected["expected"][measure], abs=expected["tolerance"]), measure
