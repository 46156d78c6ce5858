import dataclasses

import pytest

from research_crew.evidence.claim import Claim
from research_crew.evidence.source import SourceRegistry
from research_crew.evidence.verify import REASONS, judge, verify, verify_all

TEXT = (
    "Malaria report. In 2021 there were 247 million cases of malaria. The agency did not recommend the vaccine for adults. "
    "Deaths fell to 619,000 in that year. A separate chapter deals with dengue and its spread."
)


@pytest.fixture
def registry() -> SourceRegistry:
    sources = SourceRegistry()
    sources.register(url="https://example.com/a", title="World malaria report")
    sources.store_text(1, TEXT)
    sources.register(url="https://example.com/b")
    return sources


@pytest.mark.parametrize(
    ("claim", "verdict", "stage", "code"),
    [
        (Claim("…", "x", 1), "unsupported", "source", "empty-claim"),
        (Claim("It rained.", "It rained.", 9), "unsupported", "source", "unknown-source"),
        (Claim("It rained.", "It rained.", 2), "unsupported", "source", "source-not-read"),
        (Claim("It rained.", " ", 1), "unsupported", "quote", "no-quote"),
        (Claim("It rained.", "It rained all day in Geneva.", 1), "unsupported", "quote", "quote-not-found"),
        (Claim("There were 250 million cases of malaria in 2021.", "In 2021 there were 247 million cases of malaria.", 1), "unsupported", "numbers", "number-not-in-quote"),
        (Claim("The agency recommended the vaccine for adults.", "The agency did not recommend the vaccine for adults.", 1), "unsupported", "negation", "negation-differs"),
        (Claim("Dengue killed the mayor of a town in spring.", "A separate chapter deals with dengue and its spread.", 1), "unsupported", "support", "little-support"),
        (Claim("Deaths fell to 619,000.", "Deaths fell to 619,000 in that year.", 1), "supported", "support", "supported"),
        (Claim("The report by UNICEF says deaths fell to 619,000 in that year.", "Deaths fell to 619,000 in that year.", 1), "partly", "names", "name-not-in-quote"),
    ],
)  # fmt: skip
def test_each_failure_has_its_own_reason(
    registry: SourceRegistry, claim: Claim, verdict: str, stage: str, code: str
) -> None:
    check = verify(claim, registry).check
    assert check is not None and (check.verdict, check.stage, check.code) == (verdict, stage, code)
    assert code in REASONS


def test_the_place_of_the_quote_is_in_the_stored_text(registry: SourceRegistry) -> None:
    done = verify(Claim("Deaths fell to 619,000.", "“deaths  fell to 619,000 in that year”", 1), registry)
    assert done.start is not None and TEXT[done.start : done.end] == "Deaths fell to 619,000 in that year"


def test_an_altered_quote_cannot_vouch_for_an_altered_claim(registry: SourceRegistry) -> None:
    altered = "In 2021 there were 274 million cases of malaria."
    check = verify(Claim(altered, altered, 1), registry).check
    assert check is not None and check.verdict == "unsupported" and check.stage in ("numbers", "quote")


def test_a_verbatim_sentence_is_always_supported(registry: SourceRegistry) -> None:
    for sentence in ("Malaria report.", "The agency did not recommend the vaccine for adults."):
        check = verify(Claim(sentence, sentence, 1), registry).check
        assert check is not None and (check.verdict, check.score) == ("supported", 1.0)


def test_a_quoted_source_keeps_its_text(registry: SourceRegistry) -> None:
    verify(Claim("Deaths fell to 619,000.", "Deaths fell to 619,000 in that year.", 1), registry)
    registry.store_text(1, "another version")
    assert registry.text(1) == TEXT


def test_an_entailment_function_decides_after_the_rules(registry: SourceRegistry) -> None:
    asked: list[tuple[str, str]] = []

    def sure(premise: str, claim: str) -> float:
        asked.append((premise, claim))
        return 0.9 if "fell" in premise else 0.1

    good = Claim("Fewer people died.", "Deaths fell to 619,000 in that year.", 1)
    bad = Claim("There were cases of malaria.", "In 2021 there were 247 million cases of malaria.", 1)
    wrong = Claim("There were 9 cases of malaria.", "In 2021 there were 247 million cases of malaria.", 1)
    checks = [c.check for c in verify_all([good, bad, wrong], registry, sure)]
    assert [(c.verdict, c.code) for c in checks if c] == [
        ("supported", "supported"),
        ("unsupported", "not-entailed"),
        ("unsupported", "number-not-in-quote"),
    ]
    assert len(asked) == 2


def test_another_language_is_checked_by_its_figures_only() -> None:
    quote = "2021年全球疟疾病例约为2.47亿例。"
    ok = judge("There were 247 million cases of malaria in 2021.", quote)
    assert (ok.verdict, ok.code) == ("partly", "other-language")
    assert judge("There were 250 million cases of malaria in 2021.", quote).stage == "numbers"


def test_verifying_changes_nothing_but_the_check(registry: SourceRegistry) -> None:
    claim = Claim("Deaths fell.", "Deaths fell to 619,000 in that year.", 1, id="c1", task="research:0")
    done = verify(claim, registry)
    assert dataclasses.replace(done, check=None, start=None, end=None) == claim
