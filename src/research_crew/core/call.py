"""A paid call: what is bought, what came back, and how often it is tried."""

from dataclasses import dataclass
from decimal import Decimal
from random import Random

from research_crew.core.errors import InvalidInput
from research_crew.core.ledger import Basis, Outcome
from research_crew.core.money import NO_USAGE, Usage


@dataclass(frozen=True, slots=True)
class Call:
    """A call about to be bought."""

    step: str
    """Where it stands in its task, named before anything is awaited: `round-1/search-2`."""
    kind: str
    provider: str
    model: str
    request_hash: str
    worst: Decimal
    """The most it can cost: what is reserved."""
    tokens: int = 0
    """The most tokens it can use, for a limit on tokens."""

    def __post_init__(self) -> None:
        if not self.worst.is_finite() or self.worst < 0 or self.tokens < 0:
            raise InvalidInput(f"worst case of {self.step}", self.worst, "give a finite amount of 0 or more")


@dataclass(frozen=True, slots=True)
class Receipt:
    """What came back from one try, with its bill. Raises `ValueError` for a bill that is no amount."""

    value: object
    """The answer, as JSON values: the journal keeps it."""
    usage: Usage = NO_USAGE
    amount: Decimal = Decimal(0)
    basis: Basis = "measured"
    request_id: str | None = None
    outcome: Outcome = "ok"
    """`rejected` for an answer that cannot be used: it is paid for all the same."""
    note: str = ""
    reuses: str | None = None

    def __post_init__(self) -> None:
        if not self.amount.is_finite() or self.amount < 0:
            raise ValueError(f"a bill of {self.amount} is no amount")


@dataclass(frozen=True, slots=True)
class Retry:
    """How often and after which waits a retryable failure is tried again."""

    tries: int = 3
    waits: tuple[float, ...] = (2.0, 4.0)
    """Seconds before the second, third … try; the last one repeats. Jittered by up to a quarter."""
    longest: float = 60.0
    """A server that asks for a longer wait than this many seconds is not waited for."""

    def wait(self, failed: int, asked: float | None, rng: Random) -> float | None:
        """Seconds to wait after the try number `failed`; None when it is not worth it."""
        if failed >= self.tries:
            return None
        if asked is not None:
            return asked if asked <= self.longest else None
        base = self.waits[min(failed, len(self.waits)) - 1] if self.waits else 0.0
        return base * (1 + 0.25 * rng.random())
