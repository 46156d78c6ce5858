"""Does a claim state a gold fact: by normalised words, nothing judged.

Both sides are brought to one spelling (`plain_values.normal`): case, accents, punctuation, articles, dates, numbers and units. Only
values are compared, never a wording. A claim of more than 60 words finds nothing.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from research_crew.measure.datasets import GoldFact, GoldQuestion
from research_crew.measure.plain_values import normal

LONGEST = 60
_DATE = re.compile(r"\b\d{3,4}m\d{1,2}d\d{1,2}\b")
_BORN, _DIED = re.compile(r"\b(?:born|birth)\b"), re.compile(r"\b(?:died|dies|death|dead)\b")


@dataclass(frozen=True, slots=True)
class Stated:
    """A claim of an answer, as far as counting needs it."""

    text: str
    doc_id: str
    title: str = ""
    source_text: str = ""
    supported: bool = False
    """Whether it passed every check against its source: then it may be true without being asked for."""


@dataclass(frozen=True, slots=True)
class Counted:
    """What an answer came to."""

    found: int
    bogus: int
    extra: int
    """True but unasked (open sets only)."""
    which: tuple[int, ...] = ()
    """Places of the facts that were found."""


def holds(text: str, value: str) -> bool:
    """Whether a normalised text has a normalised value as whole words."""
    return bool(value) and f" {value} " in f" {text} "


def count(question: GoldQuestion, claims: Iterable[Stated], cites: bool = True) -> Counted:
    """Count the distinct gold facts found, the bogus claims and the extra ones.

    `cites` False: an answer from memory. Its facts are found by their values (and subjects) alone; the rest is bogus.
    """
    said = [(claim, normal(claim.text)) for claim in claims]
    which = tuple(
        place
        for place, fact in enumerate(question.facts)
        if any(_states(fact, claim, text, question, cites) for claim, text in said)
    )
    bogus = extra = 0
    for claim, text in {text: (claim, text) for claim, text in said}.values():
        if any(_states(fact, claim, text, question, cites) for fact in question.facts):
            continue
        true = claim.supported or holds(normal(claim.source_text), text)
        if question.scoring == "closed" or not cites or not true or _contradicts(text, question):
            bogus += 1
        else:
            extra += 1
    return Counted(len(which), bogus, extra, which)


def _states(fact: GoldFact, claim: Stated, text: str, question: GoldQuestion, cites: bool) -> bool:
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
    if not cites:
        return True
    return claim.doc_id in fact.doc_ids or any(holds(normal(claim.source_text), value) for value in values)


def _contradicts(text: str, question: GoldQuestion) -> bool:
    """Whether a claim gives another day for the birth or death of a gold fact's subject."""
    for fact in question.facts:
        values = {normal(value) for value in (fact.object, *fact.aliases)}
        asks = _BORN if "birth" in fact.relation else _DIED if "death" in fact.relation else None
        if asks is None or fact.subject is None or not any(_DATE.fullmatch(value) for value in values):
            continue
        told = set(_DATE.findall(text))
        if told and not told & values and asks.search(text) and holds(text, normal(fact.subject)):
            return True
    return False
