"""What a crew's run came to: the report, the bill, and everything that fell out on the way. Frozen values."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from research_crew.agents.assemble import inert
from research_crew.agents.roles import Plan, Report
from research_crew.agents.wording import wording
from research_crew.core.ledger import Bill, Ledger
from research_crew.core.money import Usage
from research_crew.core.outcome import EXIT_CODES, RunResult, RunStatus, TaskResult
from research_crew.evidence.claim import Claim
from research_crew.evidence.source import Source

SCHEMA = "research-crew/run/1"


@dataclass(frozen=True, slots=True)
class Dropped:
    """One thing that did not reach the report, and why."""

    kind: str
    """`claim`, `source` or `task`."""
    id: str
    state: str
    reason: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    """One thing that was said in a run, for `--output all`."""

    n: int
    task: str
    role: str
    content: str
    at: str


@dataclass(frozen=True, slots=True)
class CrewResult:
    """A finished run. `str(result)` is the report with its references."""

    id: str
    question: str
    language: str
    agents: str
    """`extractive`, `model` or `scripted`."""
    status: RunStatus
    run: RunResult
    plan: Plan | None = None
    report: Report | None = None
    sources: tuple[Source, ...] = ()
    """Every source of the run, by number."""
    claims: tuple[Claim, ...] = ()
    """Every candidate, with its check and the place of its quote."""
    conversation: tuple[Message, ...] = ()
    degraded: tuple[str, ...] = ()
    """What was left out to stay under the budget, in the order in which it was given up."""
    warnings: tuple[str, ...] = ()
    conflicts: tuple[tuple[str, str], ...] = ()
    settings: Mapping[str, object] = field(default_factory=dict)
    name: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)

    @property
    def exit_code(self) -> int:
        """What the command line ends with."""
        return EXIT_CODES[self.status]

    @property
    def bill(self) -> Bill:
        """The ledger added up."""
        return self.run.bill

    @property
    def ledger(self) -> Ledger:
        """One entry per try."""
        return self.run.ledger

    @property
    def total_cost(self) -> Decimal:
        """The sum of the ledger, in `bill.currency`."""
        return self.run.spent

    @property
    def tasks(self) -> tuple[TaskResult, ...]:
        """How every task ended."""
        return self.run.results

    def usage(self) -> Usage:
        """Everything that was used, all tries together."""
        return self.bill.usage

    @property
    def cited(self) -> tuple[Source, ...]:
        """The cited sources, in reading order."""
        by_number = {source.number: source for source in self.sources}
        return tuple(by_number[n] for n in self.report.references) if self.report else ()

    @property
    def dropped(self) -> tuple[Dropped, ...]:
        """Every claim, source and task that did not reach the report, with the reason in the books."""
        found: list[Dropped] = []
        books = self.run.books
        for line in books.claims:
            if line.state != "kept":
                reason = f"same as {line.of}" if line.of and not line.reason else line.reason
                found.append(Dropped("claim", line.id, line.state, reason, books.texts[line.id]))
        by_key = {str(source.number): source for source in self.sources}
        found += [
            Dropped("source", line.id, line.state, line.reason, _label(by_key.get(line.id)))
            for line in books.sources
            if line.state not in ("cited", "found")
        ]
        found += [Dropped("task", t.id, t.state, t.reason) for t in self.tasks if t.state != "ok"]
        return tuple(found)

    @property
    def markdown(self) -> str:
        """The report with its references; says so when there is none."""
        return report_text(self.report, self.sources, self.language, self.claims)

    @property
    def transcript(self) -> str:
        """The whole conversation: question, plan, each finding, critique, draft, report."""
        parts: list[str] = []
        for message in self.conversation:
            who = f"{message.role} ({message.task})" if message.task else message.role
            parts += [f"### {message.n}. {who}", "", message.content, ""]
        return "\n".join(parts)

    def __str__(self) -> str:
        """The report with its references; with the setting `output` `all` or `json`, the transcript or the record."""
        output = self.settings.get("output")
        if output == "json":
            return self.json()
        return f"{self.transcript}\n---\n\n{self.markdown}" if output == "all" else self.markdown

    def to_json(self) -> dict[str, object]:
        """The run record, `research-crew/run/1`: plain JSON values, no secrets."""
        books = self.run.books
        states = {line.id: line for line in books.claims}
        report = self.report
        return {
            "schema": SCHEMA, "id": self.id, "name": self.name, "question": self.question,
            "language": self.language, "agents": self.agents, "status": self.status,
            "exit_code": self.exit_code, "settings": dict(self.settings),
            "plan": self.plan.to_json() if self.plan else None,
            "tasks": [_task(task) for task in self.tasks],
            "report": None if report is None else {
                "markdown": self.markdown, "claims": list(report.claims), "references": list(report.references),
                "incomplete": report.incomplete, "by": report.by, "citations_checked": report.checked,
                "unbacked": list(report.unbacked), "text": report.markdown,
                "cited": [[place, claim, list(numbers)] for place, claim, numbers in report.cited],
            },
            "sources": [source.to_json() for source in self.sources],
            "claims": [
                claim.to_json() | {
                    "state": states[claim.id].state, "reason": states[claim.id].reason, "of": states[claim.id].of,
                }
                for claim in self.claims
            ],
            "findings": [_finding(task) for task in self.tasks if task.role in ("researcher", "investigator")],
            "conversation": [
                {"n": m.n, "task": m.task, "role": m.role, "content": m.content, "at": m.at}
                for m in self.conversation
            ],
            "books": books.to_json(self.run.states()),
            "ledger": [entry.to_json() for entry in self.ledger],
            "bill": self.bill.to_json(),
            "dropped": [
                {"kind": d.kind, "id": d.id, "state": d.state, "reason": d.reason, "text": d.text}
                for d in self.dropped
            ],
            "degraded": list(self.degraded), "warnings": list(self.warnings),
            "conflicts": [list(pair) for pair in self.conflicts], "versions": dict(self.versions),
            "timing": {
                "wall_s": round(self.run.wall_s, 6), "critical_path_s": round(self.run.critical_path_s, 6),
            },
        }  # fmt: skip

    def json(self) -> str:
        """The record as text."""
        return json.dumps(self.to_json(), ensure_ascii=False, indent=2)


def report_text(
    report: Report | None, sources: Iterable[Source], language: str, claims: Iterable[Claim] = ()
) -> str:
    """A report with its references, as Markdown; says so when there is none."""
    words = wording(language)
    if report is None:
        return words.no_report
    by_number = {source.number: source for source in sources}
    headings = _headings(report, claims)
    lines = [report.markdown.rstrip(), "", f"## {words.references}", ""]
    for number in report.references:
        line, others = reference(by_number[number], headings.get(number, ())), _copies(by_number[number], by_number.values())
        if others:
            where = ", ".join(f"[{o.number}] {inert(o.url or o.path or '')}" for o in others[:_SHOWN_COPIES])
            more = " …" if len(others) > _SHOWN_COPIES else ""
            line += f" ({words.copies.format(count=len(others))}: {where}{more})"
        lines.append(line)
    return "\n".join(lines) + "\n"


_SHOWN_COPIES = 3
_SHOWN_HEADINGS = 3


def _copies(source: Source, sources: Iterable[Source]) -> list[Source]:
    """The other sources with nearly the text of this one: together they are one source of support."""
    first = source.copy_of or source.number
    return [s for s in sources if s.number != source.number and first in (s.number, s.copy_of)]


def _headings(report: Report, claims: Iterable[Claim]) -> dict[int, tuple[str, ...]]:
    """Source → the headings under which the report's claims stand in it."""
    all_of_them = list(claims)
    cited = {(c.source, c.quote) for claim in all_of_them if claim.id in report.claims for c in claim.citations}
    found: dict[int, dict[str, None]] = {}
    for claim in all_of_them:
        if claim.heading and (claim.source, claim.quote) in cited:
            found.setdefault(claim.source, {})[claim.heading] = None
    return {number: tuple(names) for number, names in found.items()}


