"""From many findings to one list of claims: duplicates merged, copies counted once, contradictions paired.

Runs before the critic, on verified claims only, in every set of agents.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from research_crew.agents.roles import Critique, Finding
from research_crew.evidence.claim import Claim
from research_crew.evidence.duplicates import group


def gather(results: Mapping[str, object], witness: Callable[[int], int] = lambda number: number) -> Critique:
    """A critique that cuts nothing: every root claim kept, in the order of the findings.

    `witness` gives the number that stands for all near-copies of a source, so that ten copies of a text are one
    source of support.
    """
    claims = tuple(claim for value in results.values() if isinstance(value, Finding) for claim in value.claims)
    grouping = group(claims)
    conflicts = tuple((claims[c.first].id, claims[c.second].id) for c in grouping.conflicts)
    return Critique(
        grouping.roots,
        duplicates={claim.id: claim.of for claim in grouping.duplicates if claim.of is not None},
        support={claim.id: supporting(claim, witness) for claim in grouping.roots},
        conflicts=conflicts,
    )


def supporting(claim: Claim, witness: Callable[[int], int]) -> tuple[int, ...]:
    """The numbers of independent sources that say a claim, its own first."""
    numbers: dict[int, int] = {}
    for citation in claim.citations:
        numbers.setdefault(witness(citation.source), citation.source)
    return tuple(numbers.values())


def critique_of(
    results: Mapping[str, object], witness: Callable[[int], int], readmitted: tuple[Claim, ...] = ()
) -> Critique:
    """The critique among some results, or the findings gathered where there was no critic; claims that a person took
    back come first in it."""
    critique = next((value for value in results.values() if isinstance(value, Critique)), None) or gather(results, witness)
    if not readmitted:
        return critique
    back = {claim.id for claim in readmitted}
    return replace(
        critique, kept=(*readmitted, *(claim for claim in critique.kept if claim.id not in back)),
        support={**critique.support, **{c.id: critique.support.get(c.id) or supporting(c, witness) for c in readmitted}},
    )  # fmt: skip


def interleaved(claims: Iterable[Claim]) -> list[Claim]:
    """Claims in turn from every task: the first of each, the second of each …, so that no part starves another."""
    by_task: dict[str, list[Claim]] = {}
    for claim in claims:
        by_task.setdefault(claim.task, []).append(claim)
    longest = max(map(len, by_task.values()), default=0)
    return [some[i] for i in range(longest) for some in by_task.values() if i < len(some)]
