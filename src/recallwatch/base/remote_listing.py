"""A remote file system for DuckDB, unchanging during one run: each object's metadata is requested once.

DuckDB reads size and time of a file at each step of opening it, and opens it for each query: without the cache a request each.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from io import FileIO
from pathlib import Path
from typing import Any

from fsspec import AbstractFileSystem

LARGEST = 64 << 20  # bytes; a larger object is read by ranges, only the columns in use


class _Copy(FileIO):
    """A copy opened by DuckDB, which lets go of it without closing it."""

    def __del__(self) -> None:
        """Closed all the same."""
        self.close()


class Seen(AbstractFileSystem):  # type: ignore[misc]  # fsspec ships no type information
    """The files of one protocol that one engine reads.

    Args:
        files: the protocol's own file system.
        folder: of this machine, for copies; whoever made it removes it.
    """

    cachable = False

    def __init__(self, files: Any, folder: Path) -> None:
        super().__init__()
        self.files, self.folder = files, folder
        self.protocol = files.protocol
        self._infos: dict[str, dict[str, Any]] = {}
        self._copies: dict[str, Path] = {}

    def fetch(self, paths: Iterable[str]) -> None:
        """Copy the objects that are not too large, many at once; for what is read more than once and never changes."""
        wanted = [path for path in dict.fromkeys(map(self._bare, paths)) if path not in self._copies]
        if not wanted:
            return
        self.folder.mkdir(exist_ok=True)
        for parent in {self._parent(path) for path in wanted}:
            for path, info in self.files.find(parent, maxdepth=1, detail=True).items():
                self._infos.setdefault(path, info)
        small = [path for path in wanted if 0 <= self._infos.get(path, {}).get("size", -1) <= LARGEST]
        targets = [self.folder / f"{len(self._copies) + number}" for number in range(len(small))]
        if small:
            self.files.get(small, list(map(str, targets)))
        self._copies |= dict(zip(small, targets, strict=True))

    def info(self, path: str, **_: Any) -> dict[str, Any]:
        """Metadata of an object, requested once."""
        bare = self._bare(path)
        if bare not in self._infos:
            self._infos[bare] = self.files.info(bare)
        return self._infos[bare]

    def exists(self, path: str, **_: Any) -> bool:
        """Whether there is such an object."""
        return self._bare(path) in self._infos or bool(self.files.exists(path))

    def modified(self, path: str) -> Any:
        """When it was written."""
        entry = self.info(path)
        return entry["LastModified"] if "LastModified" in entry else self.files.modified(path)

    def glob(self, path: str, maxdepth: int | None = None, **_: Any) -> list[str]:
        """The objects meant by a pattern, or the one by a plain name."""
        exact = re.sub(r"\[([*?[])\]", r"\1", path)  # what engine.exact_path did to a name
        return [exact] if self._bare(exact) in self._infos else list(self.files.glob(path, maxdepth=maxdepth))

    def ls(self, path: str, detail: bool = True, **options: Any) -> Any:
        """A folder's listing."""
        return self.files.ls(path, detail=detail, **options)

    def open(self, path: str, mode: str = "rb", **options: Any) -> Any:
        """The object's copy, where there is one; else the object."""
        copy = self._copies.get(self._bare(path))
        return self.files.open(path, mode, **options) if copy is None else _Copy(copy)

    def unstrip_protocol(self, name: str) -> str:
        """With the protocol in front."""
        return str(self.files.unstrip_protocol(name))

    def _bare(self, path: str) -> str:
        return str(self.files._strip_protocol(path))
