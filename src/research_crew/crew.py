"""A crew and one agent alone: the only place that says which task follows which result.

    plan → research:0 … research:n → critique → write → (gaps: plan:2 → …) → cite
    investigate → write                                                       (one agent alone)

The graph grows as results come in. Money for the ending (critique, write, cite) is set aside before the first search.
When money is short, steps are given up in a fixed order, each named in the report: no further loop, fewer rounds,
fewer researchers, no critic, the template writer.
"""

import asyncio
import copy
import secrets
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, Self, Unpack

from research_crew.agents.assemble import without_labels
from research_crew.agents.roles import Report
from research_crew.core.budget import Budget
from research_crew.core.calling import run_in_own_loop
from research_crew.core.errors import InvalidInput
from research_crew.core.events import OnEvent
from research_crew.core.money import Amount
from research_crew.core.pulse import Pulse
from research_crew.core.runner import Stop, utc_now
from research_crew.core.secret import Secret
from research_crew.evidence.verify import Entailment
from research_crew.exporting import export
from research_crew.fitting import Confirm
from research_crew.flow import Flow
from research_crew.library import Library, OnFile
from research_crew.live import Live
from research_crew.one_run import Means, OneRun
from research_crew.options import Options
from research_crew.rates import TakeTurn, Turns, parse_rates
from research_crew.result import CrewResult
from research_crew.settings import PROFILES, Settings, load
from research_crew.steps import Step, StepFlow
from research_crew.stores.store import Store

LONGEST_QUESTION = 4000


