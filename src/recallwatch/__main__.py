"""``python -m recallwatch``."""

from .cli import main

main()
