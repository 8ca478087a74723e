"""Causes around the lists: errors, times, traffic, labels, records."""

from __future__ import annotations

import math

from ..document.numbers import ms, share, significant
from .cause_evidence import Evidence, Row, cause
from .causes_of_lists import OTHER_LISTS

OTHER_TRAFFIC = {"mix_effect": "queries are asked in other shares", "cache_hits": "the cache answers fewer of them"}
PSI = "_psi"  # ends the name of a mix of a column's values
ONE_STAGE = 0.5  # of a change of the total
ALIKE = 0.5  # of the increase of the stage that carries most: with as much in the others, it is no fault of that stage
RECORDS = {
    "empty": "an empty list",
    "duplicate_ids": "an id twice in a list",
    "null_ids": "an unknown id in a list",
    "invalid_times": "an impossible time",
    "stage_missing": "no time of a stage",
    "rejected": "a form that cannot be read",
    "class_null": "no query class",
    "tenant_null": "no tenant",
}  # tests of health that speak of single records


def errors(e: Evidence) -> Row | None:
    """More recalls end in an error."""
    finding = e.of("errors")
    if finding is None:
        return None
    before, after = finding.measured.reference or 0.0, finding.measured.current or 0.0
    return cause("errors", f"More recalls ended in an error: {share(before)} → {share(after)}.", ("health", "quality", "answers"))


def unit(e: Evidence) -> Row | None:
    """Times a thousand or a million times what they were."""
    moved = [f.measured for f in e.moved if f.measured.extra.get("is_unit")]
    stages = sorted({str(m.stage) for m in moved})
    if not stages:
        return None
    worst = max(moved, key=lambda m: abs(m.effect or 0.0))
    factor = 10 ** (3 * round(abs(worst.effect or 0.0) / math.log(1000)))
    part = f"{factor:,} times" if (worst.effect or 0.0) > 0 else f"1/{factor:,} of"
    sentence = f"Times of {', '.join(stages)} are near {part} what they were: was the unit changed (s, ms, µs)?"
    return cause("unit", sentence, ("latency",), stages=stages)


def stages(e: Evidence) -> Row | None:
    """A stage that one window lacks altogether."""
    moved = {name: [str(f.measured.stage) for f in e.moved if f.measured.metric == name] for name in ("stage_gone", "new_stage")}
    gone, new = moved["stage_gone"], moved["new_stage"]
    if not gone and not new:
        return None
    if "total" in gone:
        return cause("stages", "No recall has its time any more: it is no longer logged.", ("latency",), stages=gone)
    texts = [f"no recall has a time of stage {', '.join(gone)} any more: it does not run, or is not logged"] if gone else []
    texts += [f"recalls have times of stage {', '.join(new)}, which none had before"] if new else []
    sentence = "; ".join(texts)
    return cause("stages", f"{sentence[0].upper()}{sentence[1:]}.", ("latency",), stages=gone + new)


def slow(e: Evidence) -> Row | None:
    """Times moved, in one stage or in several."""
    if e.has("unit"):
        return None
    finding = e.of("latency", stage="total") or e.of("latency")
    if finding is None or (finding.measured.effect or 0.0) <= 0:
        return None
    slower = {str(f.measured.stage) for f in e.moved if f.measured.test == "latency" and (f.measured.effect or 0.0) > 0} - {"total"}
    rows = [row for row in finding.measured.where if row["kind"] == "stage"]
    carriers = [row for row in rows[:1] if (row["share_of_change"] or 0.0) >= ONE_STAGE and _times(row) > 1]
    if slower and slower.isdisjoint(row["stage"] for row in carriers) and (len(slower) == 1 or finding.measured.stage != "total"):
        stage = str(finding.measured.stage) if finding.measured.stage in slower else min(slower)
        return cause("slow_stage", f"Stage {stage} became slower.", ("latency",), stage=stage)
    if not carriers:
        where = "no single stage carries half of the time added" if rows else "the log has no times of stages that say where"
        return cause("slow", f"Recalls became slower; {where}.", ("latency",))
    (carrier,) = carriers
    own, rest = _times(carrier), _times(*rows[1:])
    if rest - 1 >= ALIKE * (own - 1):
        text = f"× {significant(own)} in {carrier['stage']}, × {significant(rest)} in the other stages together"
        return cause("slow", f"Recalls became slower, and not in one stage alone: {text}.", ("latency",))
    times = f"{ms(carrier['reference_ms'])} → {ms(carrier['current_ms'])} ms"
    part = "all" if carrier["share_of_change"] >= 1 else share(carrier["share_of_change"])  # more where other stages became faster
    sentence = f"Stage {carrier['stage']} carries {part} of the time added ({times})."
    return cause("slow_stage", sentence, ("latency",), stage=carrier["stage"])


def _times(*stages: Row) -> float:
    """How many times longer these stages take; 1 = they take no time."""
    before, after = (sum(row[f"{side}_ms"] for row in stages) for side in ("reference", "current"))
    return after / before if before > 0 else 1.0


def labels(e: Evidence) -> Row | None:
    """The labels no longer fit what is asked or shown."""
    moved = [finding for finding in e.moved if finding.family == "labels"]
    ids = e.of("duplicate_ids") or e.of("null_ids")  # they are judged by nobody
    if not moved or e.has(*OTHER_LISTS) or (ids and all(finding.measured.test == "judged" for finding in moved)):
        return None
    return cause(
        "labels",
        "The labels no longer fit: other queries are asked, or documents are shown that nobody judged.",
        ("labels", "quality"),
    )


def traffic(e: Evidence) -> Row | None:
    """Other questions, or more or fewer of them."""
    volume, mix = e.of("volume"), [finding.measured for finding in e.moved if finding.family == "mix"]
    parts = []
    if volume is not None and volume.measured.reference is not None and volume.measured.current is not None:
        before, after = volume.measured.reference, volume.measured.current
        parts.append(f"{'more' if after > before else 'fewer'} recalls came ({significant(before)} → {significant(after)} an hour)")
    columns = sorted({m.metric.removesuffix(PSI).replace("_", " ") for m in mix if m.metric.endswith(PSI)})
    parts += (
        [f"recalls have other values of {' and '.join(columns)} than before, or the same ones in other shares"] if columns else []
    )
    parts += [text for test, text in OTHER_TRAFFIC.items() if any(m.test == test for m in mix)]
    if not parts:
        return None
    return cause("traffic", f"The traffic changed: {'; '.join(parts)}.", ("mix", "health"))


def broken_records(e: Evidence) -> Row | None:
    """Records lack what they had, or hold it twice."""
    names = sorted({f.measured.test for f in e.moved if f.family == "health"} & RECORDS.keys())
    if "empty" in names and e.has("documents_gone", "cut_off", "score_floor"):  # a list may have lost its only document
        names.remove("empty")
    if "invalid_times" in names and "stage_missing" in names:  # an impossible time is no time of its stage
        names.remove("stage_missing")
    if not names:
        return None
    words = ", ".join(RECORDS[name] for name in names)
    return cause("records", f"More records than before have {words}.", ("health",), tests=names)
