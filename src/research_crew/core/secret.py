"""A key that does not print: no log, error text, trace or stored run shows it."""

import re
from typing import Any


class Secret:
    """A key. Prints as `***`; `reveal()` where it is sent, nowhere else."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """The key itself."""
        return self._value

    def __repr__(self) -> str:
        return "***"

    __str__ = __repr__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and self._value == other._value

    def __hash__(self) -> int:
        return hash(self._value)

    def __bool__(self) -> bool:
        return bool(self._value)


def without_passwords(value: Any) -> Any:
    """A setting as it may be shown or stored: the password of an address is left out."""
    if not isinstance(value, str) or "@" not in value:
        return value
    return re.sub(r"(://[^/@:\s]*):[^/@\s]*@", r"\1:***@", value)
