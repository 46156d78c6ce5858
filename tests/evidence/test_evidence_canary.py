import random

import pytest

from research_crew.evidence.agreement import agree
from research_crew.evidence.alteration import KINDS, Kind, alter, names_of
from research_crew.evidence.canary import is_canary, make_canaries, without_canaries
from research_crew.evidence.claim import Check, Claim
from research_crew.evidence.quantities import find_quantities
from research_crew.evidence.support import check_support

SENTENCES = {
    "number": "The town had 31,000 inhabitants within ten years.",
    "date": "The harbour opened on 12 March 1845 after long works.",
    "unit": "The new quay is 300 metres long and made of stone.",
    "name": "In the end the plan of Karl Friedrich Schinkel was taken.",
    "negation": "The council was asked before the works began.",
}


@pytest.mark.parametrize("kind", KINDS)
def test_one_thing_is_changed_and_nothing_else(kind: Kind) -> None:
    text = SENTENCES[kind]
    seen = set()
    for seed in range(30):
        changed = alter(text, kind, random.Random(seed), ["Gottfried Semper"])
        assert changed is not None and changed.text != text and changed.kind == kind
        size = len(changed.before)
        places = [i for i in range(len(text) + 1) if text[i : i + size] == changed.before]
        assert any(text[:i] + changed.after + text[i + size :] == changed.text for i in places)
        seen.add(changed.text)
        assert check_support(changed.text, text).verdict != "supported"
    assert len(seen) > (1 if kind in ("number", "date") else 0)


def test_a_changed_number_is_never_a_rounding_of_the_old_one() -> None:
    for seed in range(200):
        text = "It had 2,487 members in 12 towns, 45.6 percent of them women, in 1998."
        changed = alter(text, "number", random.Random(seed))
        assert changed is not None
        old, new = find_quantities(text), find_quantities(changed.text)
        assert len(old) == len(new)
        assert sum(not agree(b, a) for a, b in zip(old, new, strict=True)) == 1


def test_what_is_not_there_cannot_be_changed() -> None:
    for kind in KINDS:
        assert alter("Rain fell.", kind, random.Random(1), ["Gottfried Semper"]) is None


def test_a_negation_is_put_in_or_taken_out() -> None:
    put = alter("The vaccine is recommended.", "negation", random.Random(1))
    taken = alter("The vaccine is not recommended.", "negation", random.Random(1))
    assert put is not None and put.text == "The vaccine is not recommended."
    assert taken is not None and taken.text == "The vaccine is recommended."


def claims(n: int) -> list[Claim]:
    supported = Check("supported", "support", "supported", 1.0)
    return [
        Claim(t := f"The town of Altona had {1000 + 37 * i} houses in {1700 + i}.", t, 1, id=f"c{i}", check=supported)
        for i in range(n)
    ]


def test_half_of_the_canaries_are_false_and_each_claim_serves_once() -> None:
    made = make_canaries(claims(40), 20, random.Random(3))
    assert len(made) == 20 and sum(not c.true for c in made) == 10
    assert len({c.origin for c in made}) == 20
    originals = {c.id: c.text for c in claims(40)}
    for c in made:
        assert (c.claim.text == originals[c.origin]) == c.true == (c.kind is None)


def test_a_false_canary_cannot_be_told_by_its_quote() -> None:
    for c in make_canaries(claims(40), 20, random.Random(3)):
        assert c.claim.quote == c.claim.text


def test_canaries_are_told_apart_before_anything_is_written() -> None:
    made = [c.claim for c in make_canaries(claims(10), 6, random.Random(1))]
    mixed = [*claims(3), *made]
    assert all(is_canary(c) for c in made)
    assert without_canaries(mixed) == tuple(claims(3))


def test_only_verified_claims_become_canaries() -> None:
    unchecked = [Claim("The town had 45 houses in 1701.", "q", 1, id="a")]
    partly = [Claim("It had 45 houses.", "q", 1, id="b", check=Check("partly", "support", "some-support", 0.4))]
    assert make_canaries([*unchecked, *partly], 4, random.Random(1)) == ()


def test_the_same_seed_makes_the_same_canaries() -> None:
    assert make_canaries(claims(20), 8, random.Random(9)) == make_canaries(claims(20), 8, random.Random(9))


def test_names_are_whole() -> None:
    assert names_of(["It was Karl Friedrich Schinkel who built it in Berlin."]) == ["Karl Friedrich Schinkel", "Berlin"]
