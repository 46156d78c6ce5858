"""Does a quote support a claim: figures, dates, names, negation, then words. No model is needed.

Each part has its own file; this one says in which order they speak and what each one's no means.
"""

from dataclasses import dataclass

from research_crew.evidence.claim import Check
from research_crew.evidence.dates import Date, find_dates
from research_crew.evidence.language import detect_language
from research_crew.evidence.lexical import overlap, support_score
from research_crew.evidence.names import NameIndex, find_names
from research_crew.evidence.negation import differs
from research_crew.evidence.quantities import Quantity, agree, find_quantities
from research_crew.evidence.sentences import split_sentences

SUPPORTED_AT = 0.6
"""Score from which a claim is `supported`."""
PARTLY_AT = 0.35
"""Score from which it is at least `partly`."""


@dataclass(frozen=True, slots=True)
class Missing:
    """What a claim states and its source does not: `kind` is number, date, unit or name."""

    kind: str
    text: str


def missing_figures(claim: str, text: str) -> list[Missing]:
    """The numbers and dates of `claim` that `text` does not state in any form."""
    stated_dates = find_dates(text)
    stated = find_quantities(text, dates=True)
    years = {v for q in stated for v in q.values}
    missing = [
        Missing("date", claim[d.start : d.end]) for d in _once(find_dates(claim)) if not _dated(d, stated_dates, years)
    ]
    for q in find_quantities(claim):
        if not any(agree(q, s) for s in stated):
            same = any(set(q.values) & set(s.values) for s in stated)
            missing.append(Missing("unit" if same else "number", claim[q.start : q.end]))
        elif q.noun and _counted_otherwise(q, stated):
            missing.append(Missing("number", claim[q.start : q.end]))
    return missing


def _once(dates: list[Date]) -> list[Date]:
    """One reading for each place."""
    return list({d.start: d for d in dates}.values())


def _dated(claimed: Date, stated: list[Date], years: set[float]) -> bool:
    if any(claimed.within(s) for s in stated):
        return True
    if claimed.year is not None and float(claimed.year) in years:
        bare = Date(None, claimed.month, claimed.day, claimed.start, claimed.end)
        return any(bare.within(s) and claimed.agrees(s) for s in stated)
    return False


def _counted_otherwise(q: Quantity, stated: list[Quantity]) -> bool:
    """Whether the text counts the same noun, yet never with this number."""
    same_noun = [s for s in stated if s.noun == q.noun and not s.ordinal]
    return bool(same_noun) and not q.ordinal and not any(agree(q, s) for s in same_noun)


def missing_names(claim: str, text: str, language: str | None = None) -> list[str]:
    """The names in `claim` that `text` has in no form."""
    index = NameIndex(text)
    return list(dict.fromkeys(n.text for n in find_names(claim, language) if not index.has(n.text)))


def nearest_sentence(claim: str, text: str) -> str:
    """The sentence of `text` that shares most words with `claim`."""
    spans = split_sentences(text)
    return max((s.of(text) for s in spans), key=lambda s: overlap(claim, s), default=text)


def check_support(claim_text: str, quote: str, context: str = "", language: str | None = None) -> Check:
    """Check a claim against a quote; `context` (title, heading, neighbouring text) may name what the quote calls "it".

    Figures must stand in the quote, names in the quote or its context. Reasons: `number-not-in-quote`,
    `date-not-in-quote`, `unit-differs`, `name-not-in-quote` (partly when one of several names is missing),
    `negation-differs`, `little-support`, `some-support`, `supported`.
    """
    code = language or detect_language(claim_text)
    missing = missing_figures(claim_text, quote)
    if missing:
        kind = {"number": "number-not-in-quote", "date": "date-not-in-quote", "unit": "unit-differs"}[missing[0].kind]
        return Check("unsupported", "numbers", f"{kind}: " + ", ".join(m.text for m in missing))
    names = missing_names(claim_text, f"{context}\n{quote}", code)
    every = len({n.text for n in find_names(claim_text, code)})
    if names and len(names) * 2 > every:
        return Check("unsupported", "names", "name-not-in-quote: " + ", ".join(names))
    opposite = differs(claim_text, nearest_sentence(claim_text, quote), code)
    if opposite and overlap(claim_text, quote) >= 0.5:
        return Check("unsupported", "negation", f"negation-differs: {opposite}")
    score = round(support_score(claim_text, quote, code), 4)
    if score < PARTLY_AT:
        return Check("unsupported", "support", "little-support", score)
    if names:
        return Check("partly", "names", "name-not-in-quote: " + ", ".join(names), score)
    if score < SUPPORTED_AT:
        return Check("partly", "support", "some-support", score)
    return Check("supported", "support", "supported", score)
