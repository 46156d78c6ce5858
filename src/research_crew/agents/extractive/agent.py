"""The extractive agents behind the one seam: `agent(task, context)`, by role."""

from research_crew.agents.assemble import assemble
from research_crew.agents.extractive.critic import criticise
from research_crew.agents.extractive.planner import plan
from research_crew.agents.extractive.researcher import research, whole_brief
from research_crew.agents.extractive.writer import write
from research_crew.agents.roles import (
    CITER,
    CRITIC,
    INVESTIGATOR,
    PLANNER,
    RESEARCHER,
    WRITER,
    Assignment,
    Draft,
    Question,
)
from research_crew.core.context import Context
from research_crew.core.graph import Task


class ExtractiveAgent:
    """One for a run: it remembers which brief each researcher had, for the headings of the report."""

    def __init__(self) -> None:
        self._objectives: dict[str, str] = {}

    def _in_order(self) -> dict[str, str]:
        """Objectives by task, as they were planned: `research:2` before `research:10`."""
        return dict(sorted(self._objectives.items(), key=lambda item: int(item[0].rpartition(":")[2])))

    async def __call__(self, task: Task, ctx: Context) -> object:
        """Perform the task by its role.

        Raises `ValueError` for a role that has no agent here, `TypeError` for a brief of another kind.
        """
        if task.role == RESEARCHER and isinstance(task.brief, Assignment):
            self._objectives[task.id] = task.brief.brief.objective
            return await research(task.brief.brief, task.brief.question, ctx)
        question = task.brief
        if not isinstance(question, Question):
            raise TypeError(f"{task.id}: an extractive {task.role} needs a question as its brief")
        if task.role == PLANNER:
            return plan(question)
        if task.role == INVESTIGATOR:
            return await research(whole_brief(question), question, ctx)
        if task.role == CRITIC:
            return criticise(question, tuple(self._objectives.values()), ctx)
        if task.role == WRITER:
            return write(question, self._in_order(), ctx)
        if task.role == CITER:
            draft = next((v for v in ctx.results.values() if isinstance(v, Draft)), None)
            if draft is not None:
                return assemble(draft)
        raise ValueError(f"no extractive agent for {task.role} on {task.id}")
