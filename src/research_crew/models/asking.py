"""Asking for a value rather than for text: read it, repair it once, or say why there is none.

The repair is one further request, billed like any other. What is still unreadable after it raises `UnusableAnswer`, and
the role takes its named fallback.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from research_crew.core.errors import OverBudget, ProviderError
from research_crew.core.meter import TaskMeter
from research_crew.models.answer import Unreadable, answer_json, answer_text
from research_crew.models.coerce import coerce, names_of
from research_crew.models.metered import Asker, DoesNotFit
from research_crew.models.protocol import ChatModel, Message, ModelReply, ModelRequest

T = TypeVar("T")
_SHOWN = 4_000
_OVERLAP = 400


@dataclass(frozen=True, slots=True)
class Reading(Generic[T]):
    """A value read from a reply."""

    value: T
    notes: tuple[str, ...] = ()
    """What was put right, and which defaults stand in: warnings for the reader."""
    cut: bool = False
    """The answer was cut off: the value holds what came."""
    repaired: bool = False


Reader = Callable[[ModelReply], Reading[T]]
"""Reads a reply; raises `Unreadable`."""


class UnusableAnswer(ProviderError):
    """No usable answer, after one repair. `complaint` says what was wrong with the last one."""

    def __init__(self, step: str, complaint: str, reply: ModelReply | None) -> None:
        self.step, self.complaint, self.reply = step, complaint, reply
        super().__init__(f"{step}: {complaint}")


def read_as(kind: type[T]) -> Reader[T]:
    """A reader of the dataclass (or pydantic model) `kind`."""
    names = names_of(kind)

    def read(reply: ModelReply) -> Reading[T]:
        parsed = answer_json(reply, names)
        notes = list(parsed.notes)
        value = coerce(kind, parsed.value, notes)
        return Reading(value, tuple(dict.fromkeys(notes)), parsed.cut)

    return read


async def ask_for(
    asker: Asker, meter: TaskMeter, model: ChatModel, request: ModelRequest, step: str, read: Reader[T],
    repair: bool = True,
) -> Reading[T]:  # fmt: skip
    """A value: asked for under `step`, and once more under `step/repair` when the first answer cannot be read (unless
    `repair` is false: a small model seldom does better the second time).

    Raises `UnusableAnswer` when the second cannot be read either, or cannot be paid; `OverBudget`, `DoesNotFit` and
    `CallFailed` when already the first call fails.
    """

    def check(reply: ModelReply) -> str:
        try:
            read(reply)
        except Unreadable as error:
            return error.complaint
        return ""

    reply = await asker.ask(meter, model, request, step, check)
    try:
        return read(reply)
    except Unreadable as error:
        complaint = error.complaint
    if not repair:
        raise UnusableAnswer(step, complaint, reply)
    try:
        again = await asker.ask(meter, model, repair_of(request, reply, complaint), f"{step}/repair", check)
    except (OverBudget, DoesNotFit) as error:
        raise UnusableAnswer(step, f"{complaint}; and the repair was not bought: {error}", reply) from error
    try:
        reading = read(again)
    except Unreadable as error:
        raise UnusableAnswer(step, error.complaint, again) from error
    return replace(reading, repaired=True, notes=(f"repaired: {complaint}", *reading.notes))


def repair_of(request: ModelRequest, reply: ModelReply, complaint: str) -> ModelRequest:
    """The one repair request: what was wrong, and the same thing asked again."""
    if reply.empty or reply.finish == "content_filter":
        return replace(request, prompt=f"{request.prompt}\n\n(The last answer could not be used: {complaint}.)")
    said = reply.text if reply.data is None else str(reply.data)
    history = (*request.history, Message("user", request.prompt), Message("assistant", said[:_SHOWN]))
    if reply.finish in ("length", "repetition"):
        words = request.max_tokens // 3
        prompt = f"That was cut off at the limit. Give the whole answer again, in at most {words} words."
    else:
        prompt = f"That cannot be used: {complaint}. Give the whole answer again, in the form that was asked for."
    return replace(request, history=history, prompt=prompt)


async def ask_whole(
    asker: Asker, meter: TaskMeter, model: ChatModel, request: ModelRequest, step: str, continuations: int = 1
) -> Reading[str]:
    """A text, continued under `step/continued-1` … when it was cut off at its limit.

    `cut` says that it is still not whole: it was cut again, or the continuation could not be had. An empty answer is
    asked for once more (`step/repair`); raises `UnusableAnswer` when that is empty too.
    """
    reply = await asker.ask(meter, model, request, step)
    notes = list(reply.notes)
    text = answer_text(reply)
    if not text:
        reply, text = await _once_more(asker, meter, model, request, step, reply)
        notes.append("the first answer was empty")
    for number in range(1, continuations + 1):
        if reply.finish != "length":
            break
        history = (*request.history, Message("user", request.prompt), Message("assistant", text))
        prompt = "You were cut off. Go on exactly where you stopped; repeat nothing and add no introduction."
        further = replace(request, history=history, prompt=prompt)
        try:
            reply = await asker.ask(meter, model, further, f"{step}/continued-{number}")
        except (OverBudget, DoesNotFit) as error:
            notes.append(f"it was cut off and not continued: {error}")
            break
        text = joined(text, answer_text(reply))
    return Reading(text, tuple(notes), reply.finish in ("length", "repetition", "unknown"))


async def _once_more(
    asker: Asker, meter: TaskMeter, model: ChatModel, request: ModelRequest, step: str, reply: ModelReply
) -> tuple[ModelReply, str]:
    complaint = (
        "the answer was withheld by a content filter" if reply.finish == "content_filter" else "the answer was empty"
    )
    try:
        again = await asker.ask(meter, model, repair_of(request, reply, complaint), f"{step}/repair")
    except (OverBudget, DoesNotFit) as error:
        raise UnusableAnswer(step, f"{complaint}; and a second was not bought: {error}", reply) from error
    text = answer_text(again)
    if not text:
        raise UnusableAnswer(step, complaint, again)
    return again, text


def joined(head: str, tail: str) -> str:
    """A text and its continuation; what the continuation says again of the end is said once."""
    for size in range(min(_OVERLAP, len(head), len(tail)), 5, -1):
        # A short overlap counts only from the beginning of a word.
        if head.endswith(tail[:size]) and (size > 11 or not head[: len(head) - size][-1:].isalnum()):
            return head + tail[size:]
    gap = "" if not head or not tail or head[-1].isspace() or tail[0] in " \n,.;:!?)]" else " "
    return head + (gap if (head[-1:].isalnum() and tail[:1].isupper()) or head[-1:] in ".!?" else "") + tail
