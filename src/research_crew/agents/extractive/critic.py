"""Cuts without a model what has little to do with the question, and what says little new.

Both limits rise with strictness, and each claim is judged against all claims that rank above it, kept or not: so a
stricter critic keeps a subset of what a milder one keeps.
"""

from research_crew.agents.extractive.names import names
from research_crew.agents.extractive.scoring import key_terms, overlap
from research_crew.agents.gather import gather
from research_crew.agents.roles import Critique, Cut, Question
from research_crew.core.context import Context
from research_crew.evidence.claim import Claim


def criticise(question: Question, objectives: tuple[str, ...], ctx: Context) -> Critique:
    """The claims of all findings, de-duplicated, ranked, and cut by strictness 0 (nothing) to 1.

    A claim is as relevant as it is to the part of the question (`objectives`) that it fits best.
    """
    gathered = gather(ctx.results, ctx.sources.witness)
    language = question.language
    parts = [some for what in objectives or (question.text,) if (some := key_terms(what, language))]
    titles = {c.id: key_terms(ctx.sources.by_number(c.source).title, language) for c in gathered.kept}
    terms = {c.id: key_terms(c.text, language) for c in gathered.kept}
    spoken = {c.id: terms[c.id] | titles[c.id] for c in gathered.kept}
    named = {c.id: frozenset(t for n in names(c.text, language) for t in key_terms(n, language)) for c in gathered.kept}

    def direct(claim: Claim) -> float:
        return max((len(spoken[claim.id] & part) / len(part) for part in parts), default=1.0)

    relevance: dict[str, float] = {}
    for claim in gathered.kept:
        # A claim about a name that a relevant claim brought up is the next link of a chain: it counts half as much.
        links = [direct(o) for o in gathered.kept if o.id != claim.id and named[o.id] & titles[claim.id]]
        relevance[claim.id] = max(direct(claim), 0.5 * max(links, default=0.0))
    best = max(relevance.values(), default=0.0) or 1.0
    ranked = sorted(gathered.kept, key=lambda c: -relevance[c.id])
    least, alike = 0.9 * question.strictness * best, 1.0 - 0.4 * question.strictness
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
