"""How many tokens a prompt can have, before anybody has counted them.

By bytes: 0.5 tokens for each byte of ASCII, 0.75 for each other byte (English has about 0.25, Chinese 0.3 to 0.5 a byte).
Once a model has answered three times, the bound is 1.25 times the highest share of that bound that it has really used:
so the same factor holds for scripts of both kinds. `strict` takes one token a byte, which no byte-level tokenizer passes.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import ceil

from research_crew.core.money import Usage
from research_crew.models.protocol import ChatModel, ModelReply, ModelRequest, full_name
from research_crew.models.schema import prompt_of

_PER_MESSAGE = 8
_FRAME = 24
_TOOL_FRAME = 120
_LEARNED_AFTER = 3
_MARGIN = 1.25
_USUAL = 0.6
"""Share of the bound by bytes that an estimate takes before anything was seen: above what ordinary text has."""
CountTokens = Callable[[str], int]


@dataclass(slots=True)
class Bounds:
    """Bounds of one run; learns from every answer that names its usage."""

    strict: bool = False
    counters: Mapping[str, CountTokens] = field(default_factory=dict)
    """`vendor:name` → a real tokenizer, where one is at hand."""
    _seen: dict[str, tuple[int, float]] = field(default_factory=dict)
    """Model → answers seen, highest share of the bound by bytes."""

    def prompt(self, model: ChatModel, request: ModelRequest) -> int:
        """The most tokens that the prompt of a request has."""
        count = self.counters.get(full_name(model))
        texts = _texts(request)
        if count is not None:
            return sum(map(count, texts)) + _frame(request)
        if self.strict:
            return sum(len(text.encode("utf-8", "surrogatepass")) for text in texts) + _frame(request)
        base = _base(request, texts)
        answers, share = self._seen.get(full_name(model), (0, 1.0))
        return base if answers < _LEARNED_AFTER else min(base, ceil(_MARGIN * share * base))

    def saw(self, model: ChatModel, request: ModelRequest, tokens: int) -> None:
        """Note how many tokens a prompt really had."""
        if tokens <= 0:
            return
        answers, share = self._seen.get(full_name(model), (0, 0.0))
        self._seen[full_name(model)] = (answers + 1, max(share, tokens / _base(request, _texts(request))))

    def estimate(self, model: ChatModel, request: ModelRequest, reply: ModelReply) -> Usage:
        """What a call used whose reply does not say: rather too much than too little, and never nothing."""
        answers, share = self._seen.get(full_name(model), (0, 0.0))
        likely = min(1.0, _MARGIN * share) if answers >= _LEARNED_AFTER else _USUAL
        spoken = reply.text if reply.data is None else reply.text + json.dumps(reply.data, ensure_ascii=False)
        prompt = max(1, ceil(likely * _base(request, _texts(request))))
        output = ceil(_USUAL * by_bytes(spoken)) if spoken else 0
        return Usage(input=prompt, output=max(1, output), reasoning=ceil(_USUAL * by_bytes(reply.reasoning)))


def by_bytes(text: str) -> int:
    """The bound of one text by its bytes."""
    size = len(text.encode("utf-8", "surrogatepass"))
    plain = len(text.encode("ascii", "ignore"))
    return (2 * plain + 3 * (size - plain) + 3) // 4


def _texts(request: ModelRequest) -> list[str]:
    texts = [request.system, prompt_of(request), *(message.text for message in request.history)]
    if request.schema is not None and request.rung not in ("text", "plain"):
        texts.append(json.dumps(request.schema, ensure_ascii=False))
    return texts


def _frame(request: ModelRequest) -> int:
    """Tokens that roles, separators and a tool's description take."""
    return _FRAME + _PER_MESSAGE * (2 + len(request.history)) + (_TOOL_FRAME if request.rung == "tool" else 0)


def _base(request: ModelRequest, texts: list[str]) -> int:
    return sum(map(by_bytes, texts)) + _frame(request)
