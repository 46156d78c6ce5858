"""Puts sentences together without a model: a section for each brief, each sentence as it stands, with its citation."""

from collections.abc import Mapping, Sequence

from research_crew.agents.extractive.terms import word_count
from research_crew.agents.gather import critique_of, interleaved
from research_crew.agents.roles import Draft, Question
from research_crew.agents.wording import Wording, wording
from research_crew.core.context import Context
from research_crew.evidence.claim import Claim


def write(question: Question, objectives: Mapping[str, str], leads: Mapping[str, Sequence[str]], ctx: Context) -> Draft:
    """The draft; `objectives` says what each task was asked, for the headings.

    A part of the question that no claim speaks of is a gap. More research is asked for only where it could differ:
    where `leads` has queries for that part that nobody has asked.
    """
    critique = critique_of(ctx.results, ctx.sources.witness, question.readmitted)
    words = wording(question.language)
    shown, left_out = _fit(interleaved(critique.kept), question)
    labels = {f"c{n}": claim.id for n, claim in enumerate(shown, 1)}
    label_of = {name: label for label, name in labels.items()}
    lines = [f"# {question.text}", "", f"> {words.verbatim}", ""]
    used: set[str] = set()
    for heading, claims in _sections(shown, objectives, words, ctx):
        if heading:
            lines += [f"## {_heading(heading, used)}", ""]
        lines += [_bullet(claim, label_of, critique.conflicts, shown, words) for claim in claims]
        lines.append("")
    answered = {c.task for c in critique.kept}
    gaps = tuple(what for task, what in objectives.items() if task not in answered)
    if gaps and len(objectives) > 1:
        lines += [f"> {words.nothing_found.format(part=part)}" for part in gaps]
    return Draft(
        "\n".join(lines).rstrip() + "\n", labels, tuple(shown), tuple(c.id for c in left_out), critique.support,
        any(leads.get(gap) for gap in gaps), gaps, critique.conflicts,
    )  # fmt: skip


def _sections(
    shown: Sequence[Claim], objectives: Mapping[str, str], words: Wording, ctx: Context
) -> list[tuple[str, list[Claim]]]:
    """Sections by task, in the order of the plan; of one task alone by the titles of its sources, where those hold
    several claims each; else one section without a heading."""
    order = {task: place for place, task in enumerate(objectives)}
    by_task: dict[str, list[Claim]] = {}
    for claim in sorted(shown, key=lambda c: order.get(c.task, len(order))):
        by_task.setdefault(claim.task, []).append(claim)
    if len(by_task) > 1:
        return [(objectives.get(task) or words.findings, claims) for task, claims in by_task.items()]
    by_title: dict[str, list[Claim]] = {}
    for claim in shown:
        by_title.setdefault(ctx.sources.by_number(claim.source).title or words.findings, []).append(claim)
    if len(by_title) > 1 and len(shown) >= 2 * len(by_title):
        return list(by_title.items())
    return [("", list(shown))] if shown else []


def _bullet(
    claim: Claim,
    label_of: Mapping[str, str],
    conflicts: Sequence[tuple[str, str]],
    shown: Sequence[Claim],
    words: Wording,
) -> str:
    partly = f" ({words.partly})" if claim.check is not None and claim.check.verdict == "partly" else ""
    line = f"- {claim.text}{partly} [{label_of[claim.id]}]"
    for one, rival in conflicts:
        if claim.id == one and rival in label_of:
            text = next(c.text for c in shown if c.id == rival)
            line += f"; {words.disagree}: {text} [{label_of[rival]}]"
    return line


def _fit(claims: Sequence[Claim], question: Question) -> tuple[list[Claim], list[Claim]]:
    """The claims that the limits of the answer allow, and those that they do not."""
    shown: list[Claim] = []
    left_out: list[Claim] = []
    room = question.max_words if question.max_words is not None else 10**9
    for claim in claims:
        words = word_count(claim.text)
        if (question.max_claims is not None and len(shown) >= question.max_claims) or words > room:
            left_out.append(claim)
        else:
            shown.append(claim)
            room -= words
    return shown, left_out


def _heading(text: str, used: set[str]) -> str:
    """A heading of its own for each section, whatever the briefs say."""
    text = " ".join(text.split()).lstrip("# ")
    text = text[:1].upper() + text[1:]
    text = text if len(text) <= 90 else text[:87].rsplit(" ", 1)[0] + " …"
    unique, n = text, 2
    while unique.casefold() in used:
        unique, n = f"{text} ({n})", n + 1
    used.add(unique.casefold())
    return unique
