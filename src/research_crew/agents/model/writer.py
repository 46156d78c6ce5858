"""The writer: typed claims in, a draft that cites them by label out, and whether more research would change it."""

from dataclasses import replace

from research_crew.agents.gather import critique_of, interleaved
from research_crew.agents.model.answers import Decision
from research_crew.agents.model.in_language import in_language
from research_crew.agents.model.prompting import system_prompt
from research_crew.agents.model.reference import choose
from research_crew.agents.model.team import Team
from research_crew.agents.roles import WRITER, Draft, Question
from research_crew.core.context import Context
from research_crew.evidence.claim import Claim
from research_crew.models.answer import split_decision
from research_crew.models.asking import ask_whole
from research_crew.models.coerce import coerce
from research_crew.models.protocol import ModelRequest

_DECISION = ("needs_more_research", "gaps")


async def write(question: Question, team: Team, ctx: Context) -> Draft:
    """A draft in the question's language.

    When not all claims fit, the lead is shown them in brief and asked which it wants in full (`reference`); those that
    do not fit even so are `cut_for_space`.
    """
    critique = critique_of(ctx.results, ctx.sources.witness, question.readmitted)
    claims = interleaved(critique.kept)
    labels = {f"c{n}": claim.id for n, claim in enumerate(claims, 1)}
    limits = []
    if question.max_claims is not None:
        limits.append(f"- At most {question.max_claims} cited claims.")
    if question.max_words is not None:
        limits.append(f"- At most {question.max_words} words.")
    system = system_prompt("writer", question, limits="\n".join(limits))
    warnings: list[str] = []
    base = team.request(WRITER, system, f"Question: {question.text}", team.caps.write)
    if question.previous:
        base = _with_report(base, question.previous, team, warnings)
    base = replace(base, prompt=f"{base.prompt}\n\nClaims:")
    by_label = dict(zip(labels, claims, strict=True))
    shown = {label: _shown(label, claim, critique.support, ctx) for label, claim in by_label.items()}
    order = tuple(shown)
    request, fitted = team.fit(WRITER, base, [shown[label] for label in order], team.caps.ending_prompt)
    if fitted < len(order):
        choice = await choose(question, by_label, fitted, request, team, ctx)
        order = choice.labels
        request, fitted = team.fit(WRITER, base, [shown[label] for label in order], team.caps.ending_prompt)
        warnings.append(f"{choice.note}; {fitted} were shown")
    reading = await ask_whole(team.asker, ctx.meter, team.of(ctx.task.role), request, "write")
    reading = await in_language(reading, request, question, team, ctx)
    markdown, decided = split_decision(reading.value, _DECISION)
    warnings += reading.notes
    decision = Decision()
    if decided is None:
        warnings.append("the writer did not say whether more research is needed: taken as no")
    else:
        decision = coerce(Decision, decided.value, warnings)
    return Draft(
        markdown.strip() + "\n", {label: labels[label] for label in order[:fitted]},
        tuple(by_label[label] for label in order[:fitted]), tuple(labels[label] for label in order[fitted:]), critique.support,
        decision.needs_more_research and bool(decision.gaps), tuple(decision.gaps), critique.conflicts,
        reading.cut, "writer", tuple(warnings),
    )  # fmt: skip


def _with_report(request: ModelRequest, report: str, team: Team, warnings: list[str]) -> ModelRequest:
    """The request with the last report in at most a third of the prompt: its claims are among the claims anyway."""
    parts = ["The report of the last round, whose findings stay:", *report.split("\n\n")]
    full, fitted = team.fit(WRITER, request, parts, team.caps.ending_prompt // 3)
    if fitted < len(parts):
        warnings.append(f"{len(parts) - fitted} paragraphs of the last report did not fit into the writer's prompt")
    return full


def _shown(label: str, claim: Claim, support: object, ctx: Context) -> str:
    source = ctx.sources.by_number(claim.source)
    several = support.get(claim.id, ()) if isinstance(support, dict) else ()
    witnesses = f", {len(several)} independent sources" if len(several) > 1 else ""
    partly = "; partly supported" if claim.check and claim.check.verdict == "partly" else ""
    return f"[{label}] {claim.text} ({source.tier}, {source.published or 'undated'}{witnesses}{partly})"
