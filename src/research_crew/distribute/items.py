"""The questions of a batch: one JSON value a line.

A line is a text, or an object `{"question": …, "id": …, "budget": …}` of which only the question is needed. A question
without an id is known by a hash of its text, so that lines may be moved, added and taken away between two starts.
"""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from research_crew.core.errors import InvalidInput, UserError
from research_crew.core.money import to_decimal
from research_crew.crew import check_question

_FIELDS = ("question", "id", "budget")


@dataclass(frozen=True, slots=True)
class Item:
    """One question of a batch."""

    key: str
    question: str
    budget: Decimal | None = None
    """Its own limit; None for that of the batch."""
    line: int = 0


def read_items(path: Path) -> tuple[Item, ...]:
    """The questions of a file. Raises `InvalidInput`, naming the line, and `UserError` for a file that is not there."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise UserError(f"{path} cannot be read: {reason}; give a file with one JSON value a line") from None
    return parse_items(text.splitlines(), str(path))


def parse_items(lines: Iterable[str], name: str) -> tuple[Item, ...]:
    """The questions of lines; `name` is what errors call them. Empty lines are passed over."""
    items: list[Item] = []
    taken: dict[str, int] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        item = _item(line, f"{name}, line {number}", number)
        earlier = taken.setdefault(item.key, number)
        if earlier != number:
            raise InvalidInput(f"{name}, line {number}", item.key, f"line {earlier} has the same id or question; drop one")
        items.append(item)
    if not items:
        raise InvalidInput(name, "", "it holds no question; write one JSON value a line")
    return tuple(items)


def _item(line: str, where: str, number: int) -> Item:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        raise InvalidInput(where, line, 'write a JSON value, such as {"question": "..."}') from None
    if isinstance(value, str):
        value = {"question": value}
    if not isinstance(value, dict):
        raise InvalidInput(where, line, 'write {"question": "..."} or a text')
    unknown = [name for name in value if name not in _FIELDS]
    if unknown:
        raise InvalidInput(where, unknown[0], f"known fields are {', '.join(_FIELDS)}")
    try:
        question = check_question(value.get("question"))
    except InvalidInput as error:
        raise InvalidInput(f"{where}, question", error.value, error.way_out) from None
    key = value.get("id")
    if key is None:
        key = hashlib.sha256(question.encode()).hexdigest()[:16]
    elif isinstance(key, bool) or not isinstance(key, (str, int)) or not str(key).strip():
        raise InvalidInput(f"{where}, id", key, "use a text or a number")
    budget = value.get("budget")
    if isinstance(budget, float):
        budget = str(budget)
    amount = None if budget is None else to_decimal(budget, f"{where}, budget")
    if amount is not None and amount <= 0:
        raise InvalidInput(f"{where}, budget", budget, "give an amount of more than 0")
    return Item(str(key), question, amount, number)
