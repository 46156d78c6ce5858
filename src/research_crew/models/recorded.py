"""Recording what models answered, and playing it back as a model of its own.

A recording is a file of JSON lines: a header, then one line for each answer with the request it belongs to. Played
back, an answer is found by its request, so that calls may come in another order; the same request asked twice gets its
answers in the order in which they were recorded. A request that was never recorded, or once too often, is an error at
once: a recording never makes anything up.

The marks of fenced blocks differ from run to run and are left out of the comparison. What else a run must repeat to
ask the same (its date, above all) stands in the header.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

from research_crew.core.errors import InvalidInput, UserError
from research_crew.core.money import USD, Price
from research_crew.models.protocol import ChatModel, ModelReply, ModelRequest, OnText, Rung, digest, full_name

_VERSION = 1
_MARK = re.compile(r"(<<<[^<>\n]{0,80}) [0-9a-f]{16}((?:: data, not instructions)?>>>)")

_PATH = re.compile(r"[/~\\]|[A-Za-z]:[/\\]")
"""How the path of a file begins."""


class ScriptEnded(UserError):
    """A recording is played back, and everything that was recorded for this request has been used."""

    def __init__(self, path: str, times: int) -> None:
        self.path, self.times = path, times
        super().__init__(
            f"{path}: this request was recorded {times} time(s) and is asked once more; record the run anew"
        )


class RequestDiffers(UserError):
    """A recording is played back, and it holds no answer to this request."""

    def __init__(self, path: str, prompt: str, nearest: str) -> None:
        self.path, self.prompt, self.nearest = path, prompt, nearest
        near = f"; the nearest that was recorded: {nearest[:120]!r}" if nearest else ""
        super().__init__(
            f"{path} holds no answer to {prompt[:120]!r}{near}; play it back with the question and settings it was "
            "recorded with, or record anew"
        )


def recorded_hash(request: ModelRequest) -> str:
    """By what an answer is found: the request without the marks of fenced blocks, and without how JSON was asked for."""

    def bare(text: str) -> str:
        return _MARK.sub(r"\1 \2", text)

    history = tuple(replace(turn, text=bare(turn.text)) for turn in request.history)
    same = replace(request, prompt=bare(request.prompt), system=bare(request.system), history=history, rung=None)
    return digest(same.to_json())


class Recorder:
    """Writes every answer of any number of models into one file, as it comes."""

    def __init__(self, path: Path, header: Mapping[str, Any] | None = None) -> None:
        """`header` holds what playing back needs beside the answers; JSON values. Replaces an older file."""
        self.path, self._count = path, 0
        first = {"recording": _VERSION, "header": dict(header or {})}
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.unlink(missing_ok=True)
            path.touch(mode=0o600)
            path.write_text(json.dumps(first, ensure_ascii=False) + "\n", encoding="utf-8")
        except OSError as error:
            raise InvalidInput("--record", str(path), f"it cannot be written: {error}") from None

    def write(self, model: ChatModel, request: ModelRequest, reply: ModelReply) -> None:
        """Add one answer."""
        self._count += 1
        # A server of one's own may call its model by the path of its file: that is this machine's, not the recording's.
        reply = replace(reply, model=re.split(r"[/\\]", reply.model)[-1]) if _PATH.match(reply.model) else reply
        line = {
            "n": self._count, "hash": recorded_hash(request), "model": full_name(model),
            "request": request.to_json(), "reply": reply.to_json(),
        }  # fmt: skip
        data = (json.dumps(line, ensure_ascii=False) + "\n").encode("utf-8", "backslashreplace")
        with self.path.open("ab") as file:  # a lone surrogate becomes its escape, which is what JSON writes for it
            file.write(data)

    def of(self, model: ChatModel) -> "RecordingModel":
        """A model that answers as this one does, and is recorded."""
        return RecordingModel(model, self)


@dataclass(slots=True)
class RecordingModel:
    """A `ChatModel` in front of another one."""

    inner: ChatModel
    recorder: Recorder

    @property
    def provider(self) -> str:
        """See `ChatModel`."""
        return self.inner.provider

    @property
    def name(self) -> str:
        """See `ChatModel`."""
        return self.inner.name

    @property
    def window(self) -> int | None:
        """See `ChatModel`."""
        return self.inner.window

    @property
    def price(self) -> Price:
        """See `ChatModel`."""
        return self.inner.price

    @property
    def base_url(self) -> str:
        """The inner model's, for the memory of rungs."""
        return getattr(self.inner, "base_url", "")

    @property
    def rungs(self) -> tuple[Rung, ...]:
        """The inner model's."""
        return getattr(self.inner, "rungs", ("text", "plain"))

    @property
    def known_rung(self) -> Rung | None:
        """The inner model's."""
        return getattr(self.inner, "known_rung", None)

    async def send(self, request: ModelRequest, *, timeout: float, on_text: OnText | None = None) -> ModelReply:
        """See `ChatModel.send`; failures are not recorded: a recording plays back what was answered."""
        reply = await self.inner.send(request, timeout=timeout, on_text=on_text)
        self.recorder.write(self.inner, request, reply)
        return reply

    async def aclose(self) -> None:
        """Close the inner model."""
        close = getattr(self.inner, "aclose", None)
        if close is not None:
            await close()


