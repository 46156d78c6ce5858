"""The settings of a run as arguments by name, for type checkers: the same names as in `Settings`."""

from typing import Literal, TypedDict


class Options(TypedDict, total=False):
    """Settings that may be given by name; see `Settings` for what each means."""

    agents: str | None
    docs: str | None
    lead: str | None
    worker: str | None
    critic: str | None
    writer: str | None
    citer: str | None
    solo: str | None
    search: str | None
    retrieval: Literal["lexical", "semantic", "hybrid"]
    filters: str | None
    mcp: str | None
    base_urls: str | None
    price: str | None
    windows: str | None
    profile: str | None
    record: str | None
    allow_mixed: bool
    researchers: int
    search_rounds: int
    queries_per_round: int
    results_per_search: int
    pages_per_round: int
    chars_per_result: int
    loops: int
    pages: int
    prompt_tokens: int
    timeout: float
    tries: int
    strictness: float
    output_tokens: str | None
    effort: str | None
    stream: str
    support: str
    temperature: float
    deadline: float | None
    max_calls: int | None
    max_tokens: int | None
    concurrency: int
    language: str | None
    seed: int
    durable: bool
    output: str
    trace: str
    rates: str | None
