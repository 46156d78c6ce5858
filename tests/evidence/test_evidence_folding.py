import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_crew.evidence.folding import content_terms, fold, terms


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Übermäßig", "ubermassig"),
        ("CAFÉ", "cafe"),
        ("cafe\u0301", "cafe"),
        ("ﬁnance", "finance"),
        ("ＡＢＣ１２", "abc12"),
        ("Łódź Søren", "lodz soren"),
        ("が", "が"),
        ("メタン", "メタン"),
        ("한국", "한국"),
        ("Ёлка", "елка"),
    ],
)
def test_fold(text: str, folded: str) -> None:
    assert fold(text) == folded


@given(st.text())
def test_folding_twice_changes_nothing_more_for_search(text: str) -> None:
    assert terms(fold(text)) == terms(text)


def test_words_and_pairs() -> None:
    assert terms("CO2 per-capita, 1.5 °C") == ["co2", "per", "capita", "1", "5", "c"]
    assert terms("减排成本") == ["减排", "排成", "成本"]
    assert terms("水") == ["水"]
    assert terms("한국의 수도") == ["한국", "국의", "수도"]


def test_pairs_of_hiragana_are_grammar_and_go() -> None:
    found = terms("メタン削減について")
    assert "メタ" in found and "削減" in found
    assert "につ" not in found and "いて" not in found


def test_the_same_word_is_found_in_another_spelling() -> None:
    assert set(terms("ubermassig")) <= set(terms("Das ist übermäßig teuer."))
    assert set(terms("減排")) <= set(terms("溫室氣體減排"))


def test_content_terms_leave_out_function_words() -> None:
    assert content_terms("What is the capital of France?") == ["capital", "france"]
    assert content_terms("Was ist die Hauptstadt von Frankreich?") == ["hauptstadt", "frankreich"]
    assert content_terms("the of and") == []
