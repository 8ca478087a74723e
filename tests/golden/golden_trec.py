"""What the trec_eval outputs say, and what our names for their measures are."""

import re
from functools import cache
from pathlib import Path
from typing import Any

import recallwatch

WHOLE = {"map": "map", "recip_rank": "mrr", "ndcg": "ndcg", "set_P": "precision", "set_recall": "recall", "set_F": "f1"}
WHOLE |= {"Rprec": "rprec(mult=1)", "bpref": "bpref", "infAP": "infap", "rbp": "rbp(p=0.9)", "rbp_resid": "rbp_residual(p=0.9)"}
WHOLE |= {"11pt_avg": "iprec_11pt", "set_map": "set_map"}
WITH = {"iprec_at_recall": "iprec(r={:g})", "Rprec_mult": "rprec(mult={:g})"}  # a number that is a parameter, no cutoff
CUT = {
    "P": "precision",
    "recall": "recall",
    "success": "success",
    "map_cut": "map",
    "ndcg_cut": "ndcg",
    "relative_P": "recall_cap",  # P_k over the best P_k there can be = found / min(k, R)
}
LEFT_OUT = (  # measures that recallwatch does not have
    *("runid", "relstring", "num_ret", "num_rel_ret", "num_nonrel_judged_ret"),  # not ratios: what the run holds
    *("gm_map", "gm_bpref"),  # geometric means
    "11pt_avg",  # at recall points of one's own
    "set_relative_P",  # against the size of a list nobody could have chosen
    *("utility", "G", "binG", "Rndcg", "ndcg_rel"),  # no description but their code
)
ELSEWHERE = ("num_q", "num_rel", "unj")  # we say it in another form: each has a test of its own
SETTINGS: dict[str, tuple[str, str, dict[str, Any]]] = {  # name -> run, judgements, options beside compat=trec_eval
    "aq": ("results.test", "qrels.test", {}),
    "aqc": ("results.trunc", "qrels.test", {"missing": "zero"}),
    "aqcM": ("results.trunc", "qrels.test", {"missing": "zero", "depth": 100}),
    "aql": ("results.test", "qrels.rel_level", {"rel_level": 2}),
    "comment": ("results.comment.test.gz", "qrels.comment.test.gz", {}),
    "meas_params": ("results.test", "qrels.test", {"gain": "1=3,2=9,4=4.5"}),
    "with-comments": ("results.test", "qrels.test.with-comments", {}),
}
NUMBERS = {
    "iprec_at_recall": (*(tenth / 10 for tenth in range(11)), 0.25, 0.75),
    "Rprec_mult": (*(fifth / 5 for fifth in range(1, 11)), 0.35, 5.0),
}
OTHERWISE = {  # output -> measures whose values there rest on another rule than ours
    "v9.0.8/": ("iprec_at_recall", "11pt_avg"),  # rounded up: version 10 rounds the recall points as we do
    "out.test.aql": ("infAP", "rbp_resid"),  # a grade below 0 is no judgement to them, it is one to us
    "out.test.aqc": ("rbp_resid",),  # a query that the run lacks: they say nothing is unknown of it, we leave it out
}
DEPTHS = {"meas_params": (2, 3, 5, 7, 10, 20, 23, 2000)}
STANDARD_DEPTHS = (1, 5, 10, 15, 20, 30, 100, 200, 500, 1000)


def family(measure: str) -> str:
    """A measure's name without its parameter: ``P_10`` -> ``P``, ``iprec_at_recall_0.10`` -> ``iprec_at_recall``."""
    return re.sub(r"_[\d.][\d.,=-]*$", "", measure)


def ours(measure: str) -> str | None:
    """Our column for one of their measures (``P_10`` -> ``precision@10``); None where we have none."""
    if measure in WHOLE:
        return WHOLE[measure]
    if re.fullmatch(r"ndcg_\d+=.*", measure):  # their nDCG with gains of its own
        return "ndcg"
    name, _, depth = measure.rpartition("_")
    if name in WITH:
        return WITH[name].format(float(depth))
    return f"{CUT[name]}@{depth}" if name in CUT and depth.isdigit() else None


def published(path: Path) -> dict[tuple[str, str], str]:
    """(measure, topic or ``all``) -> value as printed, to four decimals."""
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
    return {(measure.strip(), topic.strip()): value.strip() for measure, topic, value in rows}


@cache
def evaluated(folder: Path, setting: str) -> dict[str, Any]:
    """The JSON of one evaluation under the trec_eval preset; made once a session."""
    run, judgements, options = SETTINGS[setting]
    depths = DEPTHS.get(setting, STANDARD_DEPTHS)
    names = [f"{name}@{k}" for name in (*CUT.values(), "judged") for k in depths] + [f"{name}@all" for name in WHOLE.values()]
    names += [WITH[name].format(number) for name, numbers in NUMBERS.items() for number in numbers]
    result = recallwatch.evaluate(folder / run, folder / judgements, compat="trec_eval", metrics=names, per_query=True, **options)
    return result.to_dict()


def measured(folder: Path, setting: str) -> dict[tuple[str, str], float]:
    """(our column, topic or ``all``) -> value."""
    found = evaluated(folder, setting)
    values = {(row["metric"] + (f"@{row['k']}" if row["k"] else ""), "all"): row["value"] for row in found["metrics"]}
    return values | {(name, query["query_id"]): value for query in found["queries"] for name, value in query["values"].items()}
