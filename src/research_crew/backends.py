"""Everything a run needs from outside, opened from its settings: documents, search engines, the page reader, prices."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING

from research_crew.agents.roles import CITER, CRITIC, PLANNER, RESEARCHER, WRITER, Plan, Question
from research_crew.agents.toolbox import Reach, Tariff
from research_crew.core.calling import AgentFunction
from research_crew.core.events import OnEvent
from research_crew.core.money import CREDITS, USD
from research_crew.core.secret import Secret
from research_crew.documents.nearness import open_meaning
from research_crew.documents.semantic import OnCount
from research_crew.evidence.meaning import Meaning
from research_crew.evidence.verify import Entailment
from research_crew.hiring import Choice, Frozen, Hired, addresses, caps_for, choose, ending_prices, hire
from research_crew.library import Library, OnFile, open_library
from research_crew.prices import Prices
from research_crew.search.filters import Filters, filters_of
from research_crew.search.protocol import Query
from research_crew.settings import Settings, index_file

if TYPE_CHECKING:
    from research_crew.search.mcp import McpEngine
    from research_crew.search.metered import PageSource
    from research_crew.search.pages import PageReader
    from research_crew.search.request import Http

CREDIT_LIMIT = Decimal(200)
DOLLAR_LIMIT = Decimal(1)
_SEARCH_SECONDS = 20.0
"""Longest wait for one search, where the time-out of the run is not shorter."""


@dataclass(slots=True)
class Backends:
    """The opened back ends of one run. Close them when done."""

    reach: Reach
    prices: Prices
    library: Library | None = None
    owned: bool = True
    """Whether the library is closed with the rest."""
    http: "Http | None" = None
    reader: "PageReader | None" = None
    connections: "list[McpEngine]" = field(default_factory=list)
    """Open connections to MCP servers."""
    hired: Hired | None = None
    """The models, where the agents have any."""
    chosen: list[str] = field(default_factory=list)
    """What was chosen, in words, printed before anything is bought."""
    filters: Filters = Filters()
    """Limits to every search."""
    prompt_tokens: int = 24_000
    choice: Choice | None = None
    spec: str = ""
    """The engines, by name."""
    entailment: Entailment | None = None
    """Somebody's own judge of support, asked after the rules."""
    meaning: Meaning | None = None
    """A model of word meanings that joins the support score."""

    @property
    def limit(self) -> Decimal:
        """The limit of a run that names none."""
        return CREDIT_LIMIT if self.prices.currency == CREDITS else DOLLAR_LIMIT

    @property
    def warnings(self) -> list[str]:
        """What is wrong with what was opened, though it works."""
        rungs = self.hired.rungs.warning if self.hired is not None else ""
        return [*(self.library.warnings if self.library else ()), *([rungs] if rungs else ())]

    @property
    def agents(self) -> str:
        """`extractive` or `model`."""
        return "extractive" if self.hired is None else "model"

    @property
    def prompts(self) -> str:
        """The version of the prompts, `none` without a model."""
        if self.hired is None:
            return "none"
        from research_crew.agents.model.prompting import prompts_version

        return prompts_version()

    def make_agent(self) -> AgentFunction:
        """The set of agents of this run."""
        if self.hired is None:
            from research_crew.agents.extractive.agent import ExtractiveAgent

            return ExtractiveAgent()
        from research_crew.agents.model.agent import ModelAgent

        return ModelAgent(self.hired.team)

    def one_thread(self, question: Question) -> Plan | None:
        """The plan of a question that needs no lead to see that it hangs on one thread; None where one is asked.

        Agents without a model plan by rule, which can be done before anything is bought. A lead with a model has to be
        asked.
        """
        if self.hired is not None:
            return None
        from research_crew.agents.extractive.planner import plan

        found = plan(question)
        return found if len(found.subtasks) == 1 else None

    def fit_to(self, limit: Decimal) -> None:
        """Cut the caps of the models to a budget, and price the steps by them."""
        if self.hired is None:
            return
        team = self.hired.team
        caps_for(team, limit, self.prompt_tokens)
        ending = ending_prices(team)
        plan, expected, least = (min(self.prompt_tokens, tokens) for tokens in (4000, 6000, 3000))
        self.prices = replace(
            self.prices, metered=True, plan=team.worst(PLANNER, plan, team.caps.plan), critique=ending["critique"],
            write=ending["write"], cite=ending["cite"],
            ending_cost=team.worst(CRITIC, 800, 200) + team.worst(WRITER, 800, 300) + team.worst(CITER, 1000, 50),
            round_low=team.worst(RESEARCHER, min(2500, expected), min(300, team.caps.research)),
            round_cost=team.worst(RESEARCHER, expected, min(700, team.caps.research)),
            round_worst=team.worst(RESEARCHER, least, team.caps.research),
        )  # fmt: skip

    async def close(self) -> None:
        """Close connections, processes and the index."""
        if self.hired is not None:
            await self.hired.close()
        for connection in self.connections:
            await connection.close()
        if self.reader is not None:
            await self.reader.close()
        if self.http is not None:
            await self.http.close()
        if self.library is not None and self.owned:
            self.library.close()


