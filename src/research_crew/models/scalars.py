"""Single values out of what a model wrote: texts, numbers, true or false, one of several choices."""

import json
import math
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

from research_crew.models.answer import Unreadable, plain_key

_TRUE = {"true", "yes", "y", "1", "on", "ja", "oui", "sí", "si", "是", "はい"}
_FALSE = {"false", "no", "n", "0", "off", "none", "", "nein", "non", "否", "いいえ"}
_TEXT_KEYS = ("text", "value", "content", "query", "question", "title", "name", "description", "claim")


def to_text(value: Any, notes: list[str], where: str, bounds: Mapping[str, Any]) -> str:
    """A text: lists and objects become one, what is longer than `characters` is cut."""
    if not isinstance(value, str):
        made = _flattened(value)
        if not isinstance(value, (int, float)):
            notes.append(f"{where!r} was {'a list' if isinstance(value, list) else 'an object'} instead of a text")
    else:
        made = value
    made = made.encode("utf-8", "replace").decode("utf-8").replace("\x00", "").strip()
    most = bounds.get("characters")
    if most is not None and len(made) > most:
        notes.append(f"{where!r} has {len(made)} characters; the first {most} are kept")
        made = made[:most].rstrip()
    return made


def _flattened(value: Any, depth: int = 0) -> str:
    """A list or an object as one text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        for key in _TEXT_KEYS:
            if isinstance(value.get(key), str):
                return str(value[key])
        return json.dumps(value, ensure_ascii=False, default=str)
    if isinstance(value, (list, tuple)) and depth < 4:
        parts = [_flattened(part, depth + 1) for part in value if part is not None]
        return "; ".join(part for part in parts if part)
    return "" if value is None else str(value)


def _alone(value: Any) -> Any:
    """The only member of a list or an object."""
    while isinstance(value, (list, dict)) and len(value) == 1:
        value = value[0] if isinstance(value, list) else next(iter(value.values()))
    return value


def to_truth(value: Any, notes: list[str], where: str) -> bool:
    """True or false, also as a word or at the beginning of a sentence."""
    value = _alone(value)
    if isinstance(value, bool):
        return value
    word = str(value).strip().strip(".!").lower() if isinstance(value, (str, int, float)) else "?"
    if word in _TRUE or word in _FALSE:
        notes.append(f"{where!r} was {value!r} instead of true or false")
        return word in _TRUE
    first = word.split(",")[0].split(" ")[0]
    if first in _TRUE or first in _FALSE:
        notes.append(f"{where!r} was a sentence instead of true or false")
        return first in _TRUE
    raise Unreadable(f"{where!r} should be true or false")


def to_number(kind: Any, value: Any, notes: list[str], where: str, bounds: Mapping[str, Any]) -> Any:
    """A finite number within `low` and `high`, also when it stands in a string."""
    value = _alone(value)
    if isinstance(value, str):
        text = value.strip().rstrip("%.").replace("\u00a0", "").replace(" ", "")
        try:
            value = float(text)
        except ValueError:
            raise Unreadable(f"{where!r} should be a number") from None
        notes.append(f"{where!r} was a number in a string")
    if (
        isinstance(value, bool)
        or not isinstance(value, (int, float))
        or (isinstance(value, float) and not math.isfinite(value))
    ):
        raise Unreadable(f"{where!r} should be a number")
    low, high = bounds.get("low", -math.inf), bounds.get("high", math.inf)
    if not low <= value <= high:
        notes.append(f"{where!r} was {value!r}, outside of {low} to {high}")
        value = min(max(value, low), high)
    if kind is int:
        if isinstance(value, float) and value != int(value):
            notes.append(f"{where!r} was {value!r} instead of a whole number")
        return round(value)
    return float(value)


def to_choice(choices: tuple[Any, ...], value: Any, notes: list[str], where: str) -> Any:
    """One of the choices, by its spelling, its beginning, or the nearest. Raises `Unreadable`."""
    value = _alone(value)
    if value in choices and not (isinstance(value, bool) and True not in choices):
        return value
    said = plain_key(value)
    by_key = {plain_key(choice): choice for choice in choices}
    if said in by_key:
        return by_key[said]
    inside = [
        key for key in by_key if key and said and (said.startswith(key) or (key.startswith(said) and len(said) > 2))
    ]
    near = inside or get_close_matches(said, list(by_key), 1, 0.75)
    if len(inside) > 1:
        near = [max(inside, key=len)] if said.startswith(max(inside, key=len)) else inside[:1]
    if not near:
        raise Unreadable(f"{where!r} should be one of {', '.join(map(str, choices))}")
    notes.append(f"{where!r} was {str(value)[:40]!r}, taken as {by_key[near[0]]!r}")
    return by_key[near[0]]
