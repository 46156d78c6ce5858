"""The model agents behind the one seam: `agent(task, context)`, by role."""

from research_crew.agents.model.citer import cite
from research_crew.agents.model.critic import criticise
from research_crew.agents.model.planner import plan
from research_crew.agents.model.researcher import research, whole_brief
from research_crew.agents.model.team import Team
from research_crew.agents.model.writer import write
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


class ModelAgent:
    """One for a run."""

    def __init__(self, team: Team) -> None:
        self._team = team

    async def __call__(self, task: Task, ctx: Context) -> object:
        """Perform the task by its role.

        Raises `ValueError` for a role that has no agent here, `TypeError` for a brief of another kind.
        """
        if task.role == RESEARCHER and isinstance(task.brief, Assignment):
            return await research(task.brief.brief, task.brief.question, self._team, ctx)
        question = task.brief
        if not isinstance(question, Question):
            raise TypeError(f"{task.id}: a model {task.role} needs a question as its brief")
        if task.role == PLANNER:
            return await plan(question, self._team, ctx)
        if task.role == INVESTIGATOR:
            return await research(whole_brief(question), question, self._team, ctx)
        if task.role == CRITIC:
            return await criticise(question, self._team, ctx)
        if task.role == WRITER:
            return await write(question, self._team, ctx)
        if task.role == CITER:
            draft = next((v for v in ctx.results.values() if isinstance(v, Draft)), None)
            if draft is not None:
                return await cite(question, draft, self._team, ctx)
        raise ValueError(f"no model agent for {task.role} on {task.id}")
