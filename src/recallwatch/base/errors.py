"""The errors a person can cause, each one line: where: what (seen, expected). What to do."""

import re
from enum import IntEnum


class ExitCode(IntEnum):
    """What the command's exit status means; part of the contract."""

    FINE = 0
    BUG = 1
    USAGE = 2
    INPUT = 3
    ALARM = 4


class RecallwatchError(Exception):
    """Base of all errors that are the caller's to mend; prints as one line.

    Args:
        what: what is wrong, with what was seen and what was expected.
        where: file, line, option or relation it was seen in.
        fix: what to do about it.
    """

    exit_code = ExitCode.BUG

    def __init__(self, what: str, *, where: str = "", fix: str = "") -> None:
        self.what, self.where, self.fix = what, where, fix
        line = f"{where}: {what}" if where else what
        super().__init__(f"{line.rstrip('.!')}. {fix}" if fix else line)


class UsageError(RecallwatchError):
    """A wrong option, name or configuration: exit 2."""

    exit_code = ExitCode.USAGE


class InputError(RecallwatchError):
    """Logs or labels that are out of contract: exit 3, never a number."""

    exit_code = ExitCode.INPUT


INVISIBLE = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")  # letters and marks of no width, or none to see
JOINERS = frozenset("\u200c\u200d")  # several scripts and emoji are written with them; between other letters they only hide
SCRIPTS = "\u0600"  # from here on


def printable(text: str, *, kept: str = "") -> str:
    r"""A text of any origin as people may see it: whatever could steer a terminal, break a line, turn it or hide in it is an escape.

    Args:
        text: ids, queries, names, messages: all hostile input.
        kept: characters that stay, where the form has a place for them.

    Example:
        >>> printable("a\x1b[31m\u202eb\u200bc")
        'a\\x1b[31m\\u202eb\\u200bc'
    """
    if text.isprintable() and not INVISIBLE.intersection(text):
        return text
    return "".join(
        c if c in kept or _is_visible(text, at) else c.encode("unicode_escape").decode("ascii") for at, c in enumerate(text)
    )


def _is_visible(text: str, at: int) -> bool:
    if text[at] in JOINERS:
        return 0 < at < len(text) - 1 and min(text[at - 1], text[at + 1]) >= SCRIPTS
    return text[at].isprintable() and text[at] not in INVISIBLE


def said(error: BaseException) -> str:
    """DuckDB's message without its name of the error's class."""
    return re.sub(r"^[A-Z][A-Za-z ]* (Error|Exception): ", "", first_line(error))


def first_line(error: BaseException) -> str:
    """DuckDB's message without its hints and carets."""
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
