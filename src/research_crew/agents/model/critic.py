"""The critic: doubts about claims, and what strictness makes of them.

The model grades; the program cuts. So a stricter critic cuts what a milder one cuts, and more, whatever the model says.
"""

from research_crew.agents.gather import gather
from research_crew.agents.model.answers import CritiqueAnswer
from research_crew.agents.model.prompting import system_prompt
from research_crew.agents.model.team import Team
from research_crew.agents.roles import CRITIC, Critique, Cut, Question
from research_crew.core.context import Context
from research_crew.evidence.claim import Claim
from research_crew.models.asking import ask_for, read_as
from research_crew.models.schema import schema_of

WORST_DOUBT = 10


async def criticise(question: Question, team: Team, ctx: Context) -> Critique:
    """The claims of all findings, de-duplicated, the least doubtful first; a claim that is not mentioned is kept."""
    gathered = gather(ctx.results, ctx.sources.witness)
    claims = gathered.kept
    if not claims:
        return gathered
    labels = {f"c{n}": claim for n, claim in enumerate(claims, 1)}
    request = team.request(
        CRITIC, system_prompt("critic", question), f"Question: {question.text}\n\nClaims:", team.caps.critique,
        schema_of(CritiqueAnswer), "critique",
    )  # fmt: skip
    shown = [_shown(label, claim, ctx) for label, claim in labels.items()]
    request, fitted = team.fit(CRITIC, request, shown, team.caps.ending_prompt)
    reading = await ask_for(team.asker, ctx.meter, team.of(CRITIC), request, "critique", read_as(CritiqueAnswer))
    doubts = {d.claim.strip("[] "): d for d in reading.value.claims}
    kept, cuts = cut(labels, {label: (d.doubt, d.reason) for label, d in doubts.items()}, question.strictness)
    note = f"{len(claims) - fitted} claims were not shown to the critic" if fitted < len(claims) else ""
    return Critique(tuple(kept), tuple(cuts), gathered.duplicates, gathered.support, gathered.conflicts, note)


def cut(
    labels: dict[str, Claim], doubts: dict[str, tuple[int, str]], strictness: float
) -> tuple[list[Claim], list[Cut]]:
    """Cut every claim whose doubt is above 10 x (1 - strictness): none at 0, every doubted one at 1."""
    limit = WORST_DOUBT * (1 - strictness)
    graded = [(doubts.get(label, (0, "")), claim) for label, claim in labels.items()]
    cuts = [Cut(claim.id, reason or f"doubt {doubt} of 10") for (doubt, reason), claim in graded if doubt > limit]
    kept = sorted((pair for pair in graded if pair[0][0] <= limit), key=lambda pair: pair[0][0])
    return [claim for _, claim in kept], cuts


def _shown(label: str, claim: Claim, ctx: Context) -> str:
    source = ctx.sources.by_number(claim.source)
    quote = "" if claim.quote == claim.text else f'\n  quote: "{claim.quote}"'
    partly = " (only partly supported by its quote)" if claim.check and claim.check.verdict == "partly" else ""
    return f"[{label}] {claim.text}{partly}{quote}\n  source: {source.tier}, {source.published or 'undated'}"

