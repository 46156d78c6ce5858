"""A crew with models on a provider on loopback, over a folder of two documents: what the tests of the face share."""

import asyncio
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

from brains import honest

from research_crew import Crew, CrewResult, Price
from research_crew.core.secret import Secret
from research_crew.models.fake_faults import Fault
from research_crew.models.fake_server import FakeServer
from research_crew.models.fake_shapes import Asked

QUESTION = "What does the grey heron eat, and where does the common crane winter?"
PRICES = "openai:big=5/30,openai:small=0.75/4.5,openai:other=1/4"
KEYS = {"openai": Secret("test-key")}
RATES = {"big": ("5", "30"), "small": ("0.75", "4.5"), "other": ("1", "4")}
HERONS = (
    "# Herons\n\nThe grey heron eats fish, frogs and small mammals. A grey heron stands up to one metre tall.\n"
    "Herons nest in colonies called heronries.\n"
)
CRANES = "The common crane eats roots, seeds and insects. The common crane winters in Spain and in North Africa."

Script = Callable[[Asked], Any]
Faults = Callable[[Asked], Fault | None]


def birds_in(folder: Path) -> Path:
    """The folder, with its two documents."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "herons.md").write_text(HERONS)
    (folder / "cranes.txt").write_text(CRANES)
    return folder


def price_of(model: str) -> Price:
    """What a model costs, on the server as in the run."""
    rate = RATES.get(model, ("1", "4"))
    return Price(input=Decimal(rate[0]), output=Decimal(rate[1]))


def crew_of(server: FakeServer, docs: Path, maker: type[Crew] = Crew, **options: Any) -> Crew:
    """A crew that asks this server."""
    given = {"docs": str(docs), "lead": "openai:big", "worker": "openai:small", "price": PRICES, "keys": KEYS}
    given["base_urls"] = f"openai={server.base('openai')}"
    return maker(**{**given, **options})


def ask(
    docs: Path, script: Script = honest, faults: Faults = lambda _: None, maker: type[Crew] = Crew,
    budget: str = "1.00", question: str = QUESTION, **options: Any,
) -> tuple[CrewResult, FakeServer]:  # fmt: skip
    """One whole run."""

    async def go() -> tuple[CrewResult, FakeServer]:
        async with FakeServer(script, faults, price_of) as server:
            return await crew_of(server, docs, maker, **options).arun(question, budget), server

    return asyncio.run(go())
