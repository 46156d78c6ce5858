"""The gate: every check that a claim has to pass before anyone may build on it, in one order, each with its reason.

source exists -> quote stands in its stored text -> figures, dates and names stand in the quote -> the quote supports
the claim (by an entailment function where one is given, otherwise by the words, and by their meaning where a model of
it is given). Later checks look at the text that was found, not at the quote as it was handed in, so that an altered
quote cannot vouch for an altered claim.
"""

import unicodedata
from collections.abc import Callable, Iterable

from research_crew.evidence.claim import Check, Claim
from research_crew.evidence.language import detect_language
from research_crew.evidence.meaning import Meaning
from research_crew.evidence.quote import QUOTE_THRESHOLD, find_quote
from research_crew.evidence.source import SourceRegistry
from research_crew.evidence.support import PARTLY_AT, SUPPORTED_AT, check_support

Entailment = Callable[[str, str], float]
"""`entailment(premise, claim)`: how surely the premise supports the claim, 0 to 1."""

REASONS: dict[str, str] = {
    "supported": "the quote supports the claim",
    "some-support": "the quote supports the claim in part",
    "little-support": "the quote has too little of what the claim says",
    "not-entailed": "the entailment model finds that the quote does not support the claim",
    "other-language": "claim and quote are in different languages; only figures were checked",
    "empty-claim": "the claim has no words",
    "unknown-source": "no source of the run has this number",
    "source-not-read": "the source was never read, so nothing can be quoted from it",
    "no-quote": "the claim has no quote",
    "quote-not-found": "the quote does not stand in the text of its source",
    "number-not-in-quote": "a number of the claim does not stand in the quote",
    "date-not-in-quote": "a date of the claim does not stand in the quote",
    "unit-differs": "a number of the claim stands in the quote with another unit",
    "name-not-in-quote": "a name of the claim stands neither in the quote nor beside it",
    "negation-differs": "the claim says the opposite of the quote",
}
"""Every reason that a check can end with, and what it tells a reader."""

_CONTEXT = 400
"""Characters before and after a quote in which a name may stand that the quote calls "it"."""


def verify(
    claim: Claim, registry: SourceRegistry, entailment: Entailment | None = None, meaning: Meaning | None = None
) -> Claim:
    """The claim with its check, and with `start` and `end` of its quote in the stored text when it was found."""
    if not any(c.isalnum() for c in claim.text):
        return claim.checked(Check("unsupported", "source", "empty-claim"))
    if claim.source not in registry:
        return claim.checked(Check("unsupported", "source", f"unknown-source: {claim.source}"))
    text = registry.text(claim.source)
    if not text:
        return claim.checked(Check("unsupported", "source", "source-not-read"))
    if not any(c.isalnum() for c in claim.quote):
        return claim.checked(Check("unsupported", "quote", "no-quote"))
    match = find_quote(text, claim.quote, QUOTE_THRESHOLD)
    if match is None:
        return claim.checked(Check("unsupported", "quote", "quote-not-found"))
    registry.pin(claim.source)
    source = registry.by_number(claim.source)
    stated = text[match.start : match.end]
    before, after = text[max(match.start - _CONTEXT, 0) : match.start], text[match.end : match.end + _CONTEXT // 2]
    check = judge(claim.text, stated, f"{source.title}\n{before}\n{after}", claim.language, entailment, meaning)
    return claim.checked(check, match.start, match.end)


def judge(
    claim: str, quote: str, context: str = "", language: str | None = None, entailment: Entailment | None = None,
    meaning: Meaning | None = None,
) -> Check:  # fmt: skip
    """The checks that need no registry: what a claim may rest on a quote that is known to be genuine."""
    if (
        unicodedata.normalize("NFKC", claim).casefold().split()
        == unicodedata.normalize("NFKC", quote).casefold().split()
    ):
        return Check("supported", "support", "supported", 1.0)
    check = check_support(claim, quote, context, language, meaning)
    if check.stage in ("numbers", "negation"):
        return check
    if _other_language(claim, quote):
        return Check("partly", "support", "other-language", check.score)
    if entailment is None or check.score is None:
        return check
    score = round(entailment(quote, claim), 4)
    if score < PARTLY_AT:
        return Check("unsupported", "support", "not-entailed", score)
    if check.stage == "names":
        return Check("partly", "names", check.reason, score)
    return (
        Check("supported", "support", "supported", score)
        if score >= SUPPORTED_AT
        else Check("partly", "support", "some-support", score)
    )


def _other_language(claim: str, quote: str) -> bool:
    """Whether words cannot be compared: another script, or another language of the same script, told by long texts."""
    ours, theirs = detect_language(claim), detect_language(quote)
    if ours == theirs:
        return False
    unspaced = {"ja", "zh", "ko", "ru", "uk", "ar", "fa", "th", "el", "he", "hi"}
    if ours in unspaced or theirs in unspaced:
        return {ours, theirs} != {"ja", "zh"} and {ours, theirs} != {"ru", "uk"}
    return len(claim) > 60 and len(quote) > 60


def verify_all(
    claims: Iterable[Claim], registry: SourceRegistry, entailment: Entailment | None = None, meaning: Meaning | None = None
) -> tuple[Claim, ...]:
    """`verify` for each, in order."""
    return tuple(verify(c, registry, entailment, meaning) for c in claims)
