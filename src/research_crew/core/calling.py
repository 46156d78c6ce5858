"""Calls an agent, whatever it is: an async callable on the loop, or a plain function in a thread of its own."""

import asyncio
import contextlib
import contextvars
import inspect
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from research_crew.core.context import Context
from research_crew.core.graph import Task

T = TypeVar("T")
AgentFunction = Callable[[Task, Context], object]
"""An agent: `agent(task, context)`, plain or async."""
_Outcome = tuple[object, BaseException | None]


class Caller:
    """Calls one agent for many tasks; a plain one in threads, with the context variables copied."""

    def __init__(self, agent: AgentFunction, inline: bool, grace: float) -> None:
        """`inline`: plain functions run on the loop. `grace`: seconds that a cancelled thread may still take."""
        self._agent, self._grace = agent, grace
        self._threaded = not inline and not is_async(agent)
        self.warnings: list[str] = []
        """Threads that went on after their run had stopped."""

    def call(self, task: Task, ctx: Context) -> object:
        """The agent's result, or an awaitable of it; either raises what the agent raises."""
        return self._in_thread(task, ctx) if self._threaded else self._agent(task, ctx)

    async def _in_thread(self, task: Task, ctx: Context) -> object:
        """Run the function in a thread that does not keep the process alive: nobody can stop it from outside.

        The outcome travels as a value, since a future refuses some exceptions (`StopIteration`) and would never end.
        """
        loop = asyncio.get_running_loop()
        ended: asyncio.Future[_Outcome] = loop.create_future()

        def tell(outcome: _Outcome) -> None:
            if not ended.done():
                ended.set_result(outcome)

        def work() -> None:
            outcome: _Outcome
            try:
                outcome = self._agent(task, ctx), None
            except BaseException as raised:  # noqa: BLE001 - raised again where the result is awaited
                outcome = None, raised
            with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
                loop.call_soon_threadsafe(tell, outcome)

        run = contextvars.copy_context().run
        threading.Thread(target=run, args=(work,), name=f"agent {task.id}", daemon=True).start()
        try:
            output, error = await asyncio.shield(ended)
        except asyncio.CancelledError:
            ctx.end()
            await asyncio.wait((ended,), timeout=self._grace)
            if not ended.done():
                self.warnings.append(f"{task.id}: its thread still ran {self._grace:g} s after the run was stopped")
            raise
        if error is None:
            return await output if inspect.isawaitable(output) else output
        try:
            raise error
        finally:
            del error  # or the traceback keeps this frame, and the frame the traceback


def is_async(agent: object) -> bool:
    """Whether calling it gives a coroutine: a coroutine function, or an object whose `__call__` is one."""
    return inspect.iscoroutinefunction(agent) or inspect.iscoroutinefunction(getattr(type(agent), "__call__", None))  # noqa: B004


def run_in_own_loop(make: Callable[[], Awaitable[T]]) -> T:
    """Run a coroutine to its end from plain code; in a thread of its own when a loop is already running here.

    An interrupt of the waiting thread (Ctrl-C in a notebook) cancels the coroutine and is raised when that has ended.
    """

    async def main() -> T:
        return await make()

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(main())

    begun: Future[tuple[asyncio.AbstractEventLoop, asyncio.Task[object] | None]] = Future()

    async def interruptible() -> T:
        begun.set_result((asyncio.get_running_loop(), asyncio.current_task()))
        return await make()

    with ThreadPoolExecutor(1) as pool:
        result = pool.submit(contextvars.copy_context().run, asyncio.run, interruptible())
        try:
            return result.result()
        except BaseException:
            if not result.done():
                loop, running = begun.result()
                if running is not None:
                    loop.call_soon_threadsafe(running.cancel)
            raise
