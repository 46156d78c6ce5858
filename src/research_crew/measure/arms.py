"""The arms of a comparison for real agents: what each may spend, and how several agents are merged.

`crew` as configured; `solo`, one agent to its natural stop; `solo=`, the same agent allowed to spend the crew's bill;
`union=`, so many agents alone as the crew's bill pays on average, merged; `closed-book`, one reply without any tool, a
control that says how much was known beforehand.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from decimal import Decimal
from pathlib import Path

from research_crew.agents.scripted.draws import draw, key
from research_crew.core.errors import OverBudget
from research_crew.core.events import OnEvent
from research_crew.core.money import CREDITS
from research_crew.core.runner import Stop
from research_crew.core.secret import Secret
from research_crew.crew import Crew, Solo
from research_crew.evidence.claim import Claim
from research_crew.evidence.duplicates import group
from research_crew.library import Library
from research_crew.measure.answers import (
    MOST_CLAIMS,
    MOST_WORDS,
    Answered,
    Bill,
    Said,
    Spent,
    bill_of,
    counted,
    said_by,
    spent_by,
)
from research_crew.measure.datasets import GoldQuestion
from research_crew.result import CrewResult
from research_crew.settings import Settings

ARMS = ("crew", "solo", "solo=", "union=")
CLOSED = "closed-book"
UNION_TEMPERATURE = 0.7
"""Of the agents of `union=` after the first, where the settings ask for less: at 0 they would all say the same."""


class Arms:
    """Runs the arms of one comparison, question by question."""

    def __init__(
        self, settings: Settings, keys: Mapping[str, Secret], library: Library | None = None,
        texts: Mapping[str, tuple[str, str]] | None = None, on_event: OnEvent | None = None, stop: Stop | None = None,
    ) -> None:  # fmt: skip
        """`library` and `texts` (title and text by id) are the set's corpus, if it has one."""
        self._settings, self._keys, self._library = settings, keys, library
        self._texts = texts or {}
        self._on_event, self._stop = on_event, stop

    async def crew(self, question: GoldQuestion) -> Answered:
        """The crew; its answer has the bill that the others may spend."""
        result = await self._run(Crew, question, "crew", self._settings)
        return replace(self._counted(question, "crew", result), bill=bill_of(result))

    async def solo(self, question: GoldQuestion) -> Answered:
        """One agent, to its natural stop."""
        return self._counted(question, "solo", await self._run(Solo, question, "solo", self._settings))

    async def solo_equal(self, question: GoldQuestion, bill: Bill, arm: str = "solo=") -> Answered:
        """One agent that goes on until the crew's bill is spent. A bill that cannot pay the smallest run buys nothing.

        Where prices are fixed the bill is its budget. Where calls are metered, a budget would have to cover their worst
        case, far above what they cost; there it stops before the round that is expected to pass the bill.
        """
        if bill.metered:
            left = max(Decimal(0), Decimal(bill.total) - Decimal(bill.writing))
            result = await self._run(Solo, question, arm, self._settings, persist=True, spend=left)
            return self._counted(question, arm, result)
        try:
            settings = replace(self._settings, budget=Decimal(bill.total))
            result = await self._run(Solo, question, arm, settings, persist=True)
        except OverBudget:
            return counted(question, arm, (), Spent(fails=1), self._texts, status="refused")
        return self._counted(question, arm, result)

    async def union(self, question: GoldQuestion, bill: Bill, solo: Answered) -> Answered:
        """Several agents alone, merged; the first is `solo` itself, played back.

        One agent's cost is taken from this question's own. A bill that pays less than one agent pays one that stops
        when it is spent. Agents that draw nothing by chance (no model) would repeat themselves: they are not run again.
        """
        count = agents_for(float(bill.total), solo.spent.cost, self._settings.seed, question.id)
        if count == 0:
            return await self.solo_equal(question, bill, "union=")
        members = [solo]
        for place in range(1, count):
            if not bill.metered:
                members.append(solo)
                continue
            warm = max(self._settings.temperature, UNION_TEMPERATURE)
            varied = replace(self._settings, seed=self._settings.seed + place, temperature=warm)
            members.append(self._counted(question, "solo", await self._run(Solo, question, f"union-{place + 1}", varied)))
        spent = Spent(currency=solo.spent.currency)
        for member in members:
            spent = spent.plus(member.spent)
        unbacked = sum(member.unbacked for member in members) if bill.metered else solo.unbacked
        read = dict.fromkeys(path for member in members for path in member.read)
        merged = merge([member.claims for member in members])
        extra = [f"sentence {n}" for n in range(unbacked)]
        return counted(question, "union=", merged, spent, self._texts, extra, tuple(read), len(members))

    async def closed_book(self, question: GoldQuestion) -> Answered:
        """One reply from memory, without any tool."""
        from research_crew.measure.closed_book import ask_closed_book

        lines, spent = await ask_closed_book(
            recorded_apart(self._settings, f"{question.id}.{CLOSED}"), self._keys, question.text
        )
        said = tuple(Said(line, supported=False) for line in lines)
        return counted(question, CLOSED, said, spent, self._texts, cites=False)

    async def _run(
        self, maker: type[Crew], question: GoldQuestion, run: str, settings: Settings, persist: bool = False,
        spend: Decimal | None = None,
    ) -> CrewResult:  # fmt: skip
        settings = recorded_apart(settings, f"{question.id}.{run}")
        crew = maker(
            settings=settings, keys=self._keys, library=self._library, max_claims=MOST_CLAIMS, max_words=MOST_WORDS,
            persist=persist, spend=spend,
        )  # fmt: skip
        return await crew.arun(question.text, on_event=self._on_event, stop=self._stop)

    def _counted(self, question: GoldQuestion, arm: str, result: CrewResult) -> Answered:
        read = tuple(s.path or s.url or "" for s in result.sources if s.hash)
        unbacked = result.report.unbacked if result.report is not None else ()
        return counted(
            question, arm, said_by(result), spent_by(result), self._texts, unbacked, read, status=result.status
        )


