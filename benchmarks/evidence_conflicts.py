"""Altered copies: how many number-mutated near-duplicates are flagged as conflicts, and how many true copies are.

    python benchmarks/evidence_conflicts.py --data DIR [--limit 1500] [--seed 1]

Real passages (paragraphs of wiki-multihop that hold a number) are copied with one number, or one date, changed, and the
copy is put among all the passages: `near_copies` must find the pair and flag it. The controls are copies with other
white space, case, quotation marks and a menu around them, which must be found as copies and not flagged. Last come
pairs of sentences (as claims are): `relation` must say conflict for the altered one and same for the re-spelled one.
"""

import random
import time

from evidence_data import data_argument, passages
from research_crew.evidence.alteration import alter
from research_crew.evidence.duplicates import near_copies, relation
from research_crew.evidence.sentences import split_sentences


def respelled(text: str, rng: random.Random) -> str:
    """The same text as another site would print it."""
    copy = text.replace(" ", "  ", 3).replace('"', "“").replace(" - ", " – ").replace("'", "’")
    return f"Home | News | Contact\n\n{copy}\n\nShare this page. Printed {rng.randint(2, 28)} May {rng.randint(2001, 2025)}."


def main() -> None:
    parser = data_argument(__doc__)
    parser.add_argument("--limit", type=int, default=1500, help="passages that are altered")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    every = [p for p in dict.fromkeys(passages(options.data)) if len(p) >= 120]
    background = {(c.first, c.second) for c in near_copies(every).conflicts}
    print(
        f"{len(every)} real passages: {len(background)} pairs of them are flagged as they are (near copies in the corpus)"
    )
    for kind in ("number", "date"):
        altered = []
        for i in rng.sample(range(len(every)), len(every)):
            changed = alter(every[i], kind, rng)
            if changed is not None:
                altered.append((i, changed.text))
            if len(altered) == options.limit:
                break
        began = time.process_time()
        found = near_copies([*every, *(text for _, text in altered)])
        spent = time.process_time() - began
        flagged = {(c.first, c.second) for c in found.conflicts}
        caught = sum((i, len(every) + n) in flagged for n, (i, _) in enumerate(altered))
        print(f"{kind}: {caught / len(altered):.1%} of {len(altered)} altered copies flagged ({spent:.1f} s of CPU)")
    chosen = rng.sample(range(len(every)), options.limit)
    found = near_copies([*every, *(respelled(every[i], rng) for i in chosen)])
    together = {pair for g in found.groups for pair in ((a, b) for a in g for b in g if a < b)}
    flagged = {(c.first, c.second) for c in found.conflicts}
    pairs = [(i, len(every) + n) for n, i in enumerate(chosen)]
    print(
        f"unchanged copies: {sum(p in together for p in pairs) / len(pairs):.1%} found as copies, "
        f"{sum(p in flagged for p in pairs) / len(pairs):.1%} flagged wrongly"
    )
    sentences = [s.of(p) for p in rng.sample(every, options.limit) for s in split_sentences(p)[:1]]
    counts = {"conflict": 0, "same": 0, "different": 0}
    changed_claims = [(s, c.text) for s in sentences if (c := alter(s, "number", rng))]
    for original, new in changed_claims:
        counts[relation(original, new)] += 1
    print(
        "sentences, one number changed:",
        {k: f"{v / len(changed_claims):.1%}" for k, v in counts.items()},
        len(changed_claims),
    )
    same = sum(relation(s, s.replace(" the ", " ").upper()) == "same" for s in sentences)
    print(f"sentences, articles dropped and in capitals: {same / len(sentences):.1%} same, {len(sentences)}")


if __name__ == "__main__":
    main()
