"""The store: a folder of events and daily sums. Each run reads only new or changed logs; a crash at any moment leaves it valid."""

from .erasure import Erased, erase
from .evaluation import attach, evaluate_store, ingest
from .layout import Store, open_store

__all__ = ["Erased", "Store", "attach", "erase", "evaluate_store", "ingest", "open_store"]
