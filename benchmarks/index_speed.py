"""The local index: CPU to fill it, time of a query, on real paragraphs. (`retrieval.py` prints its quality.)

    python benchmarks/index_speed.py --data DIR

Marks: 20,000 passages in under 5 s of CPU, median query under 5 ms.
"""

import argparse
import json
import statistics
import time
from pathlib import Path

from research_crew.documents.index import DocumentIndex
from research_crew.measure.datasets import load_dataset

PASSAGES = 20_000


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    data = parser.parse_args().data
    wiki = load_dataset(data / "wiki-multihop")
    science = [json.loads(line) for line in (data / "scifact" / "corpus.jsonl").read_text().splitlines()]
    abstracts = [(f"s{d['doc_id']}", d["title"], " ".join(d["abstract"])) for d in science]
    speed([*wiki.corpus, *abstracts], [q.text for q in wiki.questions])


def speed(rows: list[tuple[str, str, str]], queries: list[str]) -> None:
    """Fill an index with 20,000 passages, then ask it everything."""
    index = DocumentIndex()
    used = 0
    began = time.process_time()
    while len(index) < PASSAGES and used < len(rows):
        used += index.add_texts(rows[used : used + 500])
    filled = time.process_time() - began
    times = []
    for query in queries:
        began = time.perf_counter()
        index.search(query, 10)
        times.append((time.perf_counter() - began) * 1000)
    times.sort()
    began = time.perf_counter()
    index.add_texts([("new", "A new page", "One more paragraph, that nobody has read yet.")])
    added = (time.perf_counter() - began) * 1000
    print(f"{len(index):,} passages of {used:,} texts: {filled:.2f} s of CPU ({filled / len(index) * PASSAGES:.2f} per 20,000)")
    print(f"query: median {statistics.median(times):.1f} ms, p95 {times[int(0.95 * len(times))]:.1f} ms; one text added {added:.1f} ms")


if __name__ == "__main__":
    main()
