"""The lead: plans the question, or in a later loop the gaps alone."""

from research_crew.agents.model.answers import PlanAnswer
from research_crew.agents.model.prompting import system_prompt
from research_crew.agents.model.team import Team
from research_crew.agents.roles import PLANNER, Brief, Plan, Question
from research_crew.core.context import Context
from research_crew.core.errors import CallFailed
from research_crew.evidence.folding import fold
from research_crew.models.asking import UnusableAnswer, ask_for, read_as
from research_crew.models.metered import DoesNotFit
from research_crew.models.prose import questions_in
from research_crew.models.schema import schema_of


async def plan(question: Question, team: Team, ctx: Context) -> Plan:
    """A plan with at most `max_researchers` briefs that can be searched for; the question itself when there is none."""
    asked, parts = f"Question: {question.text}", []
    if question.gaps:
        asked += "\n\nAn earlier round left these gaps. Plan for them only:\n- " + "\n- ".join(question.gaps)
        parts = ["Researched already, by:", *(f"- {name}: {outcome}" for name, outcome in question.planned)]
        parts += ["The report so far:", *question.previous.split("\n\n")] if question.previous else []
    request = team.request(
        PLANNER, system_prompt("planner", question, most=question.max_researchers), asked,
        team.plan_output(question),
        schema_of(PlanAnswer), "plan",
    )  # fmt: skip
    request, fitted = team.fit(PLANNER, request, parts, team.caps.prompt)
    left_out = (f"{len(parts) - fitted} paragraphs of what is known did not fit into its prompt",) if fitted < len(parts) else ()
    try:
        reading = await ask_for(team.asker, ctx.meter, team.of(PLANNER), request, "plan", read_as(PlanAnswer))
    except UnusableAnswer as error:
        said = questions_in(error.reply.text) if error.reply is not None else []
        if said:
            briefs = tuple(Brief(text, (text,)) for text in said[: question.max_researchers])
            return Plan("comparison", "The questions of the answer.", briefs, question.language, (), error.complaint)
        return _whole(question, error.complaint)
    except (CallFailed, DoesNotFit) as error:
        return _whole(question, str(error))
    answer = reading.value
    briefs, warnings = _briefs(answer, question)
    if not briefs:
        return _whole(question, "the plan had no usable query")
    return Plan(answer.complexity, answer.strategy, briefs, question.language, (*reading.notes, *left_out, *warnings))


def _briefs(answer: PlanAnswer, question: Question) -> tuple[tuple[Brief, ...], tuple[str, ...]]:
    """Briefs with at least one query, each query once in the whole plan, no more briefs than researchers."""
    seen: set[str] = set()
    made: list[Brief] = []
    for sub in answer.subtasks:
        queries = [" ".join(q.split()) for q in sub.search_queries]
        fresh = [q for q in dict.fromkeys(queries) if q and fold(q) not in seen]
        if not fresh and sub.objective.strip() and fold(sub.objective) not in seen:
            fresh = [sub.objective.strip()[:200]]
        if not fresh:
            continue
        seen.update(map(fold, fresh))
        made.append(Brief(sub.objective.strip() or fresh[0], tuple(fresh[:3]), sub.output_format, sub.boundaries))
    most = question.max_researchers
    warnings = (f"the plan had {len(made)} sub-tasks; {most} are researched",) if len(made) > most else ()
    return tuple(made[:most]), warnings


def _whole(question: Question, why: str) -> Plan:
    asked = question.gaps or (question.text,)
    briefs = tuple(Brief(text, (text,)) for text in asked[: question.max_researchers])
    return Plan("simple", "The question itself.", briefs, question.language, (f"fallback plan: {why}",), why)
