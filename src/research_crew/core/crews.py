"""The declared crew: a lead, researchers side by side, a critic, an editor, at the published prices."""

from decimal import Decimal
from typing import Literal

from research_crew.core.errors import InvalidInput
from research_crew.core.graph import Needs, Task, TaskGraph

PLAN_COST = Decimal(2)
RESEARCH_COST = Decimal(3)
CRITIQUE_COST = Decimal(2)
EDIT_COST = Decimal(2)
SOLO_COST = Decimal(4)


def research_crew(question: str, n_researchers: int = 4, needs: Needs | Literal["any"] = "all") -> TaskGraph:
    """The graph plan → research:0 … → critique → edit, with fixed costs 2, 3 each, 2 and 2.

    `needs` says how many researchers the critic waits to have succeeded: `"all"`, `"any"` (at least one) or a number.
    Raises `InvalidInput` for an empty question or fewer than one researcher.
    """
    if not isinstance(question, str) or not question.strip():
        raise InvalidInput("question", question, "ask something")
    if isinstance(n_researchers, bool) or not isinstance(n_researchers, int) or n_researchers < 1:
        raise InvalidInput("number of researchers", n_researchers, "use at least 1")
    research = [f"research:{i}" for i in range(n_researchers)]
    return TaskGraph(
        [
            Task("plan", "planner", PLAN_COST, brief=question),
            *(Task(name, "researcher", RESEARCH_COST, depends_on=("plan",), brief=question) for name in research),
            Task(
                "critique",
                "critic",
                CRITIQUE_COST,
                depends_on=tuple(research),
                needs=1 if needs == "any" else needs,
                brief=question,
            ),
            Task("edit", "editor", EDIT_COST, depends_on=("critique",), brief=question),
        ]
    )


def solo_crew(question: str) -> TaskGraph:
    """One agent, one task of 4: the scripted baseline."""
    if not isinstance(question, str) or not question.strip():
        raise InvalidInput("question", question, "ask something")
    return TaskGraph([Task("solo", "solo", SOLO_COST, brief=question)])
