"""Canaries: claims of which it is known whether they are true, to be put among others and see what a critic does.

They are made from verified claims of *other* questions, so that none ever stands beside its original. A false one is a
true one with a number, a date or a name changed; its quote is changed in the same way, so that it cannot be told by
comparing the two. Canaries carry a mark in their id, are never registered, and must be taken out before anything is
written: `is_canary` tells them.
"""

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from research_crew.evidence.alteration import Kind, alter, names_of
from research_crew.evidence.claim import Claim

CANARY_PREFIX = "canary/"
FALSE_KINDS: tuple[Kind, ...] = ("number", "date", "name")


@dataclass(frozen=True, slots=True)
class Canary:
    """A claim of known truth. `claim.text` is what the critic sees."""

    claim: Claim
    true: bool
    kind: Kind | None
    """What was changed; None for a true one."""
    origin: str
    """Id of the claim it was made from."""


def is_canary(claim: Claim) -> bool:
    """Whether a claim is a canary, by its id."""
    return claim.id.startswith(CANARY_PREFIX)


def without_canaries(claims: Iterable[Claim]) -> tuple[Claim, ...]:
    """The claims that may be written about."""
    return tuple(c for c in claims if not is_canary(c))


def make_canaries(claims: Sequence[Claim], count: int, rng: random.Random) -> tuple[Canary, ...]:
    """Up to `count` canaries, half of them false (one more if odd), from verified claims of other questions.

    A claim serves once. Fewer come back when too few claims are supported or can be made false.
    """
    usable = [c for c in claims if c.check is not None and c.check.verdict == "supported" and not is_canary(c)]
    rng.shuffle(usable)
    pool = names_of([c.text for c in usable])
    wanted_false = (count + 1) // 2
    made: list[Canary] = []
    rest: list[Claim] = []
    for claim in usable:
        false = _falsified(claim, rng, pool) if len(made) < wanted_false else None
        if false is None:
            rest.append(claim)
        else:
            made.append(false)
    made.extend(Canary(claim, True, None, claim.id) for claim in rest[: count // 2])
    rng.shuffle(made)
    return tuple(
        replace(m, claim=replace(m.claim, id=f"{CANARY_PREFIX}{i + 1}", task="", of=None, also=()))
        for i, m in enumerate(made)
    )


def _falsified(claim: Claim, rng: random.Random, names: Sequence[str]) -> Canary | None:
    kinds = list(FALSE_KINDS)
    rng.shuffle(kinds)
    for kind in kinds:
        changed = alter(claim.text, kind, rng, names)
        if changed is not None:
            quote = claim.quote.replace(changed.before, changed.after)
            false = replace(claim, text=changed.text, quote=quote)
            return Canary(false, False, kind, claim.id)
    return None
