"""Chance that depends on names only: one number per (seed, who, attempt, what), whoever asks first.

A counter-based generator instead of a stream: adding a researcher never changes another's draws or the critic's verdict
on an old claim, and the order of execution changes nothing. Each draw mixes a 64-bit key with the finaliser of
SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, OOPSLA 2014).
"""

from hashlib import blake2b
from math import ceil

_MASK = 0xFFFFFFFFFFFFFFFF
_GOLDEN = 0x9E3779B97F4A7C15
_UNIT = 1.0 / (1 << 53)


def key(*names: object) -> int:
    """A 64-bit key for a sequence of names."""
    return int.from_bytes(blake2b("\x1f".join(map(str, names)).encode(), digest_size=8).digest(), "big")


def draw(base: int, index: int) -> float:
    """The number in [0, 1) that stands at `index` of the sequence of a key (SplitMix64)."""
    z = (base + (index + 1) * _GOLDEN) & _MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return ((z ^ (z >> 31)) >> 11) * _UNIT


def below(base: int, first: int, count: int, chance: float) -> list[int]:
    """Which of `count` numbers of the sequence, from index `first` on, lie below `chance`: `draw` in one loop."""
    limit = ceil(chance * (1 << 53))
    z = (base + first * _GOLDEN) & _MASK
    found = []
    for place in range(count):
        z = (z + _GOLDEN) & _MASK
        x = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & _MASK
        if (x ^ (x >> 31)) >> 11 < limit:
            found.append(place)
    return found
