"""Fit the weights of support by meaning on the choosing half of the three sets, and print them.

    python benchmarks/evidence_meaning.py --data DIR [--folds 8]

Needs the extra `semantic`; takes three minutes of one core. Three kinds of pairs: whole texts (weight 1), the
sentences that people marked for a label (0.5), and a sentence of the text drawn at random, as not supported (0.15).
Each set, and within it supported and not supported, weighs the same. `--folds` prints cross-validation within the choosing half, as `evidence_fit.py` does, for the lexical
features alone and with meaning, so that the gain of the model is seen apart from that of another fit.
"""

import math
import random
from collections.abc import Sequence
from dataclasses import astuple

from evidence_data import SETS, auc, data_argument, load_pairs, load_rationales
from evidence_fit import Row, fit
from research_crew.documents.nearness import WordNearness
from research_crew.evidence.sentences import Span, split_sentences
from research_crew.evidence.support import decide, examine

SHARE = {"whole": 1.0, "marked": 0.5, "random": 0.15}


def weigh(some: Sequence[Row]) -> list[float]:
    """The weight of each row: `SHARE` of its kind, spread evenly over sets and labels."""
    count: dict[tuple[str, str, bool], int] = {}
    for r in some:
        key = (r.kind, r.pair.set, r.label)
        count[key] = count.get(key, 0) + 1
    return [SHARE[r.kind] / count[r.kind, r.pair.set, r.label] for r in some]


def features(row: Row, with_meaning: bool) -> tuple[float, ...]:
    """What is fitted: the lexical features, and the share of words without a near one."""
    lexical = astuple(row.found.features)
    return (*lexical, row.found.far or 0.0) if with_meaning else lexical


def score(row: Row, slopes: Sequence[float], bias: float, with_meaning: bool) -> float:
    """The fitted chance that a row is supported."""
    total = bias + sum(a * v for a, v in zip(slopes, features(row, with_meaning), strict=True))
    return 1 / (1 + math.exp(-total))


def fitted(some: Sequence[Row], with_meaning: bool) -> tuple[list[float], float]:
    """Weights and bias from these rows."""
    return fit([features(r, with_meaning) for r in some], [r.label for r in some], weigh(some))


def cross_validate(every: Sequence[Row], folds: int, with_meaning: bool) -> None:
    """Print what weights that have not seen a claim's cluster say about it."""
    clusters = sorted({r.pair.cluster for r in every})
    random.Random(1).shuffle(clusters)
    fold = {c: i % folds for i, c in enumerate(clusters)}
    scores = [0.0] * len(every)
    for f in range(folds):
        slopes, bias = fitted([r for r in every if fold[r.pair.cluster] != f], with_meaning)
        for i, r in enumerate(every):
            if fold[r.pair.cluster] == f:
                scores[i] = score(r, slopes, bias, with_meaning)
    verdicts = [decide(r.found, s).verdict for r, s in zip(every, scores, strict=True)]
    print(f"{folds} folds, {'with meaning' if with_meaning else 'lexical features alone'}")
    for name in SETS:
        chosen = [i for i, r in enumerate(every) if r.pair.set == name and r.kind == "whole"]
        good = [verdicts[i] == "supported" for i in chosen if every[i].label]
        bad = [verdicts[i] == "supported" for i in chosen if not every[i].label]
        value = auc([scores[i] for i in chosen], [every[i].label for i in chosen])
        marked = [verdicts[i] for i, r in enumerate(every) if r.pair.set == name and r.kind == "marked" and r.label]
        refused = f"{sum(v == 'unsupported' for v in marked) / len(marked):.3f}" if marked else "-"
        accuracy = (sum(good) / len(good) + 1 - sum(bad) / len(bad)) / 2
        print(f"{name:12} AUC {value:.3f}, gate {accuracy:.3f}, marked sentences refused {refused}")


def main() -> None:
    parser = data_argument(__doc__)
    parser.add_argument("--folds", type=int, default=0)
    options = parser.parse_args()
    meaning, rng = WordNearness(), random.Random(1)
    every = [
        Row("marked", p, examine(p.claim, p.text, p.context, meaning=meaning), p.supported)
        for p in load_rationales(options.data)
        if p.choosing
    ]
    for p in (p for p in load_pairs(options.data) if p.choosing):
        every.append(Row("whole", p, examine(p.claim, p.text, p.context, meaning=meaning), p.supported))
        sentence = rng.choice(split_sentences(p.text) or [Span(0, len(p.text))]).of(p.text)
        every.append(Row("random", p, examine(p.claim, sentence, p.context, meaning=meaning), False))
    slopes, bias = fitted(every, True)
    print("WEIGHTS =", ", ".join(f"{s:.2f}" for s in slopes))
    print(f"BIAS = {bias:.2f}")
    for with_meaning in (False, True) if options.folds else ():
        cross_validate(every, options.folds, with_meaning)


if __name__ == "__main__":
    main()
