import json

from research_crew.evidence.claim import Check, Citation, Claim


def test_a_claim_survives_its_record() -> None:
    claim = Claim(
        "The tower is 300 m tall.", "300 metres", 2, id="research:0/1/1", start=4, end=14, language="en",
        check=Check("partly", "names", "name-not-in-quote: Eiffel", 0.61), of="research:1/1/2", task="research:0",
        also=(Citation(3, "300 m", 1, 6),),
    )  # fmt: skip
    assert Claim.from_json(json.loads(json.dumps(claim.to_json()))) == claim
    bare = Claim("A.", "A.", 1)
    assert Claim.from_json(bare.to_json()) == bare


def test_citations_are_its_own_first() -> None:
    claim = Claim("a", "q", 2, start=1, end=2, also=(Citation(5, "r"),))
    assert [c.source for c in claim.citations] == [2, 5]


def test_only_a_checked_claim_may_be_cited() -> None:
    claim = Claim("a", "q", 2)
    assert not claim.supported
    assert claim.checked(Check("partly", "support", "some-support", 0.4)).supported
    assert not claim.checked(Check("unsupported", "quote", "quote-not-found")).supported


def test_the_code_of_a_reason_is_without_its_detail() -> None:
    assert Check("unsupported", "numbers", "number-not-in-quote: 1,200, 7").code == "number-not-in-quote"
