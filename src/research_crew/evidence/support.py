"""Does a quote support a claim: figures, dates, names, negation, then words. No model is needed.

Each part has its own file; this one says in which order they speak and what each one's no means.
"""

import re
from dataclasses import dataclass

from research_crew.evidence.agreement import agree
from research_crew.evidence.claim import Check
from research_crew.evidence.dates import Date, find_dates
from research_crew.evidence.language import detect_language
from research_crew.evidence.lexical import Features, Words, brevity_of, combine, content_stems, word_features
from research_crew.evidence.markers import without_markers
from research_crew.evidence.meaning import LANGUAGES, Meaning, far_share
from research_crew.evidence.meaning import combine as combine_with_meaning
from research_crew.evidence.name_places import displaced, surname_alone
from research_crew.evidence.names import NameIndex, find_names
from research_crew.evidence.negation import differs
from research_crew.evidence.quantities import Quantity, find_quantities
from research_crew.evidence.slots import contradicted

SUPPORTED_AT = 0.5
"""Score from which a claim is `supported`."""
PARTLY_AT = 0.25
"""Score from which it is at least `partly`."""
_ADDRESS = re.compile(r"\bhttps?://\S+")
"""The digits of an address state nothing."""


@dataclass(frozen=True, slots=True)
class Missing:
    """What a claim states and its source does not: `kind` is number, date or unit."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Support:
    """Everything that was found out about a pair."""

    figures: tuple[Missing, ...]
    names: tuple[str, ...]
    opposite: str
    """The word that makes the claim say the opposite of the nearest sentence; empty if none."""
    features: Features
    score: float
    far: float | None = None
    """Share of words without a near one, where a model of meanings was asked."""


def missing_figures(claim: str, text: str, language: str | None = None) -> list[Missing]:
    """The numbers and dates of `claim` that `text` states in no form.

    A number is missing too if the text counts the same noun, yet never with this number, or has another number between
    the same words. Ordinals in words ("first") are missing only in those senses, since they are often no figures.
    """
    code = language or detect_language(claim)
    text = _ADDRESS.sub(lambda m: " " * len(m[0]), text)
    stated_dates = find_dates(text)
    stated = find_quantities(text, dates=True)
    years = {v for q in stated for v in q.values}
    missing = [
        Missing("date", claim[d.start : d.end])
        for d in _one_reading(find_dates(claim))
        if not _dated(d, stated_dates, years)
    ]
    claimed = find_quantities(claim, language=code)
    elsewhere = contradicted(claim, text, claimed, stated, code)
    for q in claimed:
        said = claim[q.start : q.end]
        if not any(agree(q, s) for s in stated):
            if not (q.ordinal and q.spelled) or _counted_otherwise(q, stated):
                values_only = any(set(q.values) & set(s.values) for s in stated)
                missing.append(Missing("unit" if values_only and q.unit else "number", said))
        elif q in elsewhere or _counted_otherwise(q, stated):
            missing.append(Missing("number", said))
    return missing


def _one_reading(dates: list[Date]) -> list[Date]:
    return list({d.start: d for d in dates}.values())


def _dated(claimed: Date, stated: list[Date], years: set[float]) -> bool:
    """Whether a date is stated, or its day and month without a year while the year stands elsewhere.

    Asking for the year near the day refused twice as many supported claims on whole pages as it caught false ones.
    """
    if any(claimed.within(s) for s in stated):
        return True
    if claimed.year is None or float(claimed.year) not in years:
        return False
    bare = Date(None, claimed.month, claimed.day, claimed.start, claimed.end)
    return any(bare.within(s) and claimed.agrees(s) for s in stated)


def _counted_otherwise(q: Quantity, stated: list[Quantity]) -> bool:
    """Whether the text counts the same noun, yet never with this number."""
    if not q.noun or q.year_like:
        return False
    same = [s for s in stated if s.noun == q.noun and s.ordinal == q.ordinal and not s.year_like]
    return bool(same) and not any(agree(q, s) for s in same)


def missing_names(claim: str, text: str, language: str | None = None) -> list[str]:
    """The names in `claim` that `text` has in no form, and those in whose place it has another."""
    names = find_names(claim, language)
    index = NameIndex(text)
    missing = [n for n in names if not index.has(n.text) and not surname_alone(n, names, claim, text, index)]
    found = [n.text for n in missing] + displaced(claim, text, names, index)
    return list(dict.fromkeys(found))


def examine(
    claim: str, text: str, context: str = "", language: str | None = None, meaning: Meaning | None = None
) -> Support:
    """Compare a claim with a text of any length. `context` may have names only, no figures. `meaning` joins the score
    in the languages that it knows."""
    bare = without_markers(claim)
    code = language or detect_language(bare)
    words = Words(text, code)
    wanted = content_stems(bare, code)
    figures = missing_figures(bare, text, code)
    names = missing_names(bare, f"{context}\n{text}", code)
    opposite = differs(bare, words.nearest(wanted), code)
    coverage, window = word_features(bare, words, code)
    faults = float(min(len(figures), 2)), float(min(len(names), 3)), float(bool(opposite))
    features = Features(coverage, window, *faults, brevity_of(words.size))
    far, score = None, combine(features)
    if meaning is not None and code in LANGUAGES:
        far = far_share(bare, words, wanted, code, meaning)
        score = combine_with_meaning(features, far)
    return Support(tuple(figures), tuple(names), opposite, features, score, far)


_FIGURE_REASONS = {"number": "number-not-in-quote", "date": "date-not-in-quote", "unit": "unit-differs"}


def check_support(
    claim_text: str, quote: str, context: str = "", language: str | None = None, meaning: Meaning | None = None
) -> Check:
    """Check a claim against a quote; `context` (title, heading, neighbouring text) may name what the quote calls "it".

    Figures must stand in the quote; a claim with a figure that does not is `unsupported`, as is one that negates what
    the quote says in nearly the same words. A name that stands in neither quote nor context leaves a claim `partly` at
    best. The score decides the rest. Every reason is explained in `verify.REASONS`.
    """
    found = examine(claim_text, quote, context, language, meaning)
    return decide(found, found.score)


def decide(found: Support, score: float) -> Check:
    """The verdict on a pair whose support is `score`: rules first, then the score."""
    if found.figures:
        reason = _FIGURE_REASONS[found.figures[0].kind]
        return Check("unsupported", "numbers", f"{reason}: " + ", ".join(m.text for m in found.figures))
    score = round(score, 4)
    if found.opposite and found.features.coverage >= 0.7:
        return Check("unsupported", "negation", f"negation-differs: {found.opposite}", score)
    if score < PARTLY_AT:
        return Check("unsupported", "support", "little-support", score)
    if found.names:
        return Check("partly", "names", "name-not-in-quote: " + ", ".join(found.names), score)
    if score < SUPPORTED_AT:
        return Check("partly", "support", "some-support", score)
    return Check("supported", "support", "supported", score)
