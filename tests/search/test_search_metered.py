"""Searches and pages are bought: an entry per try, the reply's own cost, and the same value from the journal."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_crew.core.budget import Budget
from research_crew.core.call import Retry
from research_crew.core.context import Context
from research_crew.core.graph import Task, TaskGraph
from research_crew.core.journal import MemoryJournal
from research_crew.core.outcome import RunResult
from research_crew.core.runner import arun
from research_crew.net.page import FetchedPage
from research_crew.search import metered
from research_crew.search.merge import Several
from research_crew.search.protocol import Hits, HitsStatus, Query, Result, SearchEngine
from research_crew.search.record import hits_from_json, hits_to_json, query_to_json, request_hash

OK = Hits((Result("Tulips", "https://a.example/", published="2024", score=0.5, engine="x"),), "ok", notes=("a note",))


class Script:
    """An engine that gives the answers it was told to, and fails loudly when there are no more."""

    def __init__(self, *answers: Hits, name: str = "exa", price: Decimal = Decimal("0.007")) -> None:
        self.answers, self.name, self._price = list(answers), name, price
        self.asked: list[Query] = []

    def price(self, query: Query) -> Decimal:
        return self._price

    async def search(self, query: Query) -> Hits:
        self.asked.append(query)
        return self.answers.pop(0)


def bought(
    work: Callable[[Context], Awaitable[Any]], limit: str = "1", journal: Any = None, currency: str = "USD"
) -> tuple[Any, RunResult]:
    """What one task's work gave, and the run around it."""
    out: list[Any] = []

    async def agent(task: Task, context: Context) -> str:
        out.append(await work(context))
        return "done"

    async def no_wait(seconds: float) -> None:
        waits.append(seconds)

    waits: list[float] = []
    graph = TaskGraph([Task("research", "researcher", reserve=Decimal(limit))])
    options: dict[str, Any] = {"sleep": no_wait, "retry": Retry()}
    if journal is not None:
        options |= {"journal": journal, "run_id": "run"}
    result = asyncio.run(arun(graph, agent, Budget(limit, currency), **options))
    return (out[0] if out else None), result


def entries(result: RunResult) -> list[tuple[str, str, str, str, str]]:
    return [(e.step, e.kind, e.provider, str(e.amount), f"{e.outcome} {e.basis}") for e in result.ledger]


def test_a_search_is_reserved_at_its_price_and_charged_at_the_replys_cost() -> None:
    cheap = Hits(OK.results, "ok", cost=Decimal("0.005"))
    hits, result = bought(lambda ctx: metered.search(ctx.meter, Script(cheap), Query("q"), "round-1/search-1"))
    assert hits == cheap
    assert entries(result) == [("round-1/search-1", "search", "exa", "0.005", "ok measured")]
    assert result.ledger[0].usage.searches == 1


def test_without_a_cost_in_the_reply_the_price_is_charged() -> None:
    hits, result = bought(lambda ctx: metered.search(ctx.meter, Script(OK), Query("q"), "s"))
    assert hits == OK and result.spent == Decimal("0.007")
    assert result.ledger[0].note == "a note"


def test_a_run_in_credits_charges_its_own_tariff() -> None:
    priced = Hits(OK.results, "ok", cost=Decimal("0.005"))
    work = lambda ctx: metered.search(ctx.meter, Script(priced), Query("q"), "s", price=Decimal(1))  # noqa: E731
    _, result = bought(work, "10", currency="credits")
    assert result.spent == Decimal(1)


def failed(failure: str, status: HitsStatus = "failed", wait: float | None = None) -> Hits:
    return Hits((), status, detail=f"because {failure}", retry_after=wait, failure=failure)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("failure", "tries", "each"),
    [
        ("wrong-key", 1, "0"),
        ("no-credit", 1, "0"),
        ("rejected", 1, "0"),
        ("unreachable", 3, "0"),
        ("outage", 3, "0.007"),
        ("timed-out", 3, "0.007"),
        ("unreadable", 1, "0.007"),
    ],
)
def test_a_failed_search_is_tried_and_charged_by_its_kind_and_returned_as_what_it_is(
    failure: str, tries: int, each: str
) -> None:
    engine = Script(*[failed(failure)] * 3)
    hits, result = bought(lambda ctx: metered.search(ctx.meter, engine, Query("q"), "s"))
    assert (hits.status, hits.failure, hits.detail) == ("failed", failure, f"because {failure}")
    assert len(engine.asked) == tries == len(result.ledger)
    assert result.spent == Decimal(each) * tries
    assert result.status == "complete", "a search that failed ends no task"


def test_throttled_is_waited_for_and_costs_nothing() -> None:
    engine = Script(failed("throttled", "throttled", 7.0), OK)
    hits, result = bought(lambda ctx: metered.search(ctx.meter, engine, Query("q"), "s"))
    assert hits == OK
    assert [e[3:] for e in entries(result)] == [("0", "error measured"), ("0.007", "ok measured")]


def test_several_engines_are_bought_one_by_one_and_counted_apart() -> None:
    engines: dict[str, SearchEngine] = {
        "exa": Script(OK, name="exa"),
        "wikipedia": Script(failed("rejected"), name="wikipedia", price=Decimal(0)),
    }
    several = Several(engines)
    hits, result = bought(lambda ctx: metered.search(ctx.meter, several, Query("q"), "s"))
    assert hits.status == "ok" and hits.detail == "wikipedia: because rejected"
    assert sorted(e[:4] for e in entries(result)) == [
        ("s/exa", "search", "exa", "0.007"),
        ("s/wikipedia", "search", "wikipedia", "0"),
    ]
    assert several.tally["wikipedia"].failures == {"rejected": 1}


