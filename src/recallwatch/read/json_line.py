"""A line of JSON as typed structs: the required fields are read in one pass, a field required in two types in two."""

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..base.engine import Engine, quoted
from . import lines, records
from .hive import hive_value
from .record_paths import clash, expression, json_path, json_shape, steps_of
from .reranked import OUTSIDE
from .several import UNPARTED

NO_LIST = "the result list is text that is no list"
NEW_KEY = "a key that the first records lack"
_UNUSUAL = f"error({quoted(f'rw:{NEW_KEY}')})"
PROBLEM = """case when r is not null then null when problem is not null then problem
    when ltrim(line_text)[1] = '{' then 'malformed JSON' else 'not a JSON object' end"""


def of_folder(key: str) -> str:
    """The column of a folder's value beside a line."""
    return f"rw_folder_{key.encode().hex()}"  # also of keys that differ by case alone


def lines_of(engine: Engine, files: list[Path], folders: Iterable[str] = (), unwrap: str | None = None) -> str:
    """SQL of the lines of some files, which can be read once: file, line, line_text, problem, piece.

    ``folders``: keys that folders give a value; each is a column (:func:`of_folder`), made once a file.
    """
    engine.register("line_stream", records.reader(files, unwrap))
    engine.register("line_sources", lines.sources(files))
    values = "".join(f", {hive_value(key, 'file')} as {of_folder(key)}" for key in folders)
    # (the names of files are joined to texts: a join that carries structs copies them)
    return f"""(select * exclude (source_no) rename (source_line as line, line as line_text)
        from line_stream inner join (select *{values} from line_sources) using (source_no))"""


@dataclass
class JsonLine:
    """SQL of the values of a line; collects the requested fields.

    Args:
        keys: top-level names; a path that is one of them is that name, dots and all.
        structs: per struct (``r``, ``r1``, …) the paths that are read with it, and the type of each value.
        made: SQL of the columns ``rw_0``, ``rw_1``, …
        is_usual: whether reading ends (NEW_KEY) at a record with a text or an object in place of its list of ids.
    """

    keys: Collection[str]
    structs: list[dict[str, str]] = field(default_factory=lambda: [{}])
    made: list[str] = field(default_factory=list)
    is_usual: bool = False

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

    def in_one_value(self, path: str) -> str:
        """Ids in one text, or as a map of scores, at a path where no list is; made once, for what few lines need."""
        value = self._extracted(path)
        ids = f"ids_in_value({value})"
        if self.is_usual:  # planning it takes longer than reading a small log
            ids = f"if(json_type({value}) in ('VARCHAR', 'OBJECT'), {_UNUSUAL}::varchar[], null)"
        return self.once(f"if(r is null or {self.value(path, 'VARCHAR[]')} is not null, null, {ids})")

    def _extracted(self, path: str) -> str:
        return f"json_extract(line_text, {quoted(json_path(self._steps(path)))})"

    def once(self, sql: str) -> str:
        """The name of a column beside the line: what several look at is made once."""
        if sql not in self.made:
            self.made.append(sql)
        return f"rw_{self.made.index(sql)}"

    def relation(self, lines_there: str, folders: Iterable[str] = (), only: Sequence[Sequence[str]] = ()) -> str:
        """SQL of some lines with the structs: file, line, line_text, problem, piece, and those that are read from them.

        ``lines_there``: SQL of the lines (:func:`lines_of`); ``folders``: as there.
        ``only``: the keys of usual lines; reading ends with the error NEW_KEY at a line that has one beside them.
        """
        more = "".join(
            f", if(r is null, null, try(json_transform(line_text, {self._shape(struct)}))) as r{n}"
            for n, struct in enumerate(self.structs)
            if n
        )
        kept = "".join(f", {of_folder(key)}" for key in folders)
        made = "".join(f", {sql} as rw_{n}" for n, sql in enumerate(self.made))
        return f"""(select *{made} from (select *{more} from (
            select file, line, line_text, problem, piece{kept},
                case when opens_object(line_text) and problem is distinct from {quoted(lines.NOT_UTF8)}
                    and not starts_with(coalesce(problem, ''), {quoted(UNPARTED)}) and problem is distinct from {quoted(OUTSIDE)}
                    then try(json_transform(line_text, {self._shape(self.structs[0])})) end as r
            from {lines_there}
            where (not is_blank(line_text) or problem is distinct from null){_has_only(only)})))"""

    def no_list_problem(self, names: Sequence[str], problem: str) -> str:
        """SQL of the problem of a record whose result list is a text, and no list; ``names``: of the lists that are top-level values."""
        if not names:
            return problem
        texts = {name: self._extracted(name) for name in names}
        is_text = " or ".join(
            f"coalesce(json_type({text}) = 'VARCHAR' and trim({text} ->> '$') <> '' and {self.in_one_value(name)} is null, false)"
            for name, text in texts.items()
        )
        none = f"coalesce({', '.join(self.value(name, 'VARCHAR[]') for name in names)}) is null"
        return f"if(r is not null and {none} and ({is_text}), {quoted(NO_LIST)}, {problem})"

    def _shape(self, struct: dict[str, str]) -> str:
        return quoted(json_shape(struct, self.keys))

    def _fits(self, path: str, kind: str, struct: dict[str, str]) -> bool:
        return struct.get(path, kind) == kind and not any(self._clash(path, other) for other in struct)

    def _clash(self, path: str, other: str) -> bool:
        """Whether one struct cannot have both: other forms of one field, or names that differ by case alone."""
        mine, theirs = self._steps(path), self._steps(other)
        return clash(mine, theirs) or (mine[0] != theirs[0] and mine[0].casefold() == theirs[0].casefold())

    def _steps(self, path: str) -> list[str]:
        return [path] if path in self.keys else steps_of(path)


def _has_only(usual: Sequence[Sequence[str]]) -> str:
    """SQL of the condition that a line has no key beside these, true of what is no object; a line with another is an error. Empty = none is named."""
    if not usual:
        return ""
    keys = "try(json_keys(line_text))"
    same = " or ".join(
        f"{keys} = {quoted(list(keys_of_one))}::varchar[]" for keys_of_one in usual
    )  # nearly all: no look at each key
    known = quoted(sorted({key for keys_of_one in usual for key in keys_of_one}))
    other = f"{_UNUSUAL}::boolean"
    return f""" and case when not opens_object(line_text) then true when {same} then true
        when coalesce(list_has_all({known}::varchar[], {keys}), true) then true else {other} end"""


def numbers_of(text: str, sample: Any) -> tuple[str, str]:
    """SQL of the map of numbers in a JSON text, and of texts. One with the very keys of the sample is read as a struct, in a tenth of the time."""
    numbers, texts = (f"""try(json_transform({text}, '"MAP(VARCHAR, {kind})"'))""" for kind in ("DOUBLE", "VARCHAR"))
    names = list(sample) if isinstance(sample, dict) else []
    if names and can_be_fields(names) and all(name.isascii() and name.isprintable() for name in names):
        shape = quoted(json.dumps(dict.fromkeys(names, "DOUBLE")))
        numbers = f"if(json_keys({text}) = {quoted(names)}, try(json_transform({text}, {shape}))::map(varchar, double), {numbers})"
    return numbers, texts


def can_be_fields(names: Sequence[str]) -> bool:
    """Whether a struct can have fields of these names: none is empty, no two alike but for case."""
    return "" not in names and len({name.casefold() for name in names}) == len(names)
