"""The answers of small models: few fields, no nesting beyond one list, every text and list short."""

from dataclasses import dataclass, field

MOST_CHARACTERS = 160
"""Of a fact: a longer one is cut by the grammar, in the middle of a word."""


@dataclass(frozen=True)
class PartAnswer:
    """One part of a question."""

    ask: str = field(metadata={"characters": 140})
    query: str = field(default="", metadata={"characters": 60})


@dataclass(frozen=True)
class PartsAnswer:
    """A plan."""

    parts: list[PartAnswer] = field(default_factory=list, metadata={"most": 3})


@dataclass(frozen=True)
class FactAnswer:
    """One noted fact."""

    source: int = field(metadata={"low": 1})
    fact: str = field(metadata={"characters": MOST_CHARACTERS})


@dataclass(frozen=True)
class FactsAnswer:
    """What a round brought."""

    facts: list[FactAnswer] = field(default_factory=list, metadata={"most": 3})


@dataclass(frozen=True)
class GradesAnswer:
    """The critic's doubts, one for each fact in their order: a small model takes labels for words to be spelled."""

    doubts: list[int] = field(default_factory=list, metadata={"most": 40, "low": 0, "high": 10})


@dataclass(frozen=True)
class BackingAnswer:
    """The numbers of the facts behind each sentence of an answer, in the order of the sentences."""

    facts: list[list[int]] = field(default_factory=list, metadata={"most": 3})
