"""The version that is installed; a room of its own, so that nothing has to import the package's door."""

from importlib import metadata

try:
    __version__ = metadata.version("recallwatch")
except metadata.PackageNotFoundError:  # run from a source tree, not installed
    __version__ = "0+unknown"
TOOL = {"name": "recallwatch", "version": __version__}  # as every JSON names it
