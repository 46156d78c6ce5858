"""What a failed request means: whether it was executed, whether it is worth another try, and when.

An error that the service itself answered (400, 401, 429, 500, 529 …) was not executed to its end, and no vendor bills
it. An error of a gateway in front of it (408, 502, 504, or a 503 at the age of the gateway's limit) may hide a call
that was executed and billed: its bill is not known.
"""

import json
import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from urllib.parse import quote

from research_crew.core.errors import CallFailed
from research_crew.core.secret import Secret
from research_crew.net.pace import retry_after

_AGAIN = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529})
_EXECUTED = frozenset({408, 502, 504, 520, 522, 524})
_SPENT = re.compile(r"insufficient_quota|exceeded your current quota|insufficient_balance|billing_hard_limit", re.I)
_TOO_LONG = re.compile(
    r"context.{0,20}(?:length|window|size)|maximum context|prompt is too long|exceed_context|too many (?:input )?tokens"
    r"|input token count.{0,40}exceeds|request_too_large|reduce the length",
    re.I,
)
_NO_SCHEMA = re.compile(
    r"response_?format|json_?schema|structured.?output|output_config|response_?(?:json_?)?schema|tool_?choice|\btools?\b"
    r"|function.?call|grammar|native structured",
    re.I,
)
_KEY_SHAPES = re.compile(
    r"\b(?:sk|pk|key|AIza|gsk|xai|r8|hf)[-_][A-Za-z0-9_\-]{12,}|AIza[A-Za-z0-9_\-]{20,}|Bearer\s+[\w.\-~+/=]{8,}"
)


def from_status(
    service: str,
    status: int,
    headers: Mapping[str, str],
    body: str,
    *,
    now: datetime,
    secrets: Sequence[Secret] = (),
) -> CallFailed:
    """The failure that an answer with a status outside 2xx is. `headers` may be in any case."""
    lower = {name.lower(): value for name, value in headers.items()}
    detail = redacted(message_of(body), secrets)
    again = status in _AGAIN or status >= 500
    if status == 429 and _SPENT.search(body):
        again = False  # no money left at the vendor: waiting does not help
    wait = _wait(lower, body, now) if again else None
    return CallFailed(
        service, status, detail, sent=status in _EXECUTED, retryable=again, retry_after=wait,
        timed_out=status in (408, 504, 524),
    )  # fmt: skip


def is_too_long(failure: CallFailed) -> bool:
    """Whether the service refused the prompt for its length."""
    if failure.status not in (None, 400, 413, 422):
        return False
    return failure.status == 413 or bool(_TOO_LONG.search(failure.detail))


def is_schema_refused(failure: CallFailed) -> bool:
    """Whether the service does not know the way in which JSON was asked for."""
    status = failure.status
    if status is None:
        # Not sent at all, or taken from the journal, which keeps the sentence only.
        told = re.search(r"\banswered (\d{3})\b", failure.detail)
        status = int(told[1]) if told else (None if failure.sent else 400)
    return status in (400, 404, 415, 422, 501) and not is_too_long(failure) and bool(_NO_SCHEMA.search(failure.detail))


def redacted(text: str, secrets: Sequence[Secret] = ()) -> str:
    """A text without keys: neither those given (plain or URL-encoded) nor what looks like one."""
    for secret in secrets:
        key = secret.reveal()
        if len(key) > 3:
            text = text.replace(key, "***").replace(quote(key, safe=""), "***")
    return _KEY_SHAPES.sub("***", text)


def message_of(body: str) -> str:
    """What an error body says, from the usual places of JSON; otherwise its words without markup."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return " ".join(re.sub(r"<[^>]{0,300}>", " ", body[:5_000]).split())
    for _ in range(4):
        if isinstance(value, dict):
            code = value.get("code") or value.get("type")
            found = next((value[k] for k in ("error", "message", "detail", "msg", "errors") if value.get(k)), None)
            if isinstance(found, str):
                return f"{found} ({code})" if isinstance(code, str) and code not in found else found
            if found is None:
                break
            value = found
        if isinstance(value, list) and value:
            value = value[0]
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)[:500]


def _wait(headers: Mapping[str, str], body: str, now: datetime) -> float | None:
    """Seconds to wait: `retry-after-ms` (OpenAI), `Retry-After` (RFC 9110), `retryDelay` in Google's error body."""
    try:
        exact = float(headers.get("retry-after-ms", "")) / 1000
    except ValueError:
        exact = -1.0
    if 0 <= exact < 10**9:
        return exact
    value = headers.get("retry-after")
    if value is not None and re.fullmatch(r"\s*\d{1,9}\.\d+\s*", value):
        return float(value)
    named = retry_after(value, now)
    if named is not None:
        return named
    delay = re.search(r'"retryDelay"\s*:\s*"(\d{1,9}(?:\.\d+)?)s"', body)
    return float(delay[1]) if delay else None
