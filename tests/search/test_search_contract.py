"""What every engine owes, whatever its interface: run for each of them against a fake with documented replies."""

import asyncio
from datetime import date

import pytest
from aiohttp import web
from search_sites import ENGINES, KEY, Asked, Reply, fake, free_limits, kit, ok, row, search, status

from research_crew.core.errors import InvalidInput
from research_crew.search.names import make_engine
from research_crew.search.protocol import Query
from research_crew.search.request import Http

each = pytest.mark.parametrize("engine", ENGINES)


@each
def test_results_come_with_address_title_words_and_engine(engine: str) -> None:
    urls = ["https://a.example/1", "https://b.example/2"]
    hits, asked = search(engine, ok(engine, [row(engine, url) for url in urls]))
    assert hits.status == "ok" and hits.detail == "" and hits.failure == ""
    assert [result.url for result in hits.results] == urls
    for result in hits.results:
        assert result.title == "Tulips" and result.engine == engine
        assert "Tulips are red." in (result.snippet or result.text)
        assert result.published in ("2025-03-01", None)
    assert len(asked) == 1 and hits.skipped == {}


@each
def test_nothing_found_is_empty_and_no_failure(engine: str) -> None:
    hits, _ = search(engine, ok(engine, []))
    assert (hits.status, hits.results, hits.failure, hits.detail) == ("empty", (), "", "")


@each
def test_rows_that_cannot_be_used_are_skipped_and_counted(engine: str) -> None:
    rows = [
        row(engine, "https://a.example/page"),
        row(engine, None),
        row(engine, "ftp://a.example/file"),
        row(engine, "https://www.a.example/page/?utm_source=x#part"),
        row(engine, "https://b.example/", title=None),
    ]
    hits, _ = search(engine, ok(engine, rows))
    kept = [result.url for result in hits.results]
    assert kept[0] == "https://a.example/page"
    assert sum(hits.skipped.values()) >= 2
    assert hits.skipped["duplicate"] == 1
    if engine == "duckduckgo":
        return  # a link without words is not a result of that page
    assert kept == ["https://a.example/page", "https://b.example/"] or engine == "openalex"
    assert hits.results[-1].title, "a null title is replaced by the address"


@each
def test_rows_of_any_shape_do_no_harm(engine: str) -> None:
    if engine == "duckduckgo":
        hits, _ = search(engine, ok(engine, [None, row(engine, "https://a.example/")]))
    else:
        strange = [
            None,
            7,
            "text",
            [],
            {},
            {"url": 5, "fullurl": 5, "doi": 5, "id": 5},
            row(engine, "https://a.example/"),
        ]
        hits, _ = search(engine, ok(engine, strange))
    assert [result.url for result in hits.results] == ["https://a.example/"]


@each
def test_markup_in_titles_and_snippets_is_taken_out(engine: str) -> None:
    marked = "<b>Tulips</b> &amp; <em class='x'>roses</em> 3 &lt; 5"
    if engine == "arxiv":
        marked = marked.replace("<", "&lt;").replace("&amp; ", "&amp;amp; ")
    hits, _ = search(engine, ok(engine, [row(engine, "https://a.example/", title=marked, snippet=marked)]))
    assert "<" not in hits.results[0].title.replace("3 < 5", "")
    assert hits.results[0].title.startswith("Tulips & roses")
    words = hits.results[0].snippet or hits.results[0].text
    assert words.startswith("Tulips & roses")


@each
@pytest.mark.parametrize(
    "shape",
    [
        '{"error": "overloaded", "status": "down"}',
        '{"results": {"error": "x"}, "web": {"results": {}}, "query": {"pages": {}}}',
    ],
)
def test_an_error_object_in_place_of_a_list_is_a_failure(engine: str, shape: str) -> None:
    hits, _ = search(engine, status(200, shape))
    if engine in ("brave", "wikipedia") and "down" in shape:
        # These two leave the list out when nothing matches, so a reply without one is all that can be said.
        assert hits.status in ("empty", "failed")
    else:
        assert (hits.status, hits.failure) == ("failed", "unreadable")
        assert hits.detail


