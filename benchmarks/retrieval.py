"""Quality of retrieval over local documents: words, meaning, both, beside `bm25s` in the same run.

    python benchmarks/retrieval.py --data DIR [--vectors DIR] [--lexical]

SciFact: nDCG@10 and recall@100, on the 159 dev queries (0.666 by `bm25s` there) and on the half of all queries that
nothing was chosen on; the weight of the fusion is chosen on the other half. wiki-multihop: the share of gold paragraphs
in the top ten of one query (0.60 to beat). Everything is embedded once (a quarter of an hour for each set on one core)
and kept in `--vectors`; a second run embeds nothing. `--lexical` leaves meaning out.
"""

import argparse
import json
import math
import statistics
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from research_crew.documents.index import DocumentIndex, IndexHit
from research_crew.documents.semantic import SemanticIndex
from research_crew.documents.vectors import Vectors
from research_crew.measure.datasets import load_dataset

WEIGHTS = (0.3, 0.4, 0.5, 0.6, 0.7)
Text = tuple[str, str, str]
Search = Callable[[str, int], list[str]]


@dataclass(frozen=True, slots=True)
class Asked:
    """A query and the ids that answer it."""

    text: str
    gold: frozenset[str]
    origin: str = ""


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--vectors", type=Path, metavar="DIR", help="where vectors are kept between runs")
    parser.add_argument("--lexical", action="store_true", help="words only")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        vectors = options.vectors or Path(place)
        vectors.mkdir(parents=True, exist_ok=True)
        corpus, queries = scifact(options.data)
        index, semantic = opened(corpus, None if options.lexical else vectors / "scifact.vectors")
        science(corpus, queries, index, semantic)
        wiki = load_dataset(options.data / "wiki-multihop")
        asked = [Asked(q.text, frozenset(q.gold_doc_ids)) for q in wiki.questions]
        index, semantic = opened(list(wiki.corpus), None if options.lexical else vectors / "wiki-multihop.vectors")
        paragraphs(list(wiki.corpus), asked, index, semantic)


def opened(corpus: Sequence[Text], vectors: Path | None) -> tuple[DocumentIndex, SemanticIndex | None]:
    """The texts indexed, and embedded where there is a place for vectors."""
    index = DocumentIndex()
    index.add_texts(corpus)
    if vectors is None:
        return index, None
    semantic = SemanticIndex(index, Vectors(vectors))
    print(f"{len(corpus):,} texts, {len(index):,} passages, {semantic.embed_all():,} of them embedded now")
    return index, semantic


def science(corpus: list[Text], queries: list[Asked], index: DocumentIndex, semantic: SemanticIndex | None) -> None:
    """SciFact by every way of searching."""
    ways = {"words (bm25s)": by_bm25s(corpus), "words": by_words(index)}
    if semantic is not None:
        chosen = max(WEIGHTS, key=lambda w: mean(ndcg, fused(semantic, w), queries[::2], 10))
        print(f"weight of meaning in the fusion, chosen on the even half of the queries: {chosen}")
        ways |= {"meaning": by_meaning(semantic), f"hybrid, weight {chosen}": fused(semantic, chosen)}
        ways["hybrid, 50 of the words ordered anew"] = reordered(index, semantic, chosen)
    parts = {"odd half": queries[1::2], "dev": [q for q in queries if q.origin == "dev"], "all": queries}
    print("\n| scifact | " + " | ".join(f"{name} ({len(some)}): nDCG@10 | recall@100" for name, some in parts.items()) + " |")
    print("|---|" + "--:|" * 2 * len(parts))
    for name, search in ways.items():
        cells = [f"{mean(how, search, some, n):.3f}" for some in parts.values() for how, n in ((ndcg, 10), (recall, 100))]
        print(f"| {name} | {' | '.join(cells)} |")


