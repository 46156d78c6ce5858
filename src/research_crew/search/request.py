"""The HTTP door of the search engines: time-out, size cap, rate limit, and a name for each way in which it goes wrong.

An outage, a wrong key, a full stop by the rate limit and an answer that cannot be read are different things. Keys are
taken out of every message; redirects are not followed, so that a key goes nowhere but to the configured address.
Pages are never fetched here (see `net`).
"""

import json
import re
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, quote_plus

from research_crew.core.secret import Secret
from research_crew.net.body import ACCEPT_ENCODING, TooLarge, Unreadable, read_body
from research_crew.net.caps import Caps
from research_crew.net.pace import retry_after
from research_crew.search.limits import SHARED, Limits
from research_crew.search.protocol import Failure

if TYPE_CHECKING:
    from aiohttp import ClientResponse, ClientSession

AGENT = "research-crew/0.1 (search client)"
_BY_STATUS: Mapping[int, Failure] = {
    401: "wrong-key", 402: "no-credit", 403: "wrong-key", 408: "outage", 429: "throttled",
}  # fmt: skip
_BAD_KEY = re.compile(r"subscription.?token.?(?:is )?invalid|invalid.{0,20}api.?key|api.?key.{0,20}invalid", re.I)
_WORDS: Mapping[Failure, str] = {
    "wrong-key": "the key was not accepted", "no-credit": "the credit is used up", "throttled": "too many requests",
}  # fmt: skip


class EngineTrouble(Exception):
    """A search that failed: `failure` for a program, the message for a person, without keys."""

    def __init__(self, failure: Failure, detail: str, status: int | None = None, wait: float | None = None) -> None:
        self.failure, self.detail, self.status, self.retry_after = failure, detail, status, wait
        super().__init__(detail)


@dataclass(frozen=True, slots=True)
class Answer:
    """A 2xx reply."""

    status: int
    text: str

    def json(self) -> Any:
        """The body as JSON; raises `EngineTrouble` when it is not."""
        try:
            return json.loads(self.text)
        except ValueError:
            raise EngineTrouble("unreadable", f"the answer is not JSON: {_short(self.text)}", self.status) from None


