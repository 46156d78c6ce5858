"""Critic, writer, citer and the template writer."""

import pytest
from extractive_pages import FakeContext, claim, finding, outcome, question
from hypothesis import given
from hypothesis import strategies as st

from research_crew.agents.assemble import assemble
from research_crew.agents.extractive.critic import criticise
from research_crew.agents.extractive.writer import write
from research_crew.agents.fallback import template_draft
from research_crew.agents.gather import gather
from research_crew.agents.roles import Critique, Draft
from research_crew.agents.wording import wording

TEXTS = {1: ("Herons", ""), 2: ("Cranes", ""), 3: ("Trains", "")}
ASKED = "What does the grey heron eat?"
CLAIMS = (
    claim("a/1/1", "The grey heron eats fish, frogs and small mammals.", 1),
    claim("a/1/2", "The grey heron eats fish and frogs at dawn.", 1),
    claim("a/1/3", "The common crane eats roots and insects.", 2),
    claim("a/1/4", "The railway opened in 1850 and carried coal.", 3),
)


def context(**results: object) -> FakeContext:
    return FakeContext(lambda _: outcome(), TEXTS, results or {"research:0": finding(*CLAIMS)})


def cut(strictness: float) -> Critique:
    return criticise(question(ASKED, strictness=strictness), (ASKED,), context())  # type: ignore[arg-type]


@given(st.floats(0, 1), st.floats(0, 1))
def test_a_stricter_critic_keeps_a_subset(one: float, other: float) -> None:
    mild, strict = sorted((one, other))
    assert {c.id for c in cut(strict).kept} <= {c.id for c in cut(mild).kept}


def test_strictness_0_cuts_nothing_and_1_keeps_the_best_alone_with_reasons_for_the_rest() -> None:
    assert len(cut(0).kept) == len(CLAIMS)
    strict = cut(1)
    assert strict.kept[0].id == "a/1/1"
    assert "a/1/4" in {c.claim for c in strict.cuts}
    assert all(c.reason for c in strict.cuts)


def test_the_next_link_of_a_chain_is_relevant_although_it_shares_no_word_with_the_question() -> None:
    film = claim("a/1/1", "Bloody Moon is a film directed by Jesús Franco.", 1)
    person = claim("a/1/2", "He lived in Málaga for many years.", 2)
    other = claim("a/1/3", "He lived in Leipzig for many years.", 3)
    titles = {1: ("Bloody Moon", ""), 2: ("Jesús Franco", ""), 3: ("Karl Marx", "")}
    ctx = FakeContext(lambda _: outcome(), titles, {"research:0": finding(film, other, person)})
    made = criticise(question("Who directed the film Bloody Moon?", strictness=0.5), (), ctx)  # type: ignore[arg-type]
    kept = {c.id for c in made.kept}
    assert "a/1/2" in kept
    assert "a/1/3" not in kept


def test_duplicates_join_the_root_and_copies_of_a_text_count_as_one_witness() -> None:
    same = "The grey heron eats fish, frogs and small mammals."
    found = {
        "research:0": finding(claim("a/1/1", same, 1)),
        "research:1": finding(claim("b/1/1", same, 2, "research:1"), claim("b/1/2", same, 3, "research:1")),
    }
    made = gather(found, witness=lambda n: 2 if n == 3 else n)
    assert [c.id for c in made.kept] == ["a/1/1"]
    assert made.duplicates == {"b/1/1": "a/1/1", "b/1/2": "a/1/1"}
    assert made.support["a/1/1"] == (1, 2)


def test_claims_that_differ_in_a_figure_are_shown_as_one_contradiction() -> None:
    found = finding(
        claim("a/1/1", "The tower is 300 metres tall.", 1), claim("a/1/2", "The tower is 324 metres tall.", 2)
    )
    critique = gather({"research:0": found})
    assert critique.conflicts == (("a/1/1", "a/1/2"),)
    draft = write(question("How tall is the tower?"), {}, {}, context(critique=critique))  # type: ignore[arg-type]
    line = next(row for row in draft.markdown.splitlines() if "300 metres" in row)
    assert f"; {wording('en').disagree}: The tower is 324 metres tall. [c2]" in line


