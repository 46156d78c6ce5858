"""Calls an agent, whatever it is: an async callable on the loop, or a plain function in a thread of its own."""

import asyncio
import contextlib
import contextvars
import inspect
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from research_crew.core.context import Context
from research_crew.core.graph import Task

T = TypeVar("T")
AgentFunction = Callable[[Task, Context], object]
"""An agent: `agent(task, context)`, plain or async."""


class Caller:
    """Calls one agent for many tasks; a plain one in threads, with the context variables copied."""

    def __init__(self, agent: AgentFunction, threads: int, inline: bool, grace: float) -> None:
        """`inline`: plain functions run on the loop. `grace`: seconds that a cancelled thread may still take."""
        self._agent, self._threads, self._grace = agent, threads, grace
        self._threaded = not inline and not is_async(agent)
        self._pool: ThreadPoolExecutor | None = None
        self.warnings: list[str] = []
        """Threads that went on after their run had stopped."""

    async def call(self, task: Task, ctx: Context) -> object:
        """The agent's result; raises what the agent raises."""
        if not self._threaded:
            output = self._agent(task, ctx)
            return await output if inspect.isawaitable(output) else output
        loop = asyncio.get_running_loop()
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self._threads, thread_name_prefix="agent")
        future = loop.run_in_executor(self._pool, contextvars.copy_context().run, self._agent, task, ctx)
        try:
            output = await asyncio.shield(future)
        except asyncio.CancelledError:
            await self._let_end(future, task)
            raise
        return await output if inspect.isawaitable(output) else output

    async def _let_end(self, future: "asyncio.Future[Any]", task: Task) -> None:
        """A thread cannot be stopped: give it a moment, then report it and go on without it."""
        if future.cancel():
            return
        with contextlib.suppress(Exception):  # what it raises now concerns nobody: its task is cancelled
            await asyncio.wait_for(asyncio.shield(future), self._grace)
        if not future.done():
            self.warnings.append(f"{task.id}: its thread still ran {self._grace:g} s after the run was stopped")

    def close(self) -> None:
        """Let go of the threads; one that still runs is not waited for."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)


def is_async(agent: object) -> bool:
    """Whether calling it gives a coroutine: a coroutine function, or an object whose `__call__` is one."""
    return inspect.iscoroutinefunction(agent) or inspect.iscoroutinefunction(getattr(type(agent), "__call__", None))  # noqa: B004


def run_in_own_loop(make: Callable[[], Awaitable[T]]) -> T:
    """Run a coroutine to its end from plain code; in a thread of its own when a loop is already running here."""

    async def main() -> T:
        return await make()

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(main())
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(contextvars.copy_context().run, asyncio.run, main()).result()
