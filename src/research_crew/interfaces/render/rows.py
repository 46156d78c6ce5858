"""The table of a batch: a line per question, and the sums below."""

from collections.abc import Sequence
from decimal import Decimal

from research_crew.core.money import show
from research_crew.distribute.batch import counts
from research_crew.distribute.items import Item
from research_crew.distribute.results import Row

_WIDEST = 60


def row_line(row: Row) -> str:
    """One result in a line."""
    reason = f" ({row.reason})" if row.reason and row.status != "complete" else ""
    return f"{row.status} {row.key}: {row.found} claims, cost {show(row.cost)}{reason}"


def table(rows: Sequence[Row], items: Sequence[Item], spent: Decimal, limit: Decimal, currency: str) -> str:
    """Questions, states, cost, found and what was dropped; then the sums."""
    by_key = {row.key: row for row in rows}
    head = f"{'question':<{_WIDEST}}  {'state':<11}  {'cost':>10}  {'found':>5}  dropped"
    lines = [head, "-" * len(head)]
    for item in items:
        row = by_key.get(item.key)
        text = " ".join(item.question.split())
        text = text if len(text) <= _WIDEST else text[: _WIDEST - 3] + "..."
        state, cost, found = (row.status, show(row.cost), row.found) if row else ("not asked", "0", 0)
        lost = ", ".join(f"{n} {kind}s" for kind, n in (row.dropped or {}).items()) if row else ""
        lines.append(f"{text:<{_WIDEST}}  {state:<11}  {cost:>10}  {found:>5}  {lost or '-'}")
    states = ", ".join(f"{state} {n}" for state, n in counts(rows).items())
    if len(rows) < len(items):
        states += f"{', ' if states else ''}not asked {len(items) - len(rows)}"
    claims = sum(row.found for row in rows)
    rate = f", {show((spent / claims).quantize(Decimal('0.000001')))} each" if claims else ""
    lines += ["", f"{len(items)} questions: {states}", f"{claims} claims found for {show(spent)} of at most {show(limit)} {currency}{rate}"]
    lost_all: dict[str, int] = {}
    for row in rows:
        for kind, n in (row.dropped or {}).items():
            lost_all[kind] = lost_all.get(kind, 0) + n
    lines.append("dropped: " + (", ".join(f"{n} {kind}s" for kind, n in sorted(lost_all.items())) or "nothing"))
    return "\n".join(lines)