def test_a_section_for_each_part_in_the_order_of_the_plan_under_headings_of_their_own() -> None:
    critique = Critique(
        (claim("b/1/1", "Cranes winter in Spain.", 2, "research:1"), claim("a/1/1", "Herons eat fish.", 1))
    )
    objectives = {"research:0": "what herons do", "research:1": "what herons do"}
    draft = write(question("Herons and cranes?"), objectives, {}, context(critique=critique))  # type: ignore[arg-type]
    headings = [row for row in draft.markdown.splitlines() if row.startswith("## ")]
    assert headings == ["## What herons do", "## What herons do (2)"]
    assert draft.markdown.index("Herons eat fish.") < draft.markdown.index("Cranes winter in Spain.")


@pytest.mark.parametrize("leads", [{}, {"what cranes do": ["crane winter Spain"]}])
def test_a_part_without_a_claim_is_a_gap_and_worth_another_loop_only_with_a_query_that_nobody_asked(
    leads: dict[str, list[str]],
) -> None:
    critique = Critique((claim("a/1/1", "Herons eat fish.", 1),))
    objectives = {"research:0": "what herons do", "research:1": "what cranes do"}
    draft = write(question("Herons and cranes?"), objectives, leads, context(critique=critique))  # type: ignore[arg-type]
    assert draft.gaps == ("what cranes do",)
    assert draft.needs_more_research is bool(leads)
    assert wording("en").nothing_found.format(part="what cranes do") in draft.markdown


def test_what_does_not_fit_into_the_limits_of_the_answer_is_named() -> None:
    asked = question(ASKED, max_claims=3, max_words=17)
    draft = write(asked, {}, {}, context(critique=Critique(CLAIMS)))  # type: ignore[arg-type]
    assert [c.id for c in draft.claims] == ["a/1/1", "a/1/3"]
    assert draft.cut_for_space == ("a/1/2", "a/1/4")


@pytest.mark.parametrize("language", ["en", "de", "fr", "es", "zh", "ja"])
def test_the_fixed_words_follow_the_language_of_the_question(language: str) -> None:
    critique = Critique((CLAIMS[0],))
    asked = question("?", language)
    draft = write(asked, {}, {}, context(critique=critique))  # type: ignore[arg-type]
    assert f"> {wording(language).verbatim}" in draft.markdown
    template = template_draft(asked, critique)
    assert f"> {wording(language).unsynthesised}" in template.markdown
    assert template.by == "template"
    if language != "en":
        assert wording(language) != wording("en")
    assert assemble(draft).unbacked == assemble(template).unbacked == ()


def test_labels_become_source_numbers_in_reading_order() -> None:
    markdown = "# Q\n\nCranes eat roots [c2]. Herons eat fish [c1][c2].\n"
    report = assemble(Draft(markdown, {"c1": "a/1/1", "c2": "a/1/3"}, CLAIMS))
    assert "Cranes eat roots [2]. Herons eat fish [1][2]." in report.markdown
    assert report.references == (2, 1)
    assert report.claims == ("a/1/3", "a/1/1")


def test_unknown_labels_are_removed_and_sentences_on_nothing_are_listed() -> None:
    report = assemble(Draft("# Q\n\nHerons fly high. Cranes dance [c9].\n", {"c1": "a/1/1"}, CLAIMS))
    assert "c9" not in report.markdown
    assert any("c9" in warning for warning in report.warnings)
    assert report.unbacked == ("Herons fly high.", "Cranes dance")


def test_a_numeral_that_no_cited_claim_has_is_reported() -> None:
    report = assemble(Draft("# Q\n\nThe railway opened in 1851 [c1].\n", {"c1": "a/1/4"}, CLAIMS))
    assert any("1851" in warning for warning in report.warnings)
