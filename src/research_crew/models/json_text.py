"""JSON as models write it: what is meant is read, what was wrong is noted.

Read beside RFC 8259: trailing and missing commas, comments, single and typographic quotes, bare keys and words, Python's
`True`, `False`, `None` and tuples, invalid escapes, raw line breaks and unescaped quotes inside strings, closing
brackets that are missing or wrong, and text that stops in the middle. Time is linear in the text; nesting is capped.
"""

import json
import re
from dataclasses import dataclass
from typing import Any

_DEEPEST = 60
_SPACE = re.compile(r"(?:[\s\ufeff\u200b\u200c\u200d\u2060]+|//[^\n]*|/\*.*?(?:\*/|\Z)|(?<=\n)#[^\n]*)+", re.S)
_NUMBER = re.compile(r"[+-]?(?:0[xX][0-9a-fA-F]+|\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)")
_BARE_KEY = re.compile(r"[^\s:=,{}\[\]\"']{1,80}")
_BARE_WORD = re.compile(r"[^,\]})\n\"]{1,400}")
_NEXT_KEY = re.compile(
    r"""\s*(?:["'“][^"'”\n]{0,80}(?:["'”]\s*(?:[:=]|$)|$)|[A-Za-z_]\w{0,60}\s*(?:[:=]|$)|[}\],…]|\.\.\.|//|/\*|$)"""
)
_QUOTED_KEY = re.compile(r"""["'“][^"'”\n]{0,80}["'”]\s*[:=]""")
_NEXT_ITEM = re.compile(r"""\s*(?:["'“\[{}\]\d,…-]|\.\.\.|//|/\*|(?:true|false|null|None|True|False)\b|$)""")
_WORDS: dict[str, Any] = {
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False, "null": None,
    "None": None, "NULL": None, "undefined": None, "nil": None, "NaN": None, "nan": None, "Infinity": None, "inf": None,
}  # fmt: skip
_CLOSING = {'"': '"', "'": "'", "“": "”", "”": "”", "„": "“", "«": "»", "`": "`"}
_CLOSER = {"{": "}", "[": "]", "(": ")"}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", '"': '"', "\\": "\\", "/": "/", "'": "'", "\n": ""}


@dataclass(frozen=True, slots=True)
class Read:
    """A value found in a text."""

    value: Any
    end: int
    """Where the text goes on, in code points."""
    cut: bool = False
    """The text stopped before the value was whole; what stood there is kept, a number or word cut in two is not."""
    notes: tuple[str, ...] = ()
    """What was wrong."""


class NotJson(ValueError):
    """There is no value at this place; the message says why."""


def read_json(text: str, start: int = 0) -> Read:
    """The value that begins at `start`; raises `NotJson`. Strict JSON is read as it is, without notes; what is no
    number (`NaN`, `Infinity`) is None."""
    try:
        value, end = STRICT.raw_decode(text, start)
    except (ValueError, RecursionError):
        pass
    else:
        rest = _SPACE.match(text, end)
        if isinstance(value, (dict, list)) or (rest.end() if rest else end) == len(text):
            return Read(value, end)
    reader = _Reader(text, start)
    reader.skip()
    value = reader.value(0, "")
    if value is _NOTHING:
        raise NotJson("no value begins here")
    return Read(value, reader.at, reader.cut, tuple(sorted(reader.notes)))


STRICT = json.JSONDecoder(parse_constant=lambda _: None)
_NOTHING: Any = object()


