"""The errors a person can cause, each one line: where: what (seen, expected). What to do."""

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
        super().__init__(f"{line}. {fix}" if fix else line)


class UsageError(RecallwatchError):
    """A wrong option, name or configuration: exit 2."""

    exit_code = ExitCode.USAGE


class InputError(RecallwatchError):
    """Logs or labels that are out of contract: exit 3, never a number."""

    exit_code = ExitCode.INPUT


def printable(text: str) -> str:
    """Ids, queries and messages are hostile input: whatever could steer a terminal or break a line is shown as an escape."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)
