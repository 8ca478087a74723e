"""Records inside another program's line: Docker's ``log``, a shipper's ``message``, a time or level before the JSON.

A line whose text inside is no JSON object is another program's (``other_line``): counted, and no reject. What begins with ``{`` there
is a record. Lines that a container runtime has cut into pieces are joined; a record stands at its first piece. A record that has no
time, trace, session or tenant of its own gets the wrapper's.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from . import aliases, logfmt
from .aliases import QUERIES, RANKED, is_recall
from .cells import python_dict
from .dynamodb import plain
from .lines import OTHER, TAIL

TEXTS = (
    "log", "message", "@message", "MESSAGE", "Message", "line", "Line", "textPayload", "msg", "payload", "_raw",
)  # fmt: skip  # a text that may be JSON
OBJECTS = ("jsonPayload", "log_processed", "@message", "_source")  # an object that may be the record
# an object, or JSON in a text, that is the record where it has a query and a result list; so is an object of any other name
EVENTS = ("customDimensions", "Properties", "properties", "attributes", "data", "detail")
HOLDERS = ("result",)  # an object that may hold such a text (Splunk)
TIMES = (
    "@timestamp", "time", "Time", "timestamp", "Timestamp", "ts", "__REALTIME_TIMESTAMP", "_time", "date", "instant", "timeMillis", "asctime",
)  # fmt: skip
MOMENTS = ("timestamp", "epochSecond")  # where a time is an object (loguru, Log4j)
SPANS = frozenset(
    ("span_id", "spanId", "SpanId", "spans", "resourceSpans", "start_time", "startTime")
)  # of traces: they are no events
DEPTH = 2  # objects about one that holds a recall
# what a wrapper knows of its record, and under which names
OF_WRAPPER = {"timestamp": TIMES, **{column: aliases.LOG[column] for column in ("trace_id", "span_id", "session_id", "tenant_id")}}
LEFT_OUT = "journald left a long message out (journalctl --all writes it)"
SHOWN = 200  # letters of another program's line
_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?: ?(?:Z|[+-]\d\d:?\d\d))?")
_PREFIX = re.compile(
    rf"^(?:{_TIME.pattern}|[A-Z][a-z]{{2}} [ \d]\d \d\d:\d\d:\d\d|[\w.-]+ +\| |data: |(?=[^{{]*\b(?:DEBUG|INFO|NOTICE|WARN|WARNING|ERROR)\b))"
)
_CRI = re.compile(rf"^({_TIME.pattern}) (stdout|stderr) ([FP]) ?")
_OPENS = re.compile(r"""\{\s*(?:["'][^"']|\})""")


@dataclass(frozen=True)
class Piece:
    """What one line holds: the text inside, what the wrapper knows of it, the stream it belongs to, whether the next line goes on."""

    text: str | None
    outer: Mapping[str, Any] = field(default_factory=dict)
    stream: str = ""
    goes_on: bool = False


@dataclass(frozen=True)
class Wrapper:
    """How records are wrapped.

    Args:
        keys: the steps from a line's object to the text or object inside; none = a text before the JSON.
        ends_lines: whether a whole text inside ends with a line feed, as Docker's do.
        is_prefixed: whether a time or level stands before the JSON of a text inside.
        is_detected: whether nobody named the keys.
        is_typed: whether a line is a record each of whose values says its type (DynamoDB).
    """

    keys: tuple[str, ...] = ()
    ends_lines: bool = False
    is_prefixed: bool = False
    is_detected: bool = False
    is_typed: bool = False

    def __str__(self) -> str:
        """Where the records stand, for people."""
        if self.is_typed:
            return "as values with their types"
        return f"in {'.'.join(self.keys)}" if self.keys else "after a text"

    def piece(self, line: str) -> Piece:
        """The text inside a line."""
        if not self.keys:
            return Piece(json.dumps(_opened(line), ensure_ascii=False)) if self.is_typed else _after_prefix(line)
        try:
            value = outer = json.loads(line)
        except (ValueError, RecursionError):
            return Piece(line if line.lstrip().startswith("{") else None)
        if self.is_detected and isinstance(value, dict) and RANKED & value.keys():  # it stands for itself
            return Piece(line)
        known: dict[str, Any] = {}
        for key in self.keys:
            outer = _opened(value) or {}
            known |= _known(outer)
            value = outer.get(key)
        if self.is_detected and self.keys[-1] not in (*TEXTS, *OBJECTS):  # every event of a program has this field
            value = _opened(value)
            value = value if value and is_recall(value) else None
        if self.keys[-1] == "MESSAGE" and isinstance(outer, dict) and "MESSAGE" in outer:
            value = _of_journald(value)
        if isinstance(value, dict):
            return Piece(json.dumps(value, ensure_ascii=False), known)
        if not isinstance(value, str):
            return Piece(None, known)
        return Piece(value, known, str(outer.get("stream", "")), self.ends_lines and not value.endswith("\n"))


def _known(wrapper: Mapping[str, Any]) -> dict[str, Any]:
    """What a wrapper knows of its record."""
    known = {column: next((wrapper[name] for name in names if wrapper.get(name)), None) for column, names in OF_WRAPPER.items()}
    if isinstance(moment := known["timestamp"], dict):
        known["timestamp"] = next((moment[name] for name in MOMENTS if name in moment), None)
    return {column: value for column, value in known.items() if isinstance(value, str | int | float)}


def _of_journald(message: Any) -> Any:
    """A message as journalctl writes it: its bytes as numbers where one is no plain letter, nothing where it is long."""
    if isinstance(message, list) and all(isinstance(byte, int) and 0 <= byte < 256 for byte in message):
        return bytes(message).decode("utf-8", errors="replace")
    return LEFT_OUT if message is None else message


def _after_prefix(line: str) -> Piece:
    cri = _CRI.match(line)
    if cri:
        return Piece(line[cri.end() :], {"timestamp": cri[1]}, cri[2], cri[3] == "P")
    opens = _OPENS.search(line)
    if opens is None or not line.rstrip().endswith("}"):
        return Piece(line)
    time = _TIME.search(line[: opens.start()])
    return Piece(line[opens.start() :], {"timestamp": time[0].replace(",", ".")} if time else {})


def wrapper_of(head: Iterable[str]) -> Wrapper | None:
    """How the records of a file are wrapped, by its first lines; None = they stand for themselves."""
    ways: Counter[tuple[str, ...]] = Counter()
    pieces = [text for text in head if text.strip()]
    is_docker, is_prefixed, own = False, False, 0
    for text in pieces:
        value = _object(text)
        if value is None:
            is_cut = (cri := _CRI.match(text)) is not None and cri[3] == "P" and text[cri.end() :].startswith("{")
            ways[()] += is_cut or _prefixed(text) is not None
            continue
        if plain(value) and RANKED & value.keys():
            return Wrapper(is_detected=True, is_typed=True)
        own += bool(RANKED & value.keys())
        is_docker |= "stream" in value and str(value.get("log")).endswith("\n")
        if steps := _steps(value):
            ways[steps] += 1
            is_prefixed |= _prefixed(_text_at(value, steps)) is not None
    if own >= max(ways.values(), default=0):  # they stand for themselves, whatever a field of one holds
        return None
    return Wrapper(max(+ways, key=lambda steps: (len(steps), ways[steps])), is_docker, is_prefixed, is_detected=True)


def _text_at(value: Any, steps: Iterable[str]) -> str:
    for step in steps:
        value = value.get(step) if isinstance(value, dict) else None
    return value if isinstance(value, str) else ""


def _prefixed(text: str) -> dict[str, Any] | None:
    """The object after a time, a name or a level."""
    opens = _OPENS.search(text) if _PREFIX.match(text) else None
    return _object(text[opens.start() :].rstrip()) if opens else None


def _steps(value: dict[str, Any]) -> tuple[str, ...]:
    """The keys from an object to the record it wraps; () = it wraps none."""
    if RANKED & value.keys():
        return ()
    for key in TEXTS:
        inner = _of_journald(value[key]) if key == "MESSAGE" in value else value.get(key)
        if isinstance(inner, str) and inner.lstrip().startswith("{"):
            is_piece = key == "log" and "stream" in value and not inner.endswith("\n")
            if (record := _object(inner)) is not None or is_piece:
                return (key, *_steps(record or {}))
        elif isinstance(inner, str) and (_prefixed(inner) is not None or RANKED & logfmt.record(inner).keys()):
            return (key,)
    for key in OBJECTS:
        if isinstance(value.get(key), dict):
            return (key, *_steps(value[key]))
    if steps := _recall_in(value):
        return steps
    return next(((key, *steps) for key in HOLDERS if isinstance(value.get(key), dict) and (steps := _steps(value[key]))), ())


def _recall_in(event: Mapping[str, Any]) -> tuple[str, ...]:
    """The keys to the object that is an event's recall; none where it has none. Of two under other names neither is known to be."""
    for key in EVENTS:
        if _is_event(_opened(event.get(key))):
            return (key,)
    named = list(_recalls_in(event, 0 if SPANS & event.keys() else DEPTH))
    return named[0] if len(named) == 1 and not QUERIES & event.keys() else ()


def _recalls_in(event: Mapping[str, Any], depth: int) -> Iterator[tuple[str, ...]]:
    """The keys to each recall within an event, ``depth`` objects down."""
    for key, value in event.items():
        inner = _opened(value)
        if _is_event(inner):
            yield (key,)
        elif inner and depth:
            yield from ((key, *steps) for steps in _recalls_in(inner, depth - 1))


def _opened(value: Any) -> dict[str, Any] | None:
    """The object that a value is, or holds as JSON in a text; what says the types of its values, without them."""
    if isinstance(value, str):
        value = _object(value) if value.lstrip().startswith("{") else None
    return (plain(value) or value) if isinstance(value, dict) else None


def _is_event(value: Any) -> bool:
    """Whether a value is an object with a query and a result list."""
    return isinstance(value, dict) and bool(QUERIES & value.keys()) and any(map(_is_list, map(value.get, RANKED & value.keys())))


def _is_list(value: Any) -> bool:
    return isinstance(value, list) or (isinstance(value, str) and value.lstrip().startswith("["))


def _object(text: str) -> dict[str, Any] | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return python_dict(text)
    return value if isinstance(value, dict) else None


@dataclass
class Unwrapping:
    """One file on its way out of its wrapper.

    Args:
        wrapper: how it is wrapped.
        open: stream -> the first line of a record that goes on, what its wrapper knows of it, its pieces so far.
    """

    wrapper: Wrapper
    open: dict[str, tuple[int, Mapping[str, Any], list[str]]] = field(default_factory=dict)

    def rows(self, rows: Iterable[tuple[int, str, str | None]]) -> Iterator[tuple[int, str, str | None]]:
        """(line, text, problem) of the records inside."""
        for number, text, problem in rows:
            if problem not in (None, TAIL) or not text.strip():
                yield number, text, problem
                continue
            piece = self.wrapper.piece(text)
            first, outer, pieces = self.open.pop(piece.stream, (number, piece.outer, []))
            if piece.goes_on and piece.text is not None:
                self.open[piece.stream] = (first, outer, [*pieces, piece.text])
            else:
                yield self._record(first, outer, "".join([*pieces, piece.text or ""]), problem)

    def rest(self) -> Iterator[tuple[int, str, str | None]]:
        """What never got its last piece."""
        for first, outer, pieces in self.open.values():
            yield self._record(first, outer, "".join(pieces), TAIL)

    def _record(self, number: int, outer: Mapping[str, Any], text: str, problem: str | None) -> tuple[int, str, str | None]:
        text = text.strip()
        if self.wrapper.is_prefixed:
            inner = _after_prefix(text)
            text, outer = inner.text or "", {**outer, **inner.outer}
        if text == LEFT_OUT:
            return number, '"MESSAGE": null', text
        if not text.startswith("{"):
            text = logfmt.as_json(text) or text
        if not text.startswith("{"):
            return number, text[:SHOWN], OTHER
        if (printed := python_dict(text)) is not None:
            text = json.dumps(printed, ensure_ascii=False)
        return number, _completed(text, outer), problem


def _completed(text: str, outer: Mapping[str, Any]) -> str:
    """A record with what its wrapper knows of it, where it does not say so itself."""
    may_say_so = any(f'"{name}"' in text for column in outer for name in aliases.LOG[column])
    own = (_object(text) or {}).keys() if may_say_so else ()
    for column, value in outer.items():
        if not {*own}.intersection(aliases.LOG[column]):
            rest = text[1:].lstrip()
            text = f'{{"{column}": {json.dumps(value)}{"" if rest.startswith("}") else ", "}{rest}'
    return text
