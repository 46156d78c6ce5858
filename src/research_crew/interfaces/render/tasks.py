"""One line per task, and the line that counts them."""

from collections.abc import Iterable
from decimal import Decimal

from research_crew.core.ledger import LedgerEntry
from research_crew.core.money import show
from research_crew.core.outcome import TaskResult

_TAGS = {
    "ok": "ok", "partial": "partial", "failed": "FAIL", "skipped": "skip", "over-budget": "over-budget",
    "cancelled": "cancelled",
}  # fmt: skip


def task_line(result: TaskResult) -> str:
    """`ok research:0 researcher cost 6`, with the reason in brackets when it is not ok."""
    line = f"{_TAGS[result.state]} {result.id} {result.role} cost {show(result.cost)}"
    if result.state == "over-budget" and result.needed is not None and result.left is not None:
        return f"{line} (needed {show(result.needed)}, left {show(result.left)})"
    return f"{line} ({result.reason})" if result.reason and result.state != "ok" else line


def call_line(entry: LedgerEntry) -> str:
    """`7 research:0 round-1/report openai:small: 512 tokens in, 80 out, 0.0012 (measured), ok`: one try of one call."""
    who = f"{entry.provider}:{entry.model}" if entry.model else entry.provider
    used = entry.usage
    units = [f"{used.input + used.cached_read + used.cached_write} tokens in, {used.output + used.reasoning} out"]
    units = units if used.tokens else []
    units += [f"{count} {name}" for name, count in (("searches", used.searches), ("pages", used.pages)) if count]
    again = f" try {entry.try_}" if entry.try_ > 1 else ""
    said = ", ".join([*units, f"{show(entry.amount)} ({entry.basis})", entry.outcome])
    return f"{entry.n} {entry.task} {entry.step}{again} {who}: {said}"


def task_lines(results: Iterable[TaskResult], limit: Decimal, spent: Decimal, waves: int) -> list[str]:
    """The itemised bill: `budget 10000, spent 26, 4 wave(s)`, a line per task, then `-> failed=1, ok=6`."""
    ended = list(results)
    counts: dict[str, int] = {}
    for result in ended:
        counts[result.state] = counts.get(result.state, 0) + 1
    return [
        f"budget {show(limit)}, spent {show(spent)}, {waves} wave(s)",
        *(task_line(result) for result in ended),
        "-> " + ", ".join(f"{state}={counts[state]}" for state in sorted(counts)),
    ]
