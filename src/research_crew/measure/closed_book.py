"""The closed-book control: one reply of the one agent's model, without search, documents or critic.

It says how much of an answer was known beforehand, and is the unit in which the tokens of the other arms are given.
"""

import re
from collections.abc import Mapping

from research_crew.agents.roles import INVESTIGATOR
from research_crew.backends import open_backends
from research_crew.core.budget import Budget
from research_crew.core.context import Context, Scope, Tools
from research_crew.core.errors import InvalidInput
from research_crew.core.graph import Task, TaskGraph
from research_crew.core.money import to_decimal
from research_crew.core.runner import Runner, utc_now
from research_crew.core.secret import Secret
from research_crew.measure.answers import Spent
from research_crew.settings import Settings

_SYSTEM = (
    "You answer from memory alone; there is nothing to look up. State at most 10 facts that together answer the question, "
    "one short sentence each, one a line, nothing else. Leave out what you do not know."
)
_MARK = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s*")
_TOKENS = 600


async def ask_closed_book(settings: Settings, keys: Mapping[str, Secret], question: str) -> tuple[list[str], Spent]:
    """The lines of the reply, and what it cost. Raises `InvalidInput` where the agents have no model."""
    backends = await open_backends(settings, keys, question, now=utc_now, alone=True)
    try:
        if backends.hired is None:
            raise InvalidInput("--arms", "closed-book", "it needs a model: name one with --model vendor:name")
        team = backends.hired.team
        limit = to_decimal(settings.budget or backends.limit)

        async def agent(task: Task, ctx: Context) -> str:  # noqa: ARG001 - the shape of an agent
            return str(await ctx.ask(question, step="reply", system=_SYSTEM, max_tokens=_TOKENS))

        def tools(scope: Scope) -> Tools:
            return Tools(ask=team.bind(scope))

        graph = TaskGraph([Task("closed-book", INVESTIGATOR, reserve=limit, brief=question)])
        result = await Runner(graph, agent, Budget(limit, backends.prices.currency), attempts=1, tools=tools).run()
    finally:
        await backends.close()
    task = result.results[0]
    usage = result.bill.usage
    spent = Spent(
        float(result.spent), result.bill.currency, int(not task.usable), 0, 0, result.bill.tries,
        usage.input + usage.cached_read + usage.cached_write + usage.output, result.wall_s,
        sum((entry.ended - entry.started).total_seconds() for entry in result.ledger),
    )  # fmt: skip
    lines = [_MARK.sub("", line).strip() for line in str(task.output if task.usable else "").splitlines()]
    return [line for line in lines if line], spent
