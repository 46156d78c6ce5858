"""JSON and JSON Lines as text: every value with the names above it, one paragraph a record.

A list of objects is a list of records; what an object holds stands on its line as `name: value`, texts of some length
in paragraphs of their own. RFC 8259.
"""

import json
from collections.abc import Iterator

from research_crew.documents.document import Document, Page, clean
from research_crew.documents.outcome import FileTrouble
from research_crew.documents.parsers.plain import text_of

_LONG = 200
"""From this length on, or with a line end in it, a text is a paragraph of its own."""
_TITLES = ("title", "name", "headline", "subject")


def parse(kind: str, data: bytes, name: str) -> Document:  # noqa: ARG001
    """The values as one page; raises `FileTrouble` for what is no JSON, naming the line."""
    text, notes = text_of(data, kind)
    value: object
    if kind == "jsonl":
        value = lines(text)
    else:
        try:
            value = json.loads(text)
        except json.JSONDecodeError as error:
            if error.msg != "Extra data":
                raise FileTrouble("broken", f"no JSON at line {error.lineno}: {error.msg}", kind) from None
            value = lines(text)
            notes += ("named .json, holds a value a line",)
        except RecursionError:
            raise FileTrouble("broken", "nested too deeply", kind) from None
    try:
        paragraphs = [p for p in written(value) if p.strip()]
    except RecursionError:
        raise FileTrouble("broken", "nested too deeply", kind) from None
    if not paragraphs:
        raise FileTrouble("empty", "no value in it", kind)
    title = ""
    if isinstance(value, dict):
        title = next((v for key in _TITLES if isinstance(v := value.get(key), str)), "")
    return Document(kind, (Page("\n\n".join(paragraphs)),), title, notes=notes)


def lines(text: str) -> list[object]:
    """The values of JSON Lines; a bad line in the middle is an error that names it, a cut last line is left out."""
    values: list[object] = []
    rows = [(number, row) for number, row in enumerate(text.split("\n"), 1) if row.strip()]
    for place, (number, row) in enumerate(rows):
        try:
            values.append(json.loads(row))
        except json.JSONDecodeError as error:
            if values and place == len(rows) - 1:
                break
            raise FileTrouble("broken", f"no JSON at line {number}: {error.msg}", "jsonl") from None
        except RecursionError:
            raise FileTrouble("broken", f"nested too deeply at line {number}", "jsonl") from None
    return values


def written(value: object, path: str = "") -> Iterator[str]:
    """A value as paragraphs."""
    if isinstance(value, list) and any(isinstance(item, (dict, list)) for item in value):
        for item in value:
            yield from written(item, path)
    elif isinstance(value, dict):
        short: list[str] = []
        long: list[str] = []
        _collect(value, "", short, long)
        yield (f"{path}: " if path and short else "") + " | ".join(short)
        yield from long
    else:
        said = _scalar(value)
        if said:
            yield f"{path}: {said}" if path and len(said) < _LONG else said


def _collect(value: dict[str, object], path: str, short: list[str], long: list[str]) -> None:
    for key, item in value.items():
        name = f"{path}.{key}" if path else str(key)
        if isinstance(item, dict):
            _collect(item, name, short, long)
        elif isinstance(item, list) and any(isinstance(part, (dict, list)) for part in item):
            long.extend(written(item, name))
        elif said := _scalar(item):
            if len(said) >= _LONG or "\n" in said:
                long.append(f"{name}:\n{said}")
            else:
                short.append(f"{name}: {said}")


def _scalar(value: object) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case list():
            return ", ".join(said for item in value if (said := _scalar(item)))
        case _:
            return clean(str(value))
