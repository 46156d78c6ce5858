"""The JSON schema of an answer, made from the dataclass that it is read into, and the same said in words.

Field metadata: `about` (a few words for the model), `most` (entries of a list), `characters` (of a text), `low` and
`high` (of a number). Lists and texts are always bounded: the bound also stops the loops of small models. The schema
keeps to what the strict modes of the vendors allow: every property required, none other allowed.
"""

import json
import types
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Union, get_args, get_origin

from research_crew.models.coerce import is_record, spec_of
from research_crew.models.protocol import ModelRequest

_MOST, _CHARACTERS = 20, 2_000


def schema_of(kind: type) -> dict[str, Any]:
    """The schema of a dataclass (or pydantic model). Raises `TypeError` for a mapping: strict modes know none."""
    properties = {name: _schema(type_, bounds) for name, (type_, _, bounds) in spec_of(kind).items()}
    return {
        "type": "object", "properties": properties, "required": list(properties), "additionalProperties": False,
    }  # fmt: skip


def _schema(type_: Any, bounds: Mapping[str, Any]) -> dict[str, Any]:
    made = _bare(type_, bounds)
    if bounds.get("about"):
        made = {**made, "description": bounds["about"]}
    return made


def _bare(type_: Any, bounds: Mapping[str, Any]) -> dict[str, Any]:
    origin, inner = get_origin(type_), get_args(type_)
    if origin in (Union, types.UnionType):
        return {"anyOf": [_bare(part, bounds) for part in inner]}
    if origin is Literal:
        return {"type": "string", "enum": list(inner)}
    if origin in (list, tuple, Sequence, set, frozenset):
        item = next((part for part in inner if part is not Ellipsis), str)
        return {"type": "array", "items": _bare(item, bounds), "maxItems": bounds.get("most", _MOST)}
    if is_record(type_):
        return schema_of(type_)
    if type_ is str:
        return {"type": "string", "maxLength": bounds.get("characters", _CHARACTERS)}
    if type_ is bool:
        return {"type": "boolean"}
    if type_ in (int, float):
        limits = {word: bounds[name] for name, word in (("low", "minimum"), ("high", "maximum")) if name in bounds}
        return {"type": "integer" if type_ is int else "number", **limits}
    if type_ is type(None):
        return {"type": "null"}
    raise TypeError(f"{type_!r} has no schema here")


def skeleton(schema: Mapping[str, Any]) -> str:
    """The form of the answer as JSON with words for values, which small models follow better than a schema."""
    return json.dumps(_example(schema), ensure_ascii=False)


def in_words(schema: Mapping[str, Any]) -> str:
    """The request for JSON that is put at the end of a prompt when there is no other way."""
    return (
        "Answer with one JSON object and nothing else: no introduction, no code fence, no comment. Its form, with "
        f"your own values:\n{skeleton(schema)}"
    )


def prompt_of(request: ModelRequest) -> str:
    """The prompt as a back end sends it: on the rung `text` the form of the JSON is asked for at its end."""
    if request.schema is None or request.rung != "text":
        return request.prompt
    return f"{request.prompt}\n\n{in_words(request.schema)}"


def _example(schema: Mapping[str, Any]) -> Any:
    about = schema.get("description", "")
    if "anyOf" in schema:
        return _example({**schema["anyOf"][0], **({"description": about} if about else {})})
    if "enum" in schema:
        return " | ".join(map(str, schema["enum"]))
    kind = schema.get("type")
    if kind == "object":
        return {name: _example(part) for name, part in schema.get("properties", {}).items()}
    if kind == "array":
        inner = schema.get("items", {})
        if about and inner.get("type") == "string":
            inner = {**inner, "description": about}
        return [_example(inner)]
    return {"integer": about or 1, "number": about or 1.0, "boolean": about or True}.get(str(kind), about or "text")
