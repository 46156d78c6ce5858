"""The extractive agents behind the one seam: `agent(task, context)`, by role."""

from research_crew.agents.assemble import assemble
from research_crew.agents.extractive.critic import criticise
from research_crew.agents.extractive.planner import gap_queries, plan
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
    Finding,
    Question,
)
from research_crew.core.context import Context
from research_crew.core.graph import Task
from research_crew.core.outcome import Partial
from research_crew.evidence.folding import fold


class ExtractiveAgent:
    """One for a run: it remembers what each researcher was asked, for the headings of the report, and which queries
    were made, so that a further loop asks others."""

    def __init__(self) -> None:
        self._objectives: dict[str, str] = {}
        self._asked: set[str] = set()
        self._further: dict[str, tuple[str, ...]] = {}

    async def __call__(self, task: Task, ctx: Context) -> object:
        """Perform the task by its role.

        Raises `ValueError` for a role that has no agent here, `TypeError` for a brief of another kind.
        """
        if task.role == RESEARCHER and isinstance(task.brief, Assignment):
            return await self._research(task.id, task.brief, ctx)
        question = task.brief
        if not isinstance(question, Question):
            raise TypeError(f"{task.id}: an extractive {task.role} needs a question as its brief")
        if task.role == PLANNER:
            return plan(question, {gap: self._leads(gap, question) for gap in question.gaps})
        if task.role == INVESTIGATOR:
            return await research(whole_brief(question), question, ctx, self._asked)
        if task.role == CRITIC:
            return criticise(question, tuple(self._objectives.values()), ctx)
        if task.role == WRITER:
            objectives = self._in_order()
            return write(question, objectives, {o: self._leads(o, question) for o in objectives.values()}, ctx)
        if task.role == CITER:
            draft = next((v for v in ctx.results.values() if isinstance(v, Draft)), None)
            if draft is not None:
                return assemble(draft)
        raise ValueError(f"no extractive agent for {task.role} on {task.id}")

    async def _research(self, name: str, assignment: Assignment, ctx: Context) -> Finding | Partial:
        objective = assignment.brief.objective
        self._objectives[name] = objective
        found = await research(assignment.brief, assignment.question, ctx, self._asked)
        finding = found.value if isinstance(found, Partial) else found
        if isinstance(finding, Finding):
            self._further[objective] = finding.follow_up_queries
        return found

    def _in_order(self) -> dict[str, str]:
        """Objectives by task, as they were planned: `research:2` before `research:10`."""
        return dict(sorted(self._objectives.items(), key=lambda item: int(item[0].rpartition(":")[2])))

    def _leads(self, objective: str, question: Question) -> tuple[str, ...]:
        """Queries for a part of the question that nobody has asked yet."""
        queries = (*self._further.get(objective, ()), *gap_queries(objective, question.language))
        return tuple(query for query in dict.fromkeys(queries) if fold(query) not in self._asked)