@each
@pytest.mark.parametrize("text", ["", "<html>Bad gateway</html>", "{", "\x00\xff", "null", "[]", '"text"', "7"])
def test_an_unreadable_answer_is_a_failure(engine: str, text: str) -> None:
    hits, _ = search(engine, status(200, text))
    if text == "[]" and engine not in ("arxiv", "duckduckgo", "wikipedia"):
        assert hits.status == "empty"
    else:
        assert (hits.status, hits.failure) in {("failed", "unreadable"), ("failed", "rejected")}


STATUSES: list[tuple[int, str, str, dict[str, str]]] = [
    (401, "failed", "wrong-key", {}),
    (402, "failed", "no-credit", {}),
    (429, "throttled", "throttled", {"Retry-After": "7"}),
    (429, "throttled", "throttled", {}),
    (400, "failed", "rejected", {}),
    (404, "failed", "rejected", {}),
    (422, "failed", "rejected", {}),
    (500, "failed", "outage", {}),
    (502, "failed", "outage", {}),
    (503, "failed", "outage", {}),
    (301, "failed", "rejected", {"Location": "https://elsewhere.example/"}),
]


@each
@pytest.mark.parametrize(("code", "state", "failure", "headers"), STATUSES)
def test_each_status_is_what_it_is(engine: str, code: int, state: str, failure: str, headers: dict[str, str]) -> None:
    hits, asked = search(engine, status(code, '{"error": "because"}', **headers))
    assert (hits.status, hits.failure, hits.results) == (state, failure, ())
    assert str(code) in hits.detail
    assert len(asked) == 1, "no second try here, no redirect followed"
    assert hits.retry_after == (7.0 if "Retry-After" in headers else None)


@each
def test_an_outage_a_wrong_key_and_nothing_found_read_differently(engine: str) -> None:
    said = {
        search(engine, reply)[0].detail for reply in (status(503, "down"), status(401, "no"), ok(engine, []))
    }  # fmt: skip
    assert len(said) == 3 and "" in said


@each
def test_no_connection_and_no_answer_are_failures(engine: str) -> None:
    async def silent(asked: Asked) -> web.Response:
        await asyncio.sleep(5)
        return web.Response()

    hits, _ = search(engine, silent, timeout=0.1)
    assert (hits.status, hits.failure) == ("failed", "timed-out")
    assert "0.1 s" in hits.detail

    async def closed() -> tuple[str, str, str]:
        async with Http(limits=free_limits()) as http:
            got = await make_engine(engine, kit(http, "http://127.0.0.1:9")).search(Query("tulips"))
            return got.status, got.failure, got.detail

    state, failure, detail = asyncio.run(closed())
    assert (state, failure) == ("failed", "unreachable") and "no connection" in detail


@each
def test_a_reply_over_the_cap_is_a_failure(engine: str) -> None:
    hits, _ = search(engine, status(200, "x" * 50_000), cap=1_000)
    assert (hits.status, hits.failure) == ("failed", "unreadable")
    assert "1000 bytes" in hits.detail


@pytest.mark.parametrize("engine", ["exa", "tavily", "brave", "openalex"])
def test_the_key_stands_in_no_message(engine: str) -> None:
    from urllib.parse import quote

    body = f'{{"error": "the key {KEY} ({quote(KEY, safe="")}) is not valid"}}'
    for code in (400, 401, 500):
        hits, _ = search(engine, status(code, body))
        assert "secret" not in repr(hits)

    async def shown() -> str:
        async with Http() as http:
            made = make_engine(engine, kit(http, "http://127.0.0.1:9"))
            return repr(made) + repr(vars(made))

    assert "secret" not in asyncio.run(shown())


@each
def test_a_long_query_is_shortened_and_said(engine: str) -> None:
    words = " ".join(f"word{n:03}" for n in range(400))
    hits, asked = search(engine, ok(engine, [row(engine, "https://a.example/")]), Query(words))
    sent = str(asked[0].params or asked[0].body or asked[0].form)
    assert "word399" not in sent and "word000" in sent
    assert any("shortened to" in note for note in hits.notes)
    assert hits.status == "ok"


