"""What the tests of the models share: a run's account and meter, and the models of every vendor on a fake server."""

from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from research_crew.core.account import Account
from research_crew.core.budget import Budget
from research_crew.core.call import Retry
from research_crew.core.journal import Journal, MemoryJournal
from research_crew.core.ledger import Ledger, LedgerEntry
from research_crew.core.meter import Meter, TaskMeter
from research_crew.core.money import USD, Price
from research_crew.core.secret import Secret
from research_crew.models.fake_server import FakeServer
from research_crew.models.library import LibraryModel
from research_crew.models.metered import Asker
from research_crew.models.protocol import ChatModel
from research_crew.models.swarms import SwarmsModel
from research_crew.models.vendors import VENDORS
from research_crew.models.wire import Wire

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
KEY = Secret("sk-test-0123456789abcdef")
PRICE = Price(
    USD, Decimal(5), Decimal(30), cached_read=Decimal("0.5"), cached_write=Decimal("6.25"), reasoning=Decimal(40)
)
NAMES = {
    "openai": "gpt-4o",
    "openrouter": "x/y",
    "ollama": "qwen",
    "anthropic": "claude-haiku-4-5",
    "google": "gemini-2.5-flash",
    "swarms": "gpt-5.4-mini",
}
"""Vendor → the model of it that the tests ask; five ways of writing."""
COLOUR: Mapping[str, Any] = {
    "type": "object",
    "properties": {"colour": {"type": "string"}, "n": {"type": "integer"}},
    "required": ["colour", "n"],
    "additionalProperties": False,
}


def now() -> datetime:
    return NOW


async def no_wait(seconds: float) -> None:
    return None


class Desk:
    """A run's money and one task of it."""

    def __init__(
        self, limit: str = "10", journal: Journal | None = None, retry: Retry | None = None, task: str = "research:0"
    ) -> None:
        self.waits: list[float] = []
        self.ledger = Ledger(USD)
        self.account = Account.for_run(Budget(limit, USD))
        self.journal = journal or MemoryJournal()

        async def sleep(seconds: float) -> None:
            self.waits.append(seconds)

        self.shared = Meter("run", self.account, self.ledger, self.journal, now, retry or Retry(), sleep)
        self.meter = self.of(task)
        self.asker = Asker(now)

    def of(self, task: str, role: str = "researcher") -> TaskMeter:
        return TaskMeter(self.shared, task, role, 1, self.account.child(task), None)

    @property
    def entries(self) -> list[LedgerEntry]:
        return list(self.ledger)

    def outcomes(self) -> list[tuple[str, str, str]]:
        return [(entry.step, entry.outcome, entry.basis) for entry in self.ledger]


def model_of(vendor: str, server: FakeServer, wire: Wire, price: Price = PRICE, window: int | None = None) -> ChatModel:
    known = VENDORS[vendor]
    base = server.base(known.speaks)
    if known.speaks == "swarms":
        return SwarmsModel(NAMES[vendor], price, wire, KEY, base, window)
    return LibraryModel(known, NAMES[vendor], price, wire, KEY, base, window, known_rung=known.rung)
