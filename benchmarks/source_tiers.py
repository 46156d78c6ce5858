"""How often the tier of a source, decided in code, is the one that a person gives it.

    python benchmarks/source_tiers.py

`tier_urls.tsv` is 100 addresses labelled by hand beforehand, by what `research.md` of the design calls strong, ordinary
and weak, each with its reason; about half of their hosts stand in no list of the program. Prints the table of labels
against tiers, the accuracy apart for hosts that are listed and that are not, and every address that is told wrongly.
"""

import csv
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from research_crew.evidence.tier import tier_of
from research_crew.evidence.tier_domains import ORDINARY, STRONG, WEAK
from research_crew.measure.rates import Rate

FILE = Path(__file__).with_name("tier_urls.tsv")
TIERS = ("strong", "ordinary", "weak")


@dataclass(frozen=True, slots=True)
class Labelled:
    """An address, what a search engine says of it, and its tier by hand."""

    url: str
    label: str
    author: str | None
    published: str | None
    why: str

    @property
    def tier(self) -> str:
        """By the program."""
        return tier_of(self.url, author=self.author, published=self.published)

    @property
    def listed(self) -> bool:
        """Whether its host stands in a list of the program."""
        parts = (urlsplit(self.url).hostname or "").split(".")
        return any(".".join(parts[i:]) in STRONG | ORDINARY | WEAK for i in range(len(parts)))


def main() -> None:
    """Print the tables."""
    rows = labelled()
    seen = Counter((row.label, row.tier) for row in rows)
    print("| label | " + " | ".join(f"told {tier}" for tier in TIERS) + " |\n|---|--:|--:|--:|")
    for label in TIERS:
        print(f"| {label} | " + " | ".join(str(seen[label, tier]) for tier in TIERS) + " |")
    for name, some in (("all", rows), ("host listed", [r for r in rows if r.listed]), ("host not listed", [r for r in rows if not r.listed])):
        print(f"{name}: {Rate(sum(row.label == row.tier for row in some), len(some))}")
    too_good = [row for row in rows if TIERS.index(row.tier) < TIERS.index(row.label)]
    print(f"told stronger than they are: {len(too_good)}")
    for row in rows:
        if row.label != row.tier:
            print(f"  {row.label} told {row.tier}: {row.url} ({row.why})")


def labelled() -> list[Labelled]:
    """The list."""
    with FILE.open(encoding="utf-8", newline="") as file:
        return [
            Labelled(r["url"], r["label"], r["author"] or None, r["published"] or None, r["why"])
            for r in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        ]


if __name__ == "__main__":
    main()
