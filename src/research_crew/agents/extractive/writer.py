"""Puts sentences together without a model: a section for each brief, each sentence as it stands, with its citation."""

from research_crew.agents.gather import critique_of, interleaved
from research_crew.agents.roles import Draft, Question
from research_crew.agents.wording import Wording, wording
from research_crew.core.context import Context
from research_crew.evidence.claim import Claim


def write(question: Question, objectives: dict[str, str], ctx: Context) -> Draft:
    """The draft; `objectives` says what each task was asked, for the headings."""
    critique = critique_of(ctx.results, ctx.sources.witness)
    words = wording(question.language)
    shown, left_out = _fit(interleaved(critique.kept), question)
    labels = {f"c{n}": claim.id for n, claim in enumerate(shown, 1)}
    label_of = {name: label for label, name in labels.items()}
    lines = [f"# {question.text}", "", f"> {words.verbatim}", ""]
    tasks = sorted({claim.task for claim in shown}, key=list(objectives).index if objectives else None)
    used: set[str] = set()
    for task in tasks:
        if len(tasks) > 1:
            lines += [f"## {_heading(objectives.get(task) or words.findings, used)}", ""]
        mine = [claim for claim in shown if claim.task == task]
        lines += [_bullet(claim, label_of, critique.conflicts, shown, words) for claim in mine]
        lines.append("")
    gaps = tuple(what for task, what in objectives.items() if task not in {c.task for c in critique.kept})
    if gaps and len(objectives) > 1:
        lines += [f"> {words.nothing_found.format(part=part)}" for part in gaps]
    return Draft(
        "\n".join(lines).rstrip() + "\n", labels, tuple(shown), tuple(c.id for c in left_out), critique.support,
        bool(gaps), gaps, critique.conflicts,
    )  # fmt: skip


def _bullet(
    claim: Claim, label_of: dict[str, str], conflicts: tuple[tuple[str, str], ...], shown: list[Claim], words: Wording
) -> str:
    partly = f" ({words.partly})" if claim.check is not None and claim.check.verdict == "partly" else ""
    line = f"- {claim.text}{partly} [{label_of[claim.id]}]"
    for one, other in conflicts:
        rival = other if claim.id == one else None
        if rival in label_of:
            text = next(c.text for c in shown if c.id == rival)
            line += f"; {words.disagree}: {text} [{label_of[rival]}]"
    return line


def _fit(claims: list[Claim], question: Question) -> tuple[list[Claim], list[Claim]]:
    """The claims that the limits of the answer allow, and those that they do not."""
    shown: list[Claim] = []
    left_out: list[Claim] = []
    room = question.max_words if question.max_words is not None else 10**9
    for claim in claims:
        words = len(claim.text.split())
        if (question.max_claims is not None and len(shown) >= question.max_claims) or words > room:
            left_out.append(claim)
        else:
            shown.append(claim)
            room -= words
    return shown, left_out


def _heading(text: str, used: set[str]) -> str:
    """A heading of its own for each section, whatever the briefs say."""
    text = " ".join(text.split())
    text = text[:1].upper() + text[1:]
    text = text if len(text) <= 90 else text[:87].rsplit(" ", 1)[0] + " …"
    unique, n = text, 2
    while unique.casefold() in used:
        unique, n = f"{text} ({n})", n + 1
    used.add(unique.casefold())
    return unique
