"""Pages, findings and a small context for the tests of the extractive agents."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from research_crew.agents.found import FoundPage, PageText, SearchOutcome
from research_crew.agents.roles import Finding, Question
from research_crew.core.errors import OverBudget
from research_crew.evidence.claim import Check, Claim

SUPPORTED = Check("supported", "support", "supported", 1.0)


def page(number: int, title: str, snippet: str) -> FoundPage:
    return FoundPage(number, title, snippet, f"{number}.txt")


def outcome(*pages: FoundPage) -> SearchOutcome:
    return SearchOutcome(pages, "ok" if pages else "empty")


def claim(name: str, text: str, source: int, task: str = "research:0") -> Claim:
    return Claim(text, text, source, name, check=SUPPORTED, task=task)


@dataclass
class Source:
    title: str


class Sources:
    def __init__(self, titles: Mapping[int, str]) -> None:
        self._titles = titles

    def by_number(self, number: int) -> Source:
        return Source(self._titles.get(number, ""))

    def witness(self, number: int) -> int:
        return number


@dataclass
class FakeContext:
    """A context whose searches are answered by a function of the query."""

    answer: Callable[[str], SearchOutcome]
    texts: Mapping[int, tuple[str, str]] = field(default_factory=dict)
    results: Mapping[str, object] = field(default_factory=dict)
    left: Decimal = Decimal(100)
    refuse_reads: bool = False
    hang: bool = False
    asked: list[str] = field(default_factory=list)
    opened: list[int] = field(default_factory=list)
    offered: list[object] = field(default_factory=list)

    @property
    def sources(self) -> Sources:
        return Sources({n: title for n, (title, _) in self.texts.items()})

    async def search(self, query: str, step: str, limit: int) -> SearchOutcome:
        self.asked.append(query)
        if self.hang and len(self.asked) > 2:
            await asyncio.Event().wait()
        return self.answer(query)

    async def read(self, number: int, step: str) -> PageText:
        if self.refuse_reads and len(self.opened) >= 1:
            raise OverBudget(Decimal(1), Decimal(0), "credits")
        self.opened.append(number)
        title, text = self.texts[number]
        return PageText(number, title, text)

    def register(self, claims: Any) -> tuple[Claim, ...]:
        return tuple(replace(c, id=f"r/1/{n}", check=SUPPORTED, task="r") for n, c in enumerate(claims, 1))

    def offer(self, value: object) -> None:
        self.offered.append(value)


def finding(*claims: Claim) -> Finding:
    return Finding(claims, "partial")


def question(text: str, language: str = "en", **settings: Any) -> Question:
    return Question(text, language, **settings)