class Crew:
    """A lead, researchers side by side, a critic, a writer and a citer.

    Without a key the agents are extractive: every claim is a verbatim sentence from `docs`, chosen without a model;
    without `docs` they answer from the bundled sample documents.
    """

    alone = False

    def __init__(
        self,
        *,
        settings: Settings | None = None,
        keys: Mapping[str, Secret] | None = None,
        library: Library | None = None,
        on_file: OnFile | None = None,
        on_count: Callable[[int, int], None] | None = None,
        on_chosen: Callable[[Sequence[str]], None] | None = None,
        name: str = "",
        now: Callable[[], datetime] = utc_now,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        new_id: Callable[[], str] = lambda: secrets.token_hex(6),
        max_claims: int | None = None,
        max_words: int | None = None,
        persist: bool = False,
        spend: Decimal | None = None,
        turn: TakeTurn | None = None,
        confirm: Confirm | None = None,
        store: Store | str | None = None,
        export_dir: str | Path | None = None,
        entailment: Entailment | None = None,
        **options: Unpack[Options],
    ) -> None:
        """Settings are read once, here: arguments over the environment over the configuration file.

        `keys` are those of the environment unless others are given. `library` is an opened document library to use
        instead of `docs` (it is left open). `on_file` is told of every file while `docs` is indexed, `on_count` of
        passages (done, all) while they are embedded, `on_chosen` of what will answer, before anything is bought.
        `turn` keeps the rate limits of providers instead of this process (`rates`); `persist` and `spend` make the baseline that may spend another run's bill (see `Question`); `sleep`
        waits between the tries of a call. `confirm` is shown each plan with its price range before research is bought,
        and returns the plan to research (edited or not) or None to buy nothing more. `store` is the file of
        stored runs, `off`, or an opened store (it is left open; used by one thread at a time). `export_dir` gets the record
        of every run as `RUN.json`, of failed ones too. `entailment(quote, claim)` is a judge of support, 0 to 1, that takes
        the place of the score once figures and negation agree. Raises `InvalidInput` for a setting out of its range.
        """
        given: dict[str, Any] = {k: v for k, v in options.items() if v is not None}
        if isinstance(store, str):
            given["store"], store = store, None
        loaded = load(given)
        if settings is not None and given.get("profile") in PROFILES:
            given = {**PROFILES[str(given["profile"])], **given}
        self.settings = replace(settings, **given) if settings is not None else loaded.settings
        self.keys = loaded.keys if keys is None else keys
        self.name = name
        self._now, self._new_id = now, new_id
        self._export_dir = None if export_dir is None else Path(export_dir)
        intervals = parse_rates(self.settings.rates)
        self.means = Means(
            self.settings, self.keys, self.alone, name, library, on_file, on_chosen, now, sleep,
            turn or (Turns(intervals) if intervals else None), max_claims, max_words, persist, spend, store, confirm,
            on_count=on_count, entailment=entailment,
        )  # fmt: skip
        self._drafted: tuple[Step, StepFlow] | None = None
        """The last step and its flow, for the one that goes on from it."""
        if confirm is not None and self.alone:
            raise InvalidInput("confirm", "Solo", "one agent alone makes no plan; use a Crew")
        if self.settings.agents == "scripted":
            way_out = "run the scripted world with run(research_crew(...), ScriptedAgent(...))"
            raise InvalidInput("agents", "scripted", way_out)

    def named(self, run_id: str, name: str = "") -> Self:
        """The same crew for one run, whose id and name are given."""
        crew = copy.copy(self)
        crew._new_id, crew.name, crew.means, crew._drafted = (lambda: run_id), name, replace(self.means, name=name), None
        return crew

    def run(
        self, question: str, budget: Budget | Amount | None = None, *, on_event: OnEvent | None = None,
        stop: Stop | None = None,
    ) -> CrewResult:  # fmt: skip
        """Research a question; works inside a running event loop too. See `arun`."""
        return run_in_own_loop(lambda: self.arun(question, budget, on_event=on_event, stop=stop))

    async def arun(
        self, question: str, budget: Budget | Amount | None = None, *, on_event: OnEvent | None = None,
        stop: Stop | None = None,
    ) -> CrewResult:  # fmt: skip
        """Research a question under a budget that cannot be exceeded.

        `budget` is an amount in the run's currency (credits for extractive agents; default 200) or a `Budget`.
        Raises `InvalidInput` for an empty or overlong question, `OverBudget` when the budget cannot pay the smallest
        run, `NoReadableFile` when no document could be read. Everything that goes wrong later is in the result.
        """
        return await self._watched(question, budget, on_event, stop)

    async def _watched(
        self, question: str, budget: Budget | Amount | None, on_event: OnEvent | None, stop: Stop | None,
        shown: bool = False, started: Callable[[Flow], None] = lambda _: None,
    ) -> CrewResult:  # fmt: skip
        """One run: `shown` says that answers are looked at as they arrive, `started` is told of the flow."""
        asked, run_id, s = check_question(question), self._new_id(), self.settings
        pulse = Pulse(on_event, self._now) if on_event is not None else None
        told: OnEvent | None = pulse
        spans = None
        if s.trace != "off":
            from research_crew.tracing import Tracing

            told = spans = Tracing(run_id, asked, content=s.trace == "content", then=pulse)
        try:
            result = await OneRun(self.means, told, stop, shown, started).new(asked, run_id, budget)
            if self._export_dir is not None:
                await asyncio.to_thread(export, result, self._export_dir)
            return result
        finally:
            if pulse is not None:
                pulse.close()
            if spans is not None:
                spans.close(self._now())

    def step(
        self, question: str, previous_report: Step | Report | str | None = None, gaps: Sequence[str] = (),
        budget: Budget | Amount | None = None, *, on_event: OnEvent | None = None, stop: Stop | None = None,
    ) -> Step:  # fmt: skip
        """One round of planning, searching and writing; works inside a running event loop too. See `astep`."""
        return run_in_own_loop(
            lambda: self.astep(question, previous_report, gaps, budget, on_event=on_event, stop=stop)
        )

    async def astep(
        self, question: str, previous_report: Step | Report | str | None = None, gaps: Sequence[str] = (),
        budget: Budget | Amount | None = None, *, on_event: OnEvent | None = None, stop: Stop | None = None,
    ) -> Step:  # fmt: skip
        """One round of planning, searching and writing, without the citation pass, and what it says is missing.

        With the report of this crew's last step as `previous_report` the round goes on from it, for `gaps` only (those
        that it named, if none are given): same numbers, sources, budget and ledger, and the new report keeps what the
        last one established. Any other text is shown to the writer, and the round begins a ledger of its own.
        Raises what `arun` raises, and `InvalidInput` for a budget where the first step's goes on.
        """
        asked = check_question(question)
        before = previous_report if isinstance(previous_report, str) else previous_report.markdown if previous_report else ""
        missing = tuple(" ".join(gap.split()) for gap in gaps if gap.strip())
        pulse = Pulse(on_event, self._now) if on_event is not None else None
        last, flow = self._drafted if self._drafted and self._drafted[0].is_reported_as(asked, before) else (None, None)
        if last is not None:
            missing = missing or last.gaps
            if budget is not None:
                raise InvalidInput("budget", str(budget), "a step that goes on has the budget of the first; leave it out")
            if not missing:
                raise InvalidInput("gaps", "", "the last step named none; say what is missing")
        backends, setup, brief = await OneRun(self.means, pulse).opened(asked, budget)
        try:
            if flow is not None:
                backends.fit_to(flow.bill.limit)
                made = await flow.again(missing, backends, pulse, stop)
            else:
                flow = StepFlow(
                    replace(brief, gaps=missing, previous=without_labels(before)), backends, setup.limit,
                    self.settings, alone=self.alone, run_id=self._new_id(), now=self._now, on_event=pulse, stop=stop,
                    turn=self.means.turn, sleep=self.means.sleep, confirm=self.means.confirm,
                )  # fmt: skip
                made = await flow.step()
        finally:
            if pulse is not None:
                pulse.close()
            await backends.close()
        self._drafted = (made, flow)
        return made

    def stream(self, question: str, budget: Budget | Amount | None = None, *, stop: Stop | None = None) -> Live:
        """The events of a run as they happen, then its result; bill and ledger can be read meanwhile. See `Live`."""
        own = stop or Stop()
        return Live(own, lambda tell, started: self._watched(question, budget, tell, own, True, started))

    def batch(self, questions: Iterable[str], budget_each: Budget | Amount | None = None) -> list[CrewResult]:
        """Research several questions one after another, each under its own budget."""
        return [self.run(question, budget_each) for question in questions]


class Solo(Crew):
    """One agent alone with the same tools, documents, budget and checks: the baseline."""

    alone = True


def check_question(question: object) -> str:
    """The question without surrounding white space; raises `InvalidInput` for an empty or overlong one."""
    if not isinstance(question, str) or not question.strip():
        raise InvalidInput("question", question, "ask something")
    if len(question) > LONGEST_QUESTION:
        raise InvalidInput(
            f"question of {len(question)} characters", question,
            f"use at most {LONGEST_QUESTION}; put longer material into a file and name its folder with --docs",
        )  # fmt: skip
    return " ".join(question.split())