@each
def test_the_number_of_results_is_asked_for_and_kept(engine: str) -> None:
    rows = [row(engine, f"https://a.example/{n}") for n in range(8)]
    hits, _ = search(engine, ok(engine, rows), Query("tulips", limit=3))
    assert [result.url for result in hits.results] == [f"https://a.example/{n}" for n in range(3)]
    assert hits.skipped == {"over the limit": 5}


@each
def test_domains_are_kept_to_by_the_engine_or_here(engine: str) -> None:
    rows = [
        row(engine, f"https://{host}/{n}")
        for n, host in enumerate(("a.example", "sub.a.example", "b.example", "na.example"))
    ]
    query = Query("tulips", include_domains=("a.example",), exclude_domains=("sub.a.example",))
    hits, asked = search(engine, ok(engine, rows), query)
    sent = str(asked[0])
    if engine in ("exa", "tavily"):
        assert "a.example" in sent, "its own filter"
        return
    assert [result.url for result in hits.results] == ["https://a.example/0"]
    assert "site:a.example" in sent or any("domains" in note for note in hits.notes)


@each
def test_what_an_engine_cannot_do_is_said(engine: str) -> None:
    query = Query("tulips", language="de", since=date(2024, 1, 1), until=date(2024, 12, 31))
    hits, asked = search(engine, ok(engine, [row(engine, "https://a.example/")]), query)
    sent = str(asked[0])
    if "2024" not in sent:
        assert any("time range" in note for note in hits.notes)
    language = {"exa", "tavily", "arxiv"}
    assert any("language" in note for note in hits.notes) == (engine in language)


@each
def test_an_empty_query_is_not_sent(engine: str) -> None:
    hits, asked = search(engine, ok(engine, []), Query("  "))
    assert (hits.status, asked) == ("empty", [])


@each
def test_queries_in_other_scripts_arrive_whole(engine: str) -> None:
    _, asked = search(engine, ok(engine, []), Query("日本の首都 Größe & co=1"))
    sent = str(asked[0].params or asked[0].body or asked[0].form)
    assert "日本の首都" in sent and "Größe" in sent


@pytest.mark.parametrize("engine", ["exa", "tavily", "brave"])
def test_a_missing_key_is_the_persons_mistake_before_anything_is_sent(engine: str) -> None:
    with pytest.raises(InvalidInput) as mistake:
        search(engine, ok(engine, []), key=None)
    assert f"{engine.upper()}_API_KEY" in str(mistake.value)


@each
def test_the_rate_limit_is_kept_between_searches_and_retry_after_holds_back(engine: str) -> None:
    from research_crew.search.limits import Limits

    now, slept = [0.0], list[float]()

    async def sleep(seconds: float) -> None:
        slept.append(round(seconds, 6))
        now[0] += seconds

    replies: list[Reply] = [
        ok(engine, []),
        ok(engine, []),
        status(429, "", **{"Retry-After": "9"}),
        ok(engine, []),
        status(429, "", **{"Retry-After": "999"}),
        ok(engine, []),
    ]

    async def go() -> list[str]:
        limits = Limits(longest=20.0, clock=lambda: now[0], sleep=sleep)
        async with fake(lambda asked: replies.pop(0)(asked)) as (address, _), Http(limits=limits) as http:
            made = make_engine(engine, kit(http, address))
            return [(await made.search(Query("tulips"))).status for _ in range(6)]

    states = asyncio.run(go())
    assert states == ["empty", "empty", "throttled", "empty", "throttled", "throttled"]
    assert len(replies) == 1, "held back for longer than it waits: not asked"
    if engine == "exa":  # states its limit for a whole second: the first calls of one need not wait for each other
        assert slept == [9.0]
        return
    interval = slept[0]
    assert slept == [interval, interval, 9.0] or slept == [interval, interval, 9.0, interval]
    assert interval > 0
