"""The scripted world drawn by the million: the same chances as the runs, without graph, runner and ledger.

Every recall, invention, verdict and failed attempt of every crew is drawn on its own, as one byte: a chance p is 256 p
bytes out of 256, and where 256 p is no whole number the one byte value in between is decided by a second, finer draw, so
that nothing is rounded. Crews are drawn in blocks that fit into the cache. Needs numpy (the extra `sim`).
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, Any

from research_crew.agents.scripted.world import World
from research_crew.core.errors import InvalidInput, MissingExtra
from research_crew.measure.exact import exact_solo, needed_of
from research_crew.measure.moments import Mean, Moments

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Counts = NDArray[np.uint16]
    Bits = NDArray[np.bool_]

BLOCK_BYTES = 1 << 18
"""About so many bytes are drawn at once for each of the two kinds of claims."""


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """What many runs of one arm came to, a number for each."""

    found: "Counts"
    bogus: "Counts"
    cost: "Floats"
    fails: "Counts"

    def __len__(self) -> int:
        return len(self.found)

    @property
    def moments(self) -> Moments:
        """The means with their standard errors, as of rows of runs."""
        found, bogus = self.found.astype(float), self.bogus.astype(float)
        said = found + bogus
        told = said > 0
        ratio = float(found.mean() / self.cost.mean()) if self.cost.any() else 0.0
        residual = _mean(found - ratio * self.cost).error / float(self.cost.mean()) if self.cost.any() else 0.0
        return Moments(
            _mean(found), _mean(bogus), _mean(found[told] / said[told]), _mean(self.cost),
            _mean(self.fails.astype(float)), Mean(ratio, residual, len(self)),
        )  # fmt: skip


def sample_crews(world: World, count: int, n: int = 4, needs: str | int = "all", seed: int = 0) -> Drawn:
    """Draw `count` crews of n researchers. Raises `MissingExtra` without numpy."""
    k = needed_of(needs, n)
    if n < 1:
        raise InvalidInput("-n", n, "use at least 1 researcher")
    return _in_blocks(lambda chance, size: _crews(chance, world, n, k, size), count, n * world.n_facts, seed)


def sample_solo(world: World, count: int, seed: int = 0) -> Drawn:
    """Draw `count` agents alone."""

    def block(chance: "_Chance", size: int) -> "tuple[Any, ...]":
        ok, tries = chance.attempts(world.failure_rate, (size,))
        found = chance.of(world.recall, (world.n_facts, size)).sum(0, dtype=chance.np.uint16)
        bogus = chance.of(world.hallucination_rate, (world.n_facts, size)).sum(0, dtype=chance.np.uint16)
        return found * ok, bogus * ok, world.prices.solo * tries, ~ok

    return _in_blocks(block, count, world.n_facts, seed)


def sample_union_equal(world: World, bills: "Floats", seed: int = 0) -> Drawn:
    """As many agents as each bill pays on average, up or down by a coin, merged."""
    np = _numpy()
    chance = _Chance(seed)
    each, size, facts = exact_solo(world).cost, len(bills), world.n_facts
    share = bills / each
    agents = np.floor(share).astype(int) + (chance.rng.random(size) < share % 1)
    seen = np.zeros((facts, size), bool)
    bogus, fails = np.zeros(size, np.uint16), np.zeros(size, np.uint16)
    cost = np.zeros(size)
    for i in range(int(agents.max(initial=0))):
        here = agents > i
        ok, tries = chance.attempts(world.failure_rate, (size,))
        cost += here * tries * world.prices.solo
        fails += here & ~ok
        seen |= chance.of(world.recall, (facts, size)) & (here & ok)
        bogus += chance.of(world.hallucination_rate, (facts, size)).sum(0, dtype=np.uint16) * (here & ok)
    return Drawn(seen.sum(0, dtype=np.uint16), bogus, cost, fails)


def sample_solo_equal(world: World, bills: "Floats", repeats: bool = True, seed: int = 0) -> Drawn:
    """One agent that goes on until what is left of each bill pays no further pass; see `exact_solo_equal`."""
    np = _numpy()
    chance = _Chance(seed)
    size, facts, price = len(bills), world.n_facts, float(world.prices.solo)
    seen, invented = np.zeros((facts, size), bool), np.zeros((facts, size), np.uint16)
    fails, cost, left = np.zeros(size, np.uint16), np.zeros(size), bills.astype(float)
    while (here := left >= price - 1e-9).any():
        fine, second, again = here & ~chance.of(world.failure_rate, (size,)), left >= 2 * price - 1e-9, here
        again = here & ~fine & second
        ok = fine | (again & ~chance.of(world.failure_rate, (size,)))
        paid = here * price + again * price
        cost, left = cost + paid, np.where(here, left - paid, 0.0)  # who has stopped once does not go on
        fails += here & ~ok
        seen |= chance.of(world.recall, (facts, size)) & ok
        more = (chance.of(world.hallucination_rate, (facts, size)) & ok).astype(np.uint16)
        invented = np.maximum(invented, more) if repeats else invented + more
        price = float(world.prices.further)
    return Drawn(seen.sum(0, dtype=np.uint16), invented.sum(0, dtype=np.uint16), cost, fails)


def _crews(chance: "_Chance", world: World, n: int, k: int, size: int) -> "tuple[Any, ...]":
    np, facts, fails, price = chance.np, world.n_facts, world.failure_rate, world.prices
    reported = chance.of(world.recall, (n, facts, size))
    invented = chance.of(world.hallucination_rate, (n, facts, size))
    if world.catches:
        invented &= ~chance.of(world.catches, (n, facts, size))
    lost = chance.of(world.loses, (facts, size))
    if not fails:
        found = (np.logical_or.reduce(reported, axis=0) & ~lost).sum(0, dtype=np.uint16)
        bogus = invented.reshape(n * facts, size).sum(0, dtype=np.uint16)
        cost = np.full(size, price.plan + n * price.research + price.critique + price.edit, float)
        return found, bogus, cost, np.zeros(size, np.uint16)
    planned, plan_tries = chance.attempts(fails, (size,))
    ok, research_tries = chance.attempts(fails, (n, size))
    survivors = ok.sum(0, dtype=np.uint16)
    enough = planned & (survivors >= k)
    criticised, critique_tries = chance.attempts(fails, (size,))
    edited, edit_tries = chance.attempts(fails, (size,))
    to_edit = enough & criticised
    written = to_edit & edited
    found = (np.logical_or.reduce(reported & ok[:, None], axis=0) & ~lost).sum(0, dtype=np.uint16) * written
    bogus = (invented & ok[:, None]).reshape(n * facts, size).sum(0, dtype=np.uint16) * written
    cost = price.plan * plan_tries + planned * (price.research * research_tries.sum(0))
    cost = cost + enough * (price.critique * critique_tries) + to_edit * (price.edit * edit_tries)
    broken = np.where(planned, n - survivors + (~enough * 2) + (enough & ~criticised) * 2 + (to_edit & ~edited), n + 3)
    return found, bogus, cost, broken


class _Chance:
    """Draws yes or no, many at a time."""

    def __init__(self, seed: int) -> None:
        self.np = _numpy()
        self.rng = self.np.random.Generator(self.np.random.SFC64(seed))

    def of(self, p: float, shape: tuple[int, ...]) -> "Bits":
        """Independent draws that are true with probability p."""
        np = self.np
        if p <= 0 or p >= 1:
            certain: Bits = np.full(shape, p >= 1)
            return certain
        size = 1
        for length in shape:
            size *= length
        whole = int(p * 256)
        rest = p * 256 - whole
        words = self.rng.bit_generator.random_raw((size + 7) // 8)
        drawn = words.view(np.uint8)[:size]
        hit: Bits = drawn < whole
        if rest:
            between = np.flatnonzero(drawn == whole)
            hit[between] = self.rng.random(len(between)) < rest
        shaped: Bits = hit.reshape(shape)
        return shaped

    def attempts(self, fails: float, shape: tuple[int, ...]) -> "tuple[Bits, Any]":
        """Whether tasks succeed within two attempts, and how many attempts they take."""
        first, second = self.of(fails, shape), self.of(fails, shape)
        return ~(first & second), 1 + first.astype(self.np.uint8)


def _in_blocks(draw: "Callable[[_Chance, int], tuple[Any, ...]]", count: int, width: int, seed: int) -> Drawn:
    """Draw in blocks of a size that depends on the width only, so that a seed gives the same runs every time."""
    if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= 1_000_000_000:
        raise InvalidInput("count", count, "use a whole number from 1 to 1000000000")
    if width >= 1 << 16:
        raise InvalidInput("claims a crew", width, "sample draws at most 65535 facts x researchers; use exact")
    np, chance = _numpy(), _Chance(seed)
    block = max(64, BLOCK_BYTES // width // 64 * 64)
    found, bogus, fails = (np.empty(count, np.uint16) for _ in range(3))
    cost = np.empty(count)
    for start in range(0, count, block):
        here = slice(start, min(start + block, count))
        parts = draw(chance, here.stop - here.start)
        found[here], bogus[here], cost[here], fails[here] = parts
    return Drawn(found, bogus, cost, fails)


def _mean(values: "Floats") -> Mean:
    n = len(values)
    if n == 0:
        return Mean(0.0, 0.0, 0)
    return Mean(float(values.mean()), float(values.std(ddof=1)) / sqrt(n) if n > 1 else 0.0, n)


def _numpy() -> Any:
    try:
        import numpy
    except ImportError:
        raise MissingExtra("numpy", "sim") from None
    return numpy
