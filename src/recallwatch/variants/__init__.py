"""Variants of a retriever on the same queries: which is better, what it costs, what only varies by chance."""
