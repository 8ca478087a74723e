"""The recorder: an application writes its recalls as a log and as spans; opentelemetry-api and the standard library only.

Example:
    >>> recorder = Recorder(variant="hybrid")  # no folder: spans only
    >>> with recorder.recall("where do I work?", top_k=3) as r:
    ...     with r.stage("search"):
    ...         found = ["acme", "portland"]
    ...     r.results(found)
"""

from .folder import finish
from .hits import Hits, hits_of
from .recall import Recall, Stage
from .recorder import Counts, Recorder, query_hash

__all__ = ["Counts", "Hits", "Recall", "Recorder", "Stage", "finish", "hits_of", "query_hash"]
