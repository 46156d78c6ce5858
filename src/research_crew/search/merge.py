"""Several engines at once: asked side by side, merged by canonical key, ranked by reciprocal rank fusion.

Each page scores the sum over engines of 1 / (60 + its rank there) (Cormack, Clarke and Büttcher, "Reciprocal Rank
Fusion outperforms Condorcet and individual Rank Learning Methods", SIGIR 2009). Among equals strong sources come first,
then the order in which the engines were named. An engine that fails takes nothing from the others and is counted apart.
"""

import asyncio
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal

from research_crew.evidence.canonical import canonical_url, document_key
from research_crew.evidence.tier import tier_of
from research_crew.search.protocol import Failure, Hits, HitsStatus, Query, Result, SearchEngine
from research_crew.search.tally import Tally

_K = 60
_TIERS = {"strong": 0, "ordinary": 1, "weak": 2}


class Several:
    """Engines as one engine. `engines` are by name, in the order of preference."""

    def __init__(self, engines: Mapping[str, SearchEngine]) -> None:
        self.engines = dict(engines)
        self.name = ",".join(self.engines)
        self.tally = {name: Tally() for name in self.engines}

    async def search(self, query: Query) -> Hits:
        """See `SearchEngine.search`."""
        answers = await asyncio.gather(*(engine.search(query) for engine in self.engines.values()))
        return self.merged(dict(zip(self.engines, answers, strict=True)), query)

    def merged(self, answers: Mapping[str, Hits], query: Query) -> Hits:
        """Count each engine's answer and merge them."""
        for name, hits in answers.items():
            self.tally[name].count(hits)
        return merge(answers, query.limit)


def merge(answers: Mapping[str, Hits], limit: int) -> Hits:
    """One answer from several, by engine. Without any result, one failure makes it a failure: nothing is known then."""
    found: dict[str, list[tuple[str, int, Result]]] = {}
    for name, hits in answers.items():
        for rank, result in enumerate(hits.results, 1):
            found.setdefault(_key(result), []).append((name, rank, result))
    merged = [_one(entries) for entries in found.values()]
    order = {name: n for n, name in enumerate(answers)}
    first = {id(result): order[entries[0][0]] for result, entries in zip(merged, found.values(), strict=True)}
    # Sums of the same fractions in another order differ in the last bit; equals must be equal.
    merged.sort(key=lambda r: (-round(r.score or 0.0, 12), _TIERS[_tier(r)], first[id(r)]))
    skipped: Counter[str] = Counter()
    for hits in answers.values():
        skipped.update(hits.skipped)
    same = sum(len(entries) - 1 for entries in found.values())
    if same:
        skipped["found by another engine too"] += same
    if len(merged) > limit:
        skipped["over the limit"] += len(merged) - limit
    bad = {name: hits for name, hits in answers.items() if hits.status in ("failed", "throttled")}
    detail = "; ".join(f"{name}: {hits.detail or hits.status}" for name, hits in bad.items())
    notes = tuple(f"{name}: {note}" for name, hits in answers.items() for note in hits.notes)
    costs = [hits.cost for hits in answers.values() if hits.cost is not None]
    status, failure = _status(merged, bad)
    waits = [hits.retry_after for hits in bad.values() if hits.retry_after is not None]
    return Hits(
        tuple(merged[:limit]), status, sum(costs, Decimal(0)) if costs else None, detail, dict(skipped),
        max(waits) if waits and status == "throttled" else None, notes, failure,
    )  # fmt: skip


def _status(merged: list[Result], bad: Mapping[str, Hits]) -> tuple[HitsStatus, Failure]:
    if merged:
        return "ok", ""
    if not bad:
        return "empty", ""
    if all(hits.status == "throttled" for hits in bad.values()):
        return "throttled", "throttled"
    return "failed", next(hits.failure for hits in bad.values() if hits.status == "failed")


def _one(entries: list[tuple[str, int, Result]]) -> Result:
    """The best of each field of the same page, with the sum of its scores."""
    results = [result for _, _, result in entries]
    best = results[0]
    return replace(
        best,
        title=next((r.title for r in results if r.title), ""),
        text=max((r.text for r in results), key=len),
        snippet=next((r.snippet for r in results if r.snippet), ""),
        published=next((r.published for r in results if r.published), None),
        author=next((r.author for r in results if r.author), None),
        score=sum(1 / (_K + rank) for _, rank, _ in entries),
        engine="+".join(dict.fromkeys(name for name, _, _ in entries)),
    )


def _key(result: Result) -> str:
    return canonical_url(result.url) if result.url else document_key(result.path or "", result.page)


def _tier(result: Result) -> str:
    return tier_of(result.url, path=result.path, author=result.author, published=result.published)
