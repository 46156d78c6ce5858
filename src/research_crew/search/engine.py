"""What the engines over HTTP share: a door, a price, and that a failure becomes hits that say so."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from decimal import Decimal
from typing import ClassVar

from research_crew.core.errors import InvalidInput
from research_crew.core.secret import Secret
from research_crew.search.prices import price_of
from research_crew.search.protocol import Failure, Hits, HitsStatus, Query
from research_crew.search.request import Door, EngineTrouble, Http


class HttpEngine(ABC):
    """An engine of one address. A subclass names its facts and writes `ask`: see `docs/search-engines.md`."""

    name: ClassVar[str]
    base_url: ClassVar[str]
    interval: ClassVar[float]
    """Least number of seconds between two calls, from its documentation."""
    burst: ClassVar[int] = 1
    """How many calls may follow each other at once, where a limit is stated for a longer time than one interval."""
    needs_key: ClassVar[str] = ""
    """Where a key is had; empty for an engine without one."""
    characters: ClassVar[int] = 2_000
    """Longest query."""
    meanings: ClassVar[Mapping[int, Failure]] = {}

    def __init__(self, http: Http, key: Secret | None = None, base_url: str | None = None) -> None:
        """Raises `InvalidInput` when the engine needs a key and there is none: before anything is sent."""
        if self.needs_key and not key:
            variable = f"{self.name.upper()}_API_KEY"
            way_out = f"it needs a key: set {variable} (get one at {self.needs_key})"
            raise InvalidInput(f"search {self.name}", "", way_out)
        self.key = key or Secret("")
        secrets = (self.key,) if key else ()
        self.door = Door(http, self.name, base_url or self.base_url, self.interval, secrets, self.meanings, self.burst)

    def price(self, query: Query) -> Decimal:
        """The most that this search costs, in USD."""
        return price_of(self.name, query.limit, keyed=bool(self.key))

    async def search(self, query: Query) -> Hits:
        """See `SearchEngine.search`: never raises for what the engine does."""
        if not query.text.strip():
            return Hits((), "empty", notes=("an empty query is not sent",))
        try:
            return await self.ask(query)
        except EngineTrouble as trouble:
            return failed(trouble)

    @abstractmethod
    async def ask(self, query: Query) -> Hits:
        """Send the query and read the answer; may raise `EngineTrouble`."""


def failed(trouble: EngineTrouble) -> Hits:
    """The hits of a search that failed."""
    status: HitsStatus = "throttled" if trouble.failure == "throttled" else "failed"
    return Hits((), status, None, trouble.detail, {}, trouble.retry_after, (), trouble.failure)
