"""The only module that imports duckdb: connect, run a file of sql/, hand out Arrow."""

import contextlib
import errno
import os
import re
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import duckdb
import pyarrow as pa

from . import kept_macros, sqlfiles
from .damage import first_damage, unread
from .errors import InputError, RecallwatchError, UsageError, first_line, said
from .held import Scratch

NO_SPACE = os.strerror(errno.ENOSPC)
NO_SPILL = "Free some space there, set TMPDIR to a larger place, or raise --memory-limit"
_PATTERN = re.compile(r"[*?[]")


def quoted(value: object) -> str:
    """A SQL literal of a Python value: text, number, bool, None, list or dict (as a map)."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, Mapping):
        keys, values = (", ".join(map(quoted, side)) for side in (value.keys(), value.values()))
        return f"map([{keys}], [{values}])"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(quoted, value))}]"
    return "'" + str(value).replace("'", "''") + "'"


def exact_path(path: str | Path) -> str:
    """A path that means just this file to DuckDB, which reads ``*``, ``?`` and ``[`` as a pattern otherwise."""
    return _PATTERN.sub(r"[\g<0>]", str(path))


def quoted_paths(paths: str | Path | Iterable[str | Path]) -> str:
    """A SQL literal of a path, or a list of them; see :func:`exact_path`."""
    if isinstance(paths, str) or not isinstance(paths, Iterable):  # one path, also a remote one, which is no pathlib.Path
        return quoted(exact_path(paths))
    return f"[{', '.join(map(quoted_paths, paths))}]"


def identifier(name: str) -> str:
    """A column or relation name, quoted whatever it holds."""
    return '"' + name.replace('"', '""') + '"'


class Engine:
    """One DuckDB connection, set up so that the machine's own settings change no digit.

    Args:
        threads: worker threads; None = DuckDB's default (all cores).
        memory_limit: e.g. ``4GB``; None = DuckDB's default.
        folder: where spilled and normalised data go; removed by :meth:`close`.
    """

    def __init__(self, *, threads: int | None = None, memory_limit: str | None = None) -> None:
        self._scratch = Scratch()
        self.folder = self._scratch.folder
        self.protocols: dict[str, Any] = {}
        self._keeps: bool | None = None  # whether kept macros are attached; None = nobody asked for one yet
        self.files: list[Path] = []  # what people named; see _look_at_files
        config: dict[str, Any] = {
            "autoinstall_known_extensions": False,  # a nightly job downloads nothing
            "autoload_known_extensions": False,
            "temp_directory": str(self.folder / "spill"),
            "preserve_insertion_order": False,  # every result has its own order by; keeping order would only cost memory
        }
        if threads is not None:
            config["threads"] = threads
        if memory_limit is not None:
            config["memory_limit"] = memory_limit
        try:
            self.connection = duckdb.connect(config=config)
        except duckdb.Error as error:
            self._scratch.close()
            raise UsageError(
                f"no such amount of memory: {memory_limit!r}", where="--memory-limit", fix="For example 4GB or 500MB"
            ) from error
        if memory_limit is not None:
            self._leave_room()
        self.connection.execute("set TimeZone = 'UTC'")
        with contextlib.suppress(duckdb.Error):  # a Jupyter kernel without ipywidgets refuses it: no bar there
            self.connection.execute("set enable_progress_bar = true; set enable_progress_bar_print = false")
        self.connection.execute("set parquet_metadata_cache = true")  # the footers of a log are read once, not by every pass

    def _leave_room(self) -> None:
        """Of the limit, which is the process's, what Python holds by now is not the database's; at least half of it is."""
        size, unit = self.connection.execute("select current_setting('memory_limit')").fetchall()[0][0].split()
        whole = float(size) * 1024 ** ("bytes", "KiB", "MiB", "GiB", "TiB").index(unit)
        self.connection.execute(f"set memory_limit = '{max(whole / 2, whole - held_memory()):.0f}B'")

    def progress(self) -> float:
        """Progress of the running query in per cent, -1 where unknown; safe to call from another thread."""
        return float(self.connection.query_progress())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection and remove the temporary folder."""
        try:
            self.connection.close()
        finally:
            self._scratch.close()

    def run(self, sql: str, parameters: list[Any] | None = None, *, what: str = "a query") -> list[tuple[Any, ...]]:
        """Run SQL text and return its rows; the result never stays open."""
        with self._errors_as(what):
            return self.connection.execute(sql, parameters or []).fetchall()

    def write(self, select: str, path: Path, *, what: str) -> None:
        """The rows of a query as a Parquet file, right where it is named."""
        self.run(f"copy ({select}) to {quoted(str(path))} (format parquet, compression zstd, use_tmp_file false)", what=what)

    def _has_kept_macros(self) -> bool:
        if self._keeps is None:
            try:
                self._keeps = kept_macros.attach(self.connection, duckdb.connect)
            except (duckdb.Error, OSError):  # no place for them, or none that can be read: they are made here
                self._keeps = False
        return self._keeps

    def use(self, database: str) -> None:
        """From here on names are those of an attached database, which gets macros of its own."""
        self._keeps = False
        self.run(f"use {database}")

    def file(self, name: str) -> None:
        """Run one file of sql/."""
        if name in kept_macros.files() and self._has_kept_macros():
            return
        with self._errors_as(f"sql/{name}"):
            self.connection.execute(sqlfiles.text_of(name)).fetchall()

    def options(self, **values: object) -> None:
        """Values that sql/ asks for, as macros without parameters: what the files of sql/ are given in place of text put into them."""
        for name, value in values.items():
            self.run(f"create or replace macro {name}() as {quoted(value)}")

    def values(self, name: str, columns: Mapping[str, str], rows: Iterable[Sequence[object]]) -> None:
        """A table of some values: column -> DuckDB type, and its rows."""
        self.run(f"create or replace table {name} ({', '.join(f'{identifier(c)} {kind}' for c, kind in columns.items())})")
        listed = ", ".join(f"({', '.join(map(quoted, row))})" for row in rows)
        if listed:
            self.run(f"insert into {name} values {listed}")

    def arrow(self, sql: str, *, what: str = "a query") -> pa.Table:
        """Run SQL text and return an Arrow table."""
        with self._errors_as(what):
            return self.connection.sql(sql).to_arrow_table()

    def rows(self, sql: str, *, what: str = "a query") -> list[dict[str, Any]]:
        """Run SQL text and return one dict a row; for small results."""
        with self._errors_as(what):
            cursor = self.connection.execute(sql)
            names = [column[0] for column in cursor.description or []]
            return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

    def look(self, sql: str, n: int, *, seconds: float, what: str) -> tuple[list[str], list[tuple[Any, ...]]]:
        """The columns and first rows of one query that a stranger wrote; anything but a query is refused, and one that takes too long is ended."""
        with self._errors_as(what):
            kinds = [statement.type for statement in self.connection.extract_statements(sql)]
            if kinds != [duckdb.StatementType.SELECT]:
                raise UsageError("expected one query", where=what, fix="Write one select; show tables and describe NAME work too")
            alarm = threading.Timer(seconds, self.connection.interrupt)
            alarm.start()
            try:
                cursor = self.connection.execute(sql)
                return [column[0] for column in cursor.description or []], cursor.fetchmany(n)
            except duckdb.InterruptException as error:
                raise UsageError(
                    f"took longer than {seconds:g} s", where=what, fix="Ask for less: fewer days, fewer columns"
                ) from error
            finally:
                alarm.cancel()

    def lock_in(self, *folders: Path) -> None:
        """From here on no query reaches a file outside of some folders, the network or a setting."""
        allowed = ", ".join(quoted(f"{folder}/") for folder in folders)
        self.run(f"set allowed_directories = [{allowed}]; set enable_external_access = false; set lock_configuration = true")

    def register(self, name: str, data: object) -> None:
        """Make an Arrow table, stream or frame readable under a name; ``given_…`` is what a caller gave.

        Raises:
            UsageError: something else, given by a caller.
        """
        try:
            self.connection.register(name, data)
        except (duckdb.Error, TypeError, ValueError) as error:
            if not name.startswith("given_"):
                raise
            raise unread(data, name.removeprefix("given_")) from error

    def attach(self, protocol: str, files: Any) -> None:
        """Read ``protocol://…`` through a fsspec file system, once a protocol."""
        self.connection.register_filesystem(files)
        self.protocols[protocol] = files

    def columns(self, relation: str) -> dict[str, str]:
        """Column name to DuckDB type, in order."""
        return {row[0]: row[1] for row in self.run(f"describe {relation}")}

    def types(self, relation: str) -> dict[str, Any]:
        """Column name to DuckDB's type object, whose children say what a list or struct holds."""
        with self._errors_as("reading a schema"):
            empty = self.connection.sql(f"select * from {relation} limit 0")
            return dict(zip(empty.columns, empty.types, strict=True))

    @contextlib.contextmanager
    def reading(self, where: str) -> Iterator[None]:
        """Turn DuckDB's errors inside the block into errors of the named file."""
        self.files += [Path(where)] if Path(where).is_file() else []
        try:
            yield
        except EngineError as error:
            raise InputError(f"cannot be read ({error.what})", where=where, fix="Write the file again, or leave it out") from error

    @contextlib.contextmanager
    def _errors_as(self, what: str) -> Iterator[None]:
        try:
            with _ctrl_c():
                yield
        except duckdb.OutOfMemoryException as error:
            if "max_temp_directory_size" in str(error):
                raise UsageError(
                    f"no room for what does not fit into memory, in {what}", where=str(self.folder), fix=NO_SPILL
                ) from error
            raise UsageError(f"memory limit reached in {what}", fix="Raise --memory-limit or lower --threads") from error
        except duckdb.IOException as error:
            if NO_SPACE in str(error):
                raise UsageError(
                    f"cannot be written ({NO_SPACE})", where=what.removeprefix("writing "), fix="Free some space"
                ) from error
            self._look_at_files(error)
            raise InputError(said(error), where=what, fix="Check the file and the free disk space") from error
        except duckdb.Error as error:
            if isinstance(error, duckdb.InvalidInputException) and "rw:" in str(error):  # by error('rw:…') in sql/: for people
                raise InputError(first_line(error).split("rw:", 1)[1]) from error
            self._look_at_files(error)
            raise EngineError(said(error), where=what) from error

    def _look_at_files(self, error: duckdb.Error) -> None:
        """Raise what is wrong with a file that was to be read, in place of an error of DuckDB's."""
        if (damage := first_damage(self.files, self._can_read)) is not None:
            raise damage from error

    def _can_read(self, name: str, query: str) -> bool:
        try:
            self.connection.cursor().execute(query.format(f"[{quoted_paths(name)}]")).fetchall()
        except duckdb.Error:
            return False
        return True


def held_memory() -> int:
    """Bytes of memory that this process holds; 0 where the system does not say."""
    try:
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


@contextlib.contextmanager
def _ctrl_c() -> Iterator[None]:
    """Turn an interrupted DuckDB query back into KeyboardInterrupt, also when it was reading a stream of ours."""
    try:
        yield
    except (duckdb.Error, RuntimeError) as error:
        if "Query interrupted" in str(error) or "KeyboardInterrupt" in str(error) or isinstance(error, duckdb.InterruptException):
            raise KeyboardInterrupt from None
        raise


def is_pattern(text: str, replacement: str = "") -> bool:
    """Whether sql/ can use a regular expression (RE2: no look-ahead, no back-reference) and the groups of its replacement."""
    with duckdb.connect() as connection:
        try:
            connection.execute("select regexp_replace('a', ?, ?)", [text, replacement]).fetchall()
        except duckdb.Error:
            return False
    return True


class EngineError(RecallwatchError):
    """SQL of ours failed where no input of the user's should make it fail: a bug, exit 1."""
