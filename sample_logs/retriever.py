"""The memory search that the sample logs come from: embed, search, rerank, each of them timed.

Small on purpose, but nothing is faked: BM25 and a latent semantic index are fused to 20 candidates,
which a reranker orders by fuzzy word overlap, similarity and age.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import TypedDict
from zlib import crc32

import bm25s
import numpy as np
from numpy.typing import NDArray

TOP_K = 10
N_CANDIDATES = 20
MIN_SCORE = 0.30  # best rerank score below this: the memory says nothing
RRF_OFFSET = 60.0
HASH_BUCKETS = 4096
LSA_DIMENSIONS = 48
_STOPS = """
a am an and are as at be by can could did do does for from get go had has have he her his how i if in is it its
me my not of on or our please she should so that the their them there they this to up us user was we were what
when where which while who why will with would you your
"""
STOP_WORDS = frozenset(_STOPS.split())

Vector = NDArray[np.float64]


class Memory(TypedDict):
    """One line of memories.jsonl; ``created_at`` is ISO 8601 in UTC."""

    memory_id: str
    tenant_id: str
    text: str
    created_at: str
    superseded_by: str | None


@dataclass(frozen=True)
class Answer:
    """What one recall hands out; times in milliseconds."""

    ranked_ids: list[str]
    scores: list[float]
    candidate_ids: list[str]
    stage_ms: dict[str, float]
    total_ms: float


def words(text: str) -> list[str]:
    """Lower-case words without stop words and possessive endings."""
    found = re.findall(r"[^\W_]+", text.lower().replace("'s", ""))
    return [word for word in found if word not in STOP_WORDS]


def ngrams(text: str, sizes: Sequence[int]) -> list[str]:
    """Character n-grams of each word, with its borders marked."""
    padded = [f"<{word}>" for word in words(text)]
    return [word[i : i + n] for word in padded for n in sizes for i in range(len(word) - n + 1)]


def overlap(left: frozenset[str], right: frozenset[str]) -> float:
    """Dice coefficient of two sets, 0..1."""
    return 2 * len(left & right) / ((len(left) + len(right)) or 1)


class Embedder:
    """Latent semantic analysis over hashed character n-grams, fitted once on all memories."""

    def __init__(self, texts: Sequence[str]) -> None:
        counts = np.array([self._count(text) for text in texts])
        self.idf = np.log((1 + len(texts)) / (1 + (counts > 0).sum(axis=0)))
        _, _, axes = np.linalg.svd(self._weigh(counts), full_matrices=False)
        self.axes = axes[:LSA_DIMENSIONS].T

    def embed(self, text: str) -> Vector:
        """Return the unit vector of a text, shape (LSA_DIMENSIONS,)."""
        vector: Vector = self._weigh(self._count(text)) @ self.axes
        vector /= np.linalg.norm(vector) or 1.0
        return vector

    @staticmethod
    def _count(text: str) -> Vector:
        buckets = [crc32(gram.encode()) % HASH_BUCKETS for gram in ngrams(text, (3, 4, 5))]
        return np.bincount(buckets, minlength=HASH_BUCKETS).astype(float)

    def _weigh(self, counts: Vector) -> Vector:
        weights: Vector = np.log1p(counts) * self.idf
        weights /= np.maximum(np.linalg.norm(weights, axis=-1, keepdims=True), 1e-12)
        return weights


class Index:
    """One tenant's memories, ready to be searched."""

    def __init__(self, memories: Sequence[Memory], embedder: Embedder) -> None:
        texts = [memory["text"] for memory in memories]
        self.embedder = embedder
        self.ids = [memory["memory_id"] for memory in memories]
        self.vectors = np.array([embedder.embed(text) for text in texts])
        self.bm25 = bm25s.BM25()
        self.bm25.index([words(text) for text in texts], show_progress=False)
        self.terms = [[frozenset(ngrams(word, (2, 3))) for word in words(text)] for text in texts]
        seen = Counter(word for text in texts for word in set(words(text)))
        self.rarity = {word: 1 / (1 + np.log(n)) for word, n in seen.items()}
        ages = np.argsort(np.argsort([memory["created_at"] for memory in memories]))
        self.recency = ages / max(len(memories) - 1, 1)

    def recall(self, query: str, *, rerank_passes: int = 1) -> Answer:
        """Answer a query and measure each stage; more passes give the same ranking, later."""
        started = perf_counter()
        vector = self.embedder.embed(query)
        embedded = perf_counter()
        candidates = self._search(query, vector)
        searched = perf_counter()
        scores = self._rerank(query, vector, candidates, rerank_passes)
        order = np.argsort(-scores, kind="stable")[:TOP_K]
        reranked = perf_counter()
        if scores[order[0]] < MIN_SCORE:
            order = order[:0]
        ranked = [self.ids[candidates[i]] for i in order]
        stages = {"embed": embedded - started, "search": searched - embedded, "rerank": reranked - searched}
        return Answer(
            ranked_ids=ranked,
            scores=[round(float(scores[i]), 4) for i in order],
            candidate_ids=[self.ids[i] for i in candidates],
            stage_ms={name: milliseconds(seconds) for name, seconds in stages.items()},
            total_ms=milliseconds(perf_counter() - started),
        )

    def _search(self, query: str, vector: Vector) -> list[int]:
        """Reciprocal rank fusion of BM25 and the vector search."""
        by_words = self.bm25.get_scores(words(query))
        by_meaning = self.vectors @ vector
        fused = np.zeros(len(self.ids))
        for scores in (by_words, by_meaning):
            fused[np.argsort(-scores, kind="stable")] += 1 / (RRF_OFFSET + np.arange(1, len(self.ids) + 1))
        return [int(i) for i in np.argsort(-fused, kind="stable")[:N_CANDIDATES]]

    def _rerank(self, query: str, vector: Vector, candidates: list[int], passes: int) -> Vector:
        """Mean score over the passes; each pass computes the same from scratch."""
        total = np.zeros(len(candidates))
        for _ in range(passes):
            total += [self._score(query, vector, i) for i in candidates]
        return total / passes

    def _score(self, query: str, vector: Vector, i: int) -> float:
        """Fuzzy share of the query's words in the memory, with similarity and recency on top."""
        asked = {word: frozenset(ngrams(word, (2, 3))) for word in words(query)}
        weights = np.array([self.rarity.get(word, 1.0) for word in asked])
        nearest = np.array([max(overlap(grams, term) for term in self.terms[i]) for grams in asked.values()])
        covered = float(weights @ nearest**2 / (weights.sum() or 1.0))
        return 0.65 * covered + 0.25 * float(self.vectors[i] @ vector) + 0.10 * float(self.recency[i])


def milliseconds(seconds: float) -> float:
    """Seconds to milliseconds, kept to a tenth of a microsecond."""
    return round(seconds * 1000, 4)
