"""``recallwatch`` and ``python -m recallwatch``: signals first, then everything else, so that none of them meets a bare Python."""

from __future__ import annotations

import os
import signal
import sys

TYPE_CHECKING = False  # see __init__
if TYPE_CHECKING:
    from types import FrameType
    from typing import NoReturn

SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")
SAID = "recallwatch: interrupted; nothing was left half written\n"


def main() -> NoReturn:
    """Run the command; Ctrl-C, SIGTERM or a closed terminal end it as an error would: what was begun is cleared, exit 128 + signal."""
    caught: list[int] = []

    def interrupt(number: int, _frame: FrameType | None) -> None:
        caught.append(number)
        raise KeyboardInterrupt

    numbers = [getattr(signal, name) for name in SIGNALS if hasattr(signal, name)]
    for number in numbers:
        if signal.getsignal(number) != signal.SIG_IGN:  # as nohup and a shell's background jobs have it
            signal.signal(number, interrupt)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # numpy's threads spin while they wait: a tenth of a short command's time
    code: object = 0
    try:
        from .cli import main as command

        command()
    except KeyboardInterrupt:
        code = 1
    except SystemExit as ended:
        code = ended.code
    for number in numbers:
        signal.signal(number, signal.SIG_IGN)  # a second one would only disturb the end
    if caught and code:
        if sys.stderr is not None:
            sys.stderr.write(SAID)
        code = 128 + caught[0]
        exec("")  # noqa: S102  # else Python, interrupted inside an exec (a namedtuple is one), ends by SIGINT in place of the code
    sys.exit(code if isinstance(code, int) else 0)


if __name__ == "__main__":
    main()
