"""Paths that are no folder of this machine: s3://… and whatever else fsspec reaches, by the extra `remote`.

Each service's own library finds credentials, endpoint and region.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from .errors import InputError, UsageError

if TYPE_CHECKING:
    from .engine import Engine

SEPARATOR = "://"
SERVER = re.compile(
    r"(?:jdbc:)?(postgres|mysql|mariadb)(?:ql)?(?:\+\w+)?://([^/]*@)?(.*)", re.DOTALL
)  # a database's address; the password is no place
MAGIC = frozenset("*?[")


def is_remote(source: object) -> bool:
    """Whether a path names a protocol."""
    return SEPARATOR in str(source)


def path_of(source: str, *, is_fresh: bool = False) -> Path:
    """A path of this machine, or an object that reads the same way (open, stat, suffix, parent) from elsewhere.

    Args:
        source: path or address.
        is_fresh: without cached listings: for files that change meanwhile.

    Raises:
        UsageError: the extra or the protocol's own library is not installed.
        InputError: the address of a database.
    """
    if not is_remote(source):
        return Path(source)
    if SERVER.fullmatch(source) is not None:
        raise server_refusal(source)
    protocol = source.split(SEPARATOR, 1)[0]
    try:
        from upath import UPath

        path = UPath(source, use_listings_cache=False) if is_fresh else UPath(source)
        _ = path.fs
    except (ImportError, ValueError) as error:
        fix = "pip install 'recallwatch[remote]', or the protocol's fsspec library"
        raise UsageError(f"{protocol}:// is not reached ({error})", where=source, fix=fix) from error
    return cast(Path, path)


def server_refusal(source: str) -> InputError:
    """The error of a database's address where a file is expected."""
    server = SERVER.fullmatch(source)
    kind, where = ("postgres" if server and server[1] == "postgres" else "mysql"), server[3] if server else source
    return InputError(
        f"a {kind.capitalize()} database is read by DuckDB's extension `{kind}`, which is not part of this program",
        where=where,
        fix=f"Export its table to a file: duckdb -c \"install {kind}; attach '…' as db (type {kind}); copy db.recalls to 'recalls.parquet'\"",
    )


def server_copy(folder: Path, source: str) -> Path | None:
    """Where the table of a database's address stands as a file; None = it is no such address."""
    server = SERVER.fullmatch(source)
    return folder / f"server-{'-'.join(re.findall(r'[A-Za-z0-9]+', server[3]))}.parquet" if server else None


def files_of(source: str, *, kind: str) -> list[Path]:
    """The files meant by a remote path, folder or glob; whether a name is hidden is for the caller to say.

    Raises:
        InputError: nothing there, or it may not be read.
    """
    path: Any = path_of(source)
    protocol = source.split(SEPARATOR, 1)[0]
    path.fs.invalidate_cache()  # the cached listing may be out of date
    try:
        if MAGIC & set(source):
            files = [path_of(f"{protocol}{SEPARATOR}{name}") for name in path.fs.glob(source)]
        elif path.fs.isdir(str(path)):
            files = [path_of(f"{protocol}{SEPARATOR}{name}") for name in path.fs.find(str(path))]
        elif path.fs.isfile(str(path)):
            files = [path]
        else:
            raise InputError(f"no such {kind} file or folder", where=source, fix="Name a file, a folder or a glob in quotes")
    except (OSError, ValueError) as error:
        raise InputError(f"cannot be read ({error})", where=source, fix="Check the address and the credentials") from error
    return files


def below(path: Path, source: str) -> tuple[str, ...]:
    """The path of a listed file below the requested folder."""
    whole, folder = str(path), source.rstrip("/") + "/"
    return tuple(whole.removeprefix(folder).split("/")) if whole.startswith(folder) else (path.name,)


def reach(engine: Engine, paths: Iterable[Path | str], *, is_reused: bool = False) -> None:
    """Let DuckDB read what the paths name, through the same library; and know them, for errors.

    Args:
        engine: that will read.
        paths: here or remote.
        is_reused: files that never change and are read several times in a run: copied to the engine's folder, where that pays.
    """
    by_protocol: dict[str, list[str]] = {}
    for path in paths:
        engine.files += [] if isinstance(path, str) else [path]
        if is_remote(path):
            by_protocol.setdefault(str(path).split(SEPARATOR, 1)[0], []).append(str(path))
    for protocol, names in by_protocol.items():
        if protocol not in engine.protocols:
            from .remote_listing import Seen

            first: Any = path_of(names[0], is_fresh=True)
            engine.attach(protocol, Seen(first.fs, engine.folder / f"copies-{protocol}"))
        if is_reused:
            engine.protocols[protocol].fetch(names)
