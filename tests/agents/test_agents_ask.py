"""`ctx.ask`: a stranger's agent may ask the run's model, on its own task's account."""

import asyncio
from datetime import UTC, datetime
from decimal import Decimal

from research_crew import Context, Price, Task, TaskGraph, Tools
from research_crew.agents.model.team import Team
from research_crew.core.context import Scope
from research_crew.core.runner import arun
from research_crew.core.secret import Secret
from research_crew.models.fake_server import FakeServer
from research_crew.models.metered import Asker
from research_crew.models.names import Kit, make_model


def test_an_answer_is_bought_on_the_account_of_the_task() -> None:
    price = Price(input=Decimal(1), output=Decimal(4))

    async def agent(task: Task, ctx: Context) -> object:
        return await ctx.ask("How many legs has a heron?", step="legs")

    async def go() -> None:
        async with FakeServer(lambda asked: "Two.", prices=lambda _: price) as server:
            urls = {"openai": server.base("openai")}
            kit = Kit(keys={"openai": Secret("k")}, base_urls=urls, prices={"openai:m": price})
            model = make_model("openai:m", kit)
            team = Team(model, model, Asker(lambda: datetime.now(UTC)), b"secret")

            def tools(scope: Scope) -> Tools:
                return Tools(ask=team.bind(scope))

            result = await arun(TaskGraph([Task("a", "researcher", reserve="0.01")]), agent, "0.05", tools=tools)
            await kit.wire.aclose()
            assert result["a"].output == "Two."
            assert [(e.task, e.step, e.kind) for e in result.ledger] == [("a", "legs", "model")]
            assert result.spent == server.billed > 0

    asyncio.run(go())
