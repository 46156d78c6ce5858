"""What each engine sends and reads, against the facts in its docstring."""

from datetime import date
from decimal import Decimal

import pytest
from aiohttp import web
from search_sites import KEY, REPLIES, arxiv, ok, row, search, status

from research_crew.core.errors import InvalidInput
from research_crew.search.protocol import Query

FULL = Query(
    "red tulips", 5, "de", date(2024, 1, 1), date(2024, 12, 31), ("a.example",), ("b.example", "c.example")
)  # fmt: skip


def test_exa_sends_its_fields_and_reads_its_bill() -> None:
    hits, (asked,) = search("exa", ok("exa", [row("exa", "https://a.example/")]), FULL)
    assert asked.path == "/search" and asked.headers["x-api-key"] == KEY
    assert asked.body == {
        "query": "red tulips",
        "type": "auto",
        "numResults": 5,
        "contents": {"text": {"maxCharacters": 10_000}},
        "includeDomains": ["a.example"],
        "excludeDomains": ["b.example", "c.example"],
        "startPublishedDate": "2024-01-01T00:00:00.000Z",
        "endPublishedDate": "2024-12-31T23:59:59.000Z",
    }
    assert hits.cost == Decimal("0.007")
    assert hits.results[0].text == "The whole page on tulips." and hits.results[0].author == "A. Writer"


def test_exa_without_a_bill_names_no_cost() -> None:
    for dollars in ("null", "{}", '{"total": null}', '{"total": "x"}', '{"total": -1}', "7"):
        hits, _ = search("exa", status(200, f'{{"results": [], "costDollars": {dollars}}}'))
        assert hits.cost is None


def test_tavily_sends_its_fields_and_counts_credits() -> None:
    hits, (asked,) = search("tavily", ok("tavily", [row("tavily", "https://a.example/")]), FULL)
    assert asked.path == "/search" and asked.headers["Authorization"] == f"Bearer {KEY}"
    assert asked.body == {
        "query": "red tulips",
        "search_depth": "basic",
        "max_results": 5,
        "include_raw_content": "text",
        "include_usage": True,
        "include_domains": ["a.example"],
        "exclude_domains": ["b.example", "c.example"],
        "start_date": "2024-01-01",
        "end_date": "2024-12-31",
    }
    assert hits.cost == Decimal("0.008")
    assert hits.results[0].text == "The whole page on tulips."


@pytest.mark.parametrize("code", [432, 433])
def test_tavilys_own_statuses_mean_that_the_plan_is_used_up(code: int) -> None:
    hits, _ = search("tavily", status(code, '{"detail": {"error": "This request exceeds your plan"}}'))
    assert hits.failure == "no-credit" and "exceeds your plan" in hits.detail


def test_brave_puts_domains_into_the_query_and_dates_into_freshness() -> None:
    _, (asked,) = search("brave", ok("brave", [row("brave", "https://a.example/")]), FULL)
    assert asked.path == "/res/v1/web/search" and asked.headers["X-Subscription-Token"] == KEY
    assert asked.params == {
        "q": "red tulips site:a.example NOT site:b.example NOT site:c.example",
        "count": "5",
        "result_filter": "web",
        "text_decorations": "false",
        "extra_snippets": "true",
        "search_lang": "de",
        "freshness": "2024-01-01to2024-12-31",
    }


def test_brave_asks_for_no_more_than_its_limits() -> None:
    words = " ".join(["tulip"] * 80)
    hits, (asked,) = search("brave", ok("brave", []), Query(words, 50, "ja"))
    assert len(asked.params["q"].split()) == 50 and asked.params["count"] == "20"
    assert asked.params["search_lang"] == "jp"
    assert "query shortened to 50 words" in hits.notes and "at most 20 results" in hits.notes


def test_brave_says_a_wrong_key_with_422() -> None:
    body = (
        '{"type": "ErrorResponse", "error": {"code": "SUBSCRIPTION_TOKEN_INVALID", "detail": "The token is invalid."}}'
    )
    hits, _ = search("brave", status(422, body))
    assert hits.failure == "wrong-key" and "The token is invalid." in hits.detail


def test_searxng_says_when_json_is_off_and_who_did_not_answer() -> None:
    hits, _ = search("searxng", status(403, "Forbidden"))
    assert hits.failure == "rejected" and "403" in hits.detail
    body = '{"results": [], "unresponsive_engines": [["google", "CAPTCHA"], ["bing", "timeout"]]}'
    hits, (asked,) = search("searxng", status(200, body), FULL)
    assert asked.params == {
        "q": "red tulips site:a.example -site:b.example -site:c.example",
        "format": "json",
        "language": "de",
    }
    assert any("google … CAPTCHA" in note for note in hits.notes)


def test_wikipedia_asks_the_encyclopedia_of_the_language() -> None:
    from research_crew.search.request import Http
    from research_crew.search.wikipedia import Wikipedia

    async def base(language: str) -> str:
        async with Http() as http:
            return Wikipedia(http)._of(language)._base

    import asyncio

    assert asyncio.run(base("de")) == "https://de.wikipedia.org"
    with pytest.raises(InvalidInput):
        search("wikipedia", ok("wikipedia", []), Query("tulips", language="evil.example/"))