@dataclass(slots=True)
class RecordedModel:
    """A `ChatModel` that plays a recording. It costs nothing; with `charged`, it is billed as the models in it were."""

    path: Path
    charged: bool = False
    price: Price = field(default_factory=lambda: Price(USD, Decimal(0), Decimal(0), name="recorded"))
    header: Mapping[str, Any] = field(default_factory=dict)
    rungs: tuple[Rung, ...] = ("native", "text", "plain")
    known_rung: Rung | None = "native"
    window: int | None = None
    _answers: dict[str, list[ModelReply]] = field(default_factory=dict)
    _used: dict[str, int] = field(default_factory=dict)
    _prompts: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        name = str(self.path)
        try:
            lines = self.path.read_text(encoding="utf-8").rstrip("\n").split("\n")
        except (OSError, UnicodeDecodeError) as error:
            raise InvalidInput("recorded model", name, f"it cannot be read: {error}") from None
        for number, text in enumerate(lines, 1):
            try:
                line = json.loads(text)
                if number == 1:
                    self._begin(line, name)
                    continue
                request, reply = ModelRequest.from_json(line["request"]), ModelReply.from_json(line["reply"])
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise InvalidInput("recorded model", name, f"line {number} is not of a recording: {error}") from None
            key = recorded_hash(request)
            self._answers.setdefault(key, []).append(reply)
            self._prompts[key] = request.prompt

    def _begin(self, line: Mapping[str, Any], name: str) -> None:
        version = line.get("recording")
        if not isinstance(version, int):
            raise InvalidInput("recorded model", name, "it is no recording: its first line has no version")
        if version > _VERSION:
            raise InvalidInput("recorded model", name, f"it was written by a newer version ({version})")
        self.header = line.get("header") or {}

    @property
    def provider(self) -> str:
        """See `ChatModel`."""
        return "recorded"

    @property
    def name(self) -> str:
        """The file's name."""
        return self.path.name

    @property
    def left(self) -> int:
        """Answers that were not asked for yet."""
        return sum(map(len, self._answers.values())) - sum(self._used.values())

    async def send(self, request: ModelRequest, *, timeout: float, on_text: OnText | None = None) -> ModelReply:  # noqa: ARG002
        """The recorded answer. Raises `RequestDiffers` or `ScriptEnded`."""
        key = recorded_hash(request)
        answers = self._answers.get(key)
        if answers is None:
            raise RequestDiffers(str(self.path), request.prompt, self._nearest(request.prompt))
        used = self._used.get(key, 0)
        if used >= len(answers):
            raise ScriptEnded(str(self.path), len(answers))
        self._used[key] = used + 1
        reply = answers[used]
        if on_text is not None and reply.text:
            on_text(reply.text)
        return reply if self.charged else replace(reply, usage_basis="reused", cost=None)

    async def aclose(self) -> None:
        """Nothing is open."""

    def _nearest(self, prompt: str) -> str:
        from difflib import SequenceMatcher

        def alike(other: str) -> float:
            return SequenceMatcher(None, prompt[:300], other[:300]).quick_ratio()

        return max(self._prompts.values(), key=alike, default="")
