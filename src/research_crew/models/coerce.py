"""From the JSON that a model wrote to the frozen value that was asked for.

The target is a dataclass (or a pydantic model) of strings, numbers, booleans, literals, lists, mappings and further
such classes. What stands under another spelling of its name, in a list instead of alone, alone instead of in a list,
or as a string instead of an object is put right and noted; what is missing gets its default and a warning; what has
no default raises `Unreadable`. Bounds stand in the fields' metadata: see `schema.py`.
"""

import types
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from difflib import get_close_matches
from functools import lru_cache
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from research_crew.models.answer import Unreadable, plain_key
from research_crew.models.json_text import NotJson, read_json
from research_crew.models.prose import items_in
from research_crew.models.scalars import to_choice, to_number, to_text, to_truth

T = TypeVar("T")
_MOST_ITEMS = 500


@lru_cache(maxsize=256)
def spec_of(kind: type) -> Mapping[str, tuple[Any, Any, Mapping[str, Any]]]:
    """Field → (type, default or `MISSING`, metadata) of a dataclass or a pydantic model."""
    hints = get_type_hints(kind)
    if is_dataclass(kind):
        found = {}
        for f in fields(kind):
            default = f.default if f.default_factory is MISSING else f.default_factory()
            found[f.name] = (hints[f.name], default, f.metadata)
        return found
    model_fields: Mapping[str, Any] = getattr(kind, "model_fields", {})
    made = {}
    for name, f in model_fields.items():
        default = MISSING if f.is_required() else f.get_default(call_default_factory=True)
        made[name] = (hints[name], default, {"about": f.description or ""})
    return made


def names_of(kind: type) -> tuple[str, ...]:
    """The names of a record's fields: what the JSON should have for keys."""
    return tuple(spec_of(kind))


def is_record(kind: Any) -> bool:
    """Whether a type is one that is filled field by field."""
    return isinstance(kind, type) and (is_dataclass(kind) or hasattr(kind, "model_fields"))


def coerce(kind: type[T], value: Any, notes: list[str], where: str = "") -> T:
    """`value` as a `kind`; what was put right is appended to `notes`. Raises `Unreadable`."""
    return _record(kind, value, notes, where)  # type: ignore[no-any-return]


def _to(kind: Any, value: Any, notes: list[str], where: str, bounds: Mapping[str, Any]) -> Any:
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        if value is None or (isinstance(value, str) and value.strip().lower() in ("null", "none", "n/a", "")):
            if type(None) in inner:
                return None
        else:
            rest = [part for part in inner if part is not type(None)]
            for part in rest[:-1]:
                try:
                    return _to(part, value, notes, where, bounds)
                except Unreadable:
                    continue
            return _to(rest[-1], value, notes, where, bounds)
    if kind is Any or kind is object:
        return value
    if origin is Literal:
        return to_choice(inner, value, notes, where)
    if origin in (list, tuple, Sequence, set, frozenset):
        item = next((part for part in inner if part is not Ellipsis), Any)
        items = _list(item, value, notes, where, bounds)
        return items if origin is list else frozenset(items) if origin in (set, frozenset) else tuple(items)
    if origin in (dict, Mapping):
        return _mapping(inner[1] if len(inner) == 2 else Any, value, notes, where)
    if kind is str:
        return to_text(value, notes, where, bounds)
    if kind is bool:
        return to_truth(value, notes, where)
    if kind in (int, float):
        return to_number(kind, value, notes, where, bounds)
    if is_record(kind):
        return _record(kind, value, notes, where)
    raise TypeError(f"{where}: {kind!r} is no type that an answer can be read into")


def _record(kind: Any, value: Any, notes: list[str], where: str) -> Any:
    spec = spec_of(kind)
    value = _as_object(spec, value, notes, where)
    found = _matched(spec, value, notes, where)
    made: dict[str, Any] = {}
    for name, (type_, default, bounds) in spec.items():
        path = f"{where}.{name}" if where else name
        if name in found and found[name] is not None:
            try:
                made[name] = _to(type_, found[name], notes, path, bounds)
                continue
            except Unreadable as error:
                if default is MISSING:
                    raise
                notes.append(f"{error.complaint}; its default stands in")
        elif default is MISSING:
            raise Unreadable(f"{path!r} is missing")
        elif name not in found:
            notes.append(f"{path!r} is missing; its default stands in")
        made[name] = default
    if is_dataclass(kind):
        return kind(**made)  # type: ignore[operator]
    return kind.model_validate(made)