def reference(source: Source, headings: Sequence[str] = ()) -> str:
    """One line of the list of references: `[3] Title, p. 4, "Heading" (2025-03-01). path-or-address`."""
    page = f", p. {source.page}" if source.page is not None else ""
    date = f" ({source.published})" if source.published else ""
    where = source.url or source.path or ""
    under = [inert(heading) for heading in headings if heading != source.title]
    place = "".join(f', "{heading}"' for heading in under[:_SHOWN_HEADINGS]) + (" …" if len(under) > _SHOWN_HEADINGS else "")
    return f"- [{source.number}] {inert(source.title or where)}{page}{place}{date}. {inert(where)}"


def _label(source: Source | None) -> str:
    return "" if source is None else (source.title or source.url or source.path or "")


def _task(task: TaskResult) -> dict[str, object]:
    return {
        "id": task.id, "role": task.role, "depends_on": list(task.depends_on), "needs": task.needs,
        "state": task.state, "attempts": task.attempts, "cost": f"{task.cost:f}", "reason": task.reason,
        "needed": None if task.needed is None else f"{task.needed:f}",
        "left": None if task.left is None else f"{task.left:f}",
        "started": task.started.isoformat() if task.started else None,
        "ended": task.ended.isoformat() if task.ended else None,
    }  # fmt: skip


def _finding(task: TaskResult) -> dict[str, object]:
    value = task.output
    return {
        "task": task.id, "text": getattr(value, "text", "") or "", "coverage": getattr(value, "coverage", None),
        "follow_up_queries": list(getattr(value, "follow_up_queries", ())),
        "error": task.reason if not task.usable else getattr(value, "note", ""),
    }  # fmt: skip
