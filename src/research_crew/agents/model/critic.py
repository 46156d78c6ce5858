"""The critic: doubts about claims, and what strictness makes of them.

The model grades; the program cuts. So a stricter critic cuts what a milder one cuts, and more, whatever the model says.
"""

import asyncio

from research_crew.agents.gather import gather, interleaved
from research_crew.agents.model.answers import CritiqueAnswer
from research_crew.agents.model.prompting import system_prompt
from research_crew.agents.model.team import Team
from research_crew.agents.roles import CRITIC, Critique, Cut, Question
from research_crew.core.context import Context
from research_crew.core.errors import CallFailed, OverBudget
from research_crew.evidence.claim import Claim
from research_crew.models.asking import Reading, UnusableAnswer, ask_for, read_as
from research_crew.models.metered import DoesNotFit
from research_crew.models.protocol import ModelRequest
from research_crew.models.schema import schema_of

WORST_DOUBT = 10
TOKENS_A_DOUBT = 25
"""What the answer about one claim takes: how many claims one answer can judge."""


async def criticise(question: Question, team: Team, ctx: Context) -> Critique:
    """The claims of all findings, de-duplicated, the least doubtful first; a claim that is not mentioned is kept.

    More claims than one prompt and one answer can hold are judged in parts side by side. The first part is paid for
    before the research begins; what cannot be judged, for want of money or of a usable answer, is kept, and that is said.
    Raises what the last part raised when no part could be judged.
    """
    gathered = gather(ctx.results, ctx.sources.witness)
    if not gathered.kept:
        return gathered
    labels = {f"c{n}": claim for n, claim in enumerate(interleaved(gathered.kept), 1)}
    parts = _parts(question, [_shown(label, claim, ctx) for label, claim in labels.items()], team)
    steps = ["critique", *(f"critique/part-{n}" for n in range(2, len(parts) + 1))]
    model, read = team.of(CRITIC), read_as(CritiqueAnswer)
    asking = (
        ask_for(team.asker, ctx.meter, model, request, step, read) for step, (request, _) in zip(steps, parts, strict=True)
    )
    answers = await asyncio.gather(*asking, return_exceptions=True)
    doubts: dict[str, tuple[int, str]] = {}
    lost, why = 0, ""
    for answer, (_, shown) in zip(answers, parts, strict=True):
        if isinstance(answer, Reading):
            doubts |= {d.claim.strip("[] "): (d.doubt, d.reason) for d in answer.value.claims}
        elif not isinstance(answer, (UnusableAnswer, CallFailed, DoesNotFit, OverBudget)) or len(parts) == 1:
            raise answer
        else:
            lost, why = lost + shown, str(answer)
    if lost == sum(shown for _, shown in parts):
        raise next(answer for answer in answers if isinstance(answer, Exception))
    unseen = len(labels) - sum(shown for _, shown in parts)
    notes = [f"{unseen} claims did not fit into the critic's prompts and were kept"] if unseen else []
    notes += [f"{lost} claims were not judged and were kept: {why}"] if lost else []
    kept, cuts = cut(labels, doubts, question.strictness)
    return Critique(
        tuple(kept), tuple(cuts), gathered.duplicates, gathered.support, gathered.conflicts, "; ".join(notes)
    )


def _parts(question: Question, shown: list[str], team: Team) -> list[tuple[ModelRequest, int]]:
    """The requests that together show all claims, and how many each shows; a claim too long for any is left out."""
    request = team.request(
        CRITIC, system_prompt("critic", question), f"Question: {question.text}\n\nClaims:", team.caps.critique,
        schema_of(CritiqueAnswer), "critique",
    )  # fmt: skip
    most = max(10, team.caps.critique // TOKENS_A_DOUBT)
    parts: list[tuple[ModelRequest, int]] = []
    while shown:
        full, fitted = team.fit(CRITIC, request, shown[:most], team.caps.ending_prompt)
        if fitted:
            parts.append((full, fitted))
        shown = shown[fitted or 1 :]
    return parts or [(request, 0)]


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

