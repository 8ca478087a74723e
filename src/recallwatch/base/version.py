"""The version that is installed; a room of its own, so that nothing has to import the package's door."""

import hashlib
from functools import cache
from importlib import metadata
from importlib.resources import files

try:
    __version__ = metadata.version("recallwatch")
except metadata.PackageNotFoundError:  # run from a source tree, not installed
    __version__ = "0+unknown"
TOOL = {"name": "recallwatch", "version": __version__}  # as every JSON names it


@cache
def code_hash() -> str:
    """sha256 of the versions and of this package's Python files: what other code has judged is not used again."""
    digest = hashlib.sha256(f"{__version__} {metadata.version('duckdb')}".encode())
    for room in sorted(files(__package__.partition(".")[0]).iterdir(), key=str):
        for path in sorted(room.iterdir(), key=str) if room.is_dir() else [room]:
            if path.name.endswith(".py"):
                digest.update(path.read_bytes())
    return digest.hexdigest()
