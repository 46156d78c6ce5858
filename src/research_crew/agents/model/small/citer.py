"""The citation pass of small models: the labels of each sentence, asked for by number. No edit can change a word."""

from dataclasses import replace
from typing import Any

from research_crew.agents.assemble import assemble
from research_crew.agents.model.prompting import system_prompt
from research_crew.agents.model.small.answers import BackingAnswer
from research_crew.agents.model.small.writer import cited_sentences
from research_crew.agents.model.team import Team
from research_crew.agents.roles import CITER, Draft, Question, Report
from research_crew.core.context import Context
from research_crew.core.errors import CallFailed, OverBudget
from research_crew.evidence.support import check_support
from research_crew.models.asking import UnusableAnswer, ask_for, read_as
from research_crew.models.metered import DoesNotFit
from research_crew.models.schema import schema_of


async def cite(question: Question, draft: Draft, team: Team, ctx: Context) -> Report:
    """The report with its citations checked; if the pass fails the citations stay as they are, and that is said.

    A label that the model names is added where the claim bears the sentence; one that it leaves out is removed where the
    claim does not bear it. So neither the model nor the check alone decides. A sentence that the model does not answer
    for keeps what the writer gave it: an answer drawn from several facts is borne by none of them alone.
    """
    answer, rest = draft.markdown.split("\n\n## ", 1)
    sentences = cited_sentences(answer)
    claims = {claim.id: claim for claim in draft.claims}
    numbered = "\n".join(f"{n}. {sentence}" for n, (sentence, _) in enumerate(sentences, 1))
    request = team.request(
        CITER, system_prompt("small/citer", question), f"Sentences:\n{numbered}\n\nFacts:", team.caps.cite,
        schema_of(BackingAnswer), "backing",
    )  # fmt: skip
    shown = [f"{n}. {claims[name].text}" for n, name in enumerate(draft.labels.values(), 1)]
    request, fitted = team.fit(CITER, request, shown, team.caps.ending_prompt)
    request = replace(request, schema=_exactly(len(sentences), fitted))
    try:
        reading = await ask_for(
            team.asker, ctx.meter, team.of(CITER), request, "cite", read_as(BackingAnswer), repair=False
        )
    except (UnusableAnswer, CallFailed, DoesNotFit, OverBudget) as error:
        report = assemble(draft)
        warnings = (*report.warnings, f"the citations were not checked again: {error}")
        return replace(report, checked=False, warnings=warnings)
    labels = list(draft.labels)[:fitted]
    named = {
        n: [labels[fact - 1] for fact in facts if 0 < fact <= fitted]
        for n, facts in enumerate(reading.value.facts, 1)
    }  # fmt: skip
    lines = []
    for n, (sentence, given) in enumerate(sentences, 1):
        said = named.get(n, given)
        kept = [
            label
            for label in dict.fromkeys((*given, *said))
            if label in draft.labels
            and ((label in given and label in said) or _bears(claims[draft.labels[label]].text, sentence))
        ]
        lines.append(sentence + (" " + "".join(f"[{label}]" for label in kept) if kept else ""))
    return assemble(replace(draft, markdown=f"{' '.join(lines)}\n\n## {rest}"))


def _exactly(sentences: int, facts: int) -> dict[str, Any]:
    """The schema of an answer with a list of facts for each sentence: left free, a small model answers for none."""
    schema = schema_of(BackingAnswer)
    behind = schema["properties"]["facts"]
    behind |= {"minItems": sentences, "maxItems": sentences}
    behind["items"]["items"] |= {"minimum": 1, "maximum": facts}
    return schema


def _bears(claim: str, sentence: str) -> bool:
    return check_support(sentence, claim).verdict != "unsupported"
