"""The gates of a protocol: what must hold before a number may be quoted. Each says what was agreed and what was seen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from . import model

VERIFIED, UNVERIFIED, BLOCKED_WORD = "VERIFIED", "UNVERIFIED", "BLOCKED"


@dataclass(frozen=True)
class Requirement:
    """One requirement, shown as a gate.

    Args:
        name: what it looks at.
        verdict: pass, fail or unknown (what it needs was not there); only pass lets a number be quoted.
        what: what was agreed and what was seen, in a sentence.
    """

    name: str
    verdict: str
    what: str

    def to_dict(self) -> dict[str, str]:
        """As metrics.json has it."""
        return dict(vars(self))


def judge(protocol: model.Protocol, document: Mapping[str, Any], others: Mapping[str, float]) -> list[Requirement]:
    """Every gate over what metrics.json holds.

    Args:
        protocol: what was agreed.
        document: record, overall, counts, ids.
        others: our own columns -> mean, to tell what a claimed figure really is.
    """
    record = document["record"]
    gates = [
        _corpora(protocol, record),
        _labels(protocol, record),
        _counts(protocol, document),
        _coverage(protocol, record),
        _questions(protocol, document),
        _granularity(protocol, document),
        _collisions(protocol, document),
        _depth(protocol, document),
        _facts(protocol, record),
        _log(record),
        _artefacts(protocol, record),
    ]
    if is_unmet(document):
        what = "nothing relevant came back for any question: the ids of the run and those of the labels never meet, so no figure is shown"
        gates.append(Requirement("meeting", "fail", what))
    if record["claims"]:
        gates.append(_claims(document, others))
    return gates


def is_unmet(document: Mapping[str, Any]) -> bool:
    """Whether every mean is 0 or none: ids that match nothing, not a retriever."""
    return not any(row["mean"] for row in document["overall"].values())


def before(protocol: model.Protocol, record: Mapping[str, Any], counts: list[str] | None) -> list[Requirement]:
    """The gates that can be judged before anything is run.

    Args:
        protocol: what was agreed.
        record: facts, corpora, corpus, artefacts.
        counts: how the corpus' counts differ from those agreed on; None = no corpus.
    """
    bad = ["not known without the corpus"] if counts is None else counts
    return [
        _corpora(protocol, record),
        _requirement("counts", bad, "questions and types of the corpus as agreed", unknown=counts is None),
        _coverage(protocol, record),
        _facts(protocol, record),
        _artefacts(protocol, record),
    ]


def status_of(gates: list[Requirement], *, is_blocked: bool) -> str:
    """VERIFIED, UNVERIFIED or BLOCKED."""
    if is_blocked:
        return BLOCKED_WORD
    return VERIFIED if all(gate.verdict == "pass" for gate in gates) else UNVERIFIED


def _requirement(name: str, bad: list[str], good: str, *, unknown: bool = False) -> Requirement:
    return Requirement(name, "pass" if not bad else "unknown" if unknown else "fail", "; ".join(bad) or good)


def _corpora(protocol: model.Protocol, record: Mapping[str, Any]) -> Requirement:
    bad = []
    for corpus in protocol.corpora:
        seen = record["corpora"].get(corpus.name)
        if seen is None:
            bad.append(f"{corpus.file} was not given (--corpus {corpus.name}=FILE)")
        elif seen["sha256"] != corpus.sha256:
            bad.append(
                f"{seen['file']} is another file: sha256 {seen['sha256'][:12]}…, agreed is {corpus.sha256[:12]}… ({corpus.file})"
            )
    return _requirement("corpus", bad, f"{', '.join(c.file for c in protocol.corpora)}: sha256 as agreed")


def _labels(protocol: model.Protocol, record: Mapping[str, Any]) -> Requirement:
    labels = record["labels"]
    if labels["from"] == "corpus":
        given = record["corpora"][protocol.corpora[0].name]["file"]
        return Requirement("labels", "pass", f"made from {given} by the protocol's rules")
    difference = labels["difference"]
    if difference is None:
        return Requirement(
            "labels", "unknown", f"taken from {labels['from']}; without the corpus nobody can say whether they are those agreed on"
        )
    names = {
        "other_documents": "have other documents than agreed",
        "not_scored": "are missing",
        "not_agreed": "are not of the corpus",
    }
    bad = [f"{difference[name]:,} questions {words}" for name, words in names.items() if difference[name]]
    counted = _requirement("labels", bad, f"taken from {labels['from']}; the same as the corpus says")
    return Requirement("labels", counted.verdict, f"taken from {labels['from']}: {counted.what}" if bad else counted.what)


def _counts(protocol: model.Protocol, document: Mapping[str, Any]) -> Requirement:
    expected, seen, corpus = protocol.expected, document["ids"]["labels"], document["record"]["corpus"]
    pairs = [
        ("questions", expected.questions, seen["questions"]),
        ("questions with a right answer", expected.scored, seen["scored"]),
    ]
    if corpus is not None:
        pairs += [
            ("questions without a right answer in the corpus", expected.abstention, corpus["counts"].get("abstention")),
            ("malformed references in the corpus", expected.malformed_references, corpus["counts"].get("malformed_references")),
        ]
    bad = [
        f"{count:,} {name} (agreed: {agreed:,})"
        for name, agreed, count in pairs
        if agreed is not None and count not in (None, agreed)
    ]
    types = document["ids"]["types"]
    wrong = [f"{name} {types.get(name, 0)} (agreed: {n})" for name, n in expected.types.items() if types.get(name, 0) != n]
    more = [name for name in types if expected.types and name not in expected.types]
    if wrong or more:
        bad.append(f"by type: {', '.join(wrong)}{'; not agreed: ' + ', '.join(more) if more else ''}")
    good = f"{seen['questions']:,} questions, {seen['scored']:,} with a right answer" + (
        ", types as agreed" if expected.types else ""
    )
    return _requirement("counts", bad, good)


def _coverage(protocol: model.Protocol, record: Mapping[str, Any]) -> Requirement:
    least, corpus = protocol.labels.oracle_coverage, record["corpus"]
    share = corpus["counts"].get("oracle_coverage") if corpus else None
    if share is None:
        return Requirement("oracle coverage", "unknown", "how many questions keep a label is not known without the corpus")
    counts = corpus["counts"]
    coverage = f"{100 * share:.4g} % of {counts['scored']:,} questions keep a label that names a document of the corpus"
    bad = [f"{coverage} ({counts['unresolved']:,} do not; agreed: {100 * least:g} %)"] if share < least else []
    return _requirement("oracle coverage", bad, coverage)


def _questions(protocol: model.Protocol, document: Mapping[str, Any]) -> Requirement:
    agreed, seen = protocol.expected.scored, document["counts"]["questions_scored"]
    again = document["ids"]["lists"]["asked_again"]
    bad = [f"{seen:,} questions scored (agreed: {agreed:,})"] if agreed is not None and seen != agreed else []
    bad += [f"{again:,} recalls ask a question again (agreed: once)"] if again else []
    return _requirement("questions", bad, f"{seen:,} scored, each asked once")


def _granularity(protocol: model.Protocol, document: Mapping[str, Any]) -> Requirement:
    level, ids = protocol.labels.granularity or "document", protocol.ids
    bad = _wrong_forms(protocol, document, "granularity", level)
    stray = _form(document, None)
    if ids.form and stray:
        bad.append(f"{stray['ids']:,} ids are of no form agreed on, such as {stray['example']!r} (agreed: {ids.form})")
    segments = document["record"]["facts"].get("segments")
    if ids.segments is not None and segments is not None and segments != ids.segments:
        bad.append(f"{segments:,} segments in the index instead of {ids.segments:,}")
    return _requirement("granularity", bad, f"ids of a {level}")


def _wrong_forms(protocol: model.Protocol, document: Mapping[str, Any], gate: str, level: str) -> list[str]:
    forms = []
    for wrong in protocol.ids.wrong:
        seen = _form(document, wrong.name)
        if wrong.gate == gate and seen:
            size = (
                f", {wrong.segments:,} segments instead of {protocol.ids.segments:,}"
                if wrong.segments and protocol.ids.segments
                else ""
            )
            why = f": {wrong.why}" if wrong.why else ""
            forms.append(f"{seen['ids']:,} ids are {wrong.name}, such as {seen['example']!r}{size} (agreed: {level}){why}")
    return forms


def _form(document: Mapping[str, Any], name: str | None) -> Mapping[str, Any] | None:
    return next((row for row in document["ids"]["forms"] if row["name"] == name), None)


def _collisions(protocol: model.Protocol, document: Mapping[str, Any]) -> Requirement:
    bad = _wrong_forms(protocol, document, "id collisions", protocol.labels.granularity or "document")
    lists = document["ids"]["lists"]
    repeats = f"{lists['with_repeats']:,} of {lists['lists']:,} lists hold an id twice"
    if lists["with_repeats"] and protocol.ids.repeats == "refused":
        bad.append(f"{repeats}, which ids that name one document cannot")
    return _requirement("id collisions", bad, repeats if lists["with_repeats"] else "no list holds an id twice")


def _depth(protocol: model.Protocol, document: Mapping[str, Any]) -> Requirement:
    """A metric with a cutoff beyond the recorded lists is the metric of a smaller cutoff."""
    deepest, pool = document["ids"]["lists"]["deepest"] or 0, protocol.ids.pool
    cut = [name for name, row in document["overall"].items() if deepest < min(row["k"], pool or row["k"])]
    needed = max((min(row["k"], pool or row["k"]) for row in document["overall"].values()), default=0)
    bad = (
        [
            f"{', '.join(cut)}: truncated, the lists hold {deepest} ranks and not {needed}, so what is shown is the value at {deepest}"
        ]
        if cut
        else []
    )
    return _requirement("depth", bad, f"lists of up to {deepest} ranks")


def _facts(protocol: model.Protocol, record: Mapping[str, Any]) -> Requirement:
    facts = record["facts"]
    missing = [name for name, fact in protocol.facts.items() if fact.required and name not in facts]
    bad = [f"not told: {', '.join(missing)}"] if missing else []
    for name, fact in protocol.facts.items():
        if fact.expected is not None and name in facts and facts[name] != fact.expected:
            bad.append(f"{name} is {facts[name]} (agreed: {fact.expected})")
    n = len(record["deviations"])
    return _requirement("facts", bad, f"{len(facts)} told, {n} deviation{'' if n == 1 else 's'} with a reason")


def _log(record: Mapping[str, Any]) -> Requirement:
    read = record["read"]
    bad = [f"{read['rejected_lines']:,} lines could not be read"] if read["rejected_lines"] else []
    bad += ["the last line of a log is half written"] if read["incomplete_tail"] else []
    more = [
        f"{read[name]:,} {words}"
        for name, words in (("duplicate_events", "duplicate events"), ("unlabelled_events", "without a label"))
        if read[name]
    ]
    return _requirement("log", bad, f"{read['events']:,} recalls read{', ' + ', '.join(more) if more else ''}")


def _artefacts(protocol: model.Protocol, record: Mapping[str, Any]) -> Requirement:
    missing = [name for name in protocol.artefacts.required if name not in record["artefacts"]]
    return _requirement(
        "artefacts", [f"missing: {', '.join(missing)}"] if missing else [], f"{len(protocol.artefacts.required)} there"
    )


def _claims(document: Mapping[str, Any], others: Mapping[str, float]) -> Requirement:
    bad = []
    for name, text in document["record"]["claims"].items():
        row, places = document["overall"][name], len(text.partition(".")[2])

        def same(value: float | None, text: str = text, places: int = places) -> bool:
            return value is not None and f"{value:.{places}f}" == f"{float(text):.{places}f}"

        if same(row["mean"]):
            continue
        shown = "no value" if row["mean"] is None else f"{row['mean']:.{max(places, 4)}f}"
        twins = [
            ours
            for ours, value in others.items()
            if ours.endswith(f"@{row['k']}") and same(value) and ours != f"{row['measure']}@{row['k']}"
        ]
        why = (
            f": {text} is {twins[0]}, another definition"
            if twins
            else ": the lists are truncated, so it cannot be recomputed"
            if row["truncated"]
            else ""
        )
        bad.append(f"{name} {text} claimed, {shown} recomputed{why}")
    return _requirement("claims", bad, f"{', '.join(f'{n} {t}' for n, t in document['record']['claims'].items())}: recomputed")
