"""The embedded agents, crew and one agent alone, on public questions with known answers.

    python benchmarks/extractive_baseline.py --data DIR [--set wiki-multihop] [--questions N] [--json FILE]

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
    parser.add_argument("--json", type=Path, help="write every row there")
    arguments = parser.parse_args()
    print(f"{'set':<14} {'arm':<5} {'questions':>9}  found/facts      bogus  extra  gold paragraphs  pages  cost  seconds")
    rows = []
    for name in arguments.set or SETS:
        data = load_dataset(arguments.data / name)
        index = DocumentIndex()
        index.add_texts(data.corpus)
        for arm, maker in (("crew", Crew), ("solo", Solo)):
            row = run_arm(data, index, maker, arguments.questions)
            rows.append({"set": name, "arm": arm, **row})
            n, facts = row["questions"], row["facts"]
            print(
                f"{name:<14} {arm:<5} {n:>9}  {row['found']:>4}/{facts} = {row['found'] / facts:.3f}"
                f"  {row['bogus'] / n:>5.2f}  {row['extra'] / n:>5.2f}  {row['reached']:>15.3f}  {row['pages'] / n:>5.1f}"
                f"  {row['cost'] / n:>4.1f}  {row['seconds']:>7.1f}",
                flush=True,
            )
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1))


def run_arm(data: Dataset, index: DocumentIndex, maker: type[Crew], most: int | None) -> dict[str, float]:
    """One arm over the questions: sums, and the mean share of gold paragraphs reached."""
    library = Library(index)
    titles = {doc: title for doc, title, _ in data.corpus}
    texts = {doc: text for doc, _, text in data.corpus}
    crew = maker(library=library, pages=20, max_claims=10, max_words=300, language="en")
    sums = dict.fromkeys(("questions", "facts", "found", "bogus", "extra", "pages", "cost", "reached"), 0.0)
    began = time.process_time()
    for question in data.questions[:most]:
        result = crew.run(question.text, budget=200)
        counted = count(question, stated(result, titles, texts))
        read = {s.path for s in result.sources if s.hash}
        gold = set(question.gold_doc_ids)
        for key, value in (
            ("questions", 1), ("facts", len(question.facts)), ("found", counted.found), ("bogus", counted.bogus),
            ("extra", counted.extra), ("pages", len(read)), ("cost", float(result.total_cost)),
            ("reached", len(gold & read) / len(gold)),
        ):  # fmt: skip
            sums[key] += value
    sums["reached"] /= sums["questions"]
    return {k: int(v) if k in ("questions", "facts", "found", "bogus", "extra") else v for k, v in sums.items()} | {
        "seconds": time.process_time() - began
    }


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
