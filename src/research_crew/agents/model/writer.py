"""The writer: typed claims in, a draft that cites them by label out, and whether more research would change it."""

from research_crew.agents.gather import critique_of, interleaved
from research_crew.agents.model.answers import Decision
from research_crew.agents.model.prompting import system_prompt
from research_crew.agents.model.team import Team
from research_crew.agents.roles import WRITER, Draft, Question
from research_crew.core.context import Context
from research_crew.evidence.claim import Claim
from research_crew.models.answer import split_decision
from research_crew.models.asking import ask_whole
from research_crew.models.coerce import coerce

_DECISION = ("needs_more_research", "gaps")


async def write(question: Question, team: Team, ctx: Context) -> Draft:
    """A draft in the question's language; claims that do not fit are left out from the end, and named."""
    critique = critique_of(ctx.results, ctx.sources.witness)
    claims = interleaved(critique.kept)
    labels = {f"c{n}": claim.id for n, claim in enumerate(claims, 1)}
    limits = []
    if question.max_claims is not None:
        limits.append(f"- At most {question.max_claims} cited claims.")
    if question.max_words is not None:
        limits.append(f"- At most {question.max_words} words.")
    lines = [f"Question: {question.text}"]
    if question.previous:
        lines.append(f"The report of the last round, whose findings stay:\n{question.previous}")
    lines.append("Claims:")
    request = team.request(
        WRITER, system_prompt("writer", question, limits="\n".join(limits)), "\n\n".join(lines), team.caps.write
    )
    shown = [_shown(label, claim, critique.support, ctx) for label, claim in zip(labels, claims, strict=True)]
    request, fitted = team.fit(WRITER, request, shown, team.caps.ending_prompt)
    reading = await ask_whole(team.asker, ctx.meter, team.of(ctx.task.role), request, "write")
    markdown, decided = split_decision(reading.value, _DECISION)
    warnings = list(reading.notes)
    decision = Decision()
    if decided is None:
        warnings.append("the writer did not say whether more research is needed: taken as no")
    else:
        decision = coerce(Decision, decided.value, warnings)
    return Draft(
        markdown.strip() + "\n", dict(list(labels.items())[:fitted]), tuple(claims[:fitted]),
        tuple(claim.id for claim in claims[fitted:]), critique.support,
        decision.needs_more_research and bool(decision.gaps), tuple(decision.gaps), critique.conflicts,
        reading.cut, "writer", tuple(warnings),
    )  # fmt: skip


def _shown(label: str, claim: Claim, support: object, ctx: Context) -> str:
    source = ctx.sources.by_number(claim.source)
    several = support.get(claim.id, ()) if isinstance(support, dict) else ()
    witnesses = f", {len(several)} independent sources" if len(several) > 1 else ""
    partly = "; partly supported" if claim.check and claim.check.verdict == "partly" else ""
    return f"[{label}] {claim.text} ({source.tier}, {source.published or 'undated'}{witnesses}{partly})"
