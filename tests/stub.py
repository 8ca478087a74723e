"""src/recallwatch/__init__.pyi: what editors and type checkers see of the API, each option among it, made of the functions themselves."""

from __future__ import annotations

import dataclasses
import inspect
import textwrap
from pathlib import Path
from typing import Any

import recallwatch
from recallwatch.base.declared import Owned

STUB = Path(__file__).parents[1] / "src" / "recallwatch" / "__init__.pyi"
HEAD = '''"""Made by `python tests/readme.py tables`: the functions with every option they take, for editors and type checkers."""

# fmt: off
import datetime as dt
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

'''
TAKEN = {  # annotation of the ready value -> what may be given
    "tuple[str, ...]": "str | Sequence[str]",
    "tuple[int | None, ...]": "int | str | Sequence[int | None]",
    "tuple[int | None, ...] | None": "int | str | Sequence[int | None] | None",
}
BY_NAME = {
    **dict.fromkeys(("start", "end", "since", "judged_at"), "str | dt.date"),
    **dict.fromkeys(("profile", "corpus", "mapping", "write"), "str | Path"),
    **dict.fromkeys(("settings", "definition"), "Any"),
    "max_rejects": "float | str",
}


def choices() -> dict[str, tuple[str, ...]]:
    """Option -> its words, where every group that has it has the same."""
    found: dict[str, set[tuple[str, ...]]] = {}
    groups = list(Owned.__subclasses__())
    for group in groups:
        groups += group.__subclasses__()
        if dataclasses.is_dataclass(group):
            for entry in dataclasses.fields(group):
                found.setdefault(entry.name, set()).add(tuple(entry.metadata.get("choices", ())))
    return {name: next(iter(words)) for name, words in found.items() if len(words) == 1 and next(iter(words))}


def kind(parameter: inspect.Parameter, words: dict[str, tuple[str, ...]]) -> str:
    """What may be given, as a type."""
    stated = parameter.annotation
    text = stated if isinstance(stated, str) else getattr(stated, "__name__", str(stated))
    if parameter.name in words and parameter.kind is parameter.KEYWORD_ONLY:
        text = f"Literal[{', '.join(map(repr, words[parameter.name]))}]"
    text = BY_NAME.get(parameter.name, TAKEN.get(text, text)).replace("'", '"')
    may_be_none = parameter.kind is parameter.KEYWORD_ONLY and text != "Any" and not text.endswith("None")
    return f"{text} | None" if may_be_none else text


def stated(parameter: inspect.Parameter, words: dict[str, tuple[str, ...]]) -> str:
    """A parameter with its type and default."""
    default = parameter.default
    shown = "" if default is parameter.empty else f" = {default!r}" if isinstance(default, str | int | float | None) else " = ..."
    return f"{parameter.name}: {kind(parameter, words)}{shown}".replace("'", '"')


def function(name: str, words: dict[str, tuple[str, ...]]) -> str:
    """One function."""
    signature = inspect.signature(getattr(recallwatch, name))
    parts: list[str] = []
    for parameter in signature.parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and "*" not in parts:
            parts.append("*")
        parts.append(stated(parameter, words))
    body = textwrap.fill(", ".join(parts), 128, initial_indent="    ", subsequent_indent="    ", break_long_words=False)
    return f"def {name}(\n{body},\n) -> {signature.return_annotation}: ..."


def stub() -> str:
    """The file as it should be."""
    typed: dict[str, Any] = {name: getattr(recallwatch, name) for name in recallwatch.__all__ if name != "__version__"}
    made = [name for name, one in typed.items() if "__signature__" in vars(one)]
    homes = {name: typed[name].__module__ for name in typed if name not in made}
    for name in made:  # results that the package does not name itself
        returned = inspect.signature(typed[name]).return_annotation
        if returned.isidentifier() and returned not in homes:
            homes[returned] = typed[name].__module__
    homes["__version__"] = "recallwatch.base.version"
    lines = [f"from {module.replace('recallwatch', '', 1)} import {name} as {name}" for name, module in sorted(homes.items())]
    words = choices()
    return HEAD + "\n".join([*sorted(lines), "", *(function(name, words) for name in made)]) + "\n"