def test_an_engine_that_the_budget_refuses_does_not_stop_the_free_one() -> None:
    several = Several(
        {"exa": Script(name="exa", price=Decimal(5)), "wikipedia": Script(OK, name="w", price=Decimal(0))}
    )
    hits, result = bought(lambda ctx: metered.search(ctx.meter, several, Query("q"), "s"))
    assert hits.status == "ok" and "exa: not asked" in hits.detail
    assert result.spent == 0


def test_when_nothing_can_be_bought_the_task_is_over_budget() -> None:
    engine = Script(price=Decimal(5))
    _, result = bought(lambda ctx: metered.search(ctx.meter, engine, Query("q"), "s"))
    assert result.results[0].state == "over-budget" and engine.asked == []


def test_what_the_journal_has_is_not_bought_again() -> None:
    journal = MemoryJournal()
    first, _ = bought(lambda ctx: metered.search(ctx.meter, Script(OK), Query("q"), "s"), journal=journal)
    engine = Script()
    again, result = bought(lambda ctx: metered.search(ctx.meter, engine, Query("q"), "s"), journal=journal)
    assert again == first == OK
    assert engine.asked == [] and len(result.ledger) == 0


def test_the_price_of_the_list_is_used_for_an_engine_that_names_none() -> None:
    class Plain:
        name = "brave"

        async def search(self, query: Query) -> Hits:
            return OK

    class Nameless:
        async def search(self, query: Query) -> Hits:
            return OK

    assert metered.engine_price(Plain(), Query("q")) == Decimal("0.005")
    assert metered.engine_price(Nameless(), Query("q")) == 0 and metered.engine_name(Nameless()) == "nameless"


class Pages:
    name = "web"

    def __init__(self, *pages: FetchedPage) -> None:
        self.pages = list(pages)

    async def read(self, url: str) -> FetchedPage:
        return self.pages.pop(0)


PAGE = FetchedPage("https://a.example/", "https://a.example/b", 200, "read", "Tulips", links=("https://c.example/",),
                   instructions={"override": 1}, notes=("odd",))  # fmt: skip


def test_a_page_is_bought_with_its_outcome_in_the_ledger() -> None:
    page, result = bought(lambda ctx: metered.read(ctx.meter, Pages(PAGE), PAGE.url, "read-1", price=Decimal("0.1")))
    assert page == PAGE
    assert entries(result) == [("read-1", "read", "web", "0.1", "ok measured")]
    assert result.ledger[0].usage.pages == 1 and result.ledger[0].note == "read: odd"


def test_a_throttled_page_is_asked_for_again_and_stays_throttled_at_the_end() -> None:
    wait = FetchedPage("https://a.example/", "https://a.example/", 429, "throttled", notes=("slow",), retry_after=1.0)
    page, result = bought(lambda ctx: metered.read(ctx.meter, Pages(wait, PAGE), PAGE.url, "r"))
    assert page == PAGE and len(result.ledger) == 2
    page, result = bought(lambda ctx: metered.read(ctx.meter, Pages(wait, wait, wait), PAGE.url, "r"))
    assert page == wait and len(result.ledger) == 3 and result.spent == 0


def test_a_page_that_could_not_be_read_is_a_value_and_no_error() -> None:
    gone = FetchedPage("https://a.example/", "https://a.example/", 404, "failed", notes=("no such page",))
    page, result = bought(lambda ctx: metered.read(ctx.meter, Pages(gone), gone.url, "r"))
    assert page == gone and result.ledger[0].note == "failed: no such page"


text = st.text(max_size=20)
results = st.builds(
    Result, text, st.none() | text, st.none() | text, st.none() | st.integers(1, 9), text, text, st.none() | st.integers(0, 9),
    text, st.none() | text, st.none() | text, st.none() | st.floats(allow_nan=False), text,
)  # fmt: skip
all_hits = st.builds(
    Hits, st.lists(results, max_size=3).map(tuple), st.sampled_from(["ok", "empty", "throttled", "failed"]),
    st.none() | st.decimals(0, 10, places=6), text, st.dictionaries(text, st.integers(0, 9), max_size=3),
    st.none() | st.floats(0, 100), st.lists(text, max_size=2).map(tuple), st.sampled_from(["", "outage", "wrong-key"]),
)  # fmt: skip


@given(all_hits)
def test_hits_go_through_json_unchanged(hits: Hits) -> None:
    import json

    assert hits_from_json(json.loads(json.dumps(hits_to_json(hits)))) == hits


def test_a_field_from_a_newer_version_is_passed_over() -> None:
    data = hits_to_json(OK)
    data["results"][0]["colour"] = "red"
    data["mood"] = "good"
    assert hits_from_json(data) == OK


def test_the_hash_names_the_whole_request() -> None:
    query = Query("Größe", 10, "de", date(2024, 1, 1), None, ("a.example",))
    one = request_hash("exa", query_to_json(query))
    assert one == request_hash("exa", query_to_json(Query("Größe", 10, "de", date(2024, 1, 1), None, ("a.example",))))
    others = {
        request_hash("tavily", query_to_json(query)),
        request_hash("exa", query_to_json(Query("Größe", 10, "de", date(2024, 1, 2), None, ("a.example",)))),
        request_hash("exa", query_to_json(Query("Größe", 9, "de", date(2024, 1, 1), None, ("a.example",)))),
        request_hash("exa", query_to_json(Query("Größe", 10, "de", date(2024, 1, 1), None, ()))),
    }
    assert one not in others and len(others) == 4
