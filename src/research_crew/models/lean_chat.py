"""The chat completions of OpenAI's client, without what the client adds to each call.

The model library calls `client.chat.completions.create(...)` and wants a completion back. In between the client walks
through every argument by its type annotations, builds the request three times over and validates what comes back, which
costs more than all the rest of a call (measured in `benchmarks/model_calls.py`). Here the arguments become the body as
they are, and go out on our connections; a stream is left to the client. Imports nothing of either.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from research_crew.core.errors import CallFailed
from research_crew.models.failures import from_status
from research_crew.models.wire import TAIL, Flight, Wire, flight

Construct = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class LeanCompletions:
    """Stands in for `client.chat.completions`."""

    theirs: Any
    """The client's own, for streams."""
    url: str
    key: str
    construct: Construct
    """Makes the client's completion from the fields of the answer."""
    absent: tuple[type, ...]
    """Types of the arguments that stand for "not given"."""

    async def create(
        self, *, stream: bool = False, extra_headers: Mapping[str, str] | None = None, extra_body: Any = None,
        timeout: Any = None, **arguments: Any,
    ) -> Any:  # fmt: skip
        """One request, one completion. Raises `CallFailed`; the time-out is that of the flight."""
        if stream:
            return await self.theirs.create(
                stream=True, extra_headers=extra_headers, extra_body=extra_body, timeout=timeout, **arguments
            )
        body = {name: value for name, value in arguments.items() if not isinstance(value, self.absent)}
        body.update(extra_body or {})
        this = flight.get()
        if this is None or this.wire is None:
            raise RuntimeError("a model is asked through LibraryModel.send")
        answer = await _post(this, this.wire, self.url, body, {**(extra_headers or {}), "Authorization": f"Bearer {self.key}"})
        # The library would load a table of 2,300 models to read three numbers: `library_reply` reads them.
        this.used = answer.pop("usage", None)
        return self.construct(**answer)


@dataclass(frozen=True, slots=True)
class LeanChat:
    """Stands in for `client.chat`."""

    completions: LeanCompletions


async def _post(
    this: Flight, wire: Wire, url: str, body: Mapping[str, Any], headers: Mapping[str, str]
) -> dict[str, Any]:
    """The JSON object answered. The flight learns what happened."""
    import aiohttp

    try:
        async with wire.session().post(url, json=body, headers=headers, allow_redirects=False) as answer:
            this.status = answer.status
            data = await wire.read(answer)
    except (aiohttp.ClientError, OSError) as error:
        raise this.broke(error) from error
    this.tail = data[-TAIL:]
    if not 200 <= answer.status < 300:
        text = data.decode("utf-8", "replace")
        failure: CallFailed = from_status(
            this.service, answer.status, answer.headers, text, now=wire.now(), secrets=this.secrets
        )
        this.failure = failure
        raise failure
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        start = " ".join(data[:200].decode("utf-8", "replace").split())
        raise this.unreadable(f"not a JSON object: {start}")
    return value