def paragraphs(corpus: list[Text], queries: list[Asked], index: DocumentIndex, semantic: SemanticIndex | None) -> None:
    """wiki-multihop by every way of searching."""
    ways = {"words (bm25s)": by_bm25s(corpus), "words": by_words(index)}
    if semantic is not None:
        ways |= {"meaning": by_meaning(semantic), "hybrid": fused(semantic), "hybrid, 50 of the words ordered anew": reordered(index, semantic)}
    print(f"\n| wiki-multihop, {len(queries)} questions, one query each | gold paragraphs in the top ten |\n|---|--:|")
    for name, search in ways.items():
        print(f"| {name} | {mean(recall, search, queries, 10):.3f} |")


def by_words(index: DocumentIndex) -> Search:
    """The local index as it is."""
    return lambda text, n: ids(index.search(text, n))


def by_meaning(semantic: SemanticIndex) -> Search:
    """Vectors alone."""
    return lambda text, n: ids(semantic.semantic(text, n))


def fused(semantic: SemanticIndex, weight: float | None = None) -> Search:
    """Both lists fused; the weight of the package when none is given."""
    given: dict[str, Any] = {} if weight is None else {"weight": weight}
    return lambda text, n: ids(semantic.hybrid(text, n, **given))


def reordered(index: DocumentIndex, semantic: SemanticIndex, weight: float | None = None) -> Search:
    """As hybrid searches an index that is too large to be embedded as a whole."""
    return fused(SemanticIndex(index, semantic.vectors, whole=0), weight)


def by_bm25s(corpus: list[Text]) -> Search:
    """The library `bm25s`, with its English stop words and nothing else changed."""
    bm25s: Any = import_module("bm25s")  # it brings no types
    made = bm25s.BM25()
    made.index(bm25s.tokenize([f"{title} {text}" for _, title, text in corpus], stopwords="en", show_progress=False), show_progress=False)
    names = [name for name, _, _ in corpus]

    def search(text: str, n: int) -> list[str]:
        found, _ = made.retrieve(bm25s.tokenize(text, stopwords="en", show_progress=False), k=n, show_progress=False)
        return [names[i] for i in found[0]]

    return search


def ids(hits: Sequence[IndexHit]) -> list[str]:
    """The texts found."""
    return [hit.path for hit in hits]


def mean(how: Callable[[list[str], frozenset[str], int], float], search: Search, queries: Sequence[Asked], n: int) -> float:
    """A measure over queries."""
    return statistics.mean(how(search(q.text, n), q.gold, n) for q in queries)


def ndcg(hits: list[str], gold: frozenset[str], n: int) -> float:
    """Normalised discounted cumulative gain at n, with relevance 0 or 1 (Järvelin and Kekäläinen 2002)."""
    best = sum(1 / math.log2(i + 2) for i in range(min(n, len(gold))))
    return sum(1 / math.log2(i + 2) for i, hit in enumerate(hits[:n]) if hit in gold) / best


def recall(hits: list[str], gold: frozenset[str], n: int) -> float:
    """The share of what answers that is among the first n."""
    return len(gold & set(hits[:n])) / len(gold)


def scifact(data: Path) -> tuple[list[Text], list[Asked]]:
    """Corpus and queries with their relevance labels."""
    gold: dict[str, set[str]] = {}
    for line in (data / "scifact" / "qrels.tsv").read_text().splitlines()[1:]:
        query, doc, _ = line.split("\t")
        gold.setdefault(query, set()).add(f"s{doc}")
    science = [json.loads(line) for line in (data / "scifact" / "corpus.jsonl").read_text().splitlines()]
    queries = [json.loads(line) for line in (data / "scifact" / "queries.jsonl").read_text().splitlines()]
    corpus = [(f"s{d['doc_id']}", d["title"], " ".join(d["abstract"])) for d in science]
    return corpus, [Asked(q["query"], frozenset(gold[str(q["id"])]), q["origin"]) for q in queries]


if __name__ == "__main__":
    main()
