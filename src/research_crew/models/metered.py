"""Asking a model on a task's account: every request of a role goes through here, and through the meter.

One `ask` reserves the worst case, buys, and returns the reply with its usage, estimated where the reply named none. An
answer that cannot be used is `rejected` in the ledger and paid for all the same. A prompt that does not fit the model's
window is refused before it is sent, with an error that the role can act on.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from decimal import Decimal
from typing import TypeVar

from research_crew.core.call import Call, Receipt, Retry
from research_crew.core.errors import CallFailed, ProviderError
from research_crew.core.events import Event, OnEvent
from research_crew.core.ledger import Basis
from research_crew.core.meter import TaskMeter
from research_crew.core.money import Price, Usage, rounded
from research_crew.models.answer import answer_text
from research_crew.models.bound import Bounds
from research_crew.models.failures import is_schema_refused, is_too_long
from research_crew.models.ladder import Rungs, as_asked, next_rung, probe
from research_crew.models.prices import worst_input_rate
from research_crew.models.protocol import ChatModel, ModelReply, ModelRequest, Rung, digest, full_name

T = TypeVar("T")
Check = Callable[[ModelReply], str]
"""Why an answer cannot be used; empty when it can."""
_MILLION = Decimal(1_000_000)


class DoesNotFit(ProviderError):
    """A prompt and its answer are longer than the model's window: cut the prompt and ask again. Nothing was sent, or
    nothing was billed."""

    def __init__(self, model: str, prompt: int, output: int, window: int | None) -> None:
        self.model, self.prompt, self.output, self.window = model, prompt, output, window
        size = f" of {window} tokens" if window else ""
        super().__init__(
            f"a prompt of up to {prompt} tokens and an answer of {output} do not fit the window{size} of {model}"
        )


@dataclass(slots=True)
class Asker:
    """What the calls of one run share: bounds, rungs, retries, time-outs, and who watches."""

    now: Callable[[], datetime]
    bounds: Bounds = field(default_factory=Bounds)
    rungs: Rungs = field(default_factory=Rungs)
    timeout: float = 120.0
    """Seconds for one try."""
    retry: Retry | None = None
    """None: the meter's own."""
    on_event: OnEvent | None = None
    """Told `text` as it arrives, when `streams`, `waiting` every `beat` seconds while nothing else happens, and `reply`
    with each whole answer."""
    streams: bool = False
    """Whether answers are asked for piece by piece where a provider offers that; one that begins to repeat itself
    without end is then stopped."""
    beat: float = 10.0
    _probing: dict[str, asyncio.Lock] = field(default_factory=dict)

    async def ask(
        self, meter: TaskMeter, model: ChatModel, request: ModelRequest, step: str, check: Check | None = None
    ) -> ModelReply:
        """Buy one answer under `step`, a path that the role names before it awaits anything.

        Raises `OverBudget` before anything is sent, `DoesNotFit`, `CallFailed` when the last try failed. An answer
        that `check` (or its emptiness) rejects is returned as well: the caller decides what comes of it.
        """
        rung = await self._rung(meter, model, request, step)
        attempt = 0
        while True:
            asked = request if rung is None else as_asked(request, rung)
            where = f"{step}/again-{attempt}" if attempt else step
            try:
                return await self._buy(meter, model, request, asked, where, check)
            except CallFailed as failure:
                if is_too_long(failure):
                    prompt = self.bounds.prompt(model, asked)
                    raise DoesNotFit(full_name(model), prompt, asked.most_output, model.window) from failure
                lower = next_rung(model, rung) if rung is not None and is_schema_refused(failure) else None
                if lower is None:
                    raise
                self.rungs.learn(model, lower)
                rung, attempt = lower, attempt + 1

    def room(self, model: ChatModel, request: ModelRequest, most: int | None = None) -> int:
        """How many tokens could still be added to the prompt; negative when it is too long already.

        `most` is a cap on the prompt beside the model's window. Without either there is room for a million.
        """
        rung = self.rungs.of(model) if request.schema is not None else None
        used = self.bounds.prompt(model, request if rung is None else as_asked(request, rung))
        limits = [most] if most is not None else []
        if model.window is not None:
            limits.append(model.window - request.most_output)
        return min(limits, default=used + 1_000_000) - used

    def worst(self, model: ChatModel, request: ModelRequest) -> Decimal:
        """The most that one try of a request can cost."""
        return worst_cost(model.price, self.bounds.prompt(model, request), request.most_output)

    async def _rung(self, meter: TaskMeter, model: ChatModel, request: ModelRequest, step: str) -> Rung | None:
        if request.schema is None:
            return None
        if request.rung is not None:
            return request.rung
        known = self.rungs.of(model)
        if known is not None:
            return known
        lock = self._probing.setdefault(full_name(model), asyncio.Lock())
        async with lock:
            return self.rungs.of(model) or await self.probe(meter, model, f"{step}/probe")

    async def probe(self, meter: TaskMeter, model: ChatModel, step: str) -> Rung:
        """Find out by asking how a model takes a JSON schema, the remembered way first, and remember it.

        Buys one small call for each way that is tried, under `step-1`, `step-2` …; raises what `ask` raises.
        """

        async def ask(question: ModelRequest, number: int) -> ModelReply:
            return await self._buy(meter, model, question, question, f"{step}-{number}", None)

        found = await probe(model, ask, self.rungs.of(model))
        self.rungs.learn(model, found)
        return found

    async def _buy(
        self, meter: TaskMeter, model: ChatModel, request: ModelRequest, asked: ModelRequest, step: str,
        check: Check | None,
    ) -> ModelReply:  # fmt: skip
        prompt = self.bounds.prompt(model, asked)
        if model.window is not None and prompt + asked.most_output > model.window:
            raise DoesNotFit(full_name(model), prompt, asked.most_output, model.window)
        worst = worst_cost(model.price, prompt, asked.most_output)
        # The hash leaves out the rung: a resumed run may know more about the model than the first did.
        key = digest([full_name(model), request.to_json()])
        call = Call(step, "model", model.provider, model.name, key, worst, prompt + asked.most_output)

        async def send() -> Receipt:
            reply = await self._send(meter, model, asked, step)
            if self.on_event is not None:
                said = answer_text(reply) if reply.data is None else json.dumps(reply.data, ensure_ascii=False)
                data = {"step": step, "model": full_name(model), "text": said}
                self.on_event(Event("reply", self.now(), meter.task, meter.role, data))
            return self._receipt(model, asked, reply, check)

        bought = await meter.buy(call, send, self.retry)
        reply = ModelReply.from_json(bought)  # type: ignore[arg-type]
        if reply.usage_basis == "measured":
            self.bounds.saw(model, asked, reply.usage.input + reply.usage.cached_read + reply.usage.cached_write)
        return reply

    def _receipt(self, model: ChatModel, asked: ModelRequest, reply: ModelReply, check: Check | None) -> Receipt:
        reply = reply.storable()
        notes = list(reply.notes)
        said_nothing = reply.usage_basis == "measured" and reply.usage.tokens == 0 and reply.cost is None
        if reply.usage_basis == "missing" or said_nothing:
            reply = replace(reply, usage=self.bounds.estimate(model, asked, reply), usage_basis="estimated")
            notes.append("the reply names no usage: estimated")
        basis: Basis = reply.usage_basis if reply.usage_basis != "missing" else "estimated"
        if reply.usage_basis == "reused":
            amount = Decimal(0)
        elif reply.cost is not None:
            amount, basis = rounded(reply.cost), "measured"
        else:
            amount = model.price.cost(reply.usage)
        if reply.finish == "repetition" and basis == "estimated":
            # We hung up: what the provider went on to write, and bills, nobody will say.
            amount, basis = max(amount, self.worst(model, asked)), "assumed"
        complaint = check(reply) if check is not None else ("the answer was empty" if reply.empty else "")
        return Receipt(
            reply.to_json(), reply.usage, amount, basis, reply.request_id, "rejected" if complaint else "ok",
            "; ".join(note for note in (complaint, *notes) if note),
            f"recorded:{model.name}" if basis == "reused" else None,
        )  # fmt: skip

    async def _send(self, meter: TaskMeter, model: ChatModel, asked: ModelRequest, step: str) -> ModelReply:
        tell = self.on_event
        if tell is None:
            return await model.send(asked, timeout=self.timeout, on_text=_unheard if self.streams else None)

        def on_text(piece: str) -> None:
            tell(Event("text", self.now(), meter.task, meter.role, {"step": step, "text": piece}))

        def on_wait(seconds: float) -> None:
            tell(Event("waiting", self.now(), meter.task, meter.role, {"step": step, "seconds": seconds}))

        sending = model.send(asked, timeout=self.timeout, on_text=on_text if self.streams else None)
        return await _beating(sending, self.beat, on_wait)


def _unheard(piece: str) -> None:
    """Nobody watches: the answer is streamed all the same, so that one which repeats itself is stopped."""


def worst_cost(price: Price, prompt: int, output: int) -> Decimal:
    """The most that a call can cost: every prompt token at the dearest input rate, every answer token at the dearer
    of output and reasoning. Raises `UnknownPrice`."""
    dearest = max(price.cost(Usage(output=output)), price.cost(Usage(reasoning=output)))
    return rounded(worst_input_rate(price) * prompt / _MILLION * price.factor) + dearest


async def _beating(sending: Awaitable[T], every: float, beat: Callable[[float], None]) -> T:
    """Await, and say every so many seconds that it is still waiting."""
    loop = asyncio.get_running_loop()
    began = loop.time()
    timers: list[asyncio.TimerHandle] = []

    def tick() -> None:
        beat(round(loop.time() - began, 1))
        timers[:] = [loop.call_later(every, tick)]

    timers.append(loop.call_later(every, tick))
    try:
        return await sending
    finally:
        timers[0].cancel()
