"""The folder a nightly job keeps: only what is new is read, a kill at any moment leaves it whole."""

from .evaluation import evaluate_store
from .layout import Store, open_store

__all__ = ["Store", "evaluate_store", "open_store"]
