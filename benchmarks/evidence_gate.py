"""How often the evidence gate is wrong, per stage and per data set.

    python benchmarks/evidence_gate.py --data DIR [--draws 1000] [--semantic] [--by-part]

Thresholds are chosen on one half of each set and everything printed is measured on the other (see `evidence_data`).
Intervals are 95 % bootstrap intervals over questions, articles or claims. "false accept" is the share of unsupported
claims that pass, "false reject" that of supported claims that do not. The stages of the gate that say yes or no by a
rule (figures, names, negation) have no AUC of their own. "one threshold" is the baseline as a gate would have to use it:
with a threshold for all sets together, like the gate's. The last rows are the gate as it stands in the package, with
its fixed thresholds: what it calls `supported`, and what it lets through at all (`supported` or `partly`).
"""

import time
from collections.abc import Sequence

from evidence_data import SETS, Pair, accepts, auc, balanced, best_threshold, data_argument, interval, load_pairs
from research_crew.evidence.lexical import overlap
from research_crew.evidence.support import PARTLY_AT, SUPPORTED_AT, Support, decide, examine

BASELINE = "word overlap (baseline)"
HEADER = f"{'set':12} {'stage':28} {'AUC':>21} {'balanced acc.':>21} {'false accept':>21} {'false reject':>21}"


def row(
    name: str, stage: str, scores: Sequence[float], pairs: Sequence[Pair], threshold: float, draws: int, ranked: bool
) -> str:
    """One line of the table, on the pairs given."""
    labels = [p.supported for p in pairs]
    clusters = [p.cluster for p in pairs]

    def take(indexes: list[int]) -> tuple[list[float], list[bool]]:
        return [scores[i] for i in indexes], [labels[i] for i in indexes]

    cells = []
    for value, of in (
        (auc(scores, labels) if ranked else None, lambda i: auc(*take(i))),
        (balanced(scores, labels, threshold), lambda i: balanced(*take(i), threshold)),
        (accepts(scores, labels, threshold)[0], lambda i: accepts(*take(i), threshold)[0]),
        (accepts(scores, labels, threshold)[1], lambda i: accepts(*take(i), threshold)[1]),
    ):
        cells.append(f"{value:.3f} {interval(clusters, of, draws)}" if value is not None else "-")
    return f"{name:12} {stage:28} " + " ".join(f"{c:>21}" for c in cells)


def stage_scores(pairs: Sequence[Pair], found: Sequence[Support]) -> dict[str, tuple[list[float], bool]]:
    """For each stage the scores of all pairs, and whether they rank (or only say yes and no)."""
    return {
        BASELINE: ([overlap(p.claim, p.text) for p in pairs], True),
        "figures and dates": ([float(not f.figures) for f in found], False),
        "names": ([float(not f.names) for f in found], False),
        "negation": ([float(not f.opposite) for f in found], False),
        "lexical score": ([f.score for f in found], True),
    }


def gate(found: Sequence[Support]) -> list[float]:
    """1 supported, 0.5 partly, 0 unsupported, by the package's own fixed thresholds."""
    value = {"supported": 1.0, "partly": 0.5, "unsupported": 0.0}
    return [value[decide(f, f.score).verdict] for f in found]


def with_meaning(pairs: Sequence[Pair]) -> list[Support]:
    """The pairs as the gate sees them with the setting `support = semantic`."""
    from research_crew.documents.nearness import open_meaning

    meaning = open_meaning()
    began = time.process_time()
    found = [examine(p.claim, p.text, p.context, meaning=meaning) for p in pairs]
    print(f"with meaning {(time.process_time() - began) / len(pairs) * 1000:.1f} ms of CPU a pair")
    return found


def main() -> None:
    parser = data_argument(__doc__)
    parser.add_argument("--draws", type=int, default=1000, help="bootstrap draws")
    parser.add_argument("--semantic", action="store_true", help="rows with the setting support = semantic too")
    parser.add_argument("--by-part", action="store_true", help="AUC of baseline and score for each part of attribution")
    options = parser.parse_args()
    every = load_pairs(options.data)
    began = time.process_time()
    found = [examine(p.claim, p.text, p.context) for p in every]
    spent = (time.process_time() - began) / len(every)
    stages = stage_scores(every, found)
    gates = {"gate": gate(found)}
    if options.semantic:
        meant = with_meaning(every)
        stages["score with meaning"] = ([f.score for f in meant], True)
        gates["gate with meaning"] = gate(meant)
    chosen = [i for i, p in enumerate(every) if p.choosing]
    reported = [i for i, p in enumerate(every) if not p.choosing]
    print(f"{len(chosen)} pairs to choose on, {len(reported)} to report on; {spent * 1000:.1f} ms of CPU a pair\n")
    print(HEADER)
    overlaps = stages[BASELINE][0]
    common = best_threshold([overlaps[i] for i in chosen], [every[i].supported for i in chosen])
    for name in SETS:
        choose = [i for i in chosen if every[i].set == name]
        report = [i for i in reported if every[i].set == name]
        pairs = [every[i] for i in report]
        for stage, (scores, ranked) in stages.items():
            labels = [every[i].supported for i in choose]
            threshold = best_threshold([scores[i] for i in choose], labels) if ranked else 0.5
            print(row(name, stage, [scores[i] for i in report], pairs, threshold, options.draws, ranked))
            if stage == BASELINE:
                line = "word overlap, one threshold"
                print(row(name, line, [scores[i] for i in report], pairs, common, options.draws, False))
        for label, verdicts in gates.items():
            mine = [verdicts[i] for i in report]
            print(row(name, f"{label}: supported", mine, pairs, 0.75, options.draws, False))
            print(row(name, f"{label}: let through", mine, pairs, 0.25, options.draws, False))
    labels = [every[i].supported for i in chosen]
    scores = stages["lexical score"][0]
    print(f"\nfixed thresholds of the package: supported from {SUPPORTED_AT}, partly from {PARTLY_AT}")
    print("best on the choosing half, all sets:", round(best_threshold([scores[i] for i in chosen], labels), 3))
    if options.by_part:
        for part in sorted({p.part for p in every if p.set == "attribution"}):
            which = [i for i in reported if every[i].part == part]
            labels = [every[i].supported for i in which]
            both = [auc([stages[s][0][i] for i in which], labels) for s in (BASELINE, "lexical score")]
            print(f"{part:22} {len(which):4} pairs: overlap {both[0]:.3f}, lexical score {both[1]:.3f}")


if __name__ == "__main__":
    main()
