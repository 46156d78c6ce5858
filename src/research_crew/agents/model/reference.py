"""Work by reference: findings that do not fit into the lead's prompt stay where they are, and the lead asks for some.

First it sees every claim in brief, by label, under the researcher that found it. What it names is then shown in full,
in its order, as far as that fits; whatever room is left is filled by rank. A claim that it has not seen in full cannot
be cited and is `cut-for-space` in the books, so that nothing is lost without a word.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from research_crew.agents.model.answers import ChoiceAnswer
from research_crew.agents.model.prompting import system_prompt
from research_crew.agents.model.team import Team
from research_crew.agents.roles import PLANNER, WRITER, Question
from research_crew.core.context import Context
from research_crew.core.errors import CallFailed, OverBudget
from research_crew.evidence.claim import Claim
from research_crew.models.asking import UnusableAnswer, ask_for, read_as
from research_crew.models.metered import DoesNotFit
from research_crew.models.protocol import ModelRequest
from research_crew.models.schema import schema_of

_LENGTHS = (160, 100, 60, 40, 24)
"""Characters of a claim in brief: the longest at which the list stays below half of the prompt, else the shortest."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Which claims the lead wants to read, and what the reader of the report should know about it."""

    labels: tuple[str, ...]
    """All labels: those asked for first, in the order asked for; then the others by rank."""
    asked: int
    """How many were asked for."""
    note: str


async def choose(
    question: Question, claims: Mapping[str, Claim], fitted: int, write: ModelRequest, team: Team, ctx: Context
) -> Choice:
    """Ask the lead which of `claims` (by label, ranked) it wants in full, when only about `fitted` of them fit.

    `write` is the request that comes after: without the money for this question and for two tries of that one the rank
    decides, and so it does when there is no usable answer.
    """
    total, ranked = len(claims), tuple(claims)
    model = team.of(ctx.task.role)
    request, listed = _in_brief(question, claims, fitted, team)
    unlisted = f"; {total - listed} were not even listed" if listed < total else ""
    try:
        needed = team.asker.worst(model, request) + 2 * team.asker.worst(model, write)
        if ctx.left < needed:
            raise OverBudget(needed, ctx.left, model.price.currency)
        reading = await ask_for(team.asker, ctx.meter, model, request, "choose", read_as(ChoiceAnswer))
    except (UnusableAnswer, CallFailed, DoesNotFit, OverBudget) as error:
        return Choice(ranked, 0, f"{total} claims did not fit into the prompt; their rank decided which did: {error}")
    wanted = dict.fromkeys(label.strip("[] ") for label in reading.value.labels)
    known = [label for label in wanted if label in claims]
    rest = [label for label in ranked if label not in wanted]
    note = f"{total} claims did not fit into the prompt; the lead saw them in brief and asked for {len(known)} in full"
    return Choice((*known, *rest), len(known), note + unlisted)


def _in_brief(question: Question, claims: Mapping[str, Claim], fitted: int, team: Team) -> tuple[ModelRequest, int]:
    """The question to the lead, and how many claims stand in it."""
    most = team.caps.ending_prompt
    system = system_prompt("chooser", question, most=max(1, fitted))
    head = f"Question: {question.text}\n\nClaims in brief:"
    request = team.request(PLANNER, system, head, team.caps.plan, schema_of(ChoiceAnswer), "choice")
    for length in _LENGTHS:
        lines, labels = _lines(question.planned, claims, length)
        last = length == _LENGTHS[-1]
        full, fitting = team.fit(WRITER, request, lines, most if last else most // 2)
        if fitting == len(lines):
            return full, len(claims)
    return full, sum(labels[:fitting])


def _lines(planned: Sequence[tuple[str, str]], claims: Mapping[str, Claim], length: int) -> tuple[list[str], list[int]]:
    """Every claim in brief under its researcher; beside each line, whether it is a claim (1) or a heading (0)."""
    outcomes = dict(planned)
    by_task: dict[str, list[str]] = {}
    for label, claim in claims.items():
        text = claim.text if len(claim.text) <= length else claim.text[: length - 1].rstrip() + "…"
        by_task.setdefault(claim.task, []).append(f"[{label}] {text}")
    lines: list[str] = []
    kinds: list[int] = []
    for task, briefs in by_task.items():
        lines += [f"## {task}: {outcomes.get(task, '')}".rstrip(": "), *briefs]
        kinds += [0, *([1] * len(briefs))]
    return lines, kinds
