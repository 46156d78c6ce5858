"""Reading hostile replies: the JSON that is meant, wherever it stands and however it is broken.

The order: reasoning is taken out; content blocks are joined; what parses as it is, is taken; otherwise every fenced
block and every place in the prose where a value begins is a candidate, and the one that has most of the expected
names, is least broken and says most is taken. What had to be forgiven is noted. What cannot be read raises
`Unreadable`, whose complaint is a sentence for the repair request.
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from research_crew.models.json_text import STRICT, NotJson, Read, read_json
from research_crew.models.protocol import Finish, ModelReply
from research_crew.models.repetition import without_repetition
from research_crew.models.unwrap import fenced_blocks, is_blocks, text_of, without_outer_fence, without_reasoning

_LONGEST = 400_000
_MOST_PLACES = 40
_WRAPPERS = (
    "arguments",
    "parameters",
    "answer",
    "result",
    "output",
    "response",
    "data",
    "json",
    "properties",
    "input",
    "final",
)


class Unreadable(Exception):
    """An answer that cannot be used. `complaint` says why, to the model as well as to the reader of the ledger."""

    def __init__(self, complaint: str) -> None:
        self.complaint = complaint
        super().__init__(complaint)


@dataclass(frozen=True, slots=True)
class Parsed:
    """A JSON value that an answer meant."""

    value: Any
    notes: tuple[str, ...] = ()
    """What was wrong with it, or odd."""
    cut: bool = False
    """The answer stopped before its end: the value holds what came."""
    prose: str = ""
    """What stood around it."""


def answer_text(reply: ModelReply) -> str:
    """What a reply says to a reader: without reasoning, tags, an outer fence, or an endless repetition."""
    text, _ = without_reasoning(reply.text)
    text = text.strip()
    if text.startswith(("[", "{")):
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            value = None
        if is_blocks(value):
            text, _ = without_reasoning(text_of(value))
    return without_repetition(without_outer_fence(text).strip())


def answer_json(reply: ModelReply, names: Iterable[str] = ()) -> Parsed:
    """The JSON value of a reply; `names` are the keys that the object should have (the schema's properties).

    Raises `Unreadable`.
    """
    expected = tuple(names)
    if reply.data is not None:
        return Parsed(_unwrapped(reply.data, expected), cut=reply.finish == "length")
    if reply.finish == "content_filter" and reply.empty:
        raise Unreadable("the answer was withheld by a content filter")
    return json_in(reply.text, expected, reply.finish)


def json_in(text: str, names: Iterable[str] = (), finish: Finish = "stop") -> Parsed:
    """The JSON value that a text means. Raises `Unreadable`."""
    expected = tuple(names)
    said, reasoning = without_reasoning(text[:_LONGEST])
    notes = ["reasoning in the text"] if reasoning else []
    said = said.strip().lstrip("\ufeff")
    if not said:
        if reasoning and finish == "length":
            raise Unreadable("the answer was cut off while it was still reasoning; answer at once, and briefly")
        raise Unreadable("the answer was empty" + (" after the reasoning" if reasoning else ""))
    found, prose = _best(said, expected)
    if found is None:
        if finish == "length":
            raise Unreadable("the answer was cut off at its limit before it held any JSON; answer more briefly")
        raise Unreadable("the answer holds no JSON")
    value = found.value
    for _ in range(2):
        if is_blocks(value) or isinstance(value, str):
            inner, hidden = without_reasoning(text_of(value))
            again, prose = _best(inner.strip(), expected)
            if again is None:
                break
            notes.append("content in blocks" if is_blocks(value) else "JSON in a string")
            notes += ["reasoning in the text"] if hidden else []
            found = replace(again, notes=(*found.notes, *again.notes))
            value = found.value
    if not isinstance(value, (dict, list)):
        raise Unreadable(f"the answer is {_kind(value)}, not JSON with an object or a list")
    if prose:
        notes.append("prose around the JSON")
    cut = found.cut or finish in ("length", "repetition")
    if found.cut:
        notes.append("cut off at its limit" if finish == "length" else "it stops in the middle")
    return Parsed(_unwrapped(value, expected), tuple(dict.fromkeys((*notes, *found.notes))), cut, prose)


def split_decision(text: str, names: Iterable[str]) -> tuple[str, Parsed | None]:
    """A report and the JSON object at its end that has one of `names`; the object and its fence are taken out.

    Without such an object: the text as it is, and None. One that is cut or broken is taken out and read as far as it
    goes: it never stays in the report.
    """
    expected = tuple(names)
    quoted = "|".join(re.escape(name) for name in expected)
    keys = list(re.finditer(rf"[\"'“]?\b(?:{quoted})\b[\"'”]?\s{{0,8}}[:=]", text))
    for key in reversed(keys):
        start = text.rfind("{", 0, key.start())
        if start < 0 or "}" in text[start : key.start()] or key.start() - start > 4_000:
            continue
        first = next((k for k in keys if start < k.start() and text.rfind("{", 0, k.start()) == start), key)
        between = text[start + 1 : first.start()]
        if between.strip() and not re.search(r"[\"'\]\d}\w],?\s*$|^\s*$", between):
            continue
        try:
            found = read_json(text, start)
            end, parsed = found.end, Parsed(found.value, found.notes, found.cut)
        except NotJson as error:
            end, parsed = _block_end(text, start), Parsed({}, (f"the decision cannot be read: {error}",), True)
        head, tail = text[:start], text[end:]
        head = re.sub(r"\n?[ \t]{0,8}(?:```|~~~)[\w+-]{0,20}[ \t]{0,8}\n?[ \t]{0,8}\Z", "\n", head)
        tail = re.sub(r"\A\s{0,8}(?:```|~~~)[ \t]{0,8}", "", tail)
        return f"{head.rstrip()}\n\n{tail.strip()}".strip(), parsed
    return text, None


def _block_end(text: str, start: int) -> int:
    """Where a block that cannot be read ends: its fence, its last bracket, or the end of the text."""
    fence = text.find("\n```", start)
    if fence >= 0:
        return fence
    bracket = text.rfind("}", start)
    return len(text) if bracket < 0 else bracket + 1


def _best(said: str, expected: tuple[str, ...]) -> tuple[Read | None, str]:
    """The best candidate in a text, and the prose around it."""
    try:
        return Read(STRICT.decode(said), len(said)), ""
    except (ValueError, RecursionError):
        pass
    found: list[tuple[tuple[int, int, int, int], Read, str]] = []
    for body in fenced_blocks(said):
        read = _read(body.strip(), 0)
        if read is not None:
            prose = " ".join(said.replace(body, " ").replace("```json", " ").replace("```", " ").split())
            found.append((_score(read, expected), read, prose))
    place, tried = _begin(said, 0), 0
    while place >= 0 and tried < _MOST_PLACES:
        tried += 1
        read = _read(said, place)
        if read is None:
            place = _begin(said, place + 1)
            continue
        prose = " ".join((said[:place] + " " + said[read.end :]).replace("```json", " ").replace("```", " ").split())
        found.append((_score(read, expected), read, prose))
        place = _begin(said, place + 1 if read.cut else read.end)
    if not found:
        return None, ""
    best = max(range(len(found)), key=lambda n: (found[n][0], n))
    score, read, prose = found[best]
    return (None, "") if score[0] < 0 else (read, prose)


def _begin(text: str, at: int) -> int:
    """The next place where an object or a list may begin."""
    places = [place for place in (text.find("{", at), text.find("[", at)) if place >= 0]
    return min(places) if places else -1


def _read(text: str, at: int) -> Read | None:
    try:
        read = read_json(text, at)
    except NotJson:
        return None
    return read if isinstance(read.value, (dict, list, str)) and read.value else None


def _score(read: Read, expected: tuple[str, ...]) -> tuple[int, int, int, int]:
    """Expected names, whole or cut, what was forgiven, and how much it says. Footnotes such as `[1]` score below 0."""
    value = read.value
    if isinstance(value, list) and all(isinstance(item, (int, float, str)) and len(str(item)) < 4 for item in value):
        return -1, 0, 0, 0
    if isinstance(value, str):
        return (-1, 0, 0, 0) if not value.strip().startswith(("{", "[")) else (0, 0, 0, len(value))
    has = max((_has(part, expected) for part in _objects(value)), default=0)
    return has, -int(read.cut), -len(read.notes), len(json.dumps(value, default=str))


def _has(value: Mapping[str, Any], expected: tuple[str, ...]) -> int:
    keys = {plain_key(key) for key in value}
    return sum(plain_key(name) in keys for name in expected)


def _objects(value: Any) -> list[dict[str, Any]]:
    """A value's object and those directly in it."""
    if isinstance(value, list):
        return [part for part in value if isinstance(part, dict)][:20]
    inner = [part for part in value.values() if isinstance(part, dict)]
    return [value, *inner] if isinstance(value, dict) else []


def _unwrapped(value: Any, expected: tuple[str, ...]) -> Any:
    """The object that has the expected names, when it stands in another one (`{"answer": {…}}`, a tool call as text,
    a schema that is filled in)."""
    for _ in range(3):
        if isinstance(value, list) and expected:
            objects = [part for part in value if isinstance(part, dict)]
            value = objects[0] if len(objects) == 1 and _has(objects[0], expected) else value
        if not isinstance(value, dict) or not expected or _has(value, expected):
            return value
        inner = [value[name] for name in _WRAPPERS if isinstance(value.get(name), (dict, list, str))]
        if len(value) == 1:
            inner += [part for part in value.values() if isinstance(part, dict)]
        for part in inner:
            if isinstance(part, str):
                try:
                    part = json.loads(part)
                except (ValueError, RecursionError):
                    continue
            if isinstance(part, list) or (isinstance(part, dict) and (_has(part, expected) or any(
                isinstance(deeper, dict) for deeper in part.values()
            ))):  # fmt: skip
                value = part
                break
        else:
            return value
    return value


def plain_key(key: object) -> str:
    """A key without what people write differently: `searchQueries`, `search-queries`, `Search Queries`."""
    return re.sub(r"[^0-9a-z\u00c0-\uffff]", "", str(key).lower())


def _kind(value: Any) -> str:
    names = {str: "a text", bool: "true or false", int: "a number", float: "a number", type(None): "null"}
    return names.get(type(value), "something else")
