"""Every error this package raises on purpose.

Three roots stand under one base: the user's mistake, the provider's failure, the budget's refusal. Each carries its
facts as fields, a message of one or two sentences that names the input and the way out, and the exit code that the
command line ends with.

    ResearchCrewError (1)
    ├── UserError (2)
    │   ├── InvalidInput            a value out of its range
    │   ├── MissingExtra            a package that an extra installs
    │   ├── GraphError              a graph that cannot be built
    │   │   ├── DuplicateTask
    │   │   ├── UnknownDependency
    │   │   ├── SelfDependency
    │   │   └── CycleError
    │   ├── MixedCurrencies         a total over two currencies
    │   ├── UnknownPrice            a back end whose price is not known
    │   ├── Diverged                a resumed run that asks something else
    │   ├── StoreError              the store of runs cannot be used
    │   │   ├── NoSuchRun
    │   │   ├── RunBusy             another process drives the run
    │   │   └── LostLease           another process has taken the run over
    │   └── NoReadableFile (3)      a folder without one readable file
    ├── ProviderError (4)
    │   ├── AgentFailure            an agent failed in a way worth a second attempt
    │   └── CallFailed              one try of a paid call failed
    └── BudgetError (5)
        └── OverBudget              the limit cannot pay what comes next
"""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any


class ResearchCrewError(Exception):
    """Base of all errors raised on purpose; `exit_code` is what the command line returns."""

    exit_code = 1


class UserError(ResearchCrewError):
    """Something the person asked for cannot be done as asked."""

    exit_code = 2


class InvalidInput(UserError):
    """A value that cannot be used; names the input and the way out."""

    def __init__(self, what: str, value: object, way_out: str) -> None:
        self.what, self.value, self.way_out = what, value, way_out
        try:
            shown = value if isinstance(value, str) else repr(value)
        except ValueError:  # an integer of more digits than Python prints
            shown = f"a huge {type(value).__name__}"
        if len(shown) > 80:
            shown = shown[:77] + "..."
        quoted = repr(shown) if isinstance(value, str) else shown
        super().__init__(f"{what}: {quoted} cannot be used; {way_out}" if shown else f"{what}: {way_out}")


class MissingExtra(UserError):
    """A package is needed that the base install leaves out."""

    def __init__(self, package: str, extra: str) -> None:
        self.package, self.extra = package, extra
        super().__init__(f"this needs the package {package!r}: pip install 'research-crew[{extra}]'")


class GraphError(UserError):
    """A task graph that cannot be built."""


class DuplicateTask(GraphError):
    """Two tasks share an id."""

    def __init__(self, task: str) -> None:
        self.task = task
        super().__init__(f"two tasks are called {task!r}; give each its own id")


class UnknownDependency(GraphError):
    """A task depends on one that is not in the graph."""

    def __init__(self, task: str, dependency: str) -> None:
        self.task, self.dependency = task, dependency
        super().__init__(f"task {task!r} depends on {dependency!r}, which is not in the graph")


class SelfDependency(GraphError):
    """A task depends on itself."""

    def __init__(self, task: str) -> None:
        self.task = task
        super().__init__(f"task {task!r} depends on itself")


class CycleError(GraphError):
    """Tasks that wait for each other; `tasks` lists one cycle in order."""

    def __init__(self, tasks: Sequence[str]) -> None:
        self.tasks = tuple(tasks)
        named = self.tasks if len(self.tasks) <= 20 else (*self.tasks[:19], f"({len(self.tasks) - 19} more)")
        super().__init__("tasks wait for each other: " + " -> ".join((*named, self.tasks[0])))


class MixedCurrencies(UserError):
    """A total over two currencies is refused."""

    def __init__(self, first: str, second: str) -> None:
        self.first, self.second = first, second
        super().__init__(f"{first} and {second} cannot be added up; price every back end in one currency")


class UnknownPrice(UserError):
    """A back end without a known price would make the bill a guess."""

    def __init__(self, model: str, way_out: str = "name one with --price INPUT/OUTPUT (per million tokens)") -> None:
        self.model, self.way_out = model, way_out
        super().__init__(f"no price is known for {model!r}; {way_out}")


