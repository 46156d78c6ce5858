"""The citation pass: edits to a draft, each checked before it is made; anything else leaves the text as it is."""

import re
from collections.abc import Collection, Mapping
from dataclasses import replace

from research_crew.agents.assemble import assemble
from research_crew.agents.model.answers import EditAnswer, EditsAnswer
from research_crew.agents.model.prompting import system_prompt
from research_crew.agents.model.team import Team
from research_crew.agents.roles import CITER, Draft, Question, Report
from research_crew.core.context import Context
from research_crew.core.errors import CallFailed, OverBudget
from research_crew.evidence.support import missing_figures
from research_crew.models.asking import UnusableAnswer, ask_for, read_as
from research_crew.models.metered import DoesNotFit
from research_crew.models.schema import schema_of

_LABELS = r"(?:\s*\[c\d+(?:\s*[,;]\s*c\d+)*\])*"


async def cite(question: Question, draft: Draft, team: Team, ctx: Context) -> Report:
    """The report with its citations checked; if the pass fails the writer's citations stay, and that is said.

    The claims that the draft cites are shown first. Where not all fit, no sentence is changed that cites one of the rest.
    """
    claims = {claim.id: claim for claim in draft.claims}
    cited = [label for label in dict.fromkeys(re.findall(r"\bc\d+\b", draft.markdown)) if label in draft.labels]
    labels = [*cited, *(label for label in draft.labels if label not in cited)]
    shown = [f"[{label}] {claims[draft.labels[label]].text}" for label in labels]
    request = team.request(
        CITER, system_prompt("citer", question), f"Draft:\n{draft.markdown}\n\nClaims:", team.caps.cite,
        schema_of(EditsAnswer), "edits",
    )  # fmt: skip
    request, fitted = team.fit(CITER, request, shown, team.caps.ending_prompt + team.caps.write)
    try:
        reading = await ask_for(team.asker, ctx.meter, team.of(CITER), request, "cite", read_as(EditsAnswer))
    except (UnusableAnswer, CallFailed, DoesNotFit, OverBudget) as error:
        report = assemble(draft)
        warnings = (*report.warnings, f"the citations were not checked again: {error}")
        return replace(report, checked=False, warnings=warnings)
    markdown, rejected = apply(draft.markdown, reading.value.edits, draft.labels, labels[fitted:])
    report = assemble(replace(draft, markdown=markdown))
    notes = [f"an edit of the citer was not made: {why}" for why in rejected]
    if fitted < len(cited):
        notes.append(f"{len(cited) - fitted} of {len(cited)} cited claims did not fit into the citer's prompt")
    return replace(report, warnings=(*report.warnings, *notes))


def apply(
    markdown: str, edits: list[EditAnswer], labels: Mapping[str, str], unseen: Collection[str] = ()
) -> tuple[str, list[str]]:
    """The draft with the edits that may be made, and why the others were not; `unseen` labels were not shown."""
    rejected: list[str] = []
    for edit in edits:
        sentence = " ".join(re.sub(r"\[c\d+\]", "", edit.sentence).split())
        place = _find(markdown, sentence)
        wanted = [label.strip("[] ") for label in edit.labels]
        known = [label for label in dict.fromkeys(wanted) if label in labels]
        if place is None:
            rejected.append(f"no such sentence: {sentence[:80]}")
            continue
        written, cited = place[1], re.findall(r"c\d+", place[2])
        if any(label in unseen for label in cited) and edit.action != "attach":
            rejected.append(f"it concerns a claim that was not shown: {sentence[:80]}")
            continue
        if edit.action in ("attach", "replace") and not known:
            rejected.append(f"no such claim: {', '.join(wanted) or 'none'}")
            continue
        if edit.action == "soften":
            text = " ".join(edit.text.split())
            if not text or len(text) > len(written) * 1.5 + 40 or missing_figures(text, written) or "[" in text or "://" in text:
                rejected.append(f"it adds to the sentence: {text[:80]}")
                continue
            written = text
        if edit.action == "attach":
            known = list(dict.fromkeys((*cited, *known)))
        keep = {"attach": known, "replace": known, "remove": [], "soften": known or cited}.get(edit.action, [])
        new = "" if edit.action == "delete" else written + "".join(f" [{label}]" if n == 0 else f"[{label}]" for n, label in enumerate(keep))
        start = place[0]
        markdown = markdown[:start] + new + markdown[start + len(place[1]) + len(place[2]) :]
    return re.sub(r"[ \t]+\n", "\n", re.sub(r"\n[-*] *(?=\n|$)", "\n", markdown)), rejected


def _find(markdown: str, sentence: str) -> tuple[int, str, str] | None:
    """Where a sentence stands: (place, the sentence as written, the citations behind it)."""
    if len(sentence) < 3:
        return None
    pattern = r"\s+".join(re.escape(word) for word in sentence.split())
    match = re.search(f"({pattern})({_LABELS})", markdown)
    return (match.start(), match[1], match[2]) if match else None