async def open_backends(
    settings: Settings, keys: Mapping[str, Secret], question: str, *, now: Callable[[], datetime], alone: bool = False,
    library: Library | None = None, on_file: OnFile | None = None, on_count: OnCount | None = None,
    on_event: OnEvent | None = None, shown: bool = False, frozen: Frozen | None = None,
) -> Backends:  # fmt: skip
    """Open what the settings ask for, and the models that `hiring.choose` chooses.

    Raises `InvalidInput` for an engine, a model or a folder that is not there, `UnknownPrice` for a model without a
    price, `NoReadableFile` for a folder without a readable file, `MissingExtra` for semantic support without its extra.
    """
    choice, filters = choose(settings, keys), filters_of(settings.filters)
    meaning = open_meaning() if settings.support == "semantic" else None
    hired = hire(choice, settings, keys, question, now, alone, on_event, shown, frozen) if choice.agents == "model" else None
    if hired is not None:
        hired.warm()
    try:
        search = choice.search if library is None or settings.search else ""
        opened = await _open_sources(settings, search, keys, library, on_file, on_count)
    except BaseException:
        if hired is not None:
            await hired.close()
        raise
    opened.hired, opened.choice, opened.meaning = hired, choice, meaning
    opened.prompt_tokens, opened.filters = settings.prompt_tokens, filters
    opened.chosen[:0] = choice.notes
    if hired is not None:
        nothing = Decimal(0)
        opened.prices = replace(
            opened.prices, currency=USD, tariff=Tariff(None if opened.http else nothing, nothing),
            worst_search=opened.prices.worst_search if opened.prices.currency == USD else nothing,
        )  # fmt: skip
        who = choice.lead if choice.lead == choice.worker else f"{choice.lead}, researchers {choice.worker}"
        opened.chosen.insert(0, f"models: {who}")
    return opened


async def _open_sources(
    settings: Settings, search: str, keys: Mapping[str, Secret], library: Library | None, on_file: OnFile | None,
    on_count: OnCount | None,
) -> Backends:  # fmt: skip
    """Documents and search engines; without any named, the documents (the bundled ones when none are named)."""
    spec = search or "docs"
    names = [part.strip().partition(":")[0].lower() for part in spec.split(",") if part.strip()]
    owned = library is None
    if library is None and ("docs" in names or settings.docs is not None):
        library = await open_library(
            settings.docs, index_file(settings.docs), on_file, retrieval=settings.retrieval, on_count=on_count
        )
        if "docs" not in names:
            spec, names = f"{spec},docs", [*names, "docs"]
    if names == ["docs"] and library is not None:
        where = "the bundled sample documents (no --docs was given)" if library.bundled else settings.docs or "documents"
        how_said = "" if settings.retrieval == "lexical" else f", {settings.retrieval}"
        chosen = [f"search: docs, over {where}{how_said}"]
        return Backends(Reach(library.engine, reader=library.reader), Prices(), library, owned, chosen=chosen, spec=spec)
    # Only a run that uses the network loads an HTTP client.
    from research_crew.search.known import KnownUrls
    from research_crew.search.mcp import McpEngine
    from research_crew.search.mcp_servers import mcp_servers
    from research_crew.search.metered import engine_name
    from research_crew.search.names import Kit, make_engine
    from research_crew.search.pages import open_reader
    from research_crew.search.request import Http

    http = Http(timeout=min(_SEARCH_SECONDS, settings.timeout))
    try:
        servers = mcp_servers(settings.mcp, keys)
        kit = Kit(http, keys, addresses(settings.base_urls), library.engine if library else None, servers)
        engine = make_engine(spec, kit)
        price = _worst(engine, settings)
    except BaseException:
        await http.close()
        if library is not None and owned:
            library.close()
        raise
    known = KnownUrls()
    reader = open_reader(known)
    engines = list((getattr(engine, "engines", None) or {"": engine}).values())
    reach = Reach(
        engine, library.engine if library else None, library.reader if library else None,
        _page_source(engines) or reader, known, settings.allow_mixed,
    )  # fmt: skip
    prices = Prices.in_money(price) if price else Prices()
    chosen = [f"search: {engine_name(engine)} (the network)"]
    if reach.pages is not reader and reach.pages is not None:
        chosen.append(f"pages: read by {reach.pages.name}")
    connections = [engine for engine in engines if isinstance(engine, McpEngine)]
    return Backends(reach, prices, library, owned, http, reader, connections=connections, chosen=chosen, spec=spec)


def _page_source(engines: Sequence[object]) -> "PageSource | None":
    """The MCP server that was given a tool for reading; None: pages are read by the fetcher of this program."""
    from research_crew.search.mcp import McpEngine

    return next((engine for engine in engines if isinstance(engine, McpEngine) and engine.server.read_tool), None)


def _worst(engine: object, settings: Settings) -> Decimal:
    """The most that one search over all engines costs, in USD."""
    from research_crew.search.metered import engine_price

    query = Query("?", settings.results_per_search)
    some = getattr(engine, "engines", None) or {"": engine}
    return sum((engine_price(one, query) for one in some.values()), Decimal(0))


