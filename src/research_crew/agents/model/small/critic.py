"""The critic of small models: a doubt for each fact, without reasons; the cut is the same as for any critic."""

from dataclasses import replace
from typing import Any

from research_crew.agents.gather import gather
from research_crew.agents.model.critic import cut
from research_crew.agents.model.prompting import system_prompt
from research_crew.agents.model.small.answers import GradesAnswer
from research_crew.agents.model.team import Team
from research_crew.agents.roles import CRITIC, Critique, Question
from research_crew.core.context import Context
from research_crew.models.asking import ask_for, read_as
from research_crew.models.schema import schema_of


async def criticise(question: Question, team: Team, ctx: Context) -> Critique:
    """The claims of all findings, de-duplicated, the least doubtful first; a claim that is not mentioned is kept."""
    gathered = gather(ctx.results, ctx.sources.witness)
    if not gathered.kept:
        return gathered
    labels = {f"c{n}": claim for n, claim in enumerate(gathered.kept, 1)}
    request = team.request(
        CRITIC, system_prompt("small/critic", question), f"Question: {question.text}\n\nFacts:", team.caps.critique,
        schema_of(GradesAnswer), "grades",
    )  # fmt: skip
    shown = [f"{n}. {claim.text}" for n, claim in enumerate(labels.values(), 1)]
    request, fitted = team.fit(CRITIC, request, shown, team.caps.ending_prompt)
    request = replace(request, schema=_exactly(fitted))
    reading = await ask_for(
        team.asker, ctx.meter, team.of(CRITIC), request, "critique", read_as(GradesAnswer), repair=False
    )
    doubts = {label: (doubt, "") for label, doubt in zip(list(labels)[:fitted], reading.value.doubts, strict=False)}
    kept, cuts = cut(labels, doubts, question.strictness)
    note = f"{len(shown) - fitted} claims were not shown to the critic" if fitted < len(shown) else ""
    return Critique(tuple(kept), tuple(cuts), gathered.duplicates, gathered.support, gathered.conflicts, note)


def _exactly(facts: int) -> dict[str, Any]:
    """The schema of an answer with one doubt for each fact that is shown."""
    schema = schema_of(GradesAnswer)
    schema["properties"]["doubts"] |= {"minItems": facts, "maxItems": facts}
    return schema
