"""Fit the weights of the support score on the choosing half of the three sets, and print them.

    python benchmarks/evidence_fit.py --data DIR [--folds 8]

Logistic regression with a ridge penalty on standardised features, by Newton's method (no library), in two steps. First
all weights but that of brevity: each set weighs the same, and since the gate sees quotes as well as pages, every pair
counts with its whole text, with the best 1,000 and the best 350 characters of it, and once, as not supported, with a
sentence of the text drawn at random. Then brevity, the rest held: the largest weight that lets at most a quarter of the
random sentences pass for partial support; the sentences that people marked (wice and scifact have them) say what it
gains. A fit of everything at once, labels weighing the same, let through more of what is not supported on the reporting
half (wice 0.769 for 0.792), and was not taken.
`--folds` prints what cross-validation by cluster within the choosing half makes of it: AUC, balanced accuracy of the
gate on whole texts, and on marked sentences the share of supported claims that the gate refuses.
"""

import math
import random
from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields

from evidence_data import SETS, Pair, auc, data_argument, load_pairs, load_rationales
from research_crew.evidence.folding import content_terms
from research_crew.evidence.lexical import Features
from research_crew.evidence.passage import best_passages
from research_crew.evidence.sentences import Span, split_sentences
from research_crew.evidence.support import PARTLY_AT, SUPPORTED_AT, Support, decide, examine

RIDGE = 0.003
LET_THROUGH = 0.25
"""Share of random sentences that may pass for partial support."""


