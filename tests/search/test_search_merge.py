"""Several engines side by side: one list, fused by rank, each engine's failures counted apart."""

import asyncio
from decimal import Decimal

from research_crew.search.merge import Several, merge
from research_crew.search.protocol import Hits, Query, Result


class Canned:
    def __init__(self, hits: Hits) -> None:
        self.hits = hits

    async def search(self, query: Query) -> Hits:
        return self.hits


def hits(*urls: str, **fields: str) -> Hits:
    return Hits(tuple(Result(f"page {url}", f"https://{url}", engine="x", **fields) for url in urls), "ok")  # type: ignore[arg-type]


def urls(answer: Hits) -> list[str]:
    return [(result.url or result.path or "").removeprefix("https://") for result in answer.results]


def test_what_two_engines_found_comes_before_what_one_found() -> None:
    merged = merge({"a": hits("x.example", "both.example"), "b": hits("y.example", "both.example")}, 10)
    assert urls(merged)[0] == "both.example"
    assert merged.results[0].engine == "a+b"
    assert merged.results[0].score is not None and abs(merged.results[0].score - 2 / 62) < 1e-12
    assert merged.skipped == {"found by another engine too": 1}


def test_among_equals_strong_sources_come_first_then_the_order_of_engines() -> None:
    merged = merge(
        {"a": hits("coupons.example"), "b": hits("www.nature.com/articles/1"), "c": hits("other.example")}, 10
    )
    assert urls(merged) == ["www.nature.com/articles/1", "coupons.example", "other.example"]


def test_spellings_of_one_address_are_one_page_with_the_best_of_each() -> None:
    a = Hits((Result("", "https://www.p.example/a/?utm_source=m", snippet="short", engine="a"),), "ok")
    b = Hits((Result("Title", "https://p.example/a#x", text="long text", published="2024", engine="b"),), "ok")
    (page,) = merge({"a": a, "b": b}, 10).results
    assert (page.title, page.text, page.snippet, page.published, page.engine) == (
        "Title", "long text", "short", "2024", "a+b",
    )  # fmt: skip
    assert page.url == "https://www.p.example/a/?utm_source=m", "an address that was given, not one made up"


def test_files_and_pages_of_files_stay_apart() -> None:
    docs = Hits((Result("f", path="a.pdf", page=1), Result("f", path="a.pdf", page=2)), "ok")
    assert len(merge({"docs": docs, "web": hits("x.example")}, 10).results) == 3


def test_the_limit_is_kept_and_said() -> None:
    merged = merge({"a": hits("1.example", "2.example"), "b": hits("3.example")}, 2)
    assert len(merged.results) == 2 and merged.skipped == {"over the limit": 1}


def test_an_engine_that_fails_takes_nothing_from_the_others() -> None:
    down = Hits((), "failed", detail="status 503", failure="outage")
    merged = merge({"a": down, "b": hits("x.example")}, 10)
    assert (merged.status, urls(merged), merged.failure) == ("ok", ["x.example"], "")
    assert merged.detail == "a: status 503"


def test_without_results_one_failure_is_a_failure_and_not_nothing_found() -> None:
    empty, down = Hits((), "empty"), Hits((), "failed", detail="no", failure="wrong-key")
    wait = Hits((), "throttled", detail="slow", failure="throttled", retry_after=7.0)
    assert merge({"a": empty, "b": empty}, 10).status == "empty"
    assert (merge({"a": empty, "b": down}, 10).status, merge({"a": empty, "b": down}, 10).failure) == (
        "failed",
        "wrong-key",
    )
    throttled = merge({"a": wait, "b": empty}, 10)
    assert (throttled.status, throttled.retry_after) == ("throttled", 7.0)
    assert merge({"a": wait, "b": down}, 10).failure == "wrong-key"


def test_costs_add_up_and_notes_name_their_engine() -> None:
    a = Hits((), "empty", cost=Decimal("0.007"), notes=("no language filter",))
    b = Hits((), "empty", cost=Decimal("0.001"))
    merged = merge({"a": a, "b": b, "c": Hits((), "empty")}, 10)
    assert merged.cost == Decimal("0.008") and merged.notes == ("a: no language filter",)
    assert merge({"c": Hits((), "empty")}, 10).cost is None, "unknown is not zero"


def test_each_engines_failures_are_counted_apart() -> None:
    down = Hits((), "failed", detail="status 503", failure="outage")
    several = Several({"a": Canned(down), "b": Canned(hits("x.example"))})

    async def go() -> None:
        await several.search(Query("q"))
        await several.search(Query("q"))

    asyncio.run(go())
    assert several.tally["a"].failures == {"outage": 2} and several.tally["a"].last == "status 503"
    assert several.tally["b"].statuses == {"ok": 2} and several.tally["b"].results == 2
    assert not several.tally["b"].failures


def test_engines_are_asked_side_by_side() -> None:
    class Meeting:
        def __init__(self, barrier: asyncio.Barrier) -> None:
            self.barrier = barrier

        async def search(self, query: Query) -> Hits:
            await self.barrier.wait()
            return Hits((), "empty")

    async def go() -> str:
        barrier = asyncio.Barrier(3)
        several = Several({name: Meeting(barrier) for name in "abc"})
        async with asyncio.timeout(5):
            return (await several.search(Query("q"))).status

    assert asyncio.run(go()) == "empty"


def test_the_order_is_the_same_whatever_the_order_of_rows_in_the_sum() -> None:
    one = merge({"a": hits("p.example", "q.example"), "b": hits("q.example", "p.example")}, 10)
    assert one.results[0].score == one.results[1].score
    assert urls(one) == ["p.example", "q.example"]