class Http:
    """One pool of connections for all engines of a run. Close it, or use it as an asynchronous context manager."""

    def __init__(
        self,
        *,
        timeout: float = 20.0,
        cap: int = 4_000_000,
        limits: Limits | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """`timeout` in seconds for one whole request; `cap` in bytes of a reply."""
        self.timeout, self.limits, self.now = timeout, limits or SHARED, now
        self.caps = Caps(received=cap, inflated=4 * cap)
        self._session: ClientSession | None = None
        self._loop: object = None

    async def __aenter__(self) -> "Http":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close all connections."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    def session(self) -> "ClientSession":
        """The open session of the running loop."""
        import asyncio

        from aiohttp import ClientSession, DummyCookieJar

        loop = asyncio.get_running_loop()
        if self._session is None or self._session.closed or self._loop is not loop:
            headers = {"User-Agent": AGENT, "Accept-Encoding": ACCEPT_ENCODING}
            self._session = ClientSession(
                headers=headers, cookie_jar=DummyCookieJar(), auto_decompress=False, trust_env=False
            )
            self._loop = loop
        return self._session


class Door:
    """The way to one engine."""

    def __init__(
        self, http: Http, name: str, base_url: str, interval: float, secrets: tuple[Secret, ...] = (),
        meanings: Mapping[int, Failure] | None = None, burst: int = 1,
    ) -> None:  # fmt: skip
        """`burst` calls may be made in `burst` intervals of seconds; `meanings` are statuses of this engine's own."""
        self._http, self._name, self._base, self._interval = http, name, base_url.rstrip("/"), interval
        self._secrets = secrets
        self._meanings, self._burst = {**_BY_STATUS, **(meanings or {})}, burst

    def elsewhere(self, **parts: str) -> "Door":
        """The same door to an address in which `{name}` is replaced (Wikipedia has a host for each language)."""
        base = self._base
        for name, value in parts.items():
            base = base.replace("{" + name + "}", value)
        return Door(self._http, self._name, base, self._interval, self._secrets, self._meanings, self._burst)

    async def ask(
        self,
        path: str,
        *,
        params: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        body: Mapping[str, Any] | None = None,
        form: Mapping[str, str] | None = None,
    ) -> Answer:
        """One request: GET, or POST with a JSON body or a form. Raises `EngineTrouble` for everything but a 2xx."""
        wait = await self._http.limits.turn(self._name, self._interval, self._burst)
        if wait is not None:
            raise EngineTrouble("throttled", f"its rate limit asks to wait {wait:.0f} s more", None, wait)
        import asyncio

        from aiohttp import ClientConnectorError, ClientError, InvalidURL

        method = "GET" if body is None and form is None else "POST"
        try:
            async with (
                asyncio.timeout(self._http.timeout),
                self._http.session().request(
                    method, self._base + path, params=params, headers=headers, json=body, data=form,
                    allow_redirects=False,
                ) as response,
            ):
                text = await self._read(response)
                return self._checked(response, text)
        except TimeoutError:
            raise EngineTrouble("timed-out", f"no answer after {self._http.timeout:g} s") from None
        except InvalidURL:
            raise EngineTrouble("rejected", f"its address {self._clean(self._base)!r} is not valid") from None
        except ClientConnectorError as error:
            raise EngineTrouble("unreachable", f"no connection: {self._clean(str(error.os_error))}") from None
        except ClientError as error:
            raise EngineTrouble("outage", f"the connection broke ({type(error).__name__})") from None

    async def _read(self, response: "ClientResponse") -> str:
        async def pieces() -> AsyncIterator[bytes]:
            async for piece in response.content.iter_chunked(65_536):
                yield piece

        try:
            data = await read_body(pieces(), response.headers.get("Content-Encoding", ""), self._http.caps)
        except (TooLarge, Unreadable) as error:
            raise EngineTrouble("unreadable", f"the answer cannot be read: {error}", response.status) from None
        return data.decode("utf-8", "replace")

    def _checked(self, response: "ClientResponse", text: str) -> Answer:
        status = response.status
        failure = self._meanings.get(status)
        if failure is None and 200 <= status < 300:
            return Answer(status, text)
        said = self._clean(_message(text))
        if 300 <= status < 400:
            raise EngineTrouble("rejected", f"status {status}: it redirects; set its address to where it moved", status)
        if failure is None:
            failure = "outage" if status >= 500 else "rejected"
        if failure == "rejected" and _BAD_KEY.search(text[:5_000]):
            failure = "wrong-key"
        wait = retry_after(response.headers.get("Retry-After"), self._http.now()) if failure == "throttled" else None
        if failure == "throttled":
            self._http.limits.hold(self._name, 1.0 if wait is None else wait)
        lead = f"{_WORDS[failure]}, " if failure in _WORDS else ""
        raise EngineTrouble(failure, f"{lead}status {status}{': ' + said if said else ''}", status, wait)

    def _clean(self, text: str) -> str:
        for secret in self._secrets:
            key = secret.reveal()
            for form in {key, quote(key, safe=""), quote_plus(key)} if len(key) > 3 else {key}:
                text = text.replace(form, "***") if form else text
        return text


def _message(text: str) -> str:
    """What an error body says, from the usual places of JSON, or its first words."""
    try:
        value = json.loads(text)
    except ValueError:
        return _short(re.sub(r"<[^>]{0,300}>", " ", text))
    for _ in range(3):
        if isinstance(value, dict):
            places = ("message", "error", "detail", "errors", "info", "title")
            value = next((value[place] for place in places if value.get(place)), json.dumps(value))
        if isinstance(value, list) and value:
            value = value[0]
    return _short(value if isinstance(value, str) else json.dumps(value))


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= 300 else flat[:297] + "..."
