"""`recallwatch labels`: an adapter's labels, checked against the protocol of that data set."""

from __future__ import annotations

from pathlib import Path

from ..base.errors import InputError, UsageError, printable
from ..base.files import sha256_of, whole
from ..base.registry import pick
from ..labels.adapters import ADAPTERS, Made, make
from . import files, model

SHOWN = 20  # malformed references named one by one


def write_labels(
    adapter: str,
    file: Path,
    output: Path,
    *,
    granularity: str | None = None,
    protocol: str | None = None,
    queries: Path | None = None,
) -> str:
    """Write labels.parquet; returns a summary in text.

    Raises:
        UsageError: an adapter, granularity or protocol that does not exist, a place that cannot be written.
        InputError: a file of another form, or counts that are not those of the protocol: nothing is written then.
    """
    entry = pick(ADAPTERS, "label adapter", adapter)
    name = protocol or (adapter if adapter in files.shipped() else "none")
    agreed = files.load(name).protocol if name != "none" else None
    if agreed is not None and agreed.labels.adapter != adapter:
        raise UsageError(f"{name} is read by the adapter {agreed.labels.adapter!r}, not {adapter!r}", where="--protocol")
    level = granularity or (agreed.labels.granularity if agreed else None)
    rules = agreed.labels.rules if agreed and level == agreed.labels.granularity and agreed.labels.rules else None
    made = make(entry, file, granularity=level, rules=rules, queries=queries)
    bad = differences(made, agreed) if agreed is not None else []
    if bad:
        fix = "Name the file the protocol speaks of, or pass --protocol none"
        raise InputError(f"not the counts of {name} {agreed.version if agreed else ''}: {'; '.join(bad)}", where=str(file), fix=fix)
    _write(made, output)
    agreement = f"counts as {agreed.name} {agreed.version} says" if agreed else "counts not checked against a protocol"
    other = agreed is not None and file.is_file() and sha256_of(file) != agreed.corpora[0].sha256
    note = f"\n{file} is another file than {agreed.corpora[0].file} (sha256), with the same counts" if other and agreed else ""
    return f"{summary(made)}\n{agreement}{note}\nwritten to {output}\n"


def differences(made: Made, agreed: model.Protocol) -> list[str]:
    """Counts that are not the protocol's."""
    expected = agreed.expected
    names = ("questions", "scored", "abstention", "malformed_references")
    counted = names[: None if made.segments else 3]  # without the corpus it is not known which references are malformed
    pairs = [(name, getattr(expected, name), made.counts.get(name)) for name in counted]
    bad = [f"{count} {name.replace('_', ' ')} (agreed: {n})" for name, n, count in pairs if n is not None and n != count]
    bad += [
        f"type {name}: {made.types.get(name, 0)} (agreed: {n})"
        for name, n in expected.types.items()
        if made.types.get(name, 0) != n
    ]
    if expected.types:
        bad += [f"type {name}: {n} (not agreed)" for name, n in made.types.items() if name not in expected.types]
    return bad


def summary(made: Made) -> str:
    """Counts, types, coverage and malformed references, for a person."""
    c = made.counts
    bare = c["questions"] - c["with_evidence"]
    kinds = [f"{c['scored']:,} with a right answer", *([f"{c['abstention']:,} abstention"] if c["abstention"] else [])]
    kinds += [f"{bare:,} without evidence"] if bare else []
    lines = [f"{c['questions']:,} questions: {', '.join(kinds)}; {c['references']:,} references"]
    if made.types:
        lines.append("by type: " + ", ".join(f"{name} {n:,}" for name, n in made.types.items()))
    if made.segments:
        share = 100 * c["oracle_coverage"]
        sizes = ", ".join(f"{n:,} {name}s" for name, n in made.segments.items())
        lines.append(f"corpus: {sizes}; {share:.4g} % of the questions keep a label at {made.granularity} level")
    elif made.types:
        lines.append("the file does not hold the corpus: whether a label names a document of it is not known")
    if made.malformed:
        lines.append(f"{len(made.malformed)} malformed references (no id of the corpus):")
        lines += [
            f"  {m['query_id']}: {m['reference']!r} counts for {m['document_id'] or 'nothing'}" for m in made.malformed[:SHOWN]
        ]
        lines += [f"  … and {len(made.malformed) - SHOWN} more"] if len(made.malformed) > SHOWN else []
    if c.get("without_text"):
        lines.append(f"{c['without_text']:,} queries have no text (--queries FILE adds them)")
    return "\n".join(printable(line) for line in lines)


def _write(made: Made, output: Path) -> None:
    import pyarrow.parquet as pq

    with whole(output) as temporary:
        pq.write_table(made.labels, temporary)
