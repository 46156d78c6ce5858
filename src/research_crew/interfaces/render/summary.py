"""The bill and what was dropped, in plain Markdown for a person."""

from collections.abc import Sequence
from decimal import Decimal

from research_crew.core.ledger import Bill
from research_crew.core.money import show
from research_crew.result import CrewResult, Dropped

_NAMES = {
    "search": "searches", "read": "pages read", "model": "model calls", "task": "plan, critique, draft, citations",
}  # fmt: skip


def bill_lines(bill: Bill, tries: dict[str, int]) -> list[str]:
    """What was bought, by kind and by role, and that it adds up; `tries` counts the entries of each kind."""
    lines = ["## Bill", "", f"| what | tries | {bill.currency} |", "|---|--:|--:|"]
    for kind, amount in bill.by_kind.items():
        lines.append(f"| {_NAMES.get(kind, kind)} | {tries[kind]} | {show(amount)} |")
    lines.append(f"| **total** | {bill.tries} | **{show(bill.spent)}** of at most {show(bill.limit)} |")
    by_role = ", ".join(f"{role} {show(amount)}" for role, amount in bill.by_role.items())
    lines += ["", f"By role: {by_role or 'nothing was bought'}."]
    bought = {name: amount for name, amount in bill.by_model.items() if amount}
    if len(bought) > 1:
        lines.append("By model and search engine: " + ", ".join(f"{name} {show(a)}" for name, a in bought.items()) + ".")
    if bill.overrun:
        lines.append(f"Providers billed {show(bill.overrun)} above what was reserved.")
    unsure = {basis: amount for basis, amount in bill.by_basis.items() if basis != "measured" and amount}
    if unsure:
        lines.append("Not measured: " + ", ".join(f"{show(a)} {basis}" for basis, a in unsure.items()) + ".")
    return lines


def tries_by_kind(result: CrewResult) -> dict[str, int]:
    """How many ledger entries there are of each kind."""
    counts: dict[str, int] = {}
    for entry in result.ledger:
        counts[entry.kind] = counts.get(entry.kind, 0) + 1
    return counts


def dropped_lines(result: CrewResult, most: int = 3) -> list[str]:
    """What did not reach the report: counts that add up, and the first few of each with the reason."""
    books = result.run.books
    counts = {state: n for state, n in books.claims.counts().items() if n}
    sums = ", ".join(f"{state} {n}" for state, n in counts.items()) or "none"
    lines = ["## What was dropped", "", f"Claims: {len(books.claims)} candidates = {sums}."]
    lines += _examples([d for d in result.dropped if d.kind == "claim"], most)
    sources = ", ".join(f"{state} {n}" for state, n in books.sources.counts().items() if n) or "none"
    lines.append(f"Sources: {len(books.sources)} = {sources}.")
    lost = [d for d in result.dropped if d.kind == "source" and d.state not in ("read-not-cited", "duplicate")]
    lines += _examples(lost, most)
    tasks = ", ".join(f"{state} {n}" for state, n in result.run.states().items())
    lines.append(f"Tasks: {len(result.tasks)} = {tasks}.")
    lines += [f"- {d.id} {d.state}: {d.reason}" for d in result.dropped if d.kind == "task"]
    if books.unbacked:
        lines.append(f"Sentences that rest on no claim: {len(books.unbacked)}.")
        lines += [f"- {text}" for text in books.unbacked[:most]]
    if result.degraded:
        lines.append("Given up to stay under the budget: " + "; ".join(result.degraded) + ".")
    return lines


def _examples(dropped: Sequence[Dropped], most: int) -> list[str]:
    """The first few of every state, and how many more there are."""
    lines: list[str] = []
    for state in dict.fromkeys(d.state for d in dropped):
        some = [d for d in dropped if d.state == state]
        for d in some[:most]:
            text = d.text if len(d.text) <= 110 else d.text[:107] + "..."
            lines.append(f"- {state}: {text or d.id}" + (f" ({d.reason})" if d.reason else ""))
        if len(some) > most:
            lines.append(f"- {state}: {len(some) - most} more; --json lists them all")
    return lines


def beside_one_agent(crew: CrewResult, solo: CrewResult) -> str:
    """Whether one agent would have done as well: supported, distinct claims in each report, and what each cost."""
    found = [len(r.report.claims) if r.report else 0 for r in (crew, solo)]
    cost = [crew.total_cost, solo.total_cost]
    unit = crew.bill.currency
    head = (
        f"One agent alone, allowed the same {show(cost[0])} {unit}, wrote {found[1]} supported claims for "
        f"{show(cost[1])} {unit}; the crew wrote {found[0]} for {show(cost[0])}."
    )
    rates = [Decimal(n) / c if c else Decimal(0) for n, c in zip(found, cost, strict=True)]
    if found[0] <= found[1]:
        verdict = "One agent would have done as well."
    elif rates[0] > rates[1]:
        verdict = "The crew wrote more, and more per credit."
    else:
        verdict = f"The crew wrote more, but per {unit.removesuffix('s')} spent one agent wins."
    return f"{head} {verdict} (Counted claims, not judged ones: which of them matter is for you to say.)"
