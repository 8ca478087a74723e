"""METRICS: one line per metric; its definition is its file in sql/3_score/. Everything that lists metrics reads this."""

import functools
import re

from .errors import UsageError
from .metric import PATIENCE, REL, Metric, Parameter
from .registry import index, known, pick

Named = functools.partial(Metric, named_only=True)
Whole = functools.partial(Metric, whole_only=True)
NamedWhole = functools.partial(Named, whole_only=True)
OfSearches = functools.partial(NamedWhole, better="lower", empty=None, of="searched", needs="list")
Unjudged = functools.partial(Named, better="neither", needs="list")  # what documents without a label could change
METRICS = index(
    Metric("recall", "share of the relevant documents in the first k", parameters=(REL,), names=("r",)),
    Metric(
        "precision",
        "relevant in the first k / k",
        parameters=(REL,),
        names=("p",),
        macros={"precision": {"returned": "precision_returned_at_k"}},
    ),
    Metric("f1", "harmonic mean of precision@k and recall@k", "F1", macros={"precision": {"returned": "f1_returned_at_k"}}),
    Metric(
        "success",
        "1 if any relevant document is in the first k (hit rate)",
        "success (hit rate)",
        parameters=(REL,),
        labels={"longmemeval": "recall_any"},
    ),
    Metric("all_found", "1 if every relevant document is in the first k", "all found", labels={"longmemeval": "recall_all"}),
    Metric("recall_cap", "relevant in the first k / min(k, relevant)", "recall capped", names=("relative_p",)),
    Whole("mrr", "1 / rank of the first relevant document", "MRR", parameters=(REL,), names=("rr", "recip_rank")),
    Whole(
        "map",
        "mean of the precisions at the relevant ranks",
        "MAP",
        parameters=(REL,),
        names=("ap", "map_cut"),
        macros={"ap": {"min_k_r": "map_min_k_r_at_k"}},
    ),
    Metric(
        "ndcg",
        "discounted gain / that of the best possible ranking",
        "nDCG",
        needs="gain",
        names=("ndcg_cut",),
        macros={"ideal": {"full": "ndcg_full_at_k"}},
    ),
    Named("ndcg_exp", "nDCG with the gain 2^grade - 1", "nDCG(exp)", needs="gain"),
    Metric("judged", "share of the first k that has any label", better="neither", empty=None, needs="list"),
    Named(
        "stale", "share of the first k that was right before and is not now", better="lower", empty=None, of="dated", needs="list"
    ),
    Named(
        "hop_recall",
        "share of the relevant documents of a hop in the first k of a question's searches",
        "hop recall",
        of="searched",
        parameters=(Parameter("hop", 1.0, 1.0, 9999.0, "which hop"),),
    ),
    OfSearches("wasted", "share of a question's searches that brought nothing new", "searches wasted"),
    OfSearches("repeated", "share of a question's searches that asked the same again", "searches repeated"),
    NamedWhole(
        "rprec",
        "precision at the rank that equals the number of relevant documents, or mult times it",
        "R-precision",
        parameters=(Parameter("mult", 1.0, 0.01, 100.0, "multiple of the number of relevant documents"), REL),
        names=("rprec_mult",),
    ),
    NamedWhole("bpref", "share of the judged pairs in the right order", "Bpref", parameters=(REL,)),
    NamedWhole("infap", "average precision inferred from a sample of judgements", "infAP", parameters=(REL,)),
    NamedWhole(
        "rbp", "rank-biased precision: share of a patient reader's looks that gain", "RBP", needs="gain", parameters=(PATIENCE, REL)
    ),
    Unjudged(
        "rbp_residual",
        "what RBP could gain were all that is not judged relevant",
        "RBP residual",
        whole_only=True,
        parameters=(PATIENCE,),
        names=("rbp_resid",),
    ),
    Unjudged(
        "precision_upper",
        "precision@k were every unjudged document relevant",
        "precision at most",
        names=("p_upper",),
        macros={"precision": {"returned": "precision_returned_upper_at_k"}},
    ),
    Unjudged("success_upper", "success@k were every unjudged document relevant", "success at most"),
    Unjudged("mrr_upper", "MRR were every unjudged document relevant", "MRR at most", whole_only=True, names=("rr_upper",)),
    NamedWhole(
        "err",
        "expected reciprocal rank at which a reader is satisfied",
        "ERR",
        needs="gain",
        parameters=(Parameter("max", 4.0, 1.0, 50.0, "the highest grade"),),
    ),
    NamedWhole(
        "iprec",
        "best precision of any rank where at least the share r of the relevant is found",
        "interpolated precision",
        parameters=(Parameter("r", 0.1, 0.0, 1.0, "recall"), REL),
        names=("iprec_at_recall",),
        at="r",
    ),
    NamedWhole(
        "iprec_11pt", "mean of the interpolated precisions at recall 0, 0.1, … 1", "11-point precision", names=("11pt_avg",)
    ),
    NamedWhole("set_map", "precision times recall of the whole list", "SetAP", names=("setap",)),
    Whole(
        "answer_exact", "1 if the logged answer is a right one, punctuation and articles aside", of="answered", needs="gold_answers"
    ),
    Whole("answer_f1", "token F1 of the logged answer and the right one", of="answered", needs="gold_answers"),
)

