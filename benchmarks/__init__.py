"""Timed apart from the tests: `python -m benchmarks.evaluate` and its siblings print ratios against the scan floor and the rivals."""
