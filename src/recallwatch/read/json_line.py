"""A line of JSON as typed structs: the required fields are read in one pass, a field required in two types in two."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from ..base.engine import Engine, quoted
from . import lines, records
from .hive import hive_value
from .record_paths import clash, expression, json_shape, steps_of
from .several import UNPARTED

PROBLEM = """case when r is not null then null when problem is not null then problem
    when ltrim(line_text)[1] = '{' then 'malformed JSON' else 'not a JSON object' end"""


def of_folder(key: str) -> str:
    """The column of a folder's value beside a line."""
    return f"rw_folder_{key.encode().hex()}"  # also of keys that differ by case alone


@dataclass
class JsonLine:
    """SQL of the values of a line; collects the requested fields.

    Args:
        keys: top-level names; a path that is one of them is that name, dots and all.
        structs: per struct (``r``, ``r1``, …) the paths that are read with it, and the type of each value.
    """

    keys: Collection[str]
    structs: list[dict[str, str]] = field(default_factory=lambda: [{}])

    def value(self, path: str, kind: str) -> str:
        """One path, read as a type; ``kind`` is that of the path's last step."""
        number = next((n for n, struct in enumerate(self.structs) if self._fits(path, kind, struct)), len(self.structs))
        if number == len(self.structs):
            self.structs.append({})
        self.structs[number][path] = kind
        return expression(path, f"r{number or ''}", literal=path in self.keys)

    def apart(self, path: str, kind: str) -> str:
        """One path read from the line's text, by itself: for what few lines need."""
        return expression(path, f"try(json_transform(line_text, {self._shape({path: kind})}))", literal=path in self.keys)

    def relation(self, engine: Engine, files: list[Path], unwrap: str | None = None, folders: Iterable[str] = ()) -> str:
        """SQL of the lines of some files: file, line, piece, line_text, problem, and the structs; it can be read once.

        ``folders``: keys that folders give a value; each is a column (:func:`of_folder`), made once a file.
        """
        engine.register("line_stream", records.reader(files, unwrap))
        engine.register("line_sources", lines.sources(files))
        more = "".join(
            f", if(r is null, null, try(json_transform(line_text, {self._shape(struct)}))) as r{n}"
            for n, struct in enumerate(self.structs)
            if n
        )
        values = "".join(f", {hive_value(key, 'file')} as {of_folder(key)}" for key in folders)
        return f"""(select * exclude (source_no){more} from (select * rename (source_line as line, line as line_text) from (
            select source_no, source_line, line, problem, piece,
                case when opens_object(line) and problem is distinct from {quoted(lines.NOT_UTF8)}
                    and not starts_with(coalesce(problem, ''), {quoted(UNPARTED)})
                    then try(json_transform(line, {self._shape(self.structs[0])})) end as r
            from line_stream where not is_blank(line) or problem is distinct from null) inner join (select *{values} from line_sources) using (source_no)))"""

    def _shape(self, struct: dict[str, str]) -> str:
        return quoted(json_shape(struct, self.keys))

    def _fits(self, path: str, kind: str, struct: dict[str, str]) -> bool:
        return struct.get(path, kind) == kind and not any(clash(self._steps(path), self._steps(other)) for other in struct)

    def _steps(self, path: str) -> list[str]:
        return [path] if path in self.keys else steps_of(path)
