"""A run record (`research-crew/run/1`) as a result again: what `show` prints is what the run printed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from research_crew.agents.roles import Brief, Plan, Report
from research_crew.core.books import Books
from research_crew.core.errors import UserError
from research_crew.core.ledger import Ledger, LedgerEntry
from research_crew.core.money import to_nano
from research_crew.core.outcome import RunResult, TaskResult
from research_crew.evidence.claim import Claim
from research_crew.evidence.source import Source
from research_crew.result import SCHEMA, CrewResult, Message


@dataclass(frozen=True, slots=True)
class Told:
    """What a record keeps of a researcher's finding."""

    text: str
    coverage: str | None
    follow_up_queries: tuple[str, ...]
    note: str


def result_of(record: Mapping[str, Any]) -> CrewResult:
    """The result that wrote this record; `result_of(r.to_json()).to_json() == r.to_json()`.

    Raises `UserError` for a record of another kind or of a newer version.
    """
    schema = record.get("schema")
    if schema != SCHEMA:
        raise UserError(f"this is no record of a run that this version reads: its schema is {schema!r}, not {SCHEMA!r}")
    ledger = Ledger(record["bill"]["currency"])
    for entry in record["ledger"]:
        ledger.append(LedgerEntry.from_json(entry, ledger.currency))
    bill = ledger.bill(Decimal(record["bill"]["limit"]), to_nano(Decimal(record["bill"]["overrun"])))
    report = record["report"]
    told = {finding["task"]: finding for finding in record["findings"]}
    run = RunResult(
        record["id"], tuple(_task(task, told.get(task["id"])) for task in record["tasks"]), record["status"], ledger,
        _books(record), bill, record["timing"]["wall_s"], record["timing"]["critical_path_s"],
    )  # fmt: skip
    return CrewResult(
        record["id"], record["question"], record["language"], record["agents"], record["status"], run,
        plan_of(record["plan"]), None if report is None else _report(report),
        tuple(Source.from_json(source) for source in record["sources"]),
        tuple(Claim.from_json(claim) for claim in record["claims"]),
        tuple(Message(m["n"], m["task"], m["role"], m["content"], m["at"]) for m in record["conversation"]),
        tuple(record["degraded"]), tuple(record["warnings"]), tuple(_pair(pair) for pair in record["conflicts"]),
        record["settings"], record["name"], record["versions"],
    )  # fmt: skip


def _task(task: Mapping[str, Any], told: Mapping[str, Any] | None) -> TaskResult:
    output = None
    if told is not None:
        note = told["error"] if task["state"] in ("ok", "partial") else ""
        output = Told(told["text"], told["coverage"], tuple(told["follow_up_queries"]), note)
    return TaskResult(
        task["id"], task["role"], task["state"], Decimal(task["cost"]), task["attempts"], output, task["reason"],
        _amount(task["needed"]), _amount(task["left"]), _time(task["started"]), _time(task["ended"]),
        tuple(task["depends_on"]), task["needs"],
    )  # fmt: skip


def _books(record: Mapping[str, Any]) -> Books:
    books = Books()
    for claim in record["claims"]:
        task, attempt, _ = claim["id"].rsplit("/", 2)
        name = books.register(task, int(attempt), claim["text"], claim["state"], claim["reason"], claim["of"])
        assert name == claim["id"], "the claims of a record stand in the order in which they were registered"
    reasons = {lost["id"]: lost["reason"] for lost in record["dropped"] if lost["kind"] == "source"}
    for source in record["sources"]:
        number = str(source["number"])
        books.sources.book(number, source["state"], reasons.get(number, ""))
    books.unbacked.extend(record["report"]["unbacked"] if record["report"] is not None else ())
    return books


def plan_of(plan: Mapping[str, Any] | None) -> Plan | None:
    """The inverse of `Plan.to_json`; None for none."""
    if plan is None:
        return None
    briefs = tuple(
        Brief(b["objective"], tuple(b["search_queries"]), b["output_format"], b["boundaries"]) for b in plan["subtasks"]
    )
    return Plan(
        plan["complexity"], plan["strategy"], briefs, plan.get("language", "en"), tuple(plan.get("warnings", ())),
        plan.get("fallback", ""),
    )  # fmt: skip


def _report(report: Mapping[str, Any]) -> Report:
    cited = tuple((place, claim, tuple(numbers)) for place, claim, numbers in report["cited"])
    return Report(
        report["text"], tuple(report["claims"]), tuple(report["references"]), cited, tuple(report["unbacked"]),
        report["incomplete"], report["by"], report["citations_checked"],
    )  # fmt: skip


def _pair(pair: Sequence[str]) -> tuple[str, str]:
    return pair[0], pair[1]


def _amount(text: str | None) -> Decimal | None:
    return None if text is None else Decimal(text)


def _time(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)