class Diverged(UserError):
    """A resumed run asked something else under a key that is already paid for."""

    def __init__(self, key: str, *, asked: bool = True) -> None:
        """`asked` False: the resumed run does not ask for it any more, or asks for what nobody bought."""
        self.key = key
        what = "was bought with another request" if asked else "does not come up in the resumed run as it did before"
        super().__init__(f"{key} {what}; resume with the first run's settings and version, or --rebuy")


class StoreError(UserError):
    """The store of runs cannot be read or written; names the file or database and the way out."""

    def __init__(self, store: str, what: str, way_out: str) -> None:
        self.store, self.what, self.way_out = store, what, way_out
        super().__init__(f"the store {store} {what}; {way_out}")


class NoSuchRun(StoreError):
    """No stored run, or more than one, begins with this id."""

    def __init__(self, store: str, run: str, many: Sequence[str] = ()) -> None:
        self.run, self.many = run, tuple(many)
        what = f"has {len(self.many)} runs that begin with {run!r}" if self.many else f"has no run {run!r}"
        super().__init__(store, what, "research-crew runs lists them")


class RunBusy(StoreError):
    """A run that another process drives."""

    def __init__(self, store: str, run: str, owner: str, seconds: float) -> None:
        self.run, self.owner, self.seconds = run, owner, seconds
        super().__init__(
            store, f"says that run {run} is driven by {owner}", f"wait for its end, or {seconds:.0f} s if it is dead"
        )


class LostLease(StoreError):
    """Another process has taken the run over: this one writes nothing more."""

    def __init__(self, store: str, run: str) -> None:
        self.run = run
        super().__init__(store, f"says that another process drives run {run} by now", "this one stops")


class NoReadableFile(UserError):
    """A documents folder in which no file could be read."""

    exit_code = 3

    def __init__(self, folder: str, seen: int, reasons: Sequence[str] = ()) -> None:
        self.folder, self.seen, self.reasons = folder, seen, tuple(reasons)
        why = f" ({'; '.join(self.reasons[:3])})" if self.reasons else ""
        super().__init__(f"no readable file in {folder!r}: {seen} looked at{why}; name another folder with --docs")


class ProviderError(ResearchCrewError):
    """Whoever was to do the work failed."""

    exit_code = 4


class AgentFailure(ProviderError):
    """Raised by an agent: this attempt failed, another may succeed. The attempt is billed all the same."""


class CallFailed(ProviderError):
    """One try of a paid call failed.

    `sent` False says that the request was certainly not executed (connection refused, 401, 429): it is charged 0.
    True says that it may have been: it is charged at its reservation unless a bill is known.
    `retry_after` is in seconds.
    """

    def __init__(
        self,
        service: str,
        status: int | None,
        detail: str,
        *,
        sent: bool,
        retryable: bool,
        retry_after: float | None = None,
        timed_out: bool = False,
        data: object = None,
    ) -> None:
        """`data`: what the service said, as JSON values, for whoever asks again after a crash."""
        self.service, self.status, self.detail, self.data = service, status, detail[:500], data
        self.sent, self.retryable, self.retry_after, self.timed_out = sent, retryable, retry_after, timed_out
        code = f" answered {status}" if status is not None else (" timed out" if timed_out else " failed")
        super().__init__(f"{service}{code}: {self.detail}" if self.detail else f"{service}{code}")

    def to_json(self) -> dict[str, object]:
        """The failure as a journal keeps it."""
        return {
            "service": self.service, "status": self.status, "detail": self.detail, "sent": self.sent,
            "retryable": self.retryable, "retry_after": self.retry_after, "timed_out": self.timed_out,
            "data": self.data,
        }  # fmt: skip

    @classmethod
    def from_json(cls, value: Any, service: str) -> "CallFailed":
        """The inverse; of a plain text, a failure of `service` that says it."""
        if not isinstance(value, dict) or "service" not in value:
            return cls(service, None, str(value), sent=True, retryable=False)
        return cls(**value)


class BudgetError(ResearchCrewError):
    """The budget refused."""

    exit_code = 5


class OverBudget(BudgetError):
    """What comes next does not fit under the limit, whatever still comes back."""

    def __init__(self, needed: Decimal, left: Decimal, unit: str = "credits") -> None:
        self.needed, self.left, self.unit = needed, left, unit
        super().__init__(f"needs {needed:f} {unit}, {left:f} left; raise --budget to go on")
