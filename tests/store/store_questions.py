"""The ten questions of sql/README.md: read by the tests, their outputs made anew by ``python tests/store/store_questions.py``."""

import re
import tempfile
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
README = REPOSITORY / "sql" / "README.md"
_BLOCK = re.compile(
    r"^(?P<number>\d+)\. (?P<question>[^\n]+)\n\n```sql store\n(?P<query>.*?)```\n\n```text\n(?P<output>.*?)```\n",
    re.MULTILINE | re.DOTALL,
)


def questions() -> list[tuple[str, str, str]]:
    """(question, query, the output shown) of each."""
    found = _BLOCK.finditer(README.read_text(encoding="utf-8"))
    return [(block["question"], block["query"].strip().removesuffix(";"), block["output"]) for block in found]


def make_store(folder: Path) -> Path:
    """A store of the sample logs, scored."""
    import recallwatch

    recallwatch.evaluate(REPOSITORY / "sample_logs" / "recalls", REPOSITORY / "sample_logs" / "labels.jsonl", store=folder)
    return folder


def answer(store: Path, query: str) -> str:
    """What `recallwatch sql` prints."""
    from recallwatch.document.as_text import Screen, draw
    from recallwatch.store.sql_query import Rows, ask

    return draw(Rows(ask(store, query)).document(), Screen(120))


def refresh() -> None:
    """Write each query's output under it."""
    with tempfile.TemporaryDirectory() as folder:
        store = make_store(Path(folder) / "store")

        def with_output(found: re.Match[str]) -> str:
            text = answer(store, found["query"].strip().removesuffix(";"))
            return found[0].replace(f"```text\n{found['output']}```", f"```text\n{text}```")

        README.write_text(_BLOCK.sub(with_output, README.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    refresh()