def _as_object(spec: Mapping[str, Any], value: Any, notes: list[str], where: str) -> Mapping[str, Any]:
    name = where or "the answer"
    if isinstance(value, list):
        objects = [part for part in value if isinstance(part, dict)]
        lists = [key for key, (type_, _, _) in spec.items() if get_origin(type_) in (list, tuple, Sequence)]
        if len(lists) == 1 and (not where or len(objects) != 1):
            notes.append(f"{name} was a list; it was taken as {lists[0]!r}")
            return {lists[0]: value}
        if len(objects) == 1:
            notes.append(f"{name} was in a list")
            return objects[0]
        if len(value) == 1:
            value = value[0]
    if isinstance(value, str):
        try:
            read = read_json(value.strip())
        except NotJson:
            read = None
        if read is not None and isinstance(read.value, dict):
            notes.append(f"{name} was an object in a string")
            return read.value
        texts = [key for key, (type_, default, _) in spec.items() if type_ is str and default is MISSING]
        texts = texts or [key for key, (type_, _, _) in spec.items() if type_ is str]
        if texts and value.strip():
            notes.append(f"{name} was a text; it was taken as {texts[0]!r}")
            return {texts[0]: value}
    if isinstance(value, dict):
        return value
    raise Unreadable(f"{name} should be an object")


def _matched(spec: Mapping[str, Any], value: Mapping[str, Any], notes: list[str], where: str) -> dict[str, Any]:
    """The value's entries under the names that were asked for."""
    found = {name: value[name] for name in spec if name in value}
    missing = [name for name in spec if name not in found]
    spare = {plain_key(key): key for key in value if key not in found}
    for name in missing:
        plain = plain_key(name)
        near = [plain] if plain in spare else []
        forms = (plain + "s", plain.removesuffix("s"), plain.removesuffix("ies") + "y", plain + "list")
        near = near or [key for key in forms if key in spare]
        near = near or get_close_matches(plain, list(spare), 1, 0.85)
        if near:
            key = spare.pop(near[0])
            notes.append(f"{where + '.' if where else ''}{name} was called {key!r}")
            found[name] = value[key]
    return found


def _list(item: Any, value: Any, notes: list[str], where: str, bounds: Mapping[str, Any]) -> list[Any]:
    raw = _items(item, value, notes, where)
    made: list[Any] = []
    for number, part in enumerate(_flat(raw, notes, where, item)):
        if part is None or (isinstance(part, str) and not part.strip()):
            continue
        try:
            one = _to(item, part, notes, f"{where}[{number}]", bounds)
        except Unreadable as error:
            notes.append(f"left out: {error.complaint}")
            continue
        if (item is str and not one) or (bounds.get("unique", item is str) and one in made):
            continue
        made.append(one)
    most = bounds.get("most", _MOST_ITEMS)
    if len(made) > most:
        notes.append(f"{where!r} has {len(made)} entries; the first {most} are kept")
    return made[:most]


def _items(item: Any, value: Any, notes: list[str], where: str) -> Sequence[Any]:
    if isinstance(value, (list, tuple)):
        return value
    if isinstance(value, str):
        text = value.strip()
        if text.startswith(("[", "(")):
            try:
                read = read_json(text)
            except NotJson:
                read = None
            if read is not None and isinstance(read.value, list):
                notes.append(f"{where!r} was a list in a string")
                return read.value
        listed = items_in(text)
        if len(listed) < 2 and "\n" in text and not is_record(item):
            listed = [line for line in text.splitlines() if line.strip()]
        notes.append(f"{where!r} was one text instead of a list")
        return listed if len(listed) > 1 else [text]
    if isinstance(value, dict):
        lists = [part for part in value.values() if isinstance(part, list)]
        if value and all(str(key).isdigit() for key in value):
            notes.append(f"{where!r} was an object with numbers for keys")
            return list(value.values())
        if len(lists) == 1 and len(value) == 1:
            notes.append(f"{where!r} was in an object")
            return lists[0]
        if is_record(item):
            inside = [part for part in value.values() if isinstance(part, dict)]
            if len(inside) == len(value) > 0 and not _names_any(item, value):
                notes.append(f"{where!r} was an object of objects")
                return inside
        notes.append(f"{where!r} was one object instead of a list")
        return [value]
    return [] if value is None else [value]


def _names_any(kind: Any, value: Mapping[str, Any]) -> bool:
    names = {plain_key(name) for name in spec_of(kind)}
    return any(plain_key(key) in names for key in value)


def _flat(items: Sequence[Any], notes: list[str], where: str, item: Any) -> list[Any]:
    """Nested lists laid out in order, unless the items are lists themselves."""
    if get_origin(item) in (list, tuple, Sequence) or item is Any:
        return list(items)
    flat: list[Any] = []
    waiting = list(reversed(items))
    while waiting and len(flat) < 10 * _MOST_ITEMS:
        part = waiting.pop()
        if isinstance(part, (list, tuple)):
            waiting.extend(reversed(part))
            note = f"{where!r} held lists in a list"
            if note not in notes:
                notes.append(note)
        else:
            flat.append(part)
    return flat


def _mapping(kind: Any, value: Any, notes: list[str], where: str) -> dict[str, Any]:
    if isinstance(value, list):
        pairs = [part for part in value if isinstance(part, list) and len(part) == 2]
        value = {str(key): part for key, part in pairs} if pairs and len(pairs) == len(value) else value
    if not isinstance(value, dict):
        raise Unreadable(f"{where!r} should be an object")
    return {str(key): _to(kind, part, notes, f"{where}.{key}", {}) for key, part in value.items()}
