"""What the gate catches when one thing of a true claim is changed, and how many unchanged claims it rejects.

    python benchmarks/evidence_mutation.py --data DIR [--seed 1] [--limit 2000]

Three kinds of pairs, all supported: `attribution`, a claim and the whole text it cites; `rationale`, claims of wice and
scifact with the sentences that people marked as their support; `verbatim`, sentences of Wikipedia paragraphs, each its
own quote. Only pairs that match after normalisation enter the mutation table: the unchanged claim passes the figures
check. Each claim is changed once per kind that it has. "by its check" counts the check for that kind of change,
"unsupported" what the gate refuses, "not clean" what it does not call `supported`.
The last table is the plain occurrence check on whole sources of attribution, before normalisation (figures and names
letter by letter) and after it (the checks of this package: words for numbers, rounding, units, ranges, dates, other
forms of names), and the list below it what is left.
"""

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from evidence_data import Pair, data_argument, load_pairs, load_rationales, passages
from research_crew.evidence.alteration import KINDS, alter, names_of
from research_crew.evidence.markers import without_markers
from research_crew.evidence.sentences import split_sentences
from research_crew.evidence.support import check_support, missing_figures, missing_names
from research_crew.evidence.verify import judge

STAGE = {"number": "numbers", "date": "numbers", "unit": "numbers", "name": "names", "negation": "negation"}


@dataclass(frozen=True, slots=True)
class Known:
    """A supported claim with the text that supports it."""

    claim: str
    text: str
    context: str = ""


def verbatim(data: Path, limit: int, rng: random.Random) -> list[Known]:
    """Sentences of 8 to 40 words that hold a figure or a name, each its own quote."""
    found = []
    for text in rng.sample(passages(data), limit):
        for span in split_sentences(text):
            sentence = span.of(text)
            if 8 <= len(sentence.split()) <= 40:
                found.append(Known(sentence, sentence))
                break
    return found


Caught = dict[str, tuple[int, int]]
"""Kind of change -> how many were made, and how many the check for it caught."""


def mutate(name: str, pairs: Sequence[Known], rng: random.Random) -> Caught:
    """Print one block of the mutation table."""
    sums: Caught = {}
    kept = [p for p in pairs if not missing_figures(without_markers(p.claim), p.text)]
    pool = names_of([p.claim for p in kept])
    unchanged = [judge(without_markers(p.claim), p.text, p.context) for p in kept]
    figures = sum(c.stage == "numbers" for c in unchanged)
    refused = sum(c.verdict == "unsupported" for c in unchanged)
    partly = sum(c.verdict == "partly" for c in unchanged)
    total = max(len(kept), 1)
    print(f"{name}: {len(kept)} of {len(pairs)} pairs match after normalisation")
    print(
        f"  {'unchanged':10} {len(kept):6}  refused by figures {figures / total:6.1%}   "
        f"unsupported {refused / total:6.1%}   not clean {(refused + partly) / total:6.1%}"
    )
    for kind in KINDS:
        seen = caught = unsupported = unclean = 0
        for p in kept:
            changed = alter(without_markers(p.claim), kind, rng, pool)
            if changed is None:
                continue
            check = judge(changed.text, p.text, p.context)
            seen += 1
            caught += check.stage == STAGE[kind] and check.verdict != "supported"
            unsupported += check.verdict == "unsupported"
            unclean += check.verdict != "supported"
        sums[kind] = (seen, caught)
        if seen:
            print(
                f"  {kind:10} {seen:6}  by its check {caught / seen:12.1%}   "
                f"unsupported {unsupported / seen:6.1%}   not clean {unclean / seen:6.1%}"
            )
    return sums


def plain_occurrence(claim: str, text: str) -> tuple[bool, bool]:
    """Whether every number, and every capitalised word after the first, stands in the text letter by letter."""
    numbers = all(n in text for n in re.findall(r"\d+(?:[.,]\d+)*", claim))
    names = all(w in text for w in re.findall(r"(?<=[a-z,] )[A-Z][\w-]+", claim))
    return numbers, names


def occurrence(pairs: Sequence[Pair]) -> None:
    """Print what occurrence checks reject on whole sources of attribution."""
    print("\noccurrence checks on attribution, whole sources: share rejected")
    print(f"  {'':34} {'supported':>10} {'not supported':>14} {'supported, with numbers':>24}")
    rows: dict[str, list[tuple[bool, bool, bool]]] = {}
    for p in pairs:
        claim = without_markers(p.claim)
        numbered = bool(re.search(r"\d", claim))
        plain = plain_occurrence(claim, p.text)
        figures, names = bool(missing_figures(claim, p.text)), bool(missing_names(claim, p.text))
        for label, rejected in (
            ("plain, numbers", not plain[0]),
            ("plain, numbers and names", not all(plain)),
            ("this package, figures", figures),
            ("this package, figures and names", figures or names),
            ("this package, gate: unsupported", check_support(claim, p.text).verdict == "unsupported"),
        ):
            rows.setdefault(label, []).append((p.supported, numbered, rejected))
    for label, found in rows.items():
        good = [r for s, _, r in found if s]
        bad = [r for s, _, r in found if not s]
        numbered_good = [r for s, n, r in found if s and n]
        shares = [sum(x) / len(x) for x in (good, bad, numbered_good)]
        print(f"  {label:34} {shares[0]:10.1%} {shares[1]:14.1%} {shares[2]:24.1%}")


def left(pairs: Sequence[Pair]) -> None:
    """Print the supported claims of the choosing half with figures that the check of this package does not find."""
    print("\nwhat is left of it, supported claims of the choosing half:")
    for p in pairs:
        if p.supported and p.choosing and (missing := missing_figures(without_markers(p.claim), p.text)):
            print(f"  {', '.join(m.text for m in missing)} in: {' '.join(p.claim.split())[:100]}")


def main() -> None:
    parser = data_argument(__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=int, default=2000, help="verbatim sentences")
    options = parser.parse_args()
    rng = random.Random(options.seed)
    attribution = [p for p in load_pairs(options.data) if p.set == "attribution"]
    blocks = [mutate("attribution", [Known(p.claim, p.text) for p in attribution if p.supported], rng)]
    rationales = [Known(p.claim, p.text, p.context) for p in load_rationales(options.data) if p.supported]
    blocks.append(mutate("rationale", rationales, rng))
    blocks.append(mutate("verbatim", verbatim(options.data, options.limit, rng), rng))
    print("all together, by its check:")
    for kind in KINDS:
        seen, caught = (sum(column) for column in zip(*(b[kind] for b in blocks), strict=True))
        print(f"  {kind:10} {seen:6}  {caught / seen:6.1%}")
    occurrence(attribution)
    left(attribution)


if __name__ == "__main__":
    main()
