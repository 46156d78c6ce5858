"""How a task ended, and what a whole run came to: frozen values that everything above the runner reads."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Literal

from research_crew.core.books import Books
from research_crew.core.ledger import Bill, Ledger

TaskState = Literal["ok", "partial", "failed", "skipped", "over-budget", "cancelled"]
RunStatus = Literal["complete", "incomplete", "no-evidence", "refused", "cancelled"]

TASK_STATES: tuple[TaskState, ...] = ("ok", "partial", "failed", "skipped", "over-budget", "cancelled")
USABLE: frozenset[str] = frozenset(("ok", "partial"))
EXIT_CODES: Mapping[RunStatus, int] = {
    "complete": 0, "no-evidence": 3, "incomplete": 4, "refused": 5, "cancelled": 130,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class TaskResult:
    """How one task ended."""

    id: str
    role: str
    state: TaskState
    cost: Decimal
    """What its tries cost together, in the run's currency."""
    attempts: int
    output: object = None
    """What the agent returned; None for a task that was never called or came to nothing."""
    reason: str = ""
    """Why it is not `ok`: the last error, or the dependencies that broke."""
    needed: Decimal | None = None
    left: Decimal | None = None
    """For `over-budget`: what the refused call needed, and what was left."""
    started: datetime | None = None
    ended: datetime | None = None
    depends_on: tuple[str, ...] = ()
    needs: int | str = "all"
    traceback: str = field(default="", compare=False, repr=False)
    """The traceback of an unexpected exception, for `--debug`."""

    @property
    def usable(self) -> bool:
        """Whether tasks that depend on it may count it."""
        return self.state in USABLE


@dataclass(frozen=True, slots=True)
class Partial:
    """Returned by an agent that was stopped by a limit with something in hand: the task ends `partial`."""

    value: object
    reason: str


@dataclass(frozen=True, slots=True)
class RunResult:
    """What a graph came to: every task, every coin, everything that fell out."""

    run_id: str
    results: tuple[TaskResult, ...]
    """In the order in which tasks were declared or grown."""
    status: RunStatus
    ledger: Ledger
    books: Books
    bill: Bill
    wall_s: float
    critical_path_s: float
    """Length of the longest chain of tasks that waited for one another, as it ran."""
    warnings: tuple[str, ...] = ()

    @property
    def spent(self) -> Decimal:
        """The sum of the ledger."""
        return self.ledger.spent

    @property
    def exit_code(self) -> int:
        """What a command line that ran this would end with."""
        return EXIT_CODES[self.status]

    def __getitem__(self, task: str) -> TaskResult:
        for result in self.results:
            if result.id == task:
                return result
        raise KeyError(task)

    def states(self) -> dict[str, int]:
        """How many tasks ended in which state, by name, states that no task ended in left out."""
        counts: dict[str, int] = {}
        for result in sorted(self.results, key=lambda r: r.state):
            counts[result.state] = counts.get(result.state, 0) + 1
        return counts


def run_status(stopped: str, results: Collection[TaskResult], ledger: Ledger) -> RunStatus:
    """What a run came to: stopped by a person, complete, refused by the budget before anything was bought, or not."""
    if stopped and stopped != "deadline":
        return "cancelled"
    states = {result.state for result in results}
    if states <= {"ok"}:
        return "complete"
    if "over-budget" in states and ledger.nano == 0 and not states & {"ok", "partial"}:
        return "refused"
    return "incomplete"
