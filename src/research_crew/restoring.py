"""A stored run whose report is written anew, with claims that a person took back."""

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

from research_crew.agents.roles import Draft
from research_crew.core.graph import Task
from research_crew.core.outcome import TaskResult
from research_crew.evidence.claim import Claim
from research_crew.flow import Flow


class RestoringFlow(Flow):
    """The flow of the run as it was; after its end, for each time that claims were taken back, one more draft with its
    citations. All but the last of these stands in the journal, so only that is bought."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._groups = list(options["session"].setup.restored)
        self._wrote_after: tuple[str, ...] = ()
        self._again = 0
        """How often the report was written anew so far."""

    def _grow(self, task: Task, result: TaskResult) -> Sequence[Task]:
        more = super()._grow(task, result)
        self._declared += len(more)
        if more or not self._groups or len(self._runner.results) < self._declared:
            return more
        group = self._groups.pop(0)
        self._again += 1
        for name in group:
            self._runner.books.restore(name)
        back = tuple(self._toolbox.claims[name] for name in group)
        self._question = replace(self._question, readmitted=(*self._question.readmitted, *back))
        anew = self._write(self._wrote_after) if self._wrote_after else ()
        self._declared += len(anew)
        return anew

    def _first(self, limit: Decimal) -> list[Task]:
        first = super()._first(limit)
        self._declared = len(first)
        return first

    def _write(self, after: tuple[str, ...]) -> Sequence[Task]:
        self._wrote_after = after
        return super()._write(after)

    def _after_write(self, task: Task, result: TaskResult) -> Sequence[Task]:
        if self._again:
            if not isinstance(result.output, Draft):
                self._course.warnings.append(f"the report was not written anew: {result.reason}")
                return ()
            self._course.report = None
        return super()._after_write(task, result)

    def _another_loop(self, task: Task, draft: Draft) -> Sequence[Task]:
        return () if self._again else super()._another_loop(task, draft)

    def _named(self, kind: str) -> str:
        return f"{kind}:restored-{self._again}" if self._again else super()._named(kind)

    def _claims(self) -> list[Claim]:
        kept = super()._claims()
        return [*(claim for claim in self._question.readmitted if claim not in kept), *kept]
