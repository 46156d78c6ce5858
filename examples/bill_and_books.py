"""Reading the bill and the books: every try, every split, and where every candidate claim ended.

    python examples/bill_and_books.py
"""

from research_crew import Crew


def main() -> None:
    """Ask the bundled documents under a small budget, then account for it."""
    result = Crew(strictness=0.8).run("What is a hot journal, and how can a database become corrupt?", budget=20)
    print(f"status: {result.status}; given up to stay under the budget: {', '.join(result.degraded) or 'nothing'}")
    for entry in result.ledger:
        print(f"{entry.n:>3} {entry.task:<11} {entry.step:<18} {entry.amount} {entry.basis} {entry.outcome}")
    print("sum of the ledger:", sum(entry.amount for entry in result.ledger), "= spent:", result.bill.spent)
    for name, split in (("by role", result.bill.by_role), ("by kind", result.bill.by_kind)):
        print(f"{name}:", ", ".join(f"{key} {amount}" for key, amount in split.items()))
    counts = result.run.books.claims.counts()
    print("candidates:", sum(counts.values()), "=", " + ".join(f"{state} {n}" for state, n in counts.items()))
    for lost in result.dropped[:5]:
        print(f"- {lost.kind} {lost.state}: {lost.text or lost.id} ({lost.reason})")


if __name__ == "__main__":
    main()
