"""What every result can do: a document for people, and its drawings."""

from __future__ import annotations

from abc import ABC, abstractmethod

from . import as_html, as_text
from .model import Document


class Result(ABC):
    """A result of a command."""

    @abstractmethod
    def document(self) -> Document:
        """What it says to people."""

    def __str__(self) -> str:
        """The text a person reads, as wide as the terminal."""
        return as_text.draw(self.document())

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        return as_html.draw(self.document())
