"""Which options a function takes: declared once, read by the function of the library, its help and its command."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from .declared import Owned
from .definition import Definition, Preset, define
from .errors import UsageError
from .options import Detail, Grouping, Limits, Measures, Period, Reading, Watching, Windows
from .registry import known

Function = TypeVar("Function", bound=Callable[..., Any])


class Takes:
    """The options of one function.

    Args:
        name: the function, in messages.
        groups: whose options it takes, in the order that help shows them.
        defaults: of options whose default is another one here.
    """

    def __init__(self, name: str, *groups: type[Owned], **defaults: Any) -> None:
        self.name, self.defaults = name, defaults
        preset = (Preset,) if Definition in groups else ()
        self.groups: tuple[type[Owned], ...] = (*groups[:-1], *preset, *groups[-1:], Watching) if groups else (Watching,)
        self.options = {entry.name: entry for group in self.groups for entry in dataclasses.fields(group)}  # type: ignore[arg-type]  # every group is a dataclass
        self.rare = {e.name for group in self.groups for e in dataclasses.fields(group) if group.RARE or e.metadata.get("is_rare")}  # type: ignore[arg-type]  # as above
        self.ready = {group.READY: group for group in self.groups if group.READY}

    def default(self, name: str) -> Any:
        """The default of an option."""
        entry = self.options[name]
        return self.defaults.get(name, {} if entry.default is dataclasses.MISSING else entry.default)

    def make(self, given: Mapping[str, Any], more: Iterable[str] = ()) -> dict[type[Owned], Any]:
        """Each group, made of its options; None is "not said".

        Args:
            given: by name: options, or a ready group (``definition``, ``settings``) in place of its own options.
            more: names that the function takes beside these, for the message.

        Raises:
            UsageError: a name that the function does not take, a value that is none, a ready group beside its own options.
        """
        said = {name: value for name, value in given.items() if value is not None}
        for name in said:
            if name not in self.options and name not in self.ready:
                raise UsageError(f"unknown option {name!r}", where=self.name, fix=known(name, [*self.options, *self.ready, *more]))
        said |= {name: value for name, value in self.defaults.items() if not said.get(name)}
        return {group: self._made(group, said) for group in self.groups}

    def _made(self, group: type[Owned], said: Mapping[str, Any]) -> Any:
        own = {entry.name: said[entry.name] for entry in dataclasses.fields(group) if entry.name in said}  # type: ignore[arg-type]  # as above
        ready = said.get(group.READY)
        if ready is None:
            return define(said.get("compat"), **own) if group is Definition else group(**own)
        if not isinstance(ready, group):
            raise UsageError(f"expected a {group.__name__}, saw {ready!r}"[:200], where=f"{self.name}({group.READY}=…)")
        own = {name: value for name, value in own.items() if name not in self.defaults}
        if own:
            fix = "Say it in one of both"
            raise UsageError(
                f"given beside {next(iter(own))!r}, which is part of it", where=f"{self.name}({group.READY}=…)", fix=fix
            )
        return ready

    def parameters(self) -> list[inspect.Parameter]:
        """Each option, and each ready group, as a parameter of a signature."""
        kind = inspect.Parameter.KEYWORD_ONLY
        flags = [
            inspect.Parameter(name, kind, default=self.default(name), annotation=entry.type) for name, entry in self.options.items()
        ]
        return [*flags, *(inspect.Parameter(name, kind, default=None) for name in self.ready)]

    def named(self, function: Function) -> Function:
        """A function that passes ``**options`` on to one that takes these: its signature and help (``{options}``) name each.

        A parameter of its own wins over an option of that name (a limit ``f1`` of the pytest fixture).
        """
        signature = inspect.signature(function)
        own = [p for p in signature.parameters.values() if p.kind is not inspect.Parameter.VAR_KEYWORD]
        passed = [p for p in self.parameters() if p.name not in signature.parameters]
        function.__signature__ = signature.replace(parameters=[*own, *passed])  # type: ignore[attr-defined]  # what inspect reads
        function.__doc__ = self.explained(function.__doc__)
        return function

    def explained(self, text: str | None) -> str:
        """A docstring with a line for each option in the place of ``{options}``."""
        return (text or "").replace("{options}", "\n        ".join(self.help()))

    def help(self) -> list[str]:
        """One line an option, as a docstring has them; options without a word of their own stand together."""
        lines = []
        for name, entry in self.options.items():
            if "help" in entry.metadata:
                choices = f" ({', '.join(entry.metadata['choices'])})" if entry.metadata["choices"] else ""
                lines.append(f"{name}: {entry.metadata['help']}{choices}")
        silent = [name for name, entry in self.options.items() if "help" not in entry.metadata]
        lines += [f"{name}: a ready {group.__name__}, in place of its single options." for name, group in self.ready.items()]
        return [*lines, f"{silent[0]} … {silent[-1]}: see their class."] if silent else lines


ALL = Takes("plan", Measures, Grouping, Windows, Period, Reading, Limits, Detail, Definition)
EVALUATE = Takes("evaluate", Measures, Grouping, Windows, Period, Detail, Reading, Limits, Definition)
INGEST = Takes("ingest", Reading, Limits)
CONVERT = Takes("convert", Period, Reading, Limits)
