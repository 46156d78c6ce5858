import random

import pytest

from research_crew.evidence import duplicates
from research_crew.evidence.claim import Claim
from research_crew.evidence.duplicates import conflicts_between, group, near_copies, relation
from research_crew.evidence.shingles import Groups, containment, masked_terms, resemblance, sketch

ARTICLE = (
    "The harbour of the old town was rebuilt after the great fire of 1842, and the new quays opened three years later. "
    "Merchants from the north paid 4,000 thalers for each berth, which was twice what the council had expected. "
    "Ships from all over the continent came, and within ten years the town had 31,000 inhabitants."
)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("The tower is 300 m tall.", "The tower is 300 metres tall", "same"),
        ("The tower is 300 m tall.", "The tower is 330 m tall.", "conflict"),
        ("It opened on 3 May 1990 in Bonn.", "It opened on 3 June 1990 in Bonn.", "conflict"),
        ("The vaccine was recommended for adults.", "The vaccine was not recommended for adults.", "conflict"),
        ("The tower is 300 m tall.", "The bridge was built by Eiffel.", "different"),
        ("Anna Schmidt wrote the first report on malaria in Kenya.", "Anna Meier wrote the first report on malaria in Kenya.", "different"),
        ("Der Turm ist 300 Meter hoch.", "Der Turm ist 300 m hoch.", "same"),
        ("塔高300米。", "塔高300米", "same"),
        ("塔高300米，建于1889年。", "塔高330米，建于1889年。", "conflict"),
    ],
)  # fmt: skip
def test_how_two_sentences_stand_to_each_other(a: str, b: str, expected: str) -> None:
    assert relation(a, b) == expected == relation(b, a)


def test_duplicates_join_their_citations_to_the_first() -> None:
    claims = [
        Claim("The tower is 300 m tall.", "300 m", 1, id="c1", start=5),
        Claim("It stands in Paris.", "in Paris", 1, id="c2"),
        Claim("The tower is 300 metres tall.", "300 metres", 2, id="c3", start=9),
        Claim("The tower is 300 m tall.", "300 m", 1, id="c4", start=5),
        Claim("the tower  is 300 m tall.", "300 m", 3, id="c5"),
    ]
    done = group(claims)
    assert [c.id for c in done.roots] == ["c1", "c2"]
    assert [(c.id, c.of) for c in done.duplicates] == [("c3", "c1"), ("c4", "c1"), ("c5", "c1")]
    assert [c.source for c in done.roots[0].citations] == [1, 2, 3]
    assert len(done.roots) + len(done.duplicates) == len(claims)


def test_claims_in_conflict_are_kept_apart_and_listed() -> None:
    done = group([Claim("The tower is 300 m tall.", "q", 1, id="a"), Claim("The tower is 330 m tall.", "q", 2, id="b")])
    assert len(done.roots) == 2 and not done.duplicates
    assert [(c.first, c.second) for c in done.conflicts] == [(0, 1)]


def test_grouping_many_claims_compares_few_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(1)
    words = ["".join(rng.choices("abcdefghijklmnop", k=6)) for _ in range(3000)]
    claims = [Claim(" ".join(rng.choices(words, k=12)) + ".", "q", 1, id=str(i), language="en") for i in range(4000)]
    compared = 0

    def counted(a: str, b: str, language: str | None = None) -> duplicates.Relation:
        nonlocal compared
        compared += 1
        return relation(a, b, language)

    monkeypatch.setattr(duplicates, "relation", counted)
    near = Claim(claims[7].text.replace(".", " now."), "q", 2, id="near", language="en")
    assert len(group([*claims, near]).roots) == 4000
    assert 1 <= compared < 4000  # all pairs would be eight million


def test_copies_are_found_whole_or_in_part_and_alterations_are_flagged() -> None:
    texts = [
        ARTICLE,
        "Quantum computers hold their states in rings that are cooled to some thousandths of a kelvin, " * 3,
        "Home | News\n\n" + ARTICLE.replace("the great fire", "the  great fire") + "\n\nShare. 12 May 2020.",
        ARTICLE.replace("31,000", "13,000"),
    ]
    found = near_copies(texts)
    assert found.groups == ((0, 2, 3),)
    assert {(c.first, c.second) for c in found.conflicts} == {(0, 3), (2, 3)}
    assert "31,000" in found.conflicts[0].says and "13,000" in found.conflicts[0].instead


def test_the_frame_of_a_page_makes_no_conflict() -> None:
    a = ARTICLE + "\n\nUpdated 3 May 2020"
    b = ARTICLE + "\n\nUpdated 9 June 2021"
    assert conflicts_between(a, b) == []


def test_numbers_are_masked_in_figures_and_words() -> None:
    assert masked_terms("It had 31,000 inhabitants and three towers in May.") == masked_terms(
        "It had twelve inhabitants and 9 towers in June."
    )


def test_a_part_of_a_text_is_contained_though_it_resembles_little() -> None:
    part, whole = (
        sketch(ARTICLE),
        sketch(ARTICLE + " Another long sentence about the weather in the hills and the sheep. "),
    )
    assert containment(part, whole) == 1.0 and resemblance(part, whole) < 1.0


def test_long_texts_compare_by_a_sample() -> None:
    rng = random.Random(2)
    words = [str(rng.random()) for _ in range(20_000)]
    text = " ".join(f"w{w[2:7]}" for w in words)
    other = " ".join(f"w{w[2:7]}" for w in words[:10_000]) + " " + " ".join(f"v{i}" for i in range(10_000))
    a, b = sketch(text), sketch(other)
    assert len(a.hashes) <= 256
    assert 0.3 < containment(a, b) < 0.7


def test_groups_are_named_by_their_smallest_member() -> None:
    groups = Groups()
    for a, b in ((5, 3), (9, 5), (1, 9)):
        groups.join(a, b)
    assert {groups.root(n) for n in (1, 3, 5, 9)} == {1} and groups.root(7) == 7
