"""Everything a run needs from outside, opened from its settings: documents, search engines, the page reader, prices."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING

from research_crew.agents.toolbox import Reach
from research_crew.core.money import CREDITS
from research_crew.core.secret import Secret
from research_crew.library import Library, OnFile, open_library
from research_crew.prices import Prices
from research_crew.search.protocol import Query
from research_crew.settings import Settings, index_file

if TYPE_CHECKING:
    from research_crew.search.pages import PageReader
    from research_crew.search.request import Http

CREDIT_LIMIT = Decimal(200)
DOLLAR_LIMIT = Decimal(1)


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
    chosen: list[str] = field(default_factory=list)
    """What was chosen, in words, printed before anything is bought."""

    @property
    def limit(self) -> Decimal:
        """The limit of a run that names none."""
        return CREDIT_LIMIT if self.prices.currency == CREDITS else DOLLAR_LIMIT

    async def close(self) -> None:
        """Close connections, processes and the index."""
        if self.reader is not None:
            await self.reader.close()
        if self.http is not None:
            await self.http.close()
        if self.library is not None and self.owned:
            self.library.close()


async def open_backends(
    settings: Settings, keys: Mapping[str, Secret], library: Library | None = None, on_file: OnFile | None = None
) -> Backends:
    """Open what the settings ask for; without `--search`, the documents (the bundled ones when none are named).

    Raises `InvalidInput` for an engine or a folder that is not there, `NoReadableFile` for one without a readable file.
    """
    spec = settings.search or "docs"
    names = [part.strip().partition(":")[0].lower() for part in spec.split(",") if part.strip()]
    owned = library is None
    if library is None and ("docs" in names or settings.docs is not None):
        library = await open_library(settings.docs, index_file(settings.docs), on_file)
        if "docs" not in names:
            spec, names = f"{spec},docs", [*names, "docs"]
    if names == ["docs"] and library is not None:
        where = "the bundled sample documents (no --docs was given)" if library.bundled else settings.docs or "documents"
        return Backends(
            Reach(library.engine, reader=library.reader), Prices(), library, owned, chosen=[f"search: docs, over {where}"]
        )
    # Only a run that uses the network loads an HTTP client.
    from research_crew.search.known import KnownUrls
    from research_crew.search.metered import engine_name
    from research_crew.search.names import Kit, make_engine
    from research_crew.search.pages import open_reader
    from research_crew.search.request import Http

    http = Http()
    try:
        engine = make_engine(spec, Kit(http, keys, documents=library.index if library else None))
        price = _worst(engine, settings)
    except BaseException:
        await http.close()
        if library is not None and owned:
            library.close()
        raise
    known = KnownUrls()
    reader = open_reader(known)
    reach = Reach(
        engine, library.engine if library else None, library.reader if library else None, reader, known,
        settings.allow_mixed,
    )  # fmt: skip
    prices = Prices.in_money(price) if price else Prices()
    return Backends(reach, prices, library, owned, http, reader, [f"search: {engine_name(engine)} (the network)"])


def _worst(engine: object, settings: Settings) -> Decimal:
    """The most that one search over all engines costs, in USD."""
    from research_crew.search.metered import engine_price

    query = Query("?", settings.results_per_search)
    some = getattr(engine, "engines", None) or {"": engine}
    return sum((engine_price(one, query) for one in some.values()), Decimal(0))


