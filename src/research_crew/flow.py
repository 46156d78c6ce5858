"""One run of a crew: which tasks follow which result, what is paid first, and what is given up when money is short."""

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from importlib.metadata import version

from research_crew.agents.assemble import assemble, without_labels
from research_crew.agents.roles import RESEARCHER, Assignment, Brief, Critique, Draft, Plan, Question, Report
from research_crew.agents.toolbox import Toolbox
from research_crew.backends import Backends
from research_crew.closing import (
    Course,
    book_critique,
    close_books,
    kept_claims,
    last_report,
    notes_of,
    result_of,
    wrong_language,
)
from research_crew.core.budget import Budget
from research_crew.core.context import Context, Scope, Tools
from research_crew.core.events import Event, OnEvent
from research_crew.core.graph import Task, TaskGraph
from research_crew.core.ledger import Bill, Ledger
from research_crew.core.meter import Retry
from research_crew.core.money import from_nano, to_decimal, to_nano
from research_crew.core.order import Mark
from research_crew.core.outcome import RunResult, TaskResult
from research_crew.core.runner import Runner, Stop
from research_crew.evidence.claim import Claim
from research_crew.fitting import Confirm, affordable_ending, fit, propose
from research_crew.rates import TakeTurn
from research_crew.result import CrewResult
from research_crew.session import Session
from research_crew.settings import Settings


