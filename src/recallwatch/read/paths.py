"""LOGS… as a person types them (files, folders, globs, pipes, several) to the files they mean."""

import glob
import os
import shutil
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NoReturn

from ..base.damage import AGAIN, ENCRYPTED, MAGIC, encrypted
from ..base.errors import InputError
from ..base.remote import below, files_of, is_remote, server_copy

PARQUET = (".parquet", ".pq")
_SIGNS = frozenset("*?[")  # of a pattern
NAME_ONE = "Name a file, a folder or a glob in quotes"


class NoFilesError(InputError):
    """A folder or glob is there and has no files."""


def is_hidden(path: Path) -> bool:
    """A dotfile, or a file some writer has not finished: never data."""
    parts = (part for part in (path.name, *path.parent.parts[-1:]) if part not in (".", ".."))
    return any(part.startswith((".", "_")) for part in parts) or path.name.startswith("tmp_") or path.suffix in (".tmp", ".crc")


def expand(sources: list[str], *, kind: str, spool: Path | None = None) -> list[Path]:
    """Every file meant by paths, folders, globs and pipes, here or remote: each once, sorted, those of this machine first.

    A file under two spellings, or behind a link, is one file. ``spool``: folder that takes the copy of a pipe; None = no pipes.

    Raises:
        InputError: a path that does not exist or cannot be read, a folder or glob without files.
    """
    near: dict[str, Path] = {}
    far: dict[str, Path] = {}
    for source in sources:
        if spool is not None and (copy := server_copy(spool, source)) is not None and copy.exists():
            near |= (files := {str(copy): copy})
        elif is_remote(source):
            files = {str(f): f for f in files_of(source, kind=kind) if not any(is_hidden(Path(p)) for p in below(f, source))}
            far |= files
        else:
            files = {os.path.realpath(f): f for f in sorted(_of_this_machine(source, kind, spool), reverse=True)}
            near |= {real: min(path, near.get(real, path)) for real, path in files.items()}
        if not files:
            raise NoFilesError(f"no {kind} files there", where=source, fix=NAME_ONE)
    return [*sorted(near.values()), *(far[name] for name in sorted(far))]


def _of_this_machine(source: str, kind: str, spool: Path | None) -> list[Path]:
    path = Path(source).expanduser()
    try:
        if source == "-" or (path.exists() and not path.is_file() and not path.is_dir()):
            return [_copy_of_pipe(source, kind, spool)]
        if path.is_dir():
            files = list(_below(path))
        elif path.exists():
            files = [path]
        elif glob.has_magic(source):
            met = glob.glob(str(path), recursive=True)  # noqa: PTH207 -- Path.glob takes no absolute pattern
            files = [f for f in map(Path, met) if f.is_file() and not is_hidden(Path(f.name))]
        else:
            raise InputError(f"no such {kind} file or folder", where=source, fix=NAME_ONE)
    except (OSError, ValueError) as error:  # ValueError: a null byte
        _refuse_unreadable(source, error)
    for file in files:
        _refuse_odd(file)
    return files


def _below(folder: Path) -> Iterator[Path]:
    """The data files under a folder, linked sub-folders among them, each folder once."""
    entered: set[str] = set()
    for place, names, files in os.walk(folder, onerror=lambda error: _refuse_unreadable(error.filename, error), followlinks=True):
        here = Path(place)
        if (real := os.path.realpath(place)) in entered:
            names.clear()
            continue
        entered.add(real)
        names[:] = [name for name in names if not is_hidden(Path(name))]
        yield from (here / name for name in files if not is_hidden(Path(name)) and (here / name).is_file())


def _refuse_odd(path: Path) -> None:
    """A name the engine cannot take, a file this user may not read."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        shown = os.fsencode(path).decode("utf-8", errors="backslashreplace")
        raise InputError("the file name is not UTF-8", where=shown, fix="Rename the file, or leave it out") from None
    if not os.access(path, os.R_OK):
        _refuse_unreadable(str(path), PermissionError(13, "Permission denied"))


def _refuse_unreadable(where: str, error: OSError | ValueError) -> NoReturn:
    what = getattr(error, "strerror", None) or error
    raise InputError(f"cannot be read ({what})", where=where, fix="Allow this user to read it, or leave it out") from error


def _copy_of_pipe(source: str, kind: str, spool: Path | None) -> Path:
    """What comes through a pipe, as a file: it is looked at before it is read."""
    if spool is None:
        raise InputError(f"a pipe, where {kind} files are kept by name", where=source, fix="Write it to a file, and name that")
    name = "stdin" if source == "-" else Path(source).name
    copy = spool / f"{kind}-{name}"
    if copy.exists():  # read already, for another question to the same run
        return copy
    with copy.open("wb") as target:
        if source == "-":
            shutil.copyfileobj(sys.stdin.buffer, target)
        else:
            with Path(source).open("rb") as stream:
                shutil.copyfileobj(stream, target)
    return copy


def places_without_files(sources: Iterable[str]) -> list[str]:
    """The folders and globs among some sources that hold no file; a path that does not exist is none of them."""
    return [source for source in sources if _holds_nothing(source)]


def _holds_nothing(source: str) -> bool:
    try:
        expand([source], kind="log")
    except NoFilesError:
        return True
    except InputError:
        return False
    return False


def is_parquet(path: Path) -> bool:
    """By its magic bytes, not its name: PAR1 at the start.

    Raises:
        InputError: another file under such a name; a name that the engine cannot take.
    """
    with path.open("rb") as stream:
        start = stream.read(4)
    if start != MAGIC and path.suffix in PARQUET:
        if start == ENCRYPTED:
            raise encrypted(str(path))
        raise InputError("not a Parquet file, or cut short (no PAR1 at its start)", where=str(path), fix=AGAIN)
    if (
        start == MAGIC and os.sep != "\\" and "\\" in str(path) and _SIGNS.intersection(str(path))
    ):  # the engine takes it for a separator then
        raise InputError("a Parquet file whose path has a backslash and one of * ? [", where=str(path), fix="Rename the file")
    return start == MAGIC
