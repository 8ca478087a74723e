"""LOGS… as a person types them (files, folders, globs, several) to the files they mean."""

import glob
from pathlib import Path

from ..base.errors import InputError
from ..base.remote import below, files_of, is_remote

PARQUET = (".parquet", ".pq")


def is_hidden(path: Path) -> bool:
    """A dotfile, or a file some writer has not finished: never data."""
    parts = (part for part in (path.name, *path.parent.parts[-1:]) if part not in (".", ".."))
    return any(part.startswith((".", "_")) for part in parts) or path.name.startswith("tmp_") or path.suffix in (".tmp", ".crc")


def expand(sources: list[str], *, kind: str) -> list[Path]:
    """Every file meant by paths, folders and globs, here or remote: each once, sorted, those of this machine first.

    Raises:
        InputError: a path that does not exist, a folder or glob without files.
    """
    found: set[Path] = set()
    far: dict[str, Path] = {}
    for source in sources:
        if is_remote(source):
            met_there = {str(f): f for f in files_of(source, kind=kind) if not any(is_hidden(Path(p)) for p in below(f, source))}
            if not met_there:
                raise InputError(f"no {kind} files there", where=source, fix="Name a file, a folder or a glob in quotes")
            far |= met_there
            continue
        path = Path(source).expanduser()
        if path.is_dir():
            files = [f for f in path.rglob("*") if f.is_file() and not any(is_hidden(Path(p)) for p in f.relative_to(path).parts)]
        elif path.exists():
            files = [path]
        elif glob.has_magic(source):
            met = glob.glob(str(path), recursive=True)  # noqa: PTH207 -- Path.glob takes no absolute pattern
            files = [f for f in map(Path, met) if f.is_file() and not is_hidden(Path(f.name))]
        else:
            raise InputError(f"no such {kind} file or folder", where=source, fix="Name a file, a folder or a glob in quotes")
        if not files:
            raise InputError(f"no {kind} files there", where=source, fix="Name a file, a folder or a glob in quotes")
        found.update(files)
    return [*sorted(found), *(far[name] for name in sorted(far))]


def is_parquet(path: Path) -> bool:
    """By its magic bytes, not its name: PAR1 at the start."""
    with path.open("rb") as stream:
        return stream.read(4) == b"PAR1"
