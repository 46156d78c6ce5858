"""The score of an answer: set operations against known facts, nothing judged."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Score:
    """What an answer came to."""

    found: int
    """Distinct true facts in it."""
    bogus: int
    """Distinct claims in it that are not true."""
    precision: float | None
    """found / (found + bogus); None for an answer with nothing in it."""


def score(claims: Iterable[object], facts: Iterable[object]) -> Score:
    """Count the distinct claims that are among the facts, and those that are not."""
    said, true = frozenset(claims), frozenset(facts)
    found, bogus = len(said & true), len(said - true)
    return Score(found, bogus, found / (found + bogus) if said else None)
