"""How help looks: an example that can be pasted, whole sentences, and no names of Python's types."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from inspect import cleandoc
from typing import Any

from typer.core import TyperArgument, TyperOption


def pasted(text: str | None) -> str:
    """A help whose example stays on one line, so that it can be pasted whatever the terminal's width."""
    return cleandoc(text or "").replace("\n\nExample: ", "\n\n\b\nExample: ")


def readable(command: Any) -> None:
    """A command's help, of a group also that of its commands."""
    command.help = pasted(command.help)
    command.short_help = " ".join(command.help.partition("\n\n")[0].split())
    for parameter in command.params:
        if isinstance(parameter, TyperArgument):
            named(parameter)
        elif isinstance(parameter, TyperOption) and parameter.metavar is None and not parameter.is_flag:
            parameter.metavar = "TEXT"
    for inner in getattr(command, "commands", {}).values():
        readable(inner)


def named(argument: TyperArgument) -> None:
    """An argument by its name alone, in brackets where it may be left out; `…` says that it may be several."""
    name = argument.metavar or str(argument.name).upper()
    shown = name if argument.required else f"[{name}]"
    argument.get_usage_pieces = lambda ctx: [shown]  # type: ignore[method-assign]  # noqa: ARG005  # typer calls it so
    argument.get_help_record = lambda ctx: (name, argument.help or "")  # type: ignore[method-assign]  # noqa: ARG005  # as above


def listed(formatter: Any, groups: Mapping[str, Iterable[str]], commands: Mapping[str, Any]) -> None:
    """The commands by what they are for, each with its sentence."""
    for title, names in groups.items():
        with formatter.section(title):
            formatter.write_dl([(name, commands[name].get_short_help_str()) for name in names])
