"""Does a claim state a gold fact: by normalised words, nothing judged.

Both sides are lower-cased, without accents, punctuation and articles; dates are compared by day, month and year, so
that "2 November 1932" and "November 2, 1932" are the same. A claim of more than 60 words finds nothing.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from research_crew.evidence.folding import fold
from research_crew.measure.datasets import GoldFact, GoldQuestion

LONGEST = 60
_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_MONTHS = {
    name: n
    for n, names in enumerate(
        (
            "january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug",
            "september sept sep", "october oct", "november nov", "december dec",
        ),
        1,
    )
    for name in names.split()
}  # fmt: skip
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_DATES = (
    re.compile(rf"\b(?P<d>\d{{1,2}})(?:st|nd|rd|th)? (?P<m>{_MONTH}) (?P<y>\d{{3,4}})\b"),
    re.compile(rf"\b(?P<m>{_MONTH}) (?P<d>\d{{1,2}})(?:st|nd|rd|th)? (?P<y>\d{{3,4}})\b"),
)


@dataclass(frozen=True, slots=True)
class Stated:
    """A claim of an answer, as far as counting needs it."""

    text: str
    doc_id: str
    title: str = ""
    source_text: str = ""


@dataclass(frozen=True, slots=True)
class Counted:
    """What an answer came to."""

    found: int
    bogus: int
    extra: int
    """True but unasked (open sets only)."""


def normal(text: str) -> str:
    """The words of a text as they are compared, dates in one form."""
    plain = " ".join(_ARTICLES.sub(" ", re.sub(r"[\W_]+", " ", fold(text))).split())
    for pattern in _DATES:
        plain = pattern.sub(lambda m: f"{m['y']}m{_MONTHS[m['m']]}d{int(m['d'])}", plain)
    return plain


def holds(text: str, value: str) -> bool:
    """Whether a normalised text has a normalised value as whole words."""
    return bool(value) and f" {value} " in f" {text} "


def count(question: GoldQuestion, claims: Iterable[Stated]) -> Counted:
    """Count the distinct gold facts found, the bogus claims and the extra ones."""
    said = [(claim, normal(claim.text)) for claim in claims]
    found = sum(any(_states(fact, claim, text, question) for claim, text in said) for fact in question.facts)
    bogus = extra = 0
    for claim, text in {text: (claim, text) for claim, text in said}.values():
        if any(_states(fact, claim, text, question) for fact in question.facts):
            continue
        if question.scoring == "closed" or not holds(normal(claim.source_text), text):
            bogus += 1
        else:
            extra += 1
    return Counted(found, bogus, extra)


def _states(fact: GoldFact, claim: Stated, text: str, question: GoldQuestion) -> bool:
    if len(claim.text.split()) > LONGEST:
        return False
    values = [normal(value) for value in (fact.object, *fact.aliases)]
    if question.scoring == "closed":
        return any(holds(text, value) or holds(value, text) for value in values)
    if not any(holds(text, value) for value in values):
        return False
    if fact.subject is not None:
        subject = normal(fact.subject)
        return holds(text, subject) or holds(normal(claim.title), subject) or normal(claim.title) == subject
    return claim.doc_id in fact.doc_ids or any(holds(normal(claim.source_text), value) for value in values)
