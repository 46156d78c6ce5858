"""Fit the weights of the lexical support score on the choosing half of the three sets, and print them.

    python benchmarks/evidence_fit.py --data DIR

Logistic regression with a ridge penalty on standardised features, by Newton's method (no library). Each set weighs the
same. Since the gate sees quotes of a sentence as well as pages, every pair counts with its whole text, with the best
1,000 and the best 350 characters of it, and once, as not supported, with a sentence of the text drawn at random.
`--folds` prints the AUC of cross-validation by cluster within the choosing half, on whole texts.
"""

import math
import random
from dataclasses import astuple, fields

from evidence_data import SETS, Pair, auc, data_argument, load_pairs
from research_crew.evidence.folding import content_terms
from research_crew.evidence.lexical import Features
from research_crew.evidence.passage import best_passages
from research_crew.evidence.sentences import Span, split_sentences
from research_crew.evidence.support import examine

RIDGE = 0.003


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


def rows(pairs: list[Pair]) -> list[list[tuple[float, ...]]]:
    """Features of all pairs against the whole text, its best passages (twice), and a sentence drawn at random."""
    rng = random.Random(1)
    found: list[list[tuple[float, ...]]] = [[], [], [], []]
    for p in pairs:
        query = content_terms(p.claim)
        cuts = [" ".join(b.text for b in best_passages(p.text, query, size)) for size in (1000, 350)]
        texts = [p.text, *cuts]
        texts.append(rng.choice(split_sentences(p.text) or [Span(0, len(p.text))]).of(p.text))
        for column, text in zip(found, texts, strict=True):
            column.append(astuple(examine(p.claim, text, p.context).features))
    return found


def main() -> None:
    parser = data_argument(__doc__)
    parser.add_argument("--folds", type=int, default=0)
    options = parser.parse_args()
    pairs = [p for p in load_pairs(options.data) if p.choosing]
    share = {s: sum(p.set == s for p in pairs) for s in SETS}
    weight = [1 / share[p.set] for p in pairs]
    labels = [p.supported for p in pairs]
    whole, *parts = rows(pairs)
    every = [row for column in (whole, *parts) for row in column]
    slopes, bias = fit(every, labels * 3 + [False] * len(pairs), weight * 4)
    names = [f.name for f in fields(Features)]
    print("WEIGHTS =", ", ".join(f"{name}={slope:.3f}" for name, slope in zip(names, slopes, strict=True)))
    print(f"BIAS = {bias:.3f}")
    if options.folds:
        clusters = sorted({p.cluster for p in pairs})
        fold = {c: i % options.folds for i, c in enumerate(clusters)}
        scores = [0.0] * len(pairs)
        for f in range(options.folds):
            train = [i for i, p in enumerate(pairs) if fold[p.cluster] != f]
            s, b = fit([whole[i] for i in train], [labels[i] for i in train], [weight[i] for i in train])
            for i, p in enumerate(pairs):
                if fold[p.cluster] == f:
                    scores[i] = b + sum(a * v for a, v in zip(s, whole[i], strict=True))
        for name in SETS:
            chosen = [i for i, p in enumerate(pairs) if p.set == name]
            value = auc([scores[i] for i in chosen], [labels[i] for i in chosen])
            print(f"{name}: AUC {value:.3f} in {options.folds} folds")


if __name__ == "__main__":
    main()
