"""A first answer: a question over a folder, its report, and the two lines that no report leaves out.

    python examples/first_answer.py [FOLDER] ["question"]
"""

import sys

from research_crew import Crew


def main() -> None:
    """Ask the bundled documents, or those of a folder."""
    docs = sys.argv[1] if len(sys.argv) > 1 else None
    question = sys.argv[2] if len(sys.argv) > 2 else "When does SQLite return SQLITE_BUSY?"
    result = Crew(docs=docs).run(question, budget=100)
    print(result)
    print(f"It cost {result.total_cost} of at most {result.bill.limit} {result.bill.currency}.")
    print(f"{len(result.dropped)} things did not reach the report.")


if __name__ == "__main__":
    main()