WHOLE_LIST = {"setp": "precision", "setr": "recall", "setf": "f1", "set_p": "precision", "set_recall": "recall", "set_f": "f1"}
GAINS = {"log2": "ndcg", "exp-log2": "ndcg_exp"}  # ir_measures' names of what nDCG(dcg=…) discounts
NAMES = {name: entry for entry in METRICS.values() for name in entry.names}
SPEC = re.compile(r"\s*(?P<name>\w+)\s*(?:\((?P<parameters>[^()]*)\)\s*)?(?:@(?P<k>.*))?", re.DOTALL)


def is_metric(name: str) -> bool:
    """Whether a name is a metric's, or one the field has for it."""
    return name.lower() in METRICS or name.lower() in NAMES or name.lower() in WHOLE_LIST


def parse_metric(text: str) -> tuple[Metric, tuple[float | None, ...], str | None]:
    """A metric, its parameters and the text after ``@`` (None = no ``@``), from ``recall``, ``nDCG@10``, ``RR``, ``P(rel=2)@5`` or ``RBP(p=0.8)``.

    Raises:
        UsageError: unknown metric or parameter, a parameter out of range.
    """
    match = SPEC.fullmatch(text)
    name = match["name"].lower() if match else ""
    entry = NAMES.get(name) or pick(METRICS, "metric", WHOLE_LIST.get(name, name if name in METRICS else text.partition("@")[0]))
    given, k = _given(match["parameters"] or "" if match else "", entry), match["k"] if match else None
    if entry.name == "ndcg" and "dcg" in given:
        entry = pick(METRICS, "metric", GAINS.get(given.pop("dcg").strip("'\" "), text))
    if entry.at and k is not None and not given.get(entry.at):
        given[entry.at], k = k, None
    if name in WHOLE_LIST and k is None:
        k = "all"
    known_names = [parameter.name for parameter in entry.parameters]
    for one in given:
        if one not in known_names:
            fix = known(one, known_names) if known_names else f"Write {entry.name}"
            raise UsageError(f"{entry.name} has no parameter {one!r}", where=text, fix=fix)
    values = (
        parameter.read(given[parameter.name], text) if parameter.name in given else parameter.default
        for parameter in entry.parameters
    )
    return entry, tuple(values), k


def _given(text: str, entry: Metric) -> dict[str, str]:
    """Parameter -> its text; one without a name is the first (``rbp(0.8)``)."""
    given: dict[str, str] = {}
    for part in text.split(","):
        name, is_pair, value = part.partition("=")
        if part.strip():
            given[name.strip() if is_pair else ""] = value if is_pair else part
    if "" in given and entry.parameters:
        given[entry.parameters[0].name] = given.pop("")
    return given


def metric_of(text: str) -> Metric:
    """The registry's entry of a metric as outputs write it, e.g. ``rbp(p=0.8)``; a k after it is passed over."""
    return parse_metric(text)[0]


def is_lower_better(text: str) -> bool:
    """Whether less of it is an improvement; what is no metric of the registry (a time, a rate) is not."""
    entry = METRICS.get(text.partition("(")[0])
    return entry is not None and entry.better == "lower"


def label_of(text: str, preset: str | None = None) -> str:
    """What people read for a metric as outputs write it; ``preset`` = whose field's words are used."""
    entry, values, _ = parse_metric(text)
    name = entry.labels.get(preset or "", entry.label or entry.name)
    return name + entry.text_of(values).removeprefix(entry.name)
