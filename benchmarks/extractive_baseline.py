"""The embedded agents, crew and one agent alone, on public questions with known answers.

    python benchmarks/extractive_baseline.py --data DIR [--set wiki-multihop] [--questions N] [--rounds N] [--by-type]
                                             [--json FILE]

Every arm answers in at most 10 claims and 300 words and reads at most 20 pages a question. Found, bogus and extra are
counted by set matching (measure/matching.py); gold paragraphs reached are those among the pages that were read.
"""

import argparse
import json
import time
from pathlib import Path

from research_crew import Crew, CrewResult, Solo
from research_crew.documents.index import DocumentIndex
from research_crew.library import Library
from research_crew.measure.datasets import Dataset, load_dataset
from research_crew.measure.matching import Stated, count

SETS = ("wiki-multihop", "multispanqa")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder that holds the sets")
    parser.add_argument("--set", choices=SETS, action="append", help="one set only")
    parser.add_argument("--questions", type=int, help="the first N questions only")
    parser.add_argument("--rounds", type=int, default=2, help="search rounds of each researcher (default 2)")
    parser.add_argument("--by-type", action="store_true", help="a row for each type of question too")
    parser.add_argument("--json", type=Path, help="write every row there")
    arguments = parser.parse_args()
    print(
        f"{'set':<18} {'arm':<5} {'questions':>9}  found/facts        bogus  extra  gold paragraphs  searches  pages  most   cost  seconds"
    )
    rows = []
    for name in arguments.set or SETS:
        data = load_dataset(arguments.data / name)
        index = DocumentIndex()
        index.add_texts(data.corpus)
        for arm, maker in (("crew", Crew), ("solo", Solo)):
            sums = run_arm(data, index, maker, arguments.questions, arguments.rounds)
            for kind, row in sums.items():
                if kind == "all" or arguments.by_type:
                    show(name, arm, kind, row)
                rows.append({"set": name, "arm": arm, "type": kind, "rounds": arguments.rounds, **row})
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1))


def show(name: str, arm: str, kind: str, row: dict[str, float]) -> None:
    """One line: counts and money a question, the share of gold paragraphs as a mean over questions."""
    n, facts = row["questions"], row["facts"]
    print(
        f"{name if kind == 'all' else '  ' + kind:<18} {arm:<5} {n:>9.0f}  {row['found']:>4.0f}/{facts:<4.0f} = {row['found'] / facts:.3f}"
        f"  {row['bogus'] / n:>5.2f}  {row['extra'] / n:>5.2f}  {row['reached'] / n:>15.3f}  {row['searches'] / n:>8.1f}"
        f"  {row['pages'] / n:>5.1f}  {row['most pages']:>4.0f}  {row['cost'] / n:>5.1f}  {row['seconds'] / n:>7.3f}",
        flush=True,
    )


def run_arm(
    data: Dataset, index: DocumentIndex, maker: type[Crew], most: int | None, rounds: int
) -> dict[str, dict[str, float]]:
    """One arm over the questions: sums over all of them, and over those of each type."""
    library = Library(index)
    titles = {doc: title for doc, title, _ in data.corpus}
    texts = {doc: text for doc, _, text in data.corpus}
    crew = maker(library=library, pages=20, search_rounds=rounds, max_claims=10, max_words=300, language="en")
    sums: dict[str, dict[str, float]] = {"all": {}}
    for question in data.questions[:most]:
        began = time.process_time()
        result = crew.run(question.text, budget=200)
        counted = count(question, stated(result, titles, texts))
        read = {s.path for s in result.sources if s.hash}
        gold = set(question.gold_doc_ids)
        row = {
            "questions": 1, "facts": len(question.facts), "found": counted.found, "bogus": counted.bogus,
            "extra": counted.extra, "reached": len(gold & read) / len(gold), "searches": result.usage().searches,
            "pages": len(read), "cost": float(result.total_cost), "seconds": time.process_time() - began,
        }  # fmt: skip
        for kind in ("all", question.kind):
            sum_ = sums.setdefault(kind, {})
            sum_["most pages"] = max(sum_.get("most pages", 0), len(read))
            for key, value in row.items():
                sum_[key] = sum_.get(key, 0) + value
    return sums


def stated(result: CrewResult, titles: dict[str, str], texts: dict[str, str]) -> list[Stated]:
    """The claims of a report with the paragraphs that they cite."""
    if result.report is None:
        return []
    by_number = {s.number: s.path or "" for s in result.sources}
    claims = {c.id: c for c in result.claims}
    found = []
    for name in result.report.claims:
        doc = by_number[claims[name].source]
        found.append(Stated(claims[name].text, doc, titles[doc], texts[doc]))
    return found


if __name__ == "__main__":
    main()
