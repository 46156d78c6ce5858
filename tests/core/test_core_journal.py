"""The journal in memory: finished calls by key, and what diverges."""

import asyncio
from datetime import UTC, datetime

import pytest

from research_crew.core.errors import Diverged
from research_crew.core.journal import About, CallKey, Finished, MemoryJournal
from research_crew.core.ledger import LedgerEntry
from research_crew.core.money import Usage

KEY = CallKey("run", "research:0", 1, "round-1/search-2", 1)
AT = datetime(2026, 1, 1, tzinfo=UTC)
ENTRY = LedgerEntry(1, "t", "r", 1, "s", 1, "model", "p", "m", Usage(), 1, "measured", "ok", AT, AT)


def test_a_call_is_known_when_it_is_settled_and_not_while_it_is_open() -> None:
    async def scene() -> None:
        journal = MemoryJournal()
        assert await journal.finished(KEY, "h") is None
        assert await journal.open(KEY, "h", 5, 0, About()) is None
        assert await journal.finished(KEY, "h") is None
        assert await journal.open(KEY, "h", 5, 0, About()) is None, "in flight when it was left: it may be sent again"
        done = Finished({"a": 1}, "ok")
        await journal.settle(KEY, ENTRY, done, 0)
        assert await journal.finished(KEY, "h") == done
        assert await journal.open(KEY, "h", 5, 0, About()) == done
        assert await journal.finished(KEY._replace(try_=2), "h") is None

    asyncio.run(scene())


def test_another_request_under_a_key_diverges_and_names_the_step() -> None:
    async def scene() -> None:
        journal = MemoryJournal()
        await journal.open(KEY, "h", 5, 0, About())
        for ask in (journal.finished(KEY, "other"), journal.open(KEY, "other", 5, 0, About())):
            with pytest.raises(Diverged, match="research:0/1/round-1/search-2/1") as refused:
                await ask
            assert refused.value.exit_code == 2 and "--rebuy" in str(refused.value)

    asyncio.run(scene())