def test_wikipedia_ranks_by_index_and_gives_the_introduction() -> None:
    pages = [
        {**row("wikipedia", "https://en.wikipedia.org/wiki/B", "B"), "index": 2},
        {**row("wikipedia", "https://en.wikipedia.org/wiki/A", "A"), "index": 1},
    ]
    hits, (asked,) = search("wikipedia", ok("wikipedia", pages), Query("red tulips", 5))
    assert asked.path == "/w/api.php" and asked.params["gsrsearch"] == "red tulips" and asked.params["gsrlimit"] == "5"
    assert [result.title for result in hits.results] == ["A", "B"]
    assert hits.results[0].snippet == "Tulips are red." and hits.results[0].text == "", "the page is still to be read"


@pytest.mark.parametrize(
    ("code", "state"), [("ratelimited", "throttled"), ("maxlag", "throttled"), ("badvalue", "failed")]
)
def test_wikipedias_errors_come_with_status_200(code: str, state: str) -> None:
    hits, _ = search("wikipedia", status(200, f'{{"error": {{"code": "{code}", "info": "too <b>fast</b>"}}}}'))
    assert hits.status == state and hits.detail == f"{code}: too fast"


def test_arxiv_joins_the_words_and_dates() -> None:
    hits, (asked,) = search("arxiv", ok("arxiv", [row("arxiv", "http://arxiv.org/abs/2403.00001v1")]),
                            Query("What is the colour of state-of-the-art tulips?", 5, None, date(2024, 1, 1)))  # fmt: skip
    assert asked.path == "/api/query"
    assert asked.params["search_query"] == (
        "(all:colour AND all:state-of-the-art AND all:tulips) AND submittedDate:[202401010000 TO 299912312359]"
    )
    assert hits.results[0].url == "https://arxiv.org/abs/2403.00001v1"
    assert hits.results[0].author == "A. Writer, B. Writer" and hits.results[0].text == "Tulips are red."


def test_arxiv_says_what_is_wrong_in_an_entry() -> None:
    error = {"id": "http://arxiv.org/api/errors#x", "title": "Error", "summary": "max_results must be smaller"}
    hits, _ = search("arxiv", lambda _: web.Response(text=arxiv([error])))
    assert (hits.status, hits.failure, hits.detail) == ("failed", "rejected", "max_results must be smaller")


def test_arxiv_opens_no_entities() -> None:
    bomb = '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><feed>&b;</feed>'
    hits, _ = search("arxiv", status(200, bomb))
    assert hits.failure == "unreadable"


def test_openalex_filters_and_puts_the_abstract_together() -> None:
    hits, (asked,) = search("openalex", ok("openalex", [row("openalex", "https://doi.org/10.1/x")]), FULL)
    assert asked.params["filter"] == "from_publication_date:2024-01-01,to_publication_date:2024-12-31,language:de"
    assert asked.params["search"] == "red tulips" and asked.params["api_key"] == KEY
    assert hits.results == () and hits.skipped == {"other domain": 1}
    hits, (asked,) = search("openalex", ok("openalex", [row("openalex", "https://doi.org/10.1/x")]), key=None)
    assert "api_key" not in asked.params and hits.cost is None, "nobody can be billed without a key"
    assert hits.results[0].snippet == "Tulips are red." and hits.results[0].author == "A. Writer"


def test_openalex_with_a_key_takes_the_cost_from_the_reply() -> None:
    assert search("openalex", ok("openalex", []))[0].cost == Decimal("0.001")


def test_duckduckgo_unwraps_links_and_leaves_out_advertisements() -> None:
    page = """<div class="result result--ad"><a class="result__a" href="https://ad.example/">Buy</a></div>
      <div class="result"><a class="result__a" href="//duckduckgo.com/l/?uddg=https%3A%2F%2Fa.example%2Fx%3Fy%3D1&amp;rut=9">
      <b>Red</b> tulips</a><a class="result__snippet">They are <b>red</b>.</a></div>
      <div class="result"><a class="result__a" href="https://b.example/">Direct</a></div>"""
    hits, (asked,) = search("duckduckgo", status(200, page), FULL)
    assert asked.form["kl"] == "de-de" and asked.form["df"] == "2024-01-01..2024-12-31"
    assert asked.form["q"] == "red tulips site:a.example -site:b.example -site:c.example"
    assert [(r.url, r.title, r.snippet) for r in hits.results] == [
        ("https://a.example/x?y=1", "Red tulips", "They are red.")
    ]


@pytest.mark.parametrize(("code", "text"), [(202, "<html></html>"), (200, "<script src='/anomaly.js'></script>")])
def test_duckduckgos_question_whether_one_is_human_is_throttled_and_not_empty(code: int, text: str) -> None:
    hits, _ = search("duckduckgo", status(code, text))
    assert (hits.status, hits.failure) == ("throttled", "throttled")


def test_every_engine_has_a_fake() -> None:
    from search_sites import ENGINES

    assert set(REPLIES) == set(ENGINES)
