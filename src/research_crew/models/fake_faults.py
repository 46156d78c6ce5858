"""The ways in which the fake provider fails, and what each does to the bill."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from research_crew.models.fake_shapes import Said

_TOLD = "the fake provider was told to fail"


@dataclass(frozen=True, slots=True)
class Fault:
    """One failure. Make one with `fault("rate-limit", retry_after=1)`.

    With a status, nothing is answered but the error:
    `rate-limit` 429 · `quota` 429 with no money left · `error` 500 · `unavailable` 503 · `overloaded` 529 · `gateway`
    504, executed and billed all the same · `bad-request` 400 · `bad-key` 401 · `no-credit` 402 · `forbidden` 403 ·
    `unknown-model` 404 · `too-large` 413 · `context` 400, prompt longer than the window · `no-schema` 400, the way in
    which JSON was asked for is not known here.

    Without one, the call is executed and billed, and then:
    `hang` never answers · `drop` closes the connection · `cut-body` closes it in the middle of the body · `hang-after`
    hangs there · `not-json` sends a page of HTML · `stream-error` sends an error in the middle of a stream · `stream-end`
    ends a stream there without a word ·
    `no-usage` leaves the usage out · `cached` says that half the prompt came from a cache · `slow` pauses between
    pieces of a stream · `cut-json`, `empty`, `wrong-schema`, `huge`, `reasoning`, `loop`, `fenced`, `filtered` and
    `length` change what is said.
    """

    kind: str
    status: int = 0
    retry_after: float | None = None
    message: str = _TOLD
    code: str = ""
    delay: float = 0.0
    """Seconds before anything is answered."""
    pause: float = 0.02
    """Seconds between pieces, for `slow`."""
    billed_output: int = 0
    """Output tokens that a gateway's time-out bills."""
    size: int = 4_000_000
    """Characters said, for `huge`."""


_STATUS: Mapping[str, tuple[int, str]] = {
    "rate-limit": (429, "rate_limit_exceeded"), "quota": (429, "insufficient_quota"), "error": (500, "server_error"),
    "unavailable": (503, "unavailable"), "overloaded": (529, "overloaded_error"), "gateway": (504, "gateway_timeout"),
    "bad-request": (400, "invalid_request_error"), "bad-key": (401, "invalid_api_key"),
    "no-credit": (402, "insufficient_balance"), "forbidden": (403, "permission_denied"),
    "unknown-model": (404, "model_not_found"), "too-large": (413, "request_too_large"),
    "context": (400, "context_length_exceeded"), "no-schema": (400, "unsupported_parameter"),
}  # fmt: skip
_MESSAGE: Mapping[str, str] = {
    "context": "This model's maximum context length is 4096 tokens; your prompt has 9000",
    "no-schema": "response_format of type json_schema is not supported by this model; tools neither",
    "quota": "You exceeded your current quota, check your plan and billing details",
}
_SAID = (
    "hang", "drop", "cut-body", "hang-after", "not-json", "stream-error", "stream-end", "no-usage", "cached", "slow", "cut-json",
    "empty", "wrong-schema", "huge", "reasoning", "loop", "fenced", "filtered", "length",
)  # fmt: skip
KINDS: tuple[str, ...] = (*_STATUS, *_SAID)


def fault(kind: str, **changes: object) -> Fault:
    """A fault by its name; raises `ValueError` for one that does not exist."""
    if kind not in KINDS:
        raise ValueError(f"no fault is called {kind!r}; there are {', '.join(KINDS)}")
    status, code = _STATUS.get(kind, (0, ""))
    made = Fault(kind, status, code=code, message=_MESSAGE.get(kind, _TOLD))
    return replace(made, **changes)  # type: ignore[arg-type]


def is_billed(made: Fault | None) -> bool:
    """Whether a vendor would bill the call: every one it executed, and a gateway's time-out, which it did too."""
    return made is None or made.status == 0 or made.kind == "gateway"


def garbled(said: Said, made: Fault | None) -> Said:
    """What is said under a fault that concerns the answer itself."""
    kind = "" if made is None else made.kind
    if kind == "cut-json":
        half = said.spoken[: max(1, len(said.spoken) // 2)]
        return replace(said, text=half, data=None)
    if kind == "length":
        return replace(said, text=said.spoken[: max(1, len(said.spoken) // 2)], data=None, finish="length")
    if kind == "empty":
        return replace(said, text="", data=None)
    if kind == "filtered":
        return replace(said, text="", data=None, finish="content_filter")
    if kind == "wrong-schema":
        return replace(said, text='{"colour": ["blue"], "n": {"x": null}}', data=None)
    if kind == "huge":
        assert made is not None
        return replace(said, text="word " * (made.size // 5), data=None)
    if kind == "reasoning":
        return replace(said, text=f'<think>Let me see. {{"no": 1}}</think>\n{said.spoken}', data=None)
    if kind == "loop":
        return replace(said, text="and so on, " * 20_000, data=None)
    if kind == "fenced":
        return replace(said, text=f"Here it is:\n```json\n{said.spoken}\n```\nI hope this helps!", data=None)
    return said
