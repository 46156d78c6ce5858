"""A question researched round by round: after each draft whoever asked decides what is still missing."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

from research_crew.agents.assemble import assemble
from research_crew.agents.roles import Plan, Report
from research_crew.backends import Backends
from research_crew.closing import Course, last_report, notes_of
from research_crew.core.errors import InvalidInput, OverBudget
from research_crew.core.events import Event, OnEvent
from research_crew.core.graph import Task
from research_crew.core.ledger import Bill, LedgerEntry
from research_crew.core.money import Usage, from_nano
from research_crew.core.outcome import RunResult, TaskResult
from research_crew.core.stop import Stop
from research_crew.evidence.claim import Claim
from research_crew.evidence.source import Source
from research_crew.flow import Flow
from research_crew.result import report_text


@dataclass(frozen=True, slots=True)
class Step:
    """What one plan-search-write round came to. `str(step)` is its report with references.

    Hand it to the next `step` as `previous_report`: that one goes on with the same numbers, sources, budget and ledger.
    """

    number: int
    """1 for the first round of a question."""
    question: str
    language: str
    plan: Plan | None
    """The plan of this round; None for one agent alone."""
    report: Report | None
    """The draft with its citations, which no citer has looked at again; None when nothing was found."""
    decision: Literal["continue", "finish"]
    """Whether the writer thinks that filling the gaps would change the answer."""
    gaps: tuple[str, ...]
    """What is missing, as precise questions."""
    bill: Bill
    """Of all rounds so far."""
    usage: Usage
    """Of this round."""
    ledger: tuple[LedgerEntry, ...] = ()
    """Every try so far, of all rounds."""
    tasks: tuple[TaskResult, ...] = ()
    """All tasks so far."""
    sources: tuple[Source, ...] = ()
    claims: tuple[Claim, ...] = ()
    degraded: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def cost(self) -> Decimal:
        """What this and the earlier rounds cost, in `bill.currency`."""
        return self.bill.spent

    @property
    def markdown(self) -> str:
        """The report with its references; says so when there is none."""
        return report_text(self.report, self.sources, self.language, self.claims)

    def is_reported_as(self, question: str, text: str) -> bool:
        """Whether a text is this step's report, with its references or without."""
        bare = self.report.markdown if self.report is not None else ""
        return bool(text) and question == self.question and text in (bare, self.markdown)

    def __str__(self) -> str:
        return self.markdown

    def to_json(self) -> dict[str, Any]:
        """The round as plain JSON values, no secrets."""
        return {
            "schema": "research-crew/step/1", "number": self.number, "question": self.question,
            "language": self.language, "plan": self.plan.to_json() if self.plan else None,
            "report": None if self.report is None else {
                "markdown": self.markdown, "claims": list(self.report.claims),
                "references": list(self.report.references), "citations_checked": self.report.checked,
            },
            "decision": self.decision, "gaps": list(self.gaps), "usage": self.usage.units(), "bill": self.bill.to_json(),
            "ledger": [entry.to_json() for entry in self.ledger], "sources": [s.to_json() for s in self.sources],
            "claims": [c.to_json() for c in self.claims], "degraded": list(self.degraded), "warnings": list(self.warnings),
        }  # fmt: skip


class StepFlow(Flow):
    """The flow of a question that is researched round by round."""

    cites = False

    def __init__(self, *args: Any, on_event: OnEvent | None, stop: Stop | None, **options: Any) -> None:
        """See `Flow`."""
        self._watcher, self._outer, self._inner = on_event, stop, Stop()
        super().__init__(*args, on_event=self._relay, stop=self._inner, **options)
        self._booked = 0
        self._at_first = tuple(self._course.degraded)
        """What the budget could not pay from the beginning."""

    def _relay(self, event: Event) -> None:
        if self._watcher is not None:
            self._watcher(event)

    @property
    def gaps(self) -> tuple[str, ...]:
        """What the last draft said is missing."""
        return self._course.draft.gaps if self._course.draft is not None else ()

    async def step(self) -> Step:
        """The first round."""
        return self._made(await self._until_drafted(None))

    async def again(self, gaps: tuple[str, ...], backends: Backends, on_event: OnEvent | None, stop: Stop | None) -> Step:
        """A further round, for what is missing only.

        Raises `OverBudget` when plan, one researcher and a new draft cannot be paid, `InvalidInput` after a stop.
        """
        if self._inner.reason:
            raise InvalidInput("step", self._question.text, "its last step was stopped; begin anew without previous_report")
        self._watcher, self._outer, self._backends = on_event, stop, backends
        if backends.hired is not None:  # extractive agents stay: they remember what was asked
            self._agent = backends.make_agent()
            self._toolbox.make_ask = backends.hired.team.bind
        self._toolbox.reopen(backends.reach)
        ending = sum((self._prices.of(name) for name in self._ending), Decimal(0))
        needed = self._prices.smallest_research + ending + (Decimal(0) if self._alone else self._prices.plan)
        left = from_nano(self._runner.account.left)
        if left < needed:
            raise OverBudget(needed, left, self._prices.currency)
        before = self._course.draft.markdown if self._course.draft is not None else ""
        kept = [what for what in self._course.degraded if what in self._at_first]
        self._course = Course(briefs=self._course.briefs, degraded=kept)
        self._open_loop(gaps, before)
        first: Task
        if self._alone:
            room = from_nano(self._runner.account.left)
            first = Task(self._named("investigate"), "investigator", reserve=room, brief=self._question)
        else:
            first = self._step(self._named("plan"), "planner", self._prices.plan)
        return self._made(await self._until_drafted([first]))

    async def _until_drafted(self, more: list[Task] | None) -> RunResult:
        if self._outer is not None:
            self._outer.bind(self._inner.request)
        try:
            return await self._runner.run(more)
        finally:
            if self._outer is not None:
                self._outer.bind(None)

    def _made(self, run: RunResult) -> Step:
        course = self._course
        report: Report | None
        if course.draft is not None:
            report = assemble(course.draft)
        else:
            report = last_report(
                course, self._question, self._claims(), run.books, self._alone, self._registry.witness
            )
        wanted = course.draft is not None and course.draft.needs_more_research
        entries = tuple(run.ledger)
        used = sum((entry.usage for entry in entries[self._booked :]), Usage())
        self._booked = len(entries)
        warnings = [*course.warnings, *self._backends.warnings, *run.warnings, *notes_of(run)]
        return Step(
            self._loop, self._question.text, self._question.language, course.plan, report,
            "continue" if wanted else "finish", course.draft.gaps if course.draft is not None else (), run.bill, used,
            entries, run.results, tuple(self._registry.all()), tuple(self._toolbox.claims.values()),
            tuple(course.degraded), tuple(dict.fromkeys([*warnings, *(report.warnings if report else ())])),
        )  # fmt: skip