class Flow:
    """Made for one question, run once."""

    cites = True
    """Whether a citation pass follows the last draft."""

    def __init__(
        self, question: Question, backends: Backends, budget: Budget, settings: Settings, *, alone: bool, run_id: str,
        now: Callable[[], datetime], on_event: OnEvent | None, stop: Stop | None, turn: TakeTurn | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep, confirm: Confirm | None = None,
        session: Session | None = None,
    ) -> None:  # fmt: skip
        """`confirm` is asked before research is bought. Raises `OverBudget` when the budget cannot pay the smallest run."""
        self._question, self._settings, self._alone = question, settings, alone
        self._prices, self._backends = backends.prices, backends
        self._emit = on_event or (lambda _: None)
        self._agent, self._budget, self._confirm = backends.make_agent(), budget, confirm
        self._course = Course()
        self._researchers: list[str] = []
        self._rounds = question.search_rounds
        self._loop = 1
        self._judged = ""
        limit = to_decimal(budget.limit)
        self._thread = None if alone or confirm is not None else backends.one_thread(question)
        self._ending, given_up = affordable_ending(limit, self._prices, alone, self.cites and self._thread is None)
        self._course.degraded += given_up
        self._runner = Runner(
            TaskGraph(self._first(limit)), self._perform, budget, attempts=1, concurrency=settings.concurrency,
            deadline=settings.deadline, seed=settings.seed, tools=self._tools, grow=self._grow,
            on_event=on_event, retry=Retry(settings.tries), now=now, run_id=run_id, stop=stop, turn=turn,
            sleep=sleep, **(session.of_runner() if session is not None else {}),
        )  # fmt: skip
        self._now = now if session is None else self._runner.now
        for name in self._ending:
            self._runner.account.set_aside(name, to_nano(self._prices.of(name)))
        self._toolbox = Toolbox(
            backends.reach, self._runner.books, self._prices.tariff, self._now, settings.pages, settings.results_per_search,
            backends.filters, entailment=backends.entailment, meaning=backends.meaning,
        )  # fmt: skip
        if session is not None:
            session.journal.watch(self._runner.books)
            self._toolbox.on_text = session.on_text
        self._toolbox.plan([question.text])
        if backends.hired is not None:
            self._toolbox.make_ask = backends.hired.team.bind
        self._registry = self._toolbox.registry

    def _tools(self, scope: Scope) -> Tools:
        return self._toolbox(scope)

    async def run(self) -> CrewResult:
        """Run the graph to its end and close the books."""
        return self._close(await self._runner.run())

    @property
    def stopped(self) -> Mark | None:
        """Where the run was stopped, and why."""
        at = self._runner.stopped_at
        return None if at is None else Mark(at, "stop", self._runner.meter.stopped)

    @property
    def ledger(self) -> Ledger:
        """Every try so far."""
        return self._runner.ledger

    @property
    def bill(self) -> Bill:
        """What was spent so far."""
        return self._runner.ledger.bill(to_decimal(self._budget.limit), self._runner.account.overrun)

    async def _perform(self, task: Task, ctx: Context) -> object:
        """The agent of this run; a plan is shown to whoever has to confirm it."""
        if self._confirm is not None and task.role == "planner":
            self._course.refused = True  # until a plan is agreed to: whatever fails on the way, nothing more is bought
        result = self._agent(task, ctx)
        output: object = await result if inspect.isawaitable(result) else result
        if self._confirm is None or not isinstance(output, Plan):
            return output
        room, limit = from_nano(self._runner.account.left), to_decimal(self._budget.limit)
        proposal = propose(output, self._question, self._prices, self._ending, self.ledger.spent, limit, room)
        answer = self._confirm(proposal)
        agreed = await answer if inspect.isawaitable(answer) else answer
        self._course.refused = agreed is None or not agreed.subtasks
        return output if agreed is None else agreed

    # -- what is paid first ---------------------------------------------------------------------------------------

    def _first(self, limit: Decimal) -> list[Task]:
        room = limit - sum((self._prices.of(name) for name in self._ending), Decimal(0))
        if self._alone:
            return [Task("investigate", "investigator", reserve=room, brief=self._question)]
        if self._thread is None:
            return [self._step("plan", "planner", self._prices.plan)]
        # Nothing to divide, so no lead is paid to say so; and one researcher's citations need no second pass.
        self._course.plan, self._researchers = self._thread, ["research:0"]
        brief = Assignment(self._thread.subtasks[0], self._question)
        first = Task("research:0", RESEARCHER, reserve=room, brief=brief)
        return [first, self._step("critique", "critic", self._prices.critique, ("research:0",))][: 1 + ("critique" in self._ending)]

    def _step(
        self, name: str, role: str, price: Decimal, after: tuple[str, ...] = (), brief: Question | None = None
    ) -> Task:
        """A task of one step: at a fixed price, or metered and paid from its pot."""
        fixed = None if self._prices.metered else price
        pot = name.split(":")[0]
        needs = 1 if after else "all"
        return Task(name, role, fixed, None, after, needs, brief or self._question, pot)  # type: ignore[arg-type]

    def _give_up(self, what: str) -> None:
        self._course.degraded.append(what)
        if hasattr(self, "_runner"):
            self._emit(Event("degraded", self._now(), data={"what": what}))

    # -- what follows what ----------------------------------------------------------------------------------------

    def _grow(self, task: Task, result: TaskResult) -> Sequence[Task]:
        kind = task.id.split(":")[0]
        self._runner.account.close_pot(kind)
        said = getattr(result.output, "text", "")
        if said and self._backends.hired is None:  # with a model each of its answers was told as it came
            self._emit(Event("reply", self._now(), task.id, task.role, {"step": "", "model": "", "text": said}))
        if kind == "plan":
            return self._after_plan(task, result)
        if kind in ("critique", "investigate"):
            return self._after_evidence(task, result)
        if kind == "research":
            return self._after_research()
        if kind == "write":
            return self._after_write(task, result)
        if kind == "cite" and isinstance(result.output, Report):
            self._course.report = result.output
        return ()

    def _after_plan(self, task: Task, result: TaskResult) -> Sequence[Task]:
        plan = result.output if isinstance(result.output, Plan) else None
        if plan is None or not plan.subtasks:
            why = result.reason or "the plan was empty"
            self._course.warnings.append(f"no plan ({why}): the question itself is researched")
            whole = Brief(self._question.text, (self._question.text,))
            plan = Plan("simple", self._question.text, (whole,), self._question.language, fallback=why)
        self._course.plan = self._course.plan or plan
        self._emit(Event("plan", self._now(), task.id, task.role, plan.to_json()))
        if self._course.refused:
            self._runner.stop("the plan was not confirmed")
            return ()
        said = [note for note in plan.warnings if "its default stands in" not in note]
        self._course.warnings += [f"plan: {note}" for note in said]
        briefs = plan.subtasks[: self._settings.researchers]
        if self._loop == 1:
            self._toolbox.plan([query for brief in briefs for query in brief.search_queries])
        room = from_nano(self._runner.account.left)
        paid = fit(len(briefs), room, self._prices, self._question)
        for what in paid.given_up:
            self._give_up(what)
        self._rounds = paid.rounds
        question = replace(self._question, search_rounds=self._rounds)
        first = len(self._researchers)
        tasks = [
            Task(
                f"research:{first + i}", "researcher", reserve=paid.ceiling, depends_on=(task.id,), needs=0,
                brief=Assignment(brief, question),
            )
            for i, brief in enumerate(briefs[: paid.width])
        ]  # fmt: skip
        self._researchers += [t.id for t in tasks]
        self._course.briefs.update({t.id: brief for t, brief in zip(tasks, briefs, strict=False)})
        if "critique" in self._ending:
            after = tuple(self._researchers)
            tasks.append(self._step(self._named("critique"), "critic", self._prices.critique, after, question))
        return tasks

    def _after_research(self) -> Sequence[Task]:
        """Without a critic the writer follows the researchers, once the last of them has ended."""
        if "critique" in self._ending or set(self._researchers) - set(self._runner.results):
            return ()
        return self._write(tuple(self._researchers)) if self._claims() else ()

    def _after_evidence(self, task: Task, result: TaskResult) -> Sequence[Task]:
        """After the critique, or the one agent's own search."""
        if isinstance(result.output, Critique):
            self._course.critique, self._judged = result.output, task.id
            book_critique(self._runner.books, result.output)
            return self._write((task.id,)) if result.output.kept else ()
        if task.role == "critic" and self._claims():
            self._give_up(f"no critic: {result.reason}")
            return self._write(tuple(self._researchers))
        done = [t.id for t in self._runner.results.values() if t.role == "investigator"]
        return self._write(tuple(done)) if self._claims() else ()

    def _write(self, after: tuple[str, ...]) -> Sequence[Task]:
        if "write" not in self._ending:
            return ()
        planned = self._course.planned(self._runner.results)
        question = replace(self._question, search_rounds=self._rounds, loop=self._loop, planned=planned)
        return [self._step(self._named("write"), "writer", self._prices.write, after, question)]

    def _after_write(self, task: Task, result: TaskResult) -> Sequence[Task]:
        if not isinstance(result.output, Draft):
            self._give_up(f"template writer: {result.reason}")
            return ()
        self._course.draft = result.output
        if self._alone or not self.cites:
            return ()
        if self._course.draft.needs_more_research and self._course.draft.gaps and self._loop < self._settings.loops:
            more = self._another_loop(task, self._course.draft)
            if more:
                return more
        if self._thread is not None and self._loop == 1:
            self._course.report = assemble(self._course.draft)
            return ()
        after = (task.id, *((self._judged,) if self._judged else ()))
        return [self._step(self._named("cite"), "citer", self._prices.cite, after)]

    def _another_loop(self, task: Task, draft: Draft) -> Sequence[Task]:
        """Plan for the gaps only, if plan, one researcher and a full new ending can be paid; no gap is searched for twice."""
        fresh = self._course.unsought(draft.gaps)
        if not fresh:
            return ()
        ending = self._prices.critique + self._prices.write
        needed = self._prices.plan + self._prices.research_round(self._question) + ending
        if from_nano(self._runner.account.left) < needed:
            self._give_up("no further loop")
            return ()
        self._open_loop(fresh, draft.markdown)
        return [self._step(self._named("plan"), "planner", self._prices.plan, (task.id,))]

    def _open_loop(self, gaps: tuple[str, ...], previous: str) -> None:
        """From here on tasks belong to a further loop, whose critique and draft are paid first."""
        self._loop += 1
        for name in ("critique", "write"):
            if name in self._ending:
                self._runner.account.set_aside(name, to_nano(self._prices.of(name)))
        planned = self._course.planned(self._runner.results)
        again = replace(self._question, gaps=gaps, previous=without_labels(previous), loop=self._loop, planned=planned)
        self._question = again

    def _named(self, kind: str) -> str:
        return kind if self._loop == 1 else f"{kind}:{self._loop}"

    def _claims(self) -> list[Claim]:
        """Every claim that is still kept, in the order of tasks."""
        results = self._runner.results.values()
        return kept_claims(self._runner.books, (result.output for result in results if result.usable))

    def _close(self, run: RunResult) -> CrewResult:
        course, books = self._course, run.books
        report = course.report or last_report(
            course, self._question, self._claims(), books, self._alone, self._registry.witness
        )
        course.warnings += [*self._backends.warnings, *run.warnings, *notes_of(run)]
        close_books(course, report, books, self._toolbox)
        if self._backends.hired is not None:
            course.warnings += wrong_language(report, self._question.language)
        versions = {
            "package": version("research-crew"), "prompts": self._backends.prompts, "prices_date": self._prices.date,
        }  # fmt: skip
        return result_of(run, course, self._question, report, self._toolbox, self._backends.agents, versions, self._now)
