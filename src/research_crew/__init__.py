"""research-crew: a multi-agent deep-research crew that says what it cost, what it dropped, and whether it beat one
agent.

    from research_crew import Crew
    result = Crew(docs="papers").run("What limits write throughput?", budget=100)
    print(result)                      # the report with its references
    print(result.bill, result.dropped)

Names are imported when they are first used, so that `import research_crew` stays cheap.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from research_crew.agents.roles import Brief, Plan
    from research_crew.agents.scripted.agent import ScriptedAgent
    from research_crew.agents.scripted.world import World
    from research_crew.core.books import Books
    from research_crew.core.budget import Budget
    from research_crew.core.context import Context, Tools
    from research_crew.core.crews import research_crew, solo_crew
    from research_crew.core.errors import (
        AgentFailure,
        BudgetError,
        CallFailed,
        CycleError,
        DuplicateTask,
        GraphError,
        InvalidInput,
        MissingExtra,
        MixedCurrencies,
        NoReadableFile,
        OverBudget,
        ProviderError,
        ResearchCrewError,
        SelfDependency,
        UnknownDependency,
        UnknownPrice,
        UserError,
    )
    from research_crew.core.events import Event
    from research_crew.core.graph import Task, TaskGraph
    from research_crew.core.ledger import Bill, Ledger, LedgerEntry
    from research_crew.core.money import Price, Usage
    from research_crew.core.outcome import Partial, RunResult, TaskResult
    from research_crew.core.runner import Stop, arun, run
    from research_crew.crew import Crew, Solo
    from research_crew.evidence.claim import Claim
    from research_crew.evidence.source import Source
    from research_crew.fitting import Proposal
    from research_crew.live import Live
    from research_crew.measure.bench import compare
    from research_crew.measure.score import Score, score
    from research_crew.result import CrewResult, Dropped
    from research_crew.search.protocol import Hits, Query, Result, SearchEngine
    from research_crew.settings import Settings
    from research_crew.steps import Step

_HOMES = {
    "AgentFailure": "core.errors", "Bill": "core.ledger", "Books": "core.books", "Budget": "core.budget",
    "BudgetError": "core.errors", "CallFailed": "core.errors", "Claim": "evidence.claim", "Context": "core.context",
    "Crew": "crew", "CrewResult": "result", "CycleError": "core.errors", "Dropped": "result",
    "DuplicateTask": "core.errors", "Event": "core.events", "GraphError": "core.errors", "Hits": "search.protocol",
    "Brief": "agents.roles", "Plan": "agents.roles", "Proposal": "fitting", "Live": "live", "Step": "steps",
    "InvalidInput": "core.errors", "Ledger": "core.ledger", "LedgerEntry": "core.ledger",
    "MissingExtra": "core.errors", "MixedCurrencies": "core.errors", "NoReadableFile": "core.errors",
    "OverBudget": "core.errors", "Partial": "core.outcome", "Price": "core.money", "ProviderError": "core.errors",
    "Query": "search.protocol", "ResearchCrewError": "core.errors", "Result": "search.protocol",
    "RunResult": "core.outcome", "Score": "measure.score", "ScriptedAgent": "agents.scripted.agent",
    "SearchEngine": "search.protocol", "SelfDependency": "core.errors", "Settings": "settings", "Solo": "crew",
    "Source": "evidence.source", "Stop": "core.runner", "Task": "core.graph", "TaskGraph": "core.graph",
    "TaskResult": "core.outcome", "Tools": "core.context", "UnknownDependency": "core.errors",
    "UnknownPrice": "core.errors", "Usage": "core.money", "UserError": "core.errors",
    "World": "agents.scripted.world", "arun": "core.runner", "compare": "measure.bench", "research_crew": "core.crews", "run": "core.runner",
    "score": "measure.score", "solo_crew": "core.crews",
}  # fmt: skip

__all__ = [
    "AgentFailure",
    "Bill",
    "Books",
    "Brief",
    "Budget",
    "BudgetError",
    "CallFailed",
    "Claim",
    "Context",
    "Crew",
    "CrewResult",
    "CycleError",
    "Dropped",
    "DuplicateTask",
    "Event",
    "GraphError",
    "Hits",
    "InvalidInput",
    "Ledger",
    "LedgerEntry",
    "Live",
    "MissingExtra",
    "MixedCurrencies",
    "NoReadableFile",
    "OverBudget",
    "Partial",
    "Plan",
    "Price",
    "Proposal",
    "ProviderError",
    "Query",
    "ResearchCrewError",
    "Result",
    "RunResult",
    "Score",
    "ScriptedAgent",
    "SearchEngine",
    "SelfDependency",
    "Settings",
    "Solo",
    "Source",
    "Step",
    "Stop",
    "Task",
    "TaskGraph",
    "TaskResult",
    "Tools",
    "UnknownDependency",
    "UnknownPrice",
    "Usage",
    "UserError",
    "World",
    "arun",
    "compare",
    "research_crew",
    "run",
    "score",
    "solo_crew",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'research_crew' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"research_crew.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
