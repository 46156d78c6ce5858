"""Cuts without a model what has little to do with the question, and what says little new.

Both limits rise with strictness, and each claim is judged against all claims that rank above it, kept or not: so a
stricter critic keeps a subset of what a milder one keeps.
"""

from collections.abc import Mapping, Sequence

from research_crew.agents.extractive.relations import related_terms
from research_crew.agents.extractive.scoring import overlap
from research_crew.agents.extractive.terms import key_terms, says
from research_crew.agents.gather import gather
from research_crew.agents.names import mentions
from research_crew.agents.roles import Critique, Cut, Question
from research_crew.core.context import Context
from research_crew.evidence.claim import Claim

_LINK = 0.8
"""What the next link of a chain takes over from the claim that names it."""
_ORDER = 0.4
"""What first place in its researcher's own order is worth; the researcher saw the whole page, the critic does not."""


def criticise(question: Question, objectives: Sequence[str], ctx: Context) -> Critique:
    """The claims of all findings, de-duplicated, ranked, and cut by strictness 0 (nothing) to 1.

    A claim is as relevant as it is to the part of the question (`objectives`) that it fits best.
    """
    gathered = gather(ctx.results, ctx.sources.witness)
    language = question.language
    titles = {c.id: ctx.sources.by_number(c.source).title for c in gathered.kept}
    relevance = _relevance(gathered.kept, titles, objectives or (question.text,), language)
    terms = {c.id: key_terms(c.text, language) for c in gathered.kept}
    best = max(relevance.values(), default=0.0) or 1.0
    ranked = sorted(gathered.kept, key=lambda c: -relevance[c.id])
    least, alike = 0.8 * question.strictness * best, 1.0 - 0.4 * question.strictness
    kept: list[Claim] = []
    cuts: list[Cut] = []
    for place, claim in enumerate(ranked):
        twin = next((o for o in ranked[:place] if overlap(terms[o.id], terms[claim.id]) > alike), None)
        if relevance[claim.id] < least:
            cuts.append(Cut(claim.id, f"relevance {relevance[claim.id]:.2f}, below {least:.2f}"))
        elif twin is not None:
            cuts.append(Cut(claim.id, f"says little beyond {twin.id}"))
        else:
            kept.append(claim)
    return Critique(tuple(kept), tuple(cuts), gathered.duplicates, gathered.support, gathered.conflicts)


def _relevance(
    claims: Sequence[Claim], titles: Mapping[str, str], objectives: Sequence[str], language: str
) -> dict[str, float]:
    parts = [some for what in objectives if (some := key_terms(what, language))]
    related = [related_terms(part, language) for part in parts]
    place: dict[str, int] = {}
    order: dict[str, float] = {}
    direct: dict[str, float] = {}
    for claim in claims:
        place[claim.task] = place.get(claim.task, 0) + 1
        order[claim.id] = _ORDER / place[claim.task]
        said = key_terms(claim.text, language) | key_terms(titles[claim.id], language)
        direct[claim.id] = max(
            (
                sum(1.0 if t in said else 0.8 * bool(like.get(t, frozenset()) & said) for t in part) / len(part)
                for part, like in zip(parts, related, strict=True)
            ),
            default=1.0,
        )
    relevance: dict[str, float] = {}
    for claim in claims:
        # A claim about a name that a relevant claim brought up is the next link of a chain.
        links = (direct[o.id] for o in claims if o.id != claim.id and _names(o.text, titles[claim.id], language))
        relevance[claim.id] = max(direct[claim.id], _LINK * max(links, default=0.0)) + order[claim.id]
    return relevance


def _names(text: str, title: str, language: str) -> bool:
    """Whether a text mentions a name that is a page's title, or part of one."""
    return any(says(title, mention.name) for mention in mentions(text, language) if mention.weight >= 0.5)
