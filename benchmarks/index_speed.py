"""The local index: CPU to fill it, time of a query, quality of retrieval, on real paragraphs.

    python benchmarks/index_speed.py --data DIR

Marks: 20,000 passages in under 5 s of CPU, median query under 5 ms; nDCG@10 on scifact 0.666 by BM25 (bm25s), gold
paragraphs of wiki-multihop in the top ten 0.60 by one query.
"""

import argparse
import json
import math
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
    index = DocumentIndex()
    index.add_texts(wiki.corpus)
    shares = [share(index, q.text, set(q.gold_doc_ids)) for q in wiki.questions]
    print(f"wiki-multihop, one query: gold paragraphs in the top ten {statistics.mean(shares):.3f}")
    scifact(data, abstracts)


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


def share(index: DocumentIndex, query: str, gold: set[str]) -> float:
    """The share of gold paragraphs in the top ten."""
    return len(gold & {hit.path for hit in index.search(query, 10)}) / len(gold)


def scifact(data: Path, abstracts: list[tuple[str, str, str]]) -> None:
    """nDCG@10 and recall@100 on the queries of origin dev and on all."""
    gold: dict[str, set[str]] = {}
    for line in (data / "scifact" / "qrels.tsv").read_text().splitlines()[1:]:
        query, doc, _ = line.split("\t")
        gold.setdefault(query, set()).add(f"s{doc}")
    queries = [json.loads(line) for line in (data / "scifact" / "queries.jsonl").read_text().splitlines()]
    index = DocumentIndex()
    index.add_texts(abstracts)
    for name, some in (("159 dev queries", [q for q in queries if q["origin"] == "dev"]), ("all queries", queries)):
        gains, recalls = [], []
        for query in some:
            wanted = gold[str(query["id"])]
            hits = [hit.path for hit in index.search(query["query"], 100)]
            best = sum(1 / math.log2(i + 2) for i in range(min(10, len(wanted))))
            gains.append(sum(1 / math.log2(i + 2) for i, hit in enumerate(hits[:10]) if hit in wanted) / best)
            recalls.append(len(wanted & set(hits)) / len(wanted))
        print(f"scifact, {name}: nDCG@10 {statistics.mean(gains):.3f}, recall@100 {statistics.mean(recalls):.3f}")


if __name__ == "__main__":
    main()
