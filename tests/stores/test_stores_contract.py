"""What every store promises: one driver at a time, holds and entries in one transaction, nothing lost in a crash."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest
from store_kinds import KINDS, Clock, Opener

from research_crew.core.books import Books
from research_crew.core.errors import Diverged, LostLease, NoSuchRun, OverBudget, RunBusy
from research_crew.core.events import Event
from research_crew.core.journal import About, CallKey, Finished, Refused
from research_crew.core.ledger import LedgerEntry
from research_crew.core.money import Usage
from research_crew.core.order import Mark
from research_crew.stores.journal import StoredJournal
from research_crew.stores.records import NewRun
from research_crew.stores.store import Store

AT = datetime(2026, 1, 1, tzinfo=UTC)
NANO = 10**9
KEY = CallKey("run-a", "research:0", 1, "round-1/search-2", 1)
ABOUT = About("researcher", "search", "exa", "", AT)
RUN = NewRun("run-a", "Who winters where?", "model", "USD", 10 * NANO, AT, "birds", setup={"secret": "s"})


def entry(n: int, key: CallKey = KEY, cost: int = 2) -> LedgerEntry:
    return LedgerEntry(
        n, key.task, "researcher", key.attempt, key.step, key.try_, "search", "exa", "", Usage(searches=1), cost * NANO,
        "measured", "ok", AT, AT, "USD", request_id="r1", note="as\0is \ud800",
    )  # fmt: skip


@dataclass
class Scene:
    """A store, the clock of all its processes, and more processes."""

    store: Store
    clock: Clock
    again: Opener
    opened: list[Store]

    def other(self, name: str) -> Store:
        self.opened.append(self.again(name))
        return self.opened[-1]

    def begin(self, budget: int = 10) -> tuple[StoredJournal, int]:
        past = asyncio.run(self.store.create(replace(RUN, budget=budget * NANO)))
        return self.store.journal(RUN.id, past), past.fence


@pytest.fixture(params=KINDS)
def scene(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Scene]:
    clock = Clock()
    opener = KINDS[request.param](tmp_path, clock)
    opened = [opener("first")]
    yield Scene(opened[0], clock, opener, opened)
    for store in opened:
        store.close()


def test_a_run_that_was_begun_is_listed_with_what_it_may_spend(scene: Scene) -> None:
    scene.begin()
    row = scene.store.read.run("run-a")
    assert (row.question, row.name, row.status, row.currency) == ("Who winters where?", "birds", "running", "USD")
    assert (row.budget, row.spent, row.held, row.created) == (10 * NANO, 0, 0, AT)
    assert [r.id for r in scene.store.read.runs()] == ["run-a"]
    assert scene.store.read.setup("run-a") == {"secret": "s"}


def test_runs_are_found_by_the_beginning_of_their_id_and_by_a_word(scene: Scene) -> None:
    for name, question in (("abc1", "On herons"), ("abd2", "On 100% cranes")):
        asyncio.run(scene.store.create(replace(RUN, id=name, question=question)))
    assert scene.store.read.run("abc").id == "abc1"
    with pytest.raises(NoSuchRun, match="2 runs that begin with 'ab'"):
        scene.store.read.run("ab")
    for missing in ("x", "", "abc1%"):
        with pytest.raises(NoSuchRun):
            scene.store.read.run(missing)
    assert [r.id for r in scene.store.read.runs(word="HERON")] == ["abc1"]
    assert [r.id for r in scene.store.read.runs(word="100%")] == ["abd2"]
    assert scene.store.read.runs(word="_") == []


def test_a_call_is_held_and_settled_with_its_entry_in_the_same_moment(scene: Scene) -> None:
    journal, fence = scene.begin()
    reader = scene.other("reader").read
    asyncio.run(journal.open(KEY, "hash", 3 * NANO, fence, ABOUT))
    assert (reader.run("run-a").held, reader.run("run-a").spent) == (3 * NANO, 0)
    assert reader.in_flight("run-a") == [(KEY, Decimal(3))]
    asyncio.run(journal.settle(KEY, entry(1), Finished({"hits": ["\ud800", "ß", "\0"]}, "ok"), fence))
    row = reader.run("run-a")
    assert (row.held, row.spent, row.cost) == (0, 2 * NANO, Decimal(2))
    assert reader.in_flight("run-a") == []
    assert reader.ledger("run-a", "USD") == (entry(1),)


def test_a_process_that_takes_over_knows_every_finished_call_with_its_answer(scene: Scene) -> None:
    journal, fence = scene.begin()
    asyncio.run(journal.open(KEY, "hash", 3 * NANO, fence, ABOUT))
    asyncio.run(journal.settle(KEY, entry(1), Finished({"hits": ["\ud800", "\0"]}, "ok"), fence))
    scene.clock.now += 31
    other = scene.other("second")
    past = asyncio.run(other.claim("run-a"))
    assert (past.fence, past.ledger) == (fence + 1, (entry(1),))
    known = asyncio.run(other.journal("run-a", past).finished(KEY, "hash"))
    assert known == Finished({"hits": ["\ud800", "\0"]}, "ok", False, entry(1), 3 * NANO)
    with pytest.raises(Diverged, match="research:0/1/round-1/search-2/1"):
        asyncio.run(other.journal("run-a", past).finished(KEY, "another"))
    again = asyncio.run(other.journal("run-a", past, rebuy=True).finished(KEY, "another"))
    assert isinstance(again, Finished) and again.outcome == "cancelled" and again.entry == entry(1)


def test_a_call_that_was_on_its_way_in_a_crash_is_charged_at_its_reservation_once(scene: Scene) -> None:
    journal, fence = scene.begin()
    asyncio.run(journal.open(KEY, "hash", 3 * NANO, fence, ABOUT))
    for count in (1, 2):
        scene.clock.now += 31
        past = asyncio.run(scene.other(f"process {count}").claim("run-a"))
        assert [(e.nano, e.basis, e.outcome, e.role) for e in past.ledger] == [(3 * NANO, "assumed", "cancelled", "researcher")]
    row = scene.store.read.run("run-a")
    assert (row.spent, row.held) == (3 * NANO, 0)
    known = past.calls[KEY].result
    assert isinstance(known, Finished) and known.outcome == "cancelled", "it may be bought again, under the next try"


def test_the_budget_of_the_run_is_kept_by_the_store_itself(scene: Scene) -> None:
    journal, fence = scene.begin(budget=5)
    asyncio.run(journal.open(KEY, "hash", 3 * NANO, fence, ABOUT))
    with pytest.raises(OverBudget) as refused:
        asyncio.run(journal.open(KEY._replace(try_=2), "hash", 3 * NANO, fence, ABOUT))
    assert (refused.value.needed, refused.value.left, refused.value.unit) == (Decimal(3), Decimal(2), "USD")
    assert [key for key, _ in scene.store.read.in_flight("run-a")] == [KEY], "what was refused left no trace"
    asyncio.run(journal.settle(KEY, entry(1), Finished("x", "ok"), fence))
    asyncio.run(journal.open(KEY._replace(try_=2), "hash", 3 * NANO, fence, ABOUT))


def test_a_run_that_is_driven_cannot_be_driven_by_another_process(scene: Scene) -> None:
    _, fence = scene.begin()
    other = scene.other("second")
    with pytest.raises(RunBusy, match="driven by first") as busy:
        asyncio.run(other.claim("run-a"))
    assert 0 < busy.value.seconds <= 30
    scene.clock.now += 20
    asyncio.run(scene.store.renew("run-a", fence))
    scene.clock.now += 20
    with pytest.raises(RunBusy):
        asyncio.run(other.claim("run-a"))
    scene.clock.now += 11
    assert asyncio.run(other.claim("run-a")).fence == fence + 1


def test_a_driver_that_lost_its_run_writes_nothing_but_the_true_bill_of_what_was_on_its_way(scene: Scene) -> None:
    journal, fence = scene.begin()
    asyncio.run(journal.open(KEY, "hash", 3 * NANO, fence, ABOUT))
    scene.clock.now += 31
    other = scene.other("second")
    asyncio.run(other.claim("run-a"))
    with pytest.raises(LostLease):
        asyncio.run(journal.open(KEY._replace(try_=2), "hash", 1, fence, ABOUT))
    with pytest.raises(LostLease):
        asyncio.run(journal.refuse(KEY._replace(try_=2), "hash", Refused(Decimal(1), Decimal(0), "USD", 0), fence))
    with pytest.raises(LostLease):
        asyncio.run(scene.store.renew("run-a", fence))
    with pytest.raises(LostLease):
        asyncio.run(scene.store.finish("run-a", fence, "complete", AT, {"x": 1}))
    with pytest.raises(LostLease):
        asyncio.run(journal.settle(KEY, entry(1), Finished("late", "ok"), fence))
    assert [e.basis for e in scene.store.read.ledger("run-a", "USD")] == ["assumed"]
    assert scene.store.read.run("run-a").status == "running"
    scene.clock.now += 31
    ledger = asyncio.run(scene.other("third").claim("run-a")).ledger
    assert [(e.nano, e.corrects) for e in ledger] == [(3 * NANO, None), (-1 * NANO, 1)], "charged as it really cost"
    assert scene.store.read.run("run-a").spent == 2 * NANO


def test_a_refusal_is_remembered_and_a_dropped_call_leaves_no_trace(scene: Scene) -> None:
    journal, fence = scene.begin()
    refused = Refused(Decimal("0.5"), Decimal("0.2"), "USD", 7)
    asyncio.run(journal.refuse(KEY, "hash", refused, fence))
    second = KEY._replace(step="round-2/search-1")
    asyncio.run(journal.open(second, "hash", NANO, fence, ABOUT))
    asyncio.run(journal.drop(second, fence))
    assert scene.store.read.run("run-a").held == 0
    scene.clock.now += 31
    other = scene.other("second")
    past = asyncio.run(other.claim("run-a"))
    again = other.journal("run-a", past)
    assert asyncio.run(again.finished(KEY, "hash")) == refused
    assert asyncio.run(again.finished(second, "hash")) is None
    assert past.ledger == ()


def test_events_books_and_texts_go_along_and_can_be_read_while_it_runs(scene: Scene) -> None:
    journal, fence = scene.begin()
    books = Books()
    journal.watch(books)
    journal.tell(Event("task-started", AT, "research:0", "researcher", {"limit": "1"}))
    journal.read(1, "digest", "Herons \0 nest.", {"title": "Herons"})
    asyncio.run(journal.open(KEY, "hash", NANO, fence, ABOUT))
    name = books.register("research:0", 1, "Herons nest.")
    books.claims.move(name, "cut-by-critic", "dull")
    books.sources.book("1", "found")
    journal.tell(Event("call-ended", AT, "research:0", "researcher", {"amount": "2"}))
    asyncio.run(journal.settle(KEY, entry(1), Finished("x", "ok"), fence))
    read = scene.other("reader").read
    assert [(n, e.kind, dict(e.data)) for n, e in read.events("run-a")] == [
        (1, "task-started", {"limit": "1"}), (2, "call-ended", {"amount": "2"}),
    ]  # fmt: skip
    assert [n for n, _ in read.events("run-a", after=1)] == [2]
    assert [(line.id, line.state, text) for line, text in read.books("run-a")] == [
        (name, "kept", "Herons nest."), (name, "cut-by-critic", "Herons nest."),
    ]  # fmt: skip
    assert [line.state for line, _ in read.books("run-a", "sources")] == ["found"]
    assert read.sources("run-a") == {1: ({"title": "Herons"}, "Herons \0 nest.")}


def test_the_end_of_a_run_sets_it_free_with_its_record_and_where_it_was_stopped(scene: Scene) -> None:
    _, fence = scene.begin()
    record = {"schema": "research-crew/run/1", "text": "ß \ud800"}
    asyncio.run(scene.store.finish("run-a", fence, "cancelled", AT, record, Mark(4, "stop", "interrupted")))
    assert scene.store.read.record("run-a") == record
    row = scene.store.read.run("run-a")
    assert (row.status, row.ended, row.owner) == ("cancelled", AT, "")
    assert scene.store.read.past("run-a").marks == (Mark(4, "stop", "interrupted"),)
    past = asyncio.run(scene.other("second").claim("run-a"))
    assert past.marks == (), "it goes on: the stop is not repeated"
    assert scene.store.read.run("run-a").status == "running"


def test_a_limit_that_was_raised_is_kept_in_its_place(scene: Scene) -> None:
    journal, fence = scene.begin(budget=2)
    asyncio.run(scene.store.mark("run-a", fence, Mark(0, "limit", "4.5")))
    asyncio.run(journal.open(KEY, "hash", 4 * NANO, fence, ABOUT))
    past = scene.store.read.past("run-a")
    assert past.marks == (Mark(0, "limit", "4.5"),)
    assert scene.store.read.run("run-a").budget == 4_500_000_000


def test_a_run_that_is_deleted_takes_its_texts_with_it_unless_another_has_read_them(scene: Scene) -> None:
    for name in ("run-a", "run-b"):
        past = asyncio.run(scene.store.create(replace(RUN, id=name)))
        journal = scene.store.journal(name, past)
        journal.read(1, "shared", "both", {})
        journal.read(2, name, "mine", {})
        asyncio.run(scene.store.finish(name, past.fence, "complete", AT, {}, along=journal.along()))
    asyncio.run(scene.store.remove("run-a"))
    with pytest.raises(NoSuchRun):
        scene.store.read.run("run-a")
    assert {n: text for n, (_, text) in scene.store.read.sources("run-b").items()} == {1: "both", 2: "mine"}
    left = scene.store.database.read("SELECT count(*) FROM texts")
    assert left == [(2,)]
    with pytest.raises(NoSuchRun):
        asyncio.run(scene.store.remove("run-a"))


def test_a_run_that_another_process_drives_is_not_deleted(scene: Scene) -> None:
    scene.begin()
    with pytest.raises(RunBusy):
        asyncio.run(scene.other("second").remove("run-a"))
    assert scene.store.read.run("run-a").status == "running"


def test_what_is_asked_of_a_store_at_once_is_done_in_that_order(scene: Scene) -> None:
    """The durable store commits many together: each still stands or falls by itself."""
    journal, fence = scene.begin(budget=10)

    async def flood() -> list[BaseException | Finished | None]:
        keys = [KEY._replace(step=f"search-{n}") for n in range(15)]
        opening = [journal.open(key, "hash", NANO, fence, ABOUT) for key in keys]
        return list(await asyncio.gather(*opening, return_exceptions=True))

    came = asyncio.run(flood())
    assert [isinstance(each, OverBudget) for each in came] == [False] * 10 + [True] * 5
    assert scene.store.read.run("run-a").held == 10 * NANO
    assert len(scene.store.read.in_flight("run-a")) == 10
