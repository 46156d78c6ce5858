"""The model agents behind the one seam: `agent(task, context)`, by role."""

from research_crew.agents.model.citer import cite
from research_crew.agents.model.critic import criticise
from research_crew.agents.model.planner import plan
from research_crew.agents.model.researcher import research, whole_brief
from research_crew.agents.model.small import citer as small_citer
from research_crew.agents.model.small import critic as small_critic
from research_crew.agents.model.small import planner as small_planner
from research_crew.agents.model.small import writer as small_writer
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
        small = self._team.small
        if task.role == PLANNER:
            return await (small_planner.plan if small else plan)(question, self._team, ctx)
        if task.role == INVESTIGATOR:
            brief = small_planner.whole_brief(question) if small else whole_brief(question)
            return await research(brief, question, self._team, ctx)
        if task.role == CRITIC:
            return await (small_critic.criticise if small else criticise)(question, self._team, ctx)
        if task.role == WRITER:
            return await (small_writer.write if small else write)(question, self._team, ctx)
        if task.role == CITER:
            draft = next((v for v in ctx.results.values() if isinstance(v, Draft)), None)
            if draft is not None:
                return await (small_citer.cite if small else cite)(question, draft, self._team, ctx)
        raise ValueError(f"no model agent for {task.role} on {task.id}")
