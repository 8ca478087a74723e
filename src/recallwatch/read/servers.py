"""A table of a Postgres or MySQL server, copied to Parquet by DuckDB's extension where that is installed on this machine; nothing is downloaded."""

from collections.abc import Mapping, Sequence

from ..base.engine import Engine, quoted
from ..base.errors import InputError, RecallwatchError
from ..base.remote import SERVER, server_copy, server_refusal
from .tables import TABLE, copied_table


def copy_servers(engine: Engine, sources: Sequence[str], mapped: Mapping[str, str]) -> Mapping[str, str]:
    """Put the table of each server's address among some sources where :func:`.paths.expand` finds it; returns ``--map`` without what named it.

    Raises:
        InputError: the extension is not installed, or the server does not answer.
    """
    servers = [(source, found) for source in sources if (found := SERVER.fullmatch(source))]
    for source, server in servers:
        if (copy := server_copy(engine.folder, source)) is None or copy.exists():
            continue
        kind = "postgres" if server[1] == "postgres" else "mysql"
        try:
            engine.run(f"load {kind}")
        except RecallwatchError:
            raise server_refusal(source) from None
        try:
            _attach(engine, kind, f"{'postgresql' if kind == 'postgres' else kind}://{server[2] or ''}{server[3]}")
        except RecallwatchError:  # its text holds the password
            fix = "Check the address, the user and the password (psql or mysql says more)"
            raise InputError("the server does not answer", where=server[3], fix=fix) from None
        copied_table(engine, copy, server[3], mapped.get(TABLE))
    return {column: path for column, path in mapped.items() if column != TABLE} if servers else mapped


def _attach(engine: Engine, kind: str, address: str) -> None:
    engine.run(f"attach {quoted(address)} as rw_database (type {kind}, read_only)")