class _Reader:
    __slots__ = ("at", "cut", "notes", "open", "text")

    def __init__(self, text: str, at: int) -> None:
        self.text, self.at, self.cut = text, at, False
        self.notes: set[str] = set()
        self.open: list[str] = []

    def skip(self) -> None:
        found = _SPACE.match(self.text, self.at)
        if found:
            self.at = found.end()

    def peek(self) -> str:
        return self.text[self.at] if self.at < len(self.text) else ""

    def value(self, depth: int, where: str) -> Any:
        """The next value; `_NOTHING` when there is none. `where` is `item`, `member` or empty at the top."""
        if depth > _DEEPEST:
            raise NotJson(f"nested more than {_DEEPEST} deep")
        sign = self.peek()
        if sign == "{":
            return self.object(depth)
        if sign in ("[", "(") and sign:
            return self.array(depth, _CLOSER[sign])
        if sign in _CLOSING:
            return self.string(where)
        if sign and (sign.isdigit() or sign in "+-."):
            return self.number()
        return self.word()

    def object(self, depth: int) -> Any:
        found: dict[str, Any] = {}
        self.at += 1
        self.open.append("}")
        while True:
            self.skip()
            sign = self.peek()
            if not sign:
                self.cut = True
                break
            if sign in ",;":
                self.at += 1
            elif sign in "}])":
                if self.close(sign):
                    break
            elif self.text.startswith(("...", "…"), self.at):
                self.at += 1 if sign == "…" else 3
                self.notes.add("an ellipsis was left out")
            else:
                key = self.key()
                if key is None:
                    break
                value = self.member(depth)
                if value is not _NOTHING:
                    found[key] = value
        self.open.pop()
        return found

    def key(self) -> str | None:
        """A key with its colon; None at the end of the text. Raises `NotJson` for something that is no key."""
        if self.peek() in _CLOSING:
            key = self.string("key")
        else:
            bare = _BARE_KEY.match(self.text, self.at)
            if not bare:
                raise NotJson(f"a key was expected at {self.text[self.at : self.at + 20]!r}")
            key, self.at = bare[0], bare.end()
            self.notes.add("keys without quotes")
        self.skip()
        sign = self.peek()
        if not sign:
            self.cut = True
            return None
        if sign not in ":=":
            raise NotJson(f"no colon after {key[:20]!r}")
        self.at += 2 if self.text.startswith("=>", self.at) else 1
        self.skip()
        return str(key)

    def member(self, depth: int) -> Any:
        sign = self.peek()
        if not sign:
            self.cut = True
            return _NOTHING
        if sign in ",}":
            self.notes.add("a value was missing")
            return None
        return self.value(depth + 1, "member")

    def array(self, depth: int, closer: str) -> Any:
        items: list[Any] = []
        self.at += 1
        self.open.append(closer)
        while True:
            self.skip()
            sign = self.peek()
            if not sign:
                self.cut = True
                break
            if sign in ",;":
                self.at += 1
            elif sign in "}])":
                if self.close(sign):
                    break
            elif self.text.startswith(("...", "…"), self.at):
                self.at += 1 if sign == "…" else 3
                self.notes.add("an ellipsis was left out")
            else:
                before = self.at
                item = self.value(depth + 1, "item")
                if item is not _NOTHING:
                    items.append(item)
                if self.at == before:
                    self.at += 1
        self.open.pop()
        return items

    def close(self, sign: str) -> bool:
        """Whether a closing bracket ends what is open here; a wrong one is forgiven."""
        if sign == self.open[-1]:
            self.at += 1
            return True
        if sign in self.open[:-1]:
            self.notes.add(f"{self.open[-1]!r} was missing")
            return True
        self.at += 1
        self.notes.add(f"{sign!r} too many")
        return False

    def string(self, where: str) -> str:
        opener = self.peek()
        closer = _CLOSING[opener]
        if opener != '"':
            self.notes.add("quotes other than double ones")
        self.at += 1
        parts: list[str] = []
        plain = self.at
        text, size = self.text, len(self.text)
        while self.at < size:
            sign = text[self.at]
            if sign == "\\":
                parts.append(text[plain : self.at])
                parts.append(self.escape())
                plain = self.at
            elif sign == closer or (sign == opener and opener in '"“”'):
                if self.closes(where):
                    parts.append(text[plain : self.at])
                    self.at += 1
                    return "".join(parts)
                self.notes.add("quotes inside a string")
                self.at += 1
            else:
                if sign == "\n":
                    self.notes.add("line breaks inside a string")
                self.at += 1
        self.cut = True
        parts.append(text[plain:])
        return "".join(parts)

    def closes(self, where: str) -> bool:
        """Whether the quote at this place ends the string: decided by what follows."""
        found = _SPACE.match(self.text, self.at + 1)
        after = found.end() if found else self.at + 1
        if after >= len(self.text):
            return True
        sign = self.text[after]
        if where == "key":
            return sign in ":="
        if sign in "}])":
            return True
        if sign == ",":
            follows = _NEXT_KEY if where == "member" else _NEXT_ITEM
            return not where or follows.match(self.text, after + 1) is not None
        if sign in _CLOSING:
            # The comma was forgotten: between two lines, two items, or before what looks like a key.
            return after > self.at + 1 and (where != "member" or _QUOTED_KEY.match(self.text, after) is not None)
        return not where or (where == "member" and sign not in ":=" and _NEXT_KEY.match(self.text, after) is not None)

    def escape(self) -> str:
        """What a backslash and what follows it stand for; an invalid escape stands for itself."""
        text, at = self.text, self.at
        sign = text[at + 1 : at + 2]
        if sign == "u":
            unit = self.hexadecimal(at + 2)
            if unit is not None:
                self.at += 6
                if 0xD800 <= unit < 0xDC00 and text.startswith("\\u", self.at):
                    low = self.hexadecimal(self.at + 2)
                    if low is not None and 0xDC00 <= low < 0xE000:
                        self.at += 6
                        return chr(0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00))
                return "\ufffd" if 0xD800 <= unit < 0xE000 else chr(unit)
        self.at += 2
        if sign in _ESCAPES and sign:
            return _ESCAPES[sign]
        if not sign:
            self.at = len(text)
            return ""
        self.notes.add("invalid escapes")
        return "\\" + sign

    def hexadecimal(self, at: int) -> int | None:
        digits = self.text[at : at + 4]
        return int(digits, 16) if re.fullmatch(r"[0-9a-fA-F]{4}", digits) else None

    def number(self) -> Any:
        found = _NUMBER.match(self.text, self.at)
        if not found or (found.end() < len(self.text) and self.text[found.end()] not in ",]}) \t\r\n;/"):
            return self.word()
        rest = _BARE_WORD.match(self.text, found.end())
        if rest and rest[0].strip() and self.open and not rest[0].lstrip().startswith(("/", "#", ";", '"')):
            return self.word()  # `3 to 5`, `12 %`
        self.at = found.end()
        if self.at == len(self.text) and self.open:
            self.cut = True
            return _NOTHING  # the number may go on
        digits = found[0]
        if digits[:2].lower() == "0x" or digits[1:3].lower() == "0x":
            return int(digits, 16)
        if digits.lstrip("+-").isdigit():
            return int(digits) if len(digits) <= 4_000 else digits
        value = float(digits)
        return value if value - value == 0 else None  # not infinite

    def word(self) -> Any:
        """A literal, or bare words as a string."""
        found = _BARE_WORD.match(self.text, self.at)
        if not found:
            return _NOTHING
        said = found[0].strip()
        if found.end() == len(self.text) and self.open:
            self.at, self.cut = found.end(), True
            whole = [word for word in ("true", "false", "null") if word.startswith(said) and len(said) > 1]
            return _WORDS[whole[0]] if whole else _NOTHING
        if not said:
            return _NOTHING
        self.at = found.end()
        if said in _WORDS:
            if said not in ("true", "false", "null"):
                self.notes.add("literals of another language")
            return _WORDS[said]
        if not self.open:
            return _NOTHING
        self.notes.add("a string without quotes")
        return said
