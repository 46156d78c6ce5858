"""Labelled pairs of claim and source for the benchmarks of the evidence gate, and the statistics they print.

Every set is cut into two halves by a hash of its question (attribution), article (wice) or claim (scifact): `choosing`
is for weights and thresholds, `reporting` for the figures. Nothing is fitted on the reporting half.
"""

import argparse
import hashlib
import json
import random
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

SETS = ("attribution", "wice", "scifact")


@dataclass(frozen=True, slots=True)
class Pair:
    """One claim, the whole text of its source, what people said, and the cluster it belongs to."""

    set: str
    claim: str
    text: str
    supported: bool
    cluster: str
    part: str
    """Where the pair comes from within its set."""
    context: str = ""
    """What a reader of the claim knows besides: title of the article, the text before."""

    @property
    def choosing(self) -> bool:
        """Whether it is in the half on which weights and thresholds are chosen."""
        return int(hashlib.sha256(self.cluster.encode()).hexdigest(), 16) % 2 == 0


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def load_pairs(data: Path) -> list[Pair]:
    """All pairs of the three sets, in the order of the files."""
    pairs = [
        Pair("attribution", r["claim"], "\n\n".join(r["source_texts"]), bool(r["supported"]), r["question"], r["from"])
        for r in _rows(data / "attribution" / "claims.jsonl")
    ]
    for r in _rows(data / "wice" / "claims.jsonl"):
        before = r["claim_context"]
        context = f"{r['article_title']}\n{before if isinstance(before, str) else ' '.join(before)}"
        text = "\n".join(r["source_sentences"])
        pairs.append(Pair("wice", r["claim"], text, bool(r["supported"]), r["article_title"], r["label"], context))
    abstracts = {r["doc_id"]: r for r in _rows(data / "scifact" / "corpus.jsonl")}
    for r in _rows(data / "scifact" / "claim_pairs.jsonl"):
        paper = abstracts[r["doc_id"]]
        text = f"{paper['title']}\n\n{' '.join(paper['abstract'])}"
        pairs.append(Pair("scifact", r["claim"], text, bool(r["supported"]), str(r["claim_id"]), r["label"]))
    return pairs


def load_rationales(data: Path) -> list[Pair]:
    """Claims with the sentences that people marked for their label, as a quote would be: the first set of each pair of
    wice (support, whole or in part) and scifact (support or contradiction). Pairs without marked sentences are left
    out."""
    pairs = []
    for r in _rows(data / "wice" / "claims.jsonl"):
        if r["supporting_sentences"]:
            text = " ".join(r["source_sentences"][i] for i in r["supporting_sentences"][0])
            title = r["article_title"]
            pairs.append(Pair("wice", r["claim"], text, bool(r["supported"]), title, r["label"], title))
    abstracts = {r["doc_id"]: r for r in _rows(data / "scifact" / "corpus.jsonl")}
    for r in _rows(data / "scifact" / "claim_pairs.jsonl"):
        if r["rationale_sentences"]:
            paper = abstracts[r["doc_id"]]
            text = " ".join(paper["abstract"][i] for i in r["rationale_sentences"][0])
            cluster, title = str(r["claim_id"]), paper["title"]
            pairs.append(Pair("scifact", r["claim"], text, bool(r["supported"]), cluster, r["label"], title))
    return pairs


def passages(data: Path) -> list[str]:
    """The paragraphs of the wiki-multihop corpus, in the order of the file."""
    return [r["text"] for r in _rows(data / "wiki-multihop" / "corpus.jsonl")]


def data_argument(description: str | None) -> argparse.ArgumentParser:
    """A parser that asks for the folder of the data sets."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--data", type=Path, required=True, help="folder that holds attribution, wice, scifact, …")
    return parser


def auc(scores: Sequence[float], labels: Sequence[bool]) -> float:
    """Chance that a supported pair scores above one that is not (ties count half)."""
    negatives = sorted(s for s, y in zip(scores, labels, strict=True) if not y)
    positives = [s for s, y in zip(scores, labels, strict=True) if y]
    if not negatives or not positives:
        return float("nan")
    wins = sum(bisect_left(negatives, s) + bisect_right(negatives, s) for s in positives)
    return wins / (2 * len(negatives) * len(positives))


def accepts(scores: Sequence[float], labels: Sequence[bool], threshold: float) -> tuple[float, float]:
    """False accept (unsupported pairs at or above the threshold) and false reject (supported ones below it)."""
    bad = [s >= threshold for s, y in zip(scores, labels, strict=True) if not y]
    good = [s < threshold for s, y in zip(scores, labels, strict=True) if y]
    return sum(bad) / max(len(bad), 1), sum(good) / max(len(good), 1)


def balanced(scores: Sequence[float], labels: Sequence[bool], threshold: float) -> float:
    """Balanced accuracy at a threshold."""
    return 1 - sum(accepts(scores, labels, threshold)) / 2


def best_threshold(scores: Sequence[float], labels: Sequence[bool]) -> float:
    """The threshold with the best balanced accuracy; of equals the middle one."""
    values = sorted(set(scores))
    cuts = [(a + b) / 2 for a, b in pairwise(values)] or values
    results = [balanced(scores, labels, c) for c in cuts]
    best = max(results)
    winners = [c for c, r in zip(cuts, results, strict=True) if r > best - 1e-12]
    return winners[len(winners) // 2]


def interval(clusters: Sequence[str], statistic: Callable[[list[int]], float], draws: int, seed: int = 1) -> str:
    """95 % bootstrap interval over clusters, as text. `statistic` takes indexes of pairs."""
    members: dict[str, list[int]] = {}
    for i, c in enumerate(clusters):
        members.setdefault(c, []).append(i)
    groups = list(members.values())
    rng = random.Random(seed)
    values = []
    for _ in range(draws):
        picked = [i for g in rng.choices(groups, k=len(groups)) for i in g]
        value = statistic(picked)
        if value == value:
            values.append(value)
    values.sort()
    if not values:
        return "[-]"
    return f"[{values[int(0.025 * len(values))]:.3f}, {values[min(int(0.975 * len(values)), len(values) - 1)]:.3f}]"