def solve(matrix: list[list[float]], right: list[float]) -> list[float]:
    """Gaussian elimination with partial pivoting."""
    n = len(right)
    rows = [[*row, b] for row, b in zip(matrix, right, strict=True)]
    for i in range(n):
        pivot = max(range(i, n), key=lambda r: abs(rows[r][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for r in range(n):
            if r != i and rows[r][i]:
                factor = rows[r][i] / rows[i][i]
                rows[r] = [a - factor * b for a, b in zip(rows[r], rows[i], strict=True)]
    return [rows[i][n] / rows[i][i] for i in range(n)]


def fit(x: list[tuple[float, ...]], y: list[bool], weight: list[float]) -> tuple[list[float], float]:
    """Weights and bias in the units of the features."""
    n, k = len(x), len(x[0])
    total = sum(weight)
    means = [sum(w * row[j] for row, w in zip(x, weight, strict=True)) / total for j in range(k)]
    spread = [
        math.sqrt(sum(w * (row[j] - means[j]) ** 2 for row, w in zip(x, weight, strict=True)) / total) or 1.0
        for j in range(k)
    ]
    z = [[1.0] + [(row[j] - means[j]) / spread[j] for j in range(k)] for row in x]
    beta = [0.0] * (k + 1)
    for _ in range(25):
        gradient = [0.0] * (k + 1)
        hessian = [[0.0] * (k + 1) for _ in range(k + 1)]
        for i in range(n):
            p = 1 / (1 + math.exp(-sum(b * v for b, v in zip(beta, z[i], strict=True))))
            for a in range(k + 1):
                gradient[a] += weight[i] * (y[i] - p) * z[i][a]
                for b in range(a + 1):
                    hessian[a][b] += weight[i] * p * (1 - p) * z[i][a] * z[i][b]
        for a in range(k + 1):
            for b in range(a + 1, k + 1):
                hessian[a][b] = hessian[b][a]
            if a:
                gradient[a] -= RIDGE * total * beta[a]
                hessian[a][a] += RIDGE * total
        step = solve(hessian, gradient)
        beta = [b + s for b, s in zip(beta, step, strict=True)]
        if max(map(abs, step)) < 1e-8:
            break
    slopes = [beta[j + 1] / spread[j] for j in range(k)]
    return slopes, beta[0] - sum(s * m for s, m in zip(slopes, means, strict=True))


@dataclass(frozen=True, slots=True)
class Row:
    """A pair as the fit sees it."""

    kind: str
    """`whole`, `cut`, `marked` or `random`."""
    pair: Pair
    found: Support
    label: bool

    @property
    def features(self) -> tuple[float, ...]:
        """The numbers that are fitted."""
        return astuple(self.found.features)


def rows(whole: Sequence[Pair], marked: Sequence[Pair]) -> list[Row]:
    """All pairs of the fit; the random sentences are drawn with a fixed seed."""
    rng = random.Random(1)
    found = [Row("marked", p, examine(p.claim, p.text, p.context), p.supported) for p in marked]
    for p in whole:
        found.append(Row("whole", p, examine(p.claim, p.text, p.context), p.supported))
        query = content_terms(p.claim)
        for size in (1000, 350):
            text = " ".join(b.text for b in best_passages(p.text, query, size))
            found.append(Row("cut", p, examine(p.claim, text, p.context), p.supported))
        sentence = rng.choice(split_sentences(p.text) or [Span(0, len(p.text))]).of(p.text)
        found.append(Row("random", p, examine(p.claim, sentence, p.context), False))
    return found


def fit_rows(some: Sequence[Row]) -> tuple[list[float], float]:
    """Weights and bias from these rows, in the order of the features; brevity is the last of them."""
    main = [r for r in some if r.kind != "marked"]
    count = {s: sum(r.pair.set == s for r in main) for s in SETS}
    slopes, bias = fit([r.features[:-1] for r in main], [r.label for r in main], [1 / count[r.pair.set] for r in main])
    return [*slopes, _brevity(some, slopes, bias)[-1][0]], bias


def _brevity(some: Sequence[Row], slopes: Sequence[float], bias: float) -> list[tuple[float, float, float]]:
    """Weights of brevity, the rest held, with the share of supported marked sentences that the gate then refuses and of
    random sentences that it lets through, up to the last weight that lets through at most `LET_THROUGH`."""
    tried: list[tuple[float, float, float]] = []
    for weight in (i / 10 for i in range(16)):
        passes: dict[str, list[bool]] = {"marked": [], "random": []}
        for r in some:
            if r.kind == "random" or (r.kind == "marked" and r.label):
                score = _score([*slopes, weight], bias, r)
                passes[r.kind].append(decide(r.found, score).verdict != "unsupported")
        let = sum(passes["random"]) / len(passes["random"])
        if let > LET_THROUGH and tried:
            break
        tried.append((weight, 1 - sum(passes["marked"]) / max(len(passes["marked"]), 1), let))
    return tried


def _score(slopes: Sequence[float], bias: float, row: Row) -> float:
    return 1 / (1 + math.exp(-bias - sum(a * v for a, v in zip(slopes, row.features, strict=True))))


def cross_validate(every: Sequence[Row], folds: int) -> None:
    """Print what weights that have not seen a claim's cluster say about it."""
    clusters = sorted({r.pair.cluster for r in every})
    random.Random(1).shuffle(clusters)
    fold = {c: i % folds for i, c in enumerate(clusters)}
    scores = [0.0] * len(every)
    for f in range(folds):
        slopes, bias = fit_rows([r for r in every if fold[r.pair.cluster] != f])
        for i, r in enumerate(every):
            if fold[r.pair.cluster] == f:
                scores[i] = _score(slopes, bias, r)
    verdicts = [decide(r.found, score).verdict for r, score in zip(every, scores, strict=True)]
    print(f"{folds} folds, supported from {SUPPORTED_AT}, partly from {PARTLY_AT}")
    for name in SETS:
        chosen = [i for i, r in enumerate(every) if r.pair.set == name and r.kind == "whole"]
        good = [verdicts[i] == "supported" for i in chosen if every[i].label]
        bad = [verdicts[i] == "supported" for i in chosen if not every[i].label]
        value = auc([scores[i] for i in chosen], [every[i].label for i in chosen])
        accuracy = (sum(good) / len(good) + 1 - sum(bad) / len(bad)) / 2
        marked = [verdicts[i] for i, r in enumerate(every) if r.pair.set == name and r.kind == "marked" and r.label]
        refused = f"{sum(v == 'unsupported' for v in marked) / len(marked):.3f}" if marked else "-"
        print(f"{name:12} AUC {value:.3f}, gate {accuracy:.3f}, marked sentences refused {refused}")


def main() -> None:
    parser = data_argument(__doc__)
    parser.add_argument("--folds", type=int, default=0)
    options = parser.parse_args()
    whole = [p for p in load_pairs(options.data) if p.choosing]
    marked = [p for p in load_rationales(options.data) if p.choosing]
    every = rows(whole, marked)
    slopes, bias = fit_rows(every)
    names = [f.name for f in fields(Features)]
    print("WEIGHTS =", ", ".join(f"{name}={slope:.2f}" for name, slope in zip(names, slopes, strict=True)))
    print(f"BIAS = {bias:.2f}")
    for weight, refused, let in _brevity(every, slopes[:-1], bias):
        print(f"brevity {weight:.1f}: marked sentences refused {refused:.3f}, random ones let through {let:.3f}")
    if options.folds:
        cross_validate(every, options.folds)


if __name__ == "__main__":
    main()
