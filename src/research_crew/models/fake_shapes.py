"""What the fake provider is asked and says, whatever the vendor, and what a vendor's way of writing consists of."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from research_crew.core.money import Usage

Json = dict[str, Any]


def tokens(text: str) -> int:
    """Tokens of a text, as this server counts them: one for every four bytes, begun ones included."""
    return -(-len(text.encode("utf-8", "surrogatepass")) // 4)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a request asked, whatever the shape."""

    shape: str
    model: str
    system: str
    prompt: str
    """The last turn of the user."""
    n: int
    """1, 2, 3 … in the order of arrival."""
    turns: tuple[tuple[str, str], ...] = ()
    schema: Mapping[str, Any] | None = None
    """The JSON schema asked for, natively or as a tool."""
    by_tool: bool = False
    max_tokens: int = 1_000_000
    temperature: float | None = None
    stream: bool = False
    body: Mapping[str, Any] | None = None
    key: str = ""
    step: str = ""

    @property
    def tokens(self) -> int:
        """Prompt tokens as this server counts them."""
        schema = json.dumps(self.schema) if self.schema else ""
        return tokens(self.system + "".join(text for _, text in self.turns) + schema) + 4 * len(self.turns)


@dataclass(frozen=True, slots=True)
class Said:
    """What the script answers: text, or `data` for a request that asks for JSON."""

    text: str = ""
    data: Any = None
    reasoning: str = ""
    finish: str = "stop"

    @property
    def spoken(self) -> str:
        """The answer as text."""
        return self.text if self.data is None else json.dumps(self.data, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Shape:
    """One vendor's way of writing."""

    name: str
    base: str
    """What follows the server's root in the base URL that a client is given."""
    path: str
    listing: str
    id_header: str
    read: Callable[[Json, int, Mapping[str, str], Mapping[str, str]], Asked]
    reply: Callable[[Asked, Said, Usage | None, Decimal], Json]
    events: Callable[[Asked, Said, Usage | None], Iterator[bytes]]
    error: Callable[[int, str, str], Json]
    models: Callable[[Sequence[str]], Json]

    def error_event(self, message: str) -> bytes:
        """An error in the middle of a stream."""
        name = "event: error\n" if self.name == "anthropic" else ""
        return (name + f"data: {json.dumps(self.error(500, message, 'server_error'))}\n\n").encode()


def plain(content: Any) -> str:
    """The text of a message, a string or blocks."""
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return str(content or "")


def pieces(text: str) -> list[str]:
    """A text in about eight pieces, as a stream brings it."""
    size = max(1, len(text) // 8) if len(text) < 100_000 else 4_000
    return [text[i : i + size] for i in range(0, len(text), size)]


def event(data: Json, name: str = "") -> bytes:
    """One server-sent event."""
    return ((f"event: {name}\n" if name else "") + f"data: {json.dumps(data)}\n\n").encode()