def agents_for(bill: float, each: float, seed: int, question: str) -> int:
    """How many agents a bill pays on average: up or down by a coin that depends on seed and question alone."""
    if each <= 0:
        return 1
    share = bill / each
    low = int(share)
    return low + (draw(key(seed, "union", question), 0) < share - low) if low else 0


def merge(answers: Sequence[Sequence[Said]]) -> tuple[Said, ...]:
    """The claims of several answers in turn, the first of each, the second of each …, without repetitions."""
    longest = max(map(len, answers), default=0)
    turns = [claims[i] for i in range(longest) for claims in answers if i < len(claims)]
    numbers: dict[str, int] = {}
    claims = [Claim(s.text, s.quote, numbers.setdefault(s.doc, len(numbers) + 1), str(n)) for n, s in enumerate(turns)]
    return tuple(turns[int(root.id)] for root in group(claims).roots)


def is_free(answered: Answered) -> bool:
    """Whether a run in money cost nothing, so that there is no equal money to compare at."""
    return answered.spent.currency != CREDITS and answered.spent.cost == 0


def recorded_apart(settings: Settings, run: str) -> Settings:
    """The settings with a recording of its own for each run: `--record` and `recorded:` name folders in a comparison."""
    changed = {}
    name = f"{re.sub(r'[^A-Za-z0-9._=-]+', '_', run)}.jsonl"
    if settings.record is not None:
        changed["record"] = str(Path(settings.record) / name)
    for spec in fields(settings):
        value = getattr(settings, spec.name)
        if spec.name in ("lead", "worker", "critic", "solo") and value is not None and value.startswith("recorded:"):
            folder = Path(value.removeprefix("recorded:"))
            if folder.is_dir():
                changed[spec.name] = f"recorded:{folder / name}"
    return replace(settings, **changed)  # type: ignore[arg-type]
