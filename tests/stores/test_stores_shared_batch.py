"""The account and the questions that workers share, against a real Postgres server."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from postgres_server import new_database
from research_crew.core.errors import UserError
from research_crew.stores.shared_batch import SharedBatch

ROW: dict[str, Any] = {"status": "complete", "cost": "1"}


def on(work: Callable[[SharedBatch, str], Awaitable[None]]) -> None:
    url = new_database()

    async def go() -> None:
        shared = await SharedBatch.connect(url)
        try:
            await work(shared, url)
        finally:
            await shared.close()

    asyncio.run(go())


async def three(shared: SharedBatch, each: int = 10, total: int = 25) -> None:
    await shared.create("b", {"seed": 1}, "credits", each, total, [(k, n, f"{k}?", None) for n, k in enumerate("xyz")])


def test_a_hold_waits_for_what_may_come_back_and_the_last_gets_the_rest() -> None:
    async def work(shared: SharedBatch, _: str) -> None:
        await three(shared)
        assert [await shared.hold("b", k) for k in "xyz"] == [10, 10, None]
        assert await shared.hold("b", "x") == 10  # whoever takes it over finds the same hold
        assert await shared.account("b") == (25, 0, 20)
        assert await shared.settle("b", "x", 10, ROW, True)
        assert await shared.hold("b", "z") is None  # 25 - 10 - 10 = 5 is less than it asks for, and y may give back
        assert await shared.settle("b", "y", 9, ROW, True)
        assert await shared.hold("b", "z") == 6
        assert await shared.settle("b", "z", 6, ROW, True)
        assert await shared.account("b") == (25, 25, 0)
        assert await shared.open("b") == []

    on(work)


def test_many_workers_never_hold_more_than_the_limit() -> None:
    async def work(shared: SharedBatch, url: str) -> None:
        keys = [f"k{n}" for n in range(60)]
        await shared.create("b", {}, "credits", 10, 95, [(k, 0, "?", None) for k in keys])
        others = [await SharedBatch.connect(url) for _ in range(4)]
        seen: list[int] = []

        async def worker(mine: SharedBatch, some: list[str]) -> None:
            for key in some:
                granted = await mine.hold("b", key)
                while granted is None:
                    await asyncio.sleep(0.001)
                    granted = await mine.hold("b", key)
                limit, spent, held = await mine.account("b")
                seen.append(spent + held)
                assert spent + held <= limit
                await mine.settle("b", key, granted * 2 // 3, ROW, granted > 0)

        await asyncio.gather(*(worker(o, keys[i::4]) for i, o in enumerate(others)))
        for other in others:
            await other.close()
        assert (await shared.account("b"))[2] == 0
        assert max(seen) > 60

    on(work)


def test_a_second_settlement_of_a_question_changes_nothing() -> None:
    async def work(shared: SharedBatch, _: str) -> None:
        await three(shared)
        await shared.hold("b", "x")
        assert await shared.settle("b", "x", 4, ROW, True)
        assert not await shared.settle("b", "x", 7, {"status": "failed"}, True)
        assert await shared.hold("b", "x") == -1
        assert await shared.account("b") == (25, 4, 0)
        assert (await shared.rows("b")) == {"x": ROW}

    on(work)


def test_what_was_refused_waits_again_when_the_batch_is_started_with_more() -> None:
    async def work(shared: SharedBatch, _: str) -> None:
        await three(shared, 10, 10)
        assert await shared.hold("b", "x") == 10
        await shared.settle("b", "x", 10, ROW, True)
        assert await shared.hold("b", "y") == -1
        await shared.settle("b", "y", 0, {"status": "refused", "cost": "0"}, False)
        assert [key for key, _, _ in await shared.open("b")] == ["z"]
        await three(shared, 10, 40)
        assert [(key, starts) for key, _, starts in await shared.open("b")] == [("y", 2), ("z", 1)]
        assert await shared.hold("b", "y") == 10

    on(work)


def test_a_run_that_goes_on_gets_what_it_needs_or_nothing_and_is_charged_once() -> None:
    async def work(shared: SharedBatch, _: str) -> None:
        await three(shared, 10, 12)
        assert await shared.hold("b", "x") == 10
        await shared.settle("b", "x", 4, {"status": "cancelled", "cost": "4"}, False)
        await three(shared, 10, 12)
        assert await shared.hold("b", "x", exactly=9) == -1  # 12 - 4 = 8
        assert await shared.hold("b", "x", exactly=6) == 6
        await shared.settle("b", "x", 9, ROW, True)  # in both starts together
        assert await shared.account("b") == (12, 9, 0)
        assert await shared.cost("b", "x") == 9

    on(work)


def test_turns_are_kept_over_all_connections() -> None:
    async def work(shared: SharedBatch, url: str) -> None:
        other = await SharedBatch.connect(url)
        waits = [await s.turn("openai", 10.0) for s in (shared, other, shared, other)]
        await other.close()
        assert [round(wait / 10) for wait in waits] == [0, 1, 2, 3]
        assert await shared.turn("exa", 10.0) < 1

    on(work)


def test_a_worker_that_says_nothing_is_no_longer_living() -> None:
    async def work(shared: SharedBatch, _: str) -> None:
        assert await shared.beat("a", "1", 60) == ["a"]
        assert sorted(await shared.beat("b", "1", 60)) == ["a", "b"]
        await shared._connection.execute("update workers set beat = beat - 100 where id = 'a'")
        assert await shared.beat("b", "1", 60) == ["b"]
        await shared.leave("b")
        assert await shared.workers() == []

    on(work)


def test_a_newer_database_and_one_that_is_not_there_are_refused_in_words() -> None:
    async def work(shared: SharedBatch, url: str) -> None:
        await shared._connection.execute("insert into batch_schema values (99)")
        with pytest.raises(UserError, match="newer version"):
            await SharedBatch.connect(url)

    on(work)
    with pytest.raises(UserError, match="--database"):
        asyncio.run(SharedBatch.connect("postgresql://127.0.0.1:1/none"))


def test_settings_come_back_as_they_went_in() -> None:
    async def work(shared: SharedBatch, _: str) -> None:
        await three(shared)
        settings, currency = await shared.settings("b")
        assert (json.dumps(settings), currency) == ('{"seed": 1}', "credits")
        with pytest.raises(UserError, match="not in it"):
            await shared.settings("none")

    on(work)
