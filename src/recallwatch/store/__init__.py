"""The folder a nightly job keeps: only what is new is read, a kill at any moment leaves it whole."""

from .evaluation import attach, evaluate_store, ingest
from .layout import Store, open_store

__all__ = ["Store", "attach", "evaluate_store", "ingest", "open_store"]
