"""Files of protocols and results: lookup by name or path, hashes, atomic writes."""

from __future__ import annotations

import hashlib
import json
import shutil
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ..base.closed_form import mistake
from ..base.errors import InputError, UsageError
from ..base.files import sha256_of
from ..base.held import Scratch, sweep_folders
from ..base.registry import known
from . import model

SHIPPED = Path(__file__).parent / "protocols"
RAW, NOT_ASKED, METRICS, MANIFEST, TEXT, BLOCKED = (
    "raw_retrievals.jsonl", "not_asked.jsonl", "metrics.json", "manifest.json", "protocol.toml", "BLOCKED.md",
)  # fmt: skip
NEW, OLD = "new", "old"  # results on their way, beside their place


@dataclass(frozen=True)
class Source:
    """A protocol with the text it was read from.

    Args:
        protocol: checked.
        text: as it stands in the file, line ends of one kind.
        where: the file, for messages.
    """

    protocol: model.Protocol
    text: str
    where: str

    @property
    def sha256(self) -> str:
        """Hash of the text."""
        return hashlib.sha256(self.text.encode()).hexdigest()


@dataclass(frozen=True)
class Shipped:
    """An entry of ``recallwatch list protocols``."""

    name: str
    meaning: str


def shipped() -> Mapping[str, Shipped]:
    """Protocols that come with the tool, by name."""
    protocols = {}
    for path in sorted(SHIPPED.glob("*.toml")):
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
        protocols[path.stem] = Shipped(path.stem, f"{raw['title']} (version {raw['version']})")
    return protocols


def load(given: str | Path) -> Source:
    """A protocol by name, or by the path of its file.

    Raises:
        UsageError: no such protocol, not TOML, an unknown key or a wrong value: file, key, what is known (exit 2).
    """
    path = Path(given)
    if str(given) in shipped():
        path = SHIPPED / f"{given}.toml"
    elif not path.is_file():
        raise UsageError(f"no protocol {str(given)!r}", fix=f"{known(str(given), shipped())}; or name a TOML file")
    try:
        return parse(path.read_bytes().decode(), str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot be read ({error})", where=str(path), fix="Name a protocol's TOML file") from error


def parse(text: str, where: str) -> Source:
    """A protocol from its text.

    Raises:
        UsageError: as :func:`load`.
    """
    text = text.replace("\r\n", "\n")
    try:
        raw = tomllib.loads(text)
        return Source(model.Protocol.model_validate(raw), text, where)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"not TOML ({error})", where=where, fix="See docs/protocols.md") from error
    except ValidationError as error:
        raise mistake(error, model.Protocol, raw, where, "See docs/protocols.md") from None
    except UsageError as error:
        raise UsageError(str(error), where=f"{where}: definition") from error


def refuse_results(out: Path, *, replace: bool) -> None:
    """A folder that holds something is no place for results, unless they replace older ones.

    Raises:
        UsageError: it does.
    """
    if out.exists() and not out.is_dir():
        raise UsageError("a file stands there", where=str(out), fix="Name a folder with --output")
    standing = [entry.name for entry in out.iterdir() if entry.name != BLOCKED] if out.is_dir() else []
    if standing and not (replace and METRICS in standing):
        what = f"{len(standing)} files stand there already ({', '.join(sorted(standing)[:3])})"
        raise UsageError(
            what, where=str(out), fix="Name another --output, or pass --replace to put new results in place of old ones"
        )


@contextmanager
def written_whole(out: Path, *, replace: bool) -> Iterator[Path]:
    """A folder beside ``out`` to write into; it takes ``out``'s place once all is well, and vanishes otherwise.

    Raises:
        UsageError: it holds results already, or is not writable.
    """
    ends = (f".{out.name[:80]}.", ".tmp")

    def restore(folder: Path) -> None:
        """Older results that were moved away, and nothing came in their place."""
        if (folder / OLD).exists() and not out.exists():
            with suppress(OSError):
                (folder / OLD).rename(out)

    sweep_folders(out.parent, ends, restore)
    refuse_results(out, replace=replace)
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        beside = Scratch(out.parent, ends)
    except OSError as error:
        raise _unwritable(out, error) from error
    try:
        (beside.folder / NEW).mkdir()
        yield beside.folder / NEW
        if (out / BLOCKED).is_file():
            shutil.copy2(out / BLOCKED, beside.folder / NEW / BLOCKED)
        if out.exists():
            out.rename(beside.folder / OLD)
        (beside.folder / NEW).rename(out)
    except OSError as error:
        raise _unwritable(out, error) from error
    finally:
        restore(beside.folder)
        beside.close()


def _unwritable(out: Path, error: OSError) -> UsageError:
    return UsageError(f"cannot be written ({error.strerror})", where=str(out), fix="Name a folder that can, with --output")


def manifest(folder: Path) -> dict[str, str]:
    """File -> sha256, of all files but the manifest and BLOCKED.md."""
    return {p.name: sha256_of(p) for p in sorted(folder.iterdir()) if p.is_file() and p.name not in (MANIFEST, BLOCKED)}


def read_results(folder: Path) -> dict[str, Any]:
    """metrics.json of a complete results folder.

    Raises:
        InputError: no results folder, or one that was only half written.
    """
    if not folder.is_dir():
        raise InputError("no such results folder", where=str(folder), fix="Name what `recallwatch protocol run --output` wrote")
    missing = [name for name in (METRICS, RAW, TEXT, MANIFEST) if not (folder / name).is_file()]
    if missing:
        raise InputError(f"half a results folder: no {', '.join(missing)}", where=str(folder), fix="Run it again, with --replace")
    try:
        document = dict(json.loads((folder / METRICS).read_text(encoding="utf-8")))
    except (ValueError, TypeError) as error:
        raise InputError(f"cannot be read ({error})", where=str(folder / METRICS), fix="Run it again, with --replace") from error
    gone = {"protocol", "overall", "by_type", "counts", "record", "hashes", "gates", "status"} - set(document)
    if gone:
        raise InputError(f"no {', '.join(sorted(gone))} in there", where=str(folder / METRICS), fix="Run it again, with --replace")
    return document


def results_in(folder: Path) -> list[Path]:
    """The results folders in a folder, or the folder itself."""
    if (folder / METRICS).is_file():
        return [folder]
    if not folder.is_dir():
        return []
    return sorted(p.parent for p in folder.glob(f"*/{METRICS}") if not p.parent.name.startswith("."))
