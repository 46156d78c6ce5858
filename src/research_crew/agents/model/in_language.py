"""A report in the language of the question: checked by script and function words, asked for once more, or said."""

from dataclasses import replace

from research_crew.agents.model.team import Team
from research_crew.agents.roles import Question
from research_crew.core.context import Context
from research_crew.core.errors import CallFailed, OverBudget
from research_crew.evidence.written import language_name, written_in
from research_crew.models.asking import Reading, UnusableAnswer, ask_whole
from research_crew.models.metered import DoesNotFit
from research_crew.models.protocol import Message, ModelRequest


async def in_language(
    written: Reading[str], request: ModelRequest, question: Question, team: Team, ctx: Context
) -> Reading[str]:
    """The draft as it is when it is in the question's language; otherwise the same report asked for once more, billed.

    What is still in another language after that, or could not be asked for, is kept with a warning among its notes.
    """
    if written_in(written.value, question.language):
        return written
    name = language_name(question.language)
    history = (*request.history, Message("user", request.prompt), Message("assistant", written.value))
    prompt = (
        f"That is not in {name}. Write the same report again in {name}: the same findings, the same labels behind the same "
        "sentences, and the JSON block at the end."
    )
    complaint = f"the report was not in {name}"
    try:
        again = await ask_whole(
            team.asker, ctx.meter, team.of(ctx.task.role), replace(request, history=history, prompt=prompt), "write/language"
        )
    except (OverBudget, DoesNotFit, CallFailed, UnusableAnswer) as error:
        return replace(written, notes=(*written.notes, f"{complaint}, and it was not written again: {error}"))
    if not written_in(again.value, question.language):
        return replace(written, notes=(*written.notes, f"{complaint}, and a second one was not either"))
    return replace(again, notes=(*again.notes, f"{complaint} at first and was written again"), repaired=True)
