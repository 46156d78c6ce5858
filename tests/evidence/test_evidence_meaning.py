from collections.abc import Sequence

from research_crew.evidence.claim import Claim
from research_crew.evidence.source import SourceRegistry
from research_crew.evidence.support import check_support, examine
from research_crew.evidence.verify import verify

CLAIM = "The medicine lowered the number of deaths among elderly patients."
QUOTE = "Fewer old people died when they were given the drug, the trial found."


class Told:
    """Knows how near every word is, and remembers what it was asked."""

    def __init__(self, near: float) -> None:
        self.near = near
        self.asked: list[tuple[str, tuple[str, ...]]] = []

    def nearest(self, claim: str, passages: Sequence[str]) -> list[tuple[str, float]]:
        self.asked.append((claim, tuple(passages)))
        return [(word.strip(".").lower(), self.near) for word in claim.split()]


def test_near_words_raise_the_score_and_far_ones_lower_it() -> None:
    near, far = (examine(CLAIM, QUOTE, meaning=Told(n)) for n in (0.9, 0.1))
    assert (near.far, far.far) == (0.0, 1.0)
    assert near.score > far.score
    assert examine(CLAIM, QUOTE).far is None


def test_only_content_words_count() -> None:
    class Stops(Told):
        def nearest(self, claim: str, passages: Sequence[str]) -> list[tuple[str, float]]:
            return [("the", 0.0), ("of", 0.0), ("medicine", 0.9), (".", 0.0)]

    assert examine(CLAIM, QUOTE, meaning=Stops(0)).far == 0.0


def test_rules_stand_above_meaning() -> None:
    check = check_support("It killed 40 people.", "It killed 30 people.", meaning=Told(1.0))
    assert (check.verdict, check.code) == ("unsupported", "number-not-in-quote")


def test_the_passages_with_most_of_the_claim_are_compared_and_no_more_than_four() -> None:
    told = Told(0.5)
    page = " ".join(f"Sentence {n} speaks of nothing." for n in "abcdefghij") + " The medicine helped elderly patients."
    examine(CLAIM, page, meaning=told)
    passages = told.asked[0][1]
    assert len(passages) <= 4
    assert "The medicine helped elderly patients." in passages[0]


def test_a_language_that_the_model_does_not_know_is_held_to_its_words() -> None:
    told = Told(1.0)
    found = examine("Das Mittel senkte die Zahl der Todesfälle.", "Das Mittel half.", language="de", meaning=told)
    assert found.far is None
    assert told.asked == []


def test_the_gate_asks_it() -> None:
    registry = SourceRegistry()
    registry.register(url="https://example.com/a", title="Trial")
    registry.store_text(1, QUOTE)
    told = Told(0.9)
    done = verify(Claim(CLAIM, QUOTE, 1), registry, meaning=told)
    plain = verify(Claim(CLAIM, QUOTE, 1), registry)
    assert told.asked[0][0] == CLAIM
    assert done.check is not None and plain.check is not None
    assert done.check.score != plain.check.score
