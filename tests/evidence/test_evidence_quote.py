import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_crew.evidence.normal import normal_text
from research_crew.evidence.quote import QuoteMatch, find_quote

TEXT = (
    "The oﬃce said “well-\nknown” things\u00a0about  exam-\nples , and the cafe\u0301 was ﬁne. "
    "Then 12％ rose — ｆｕｌｌ stop. In soft\u00adware, nothing\u200b is lost ."
)


def found(text: str, quote: str) -> tuple[str, bool] | None:
    match = find_quote(text, quote)
    return (text[match.start : match.end], match.exact) if match else None


@pytest.mark.parametrize(
    ("quote", "stored"),
    [
        ("The office said", "The oﬃce said"),
        ('said "well-known" things about examples, and', "said “well-\nknown” things\u00a0about  exam-\nples , and"),
        ("the café was fine.", "the cafe\u0301 was ﬁne."),
        ("12% rose - full stop", "12％ rose — ｆｕｌｌ stop"),
        ("In software, nothing is lost.", "In soft\u00adware, nothing\u200b is lost ."),
        ("“Then 12% rose”", "Then 12％ rose"),
        ("IN SOFTWARE", "In soft\u00adware"),
    ],
)
def test_the_same_words_are_found_exactly_whatever_their_form(quote: str, stored: str) -> None:
    assert found(TEXT, quote) == (stored, True)


def test_positions_are_code_points_of_the_stored_text() -> None:
    text = "𝒳 😀 before. The quote is here. After."
    match = find_quote(text, "The quote is here.")
    assert match == QuoteMatch(text.index("The"), text.index(" After"), True, 1.0)


def test_a_match_never_cuts_a_word() -> None:
    assert find_quote("Ukraine had a drain.", "rain") is None
    assert found("Ukraine had rain.", "rain") == ("rain", True)
    assert found("排放量减少了", "放量") == ("放量", True)


def test_unspaced_text_with_line_breaks() -> None:
    assert found("二氧化碳排放\n量在2020年下降。", "排放量在2020年") == ("排放\n量在2020年", True)


def test_an_ellipsis_may_leave_something_out() -> None:
    text = "Alpha beta gamma delta. Something else entirely stands here. Epsilon zeta eta theta iota."
    assert found(text, "Alpha beta gamma ... zeta eta theta") == (text[: text.index(" iota")], True)
    assert found(text, "Alpha beta gamma [...] zeta eta theta") == (text[: text.index(" iota")], True)
    assert find_quote(text, "zeta eta theta ... Alpha beta gamma") is None
    assert find_quote(text.replace("Something", "x " * 1000), "Alpha beta gamma ... zeta eta theta") is None


def test_a_quote_with_slips_is_found_nearly() -> None:
    text = "It is known. The committee decided in March to close all three of the remaining plants by 2030. More."
    match = find_quote(text, "The comittee decided in March to close all of the remaining plants by 2030")
    assert match is not None and not match.exact and 0.8 <= match.score < 1
    assert text[match.start : match.end] == text[len("It is known. ") : -len(". More.")]


def test_what_is_not_there_is_not_found() -> None:
    text = "The committee decided in March to close all three of the remaining plants by 2030."
    assert find_quote(text, "The committee refused in May to open any new power station before 2050") is None
    assert find_quote(text, "closing plants") is None
    assert find_quote(text, "") is None and find_quote(text, " ... ") is None and find_quote("", "a b c") is None


def test_a_strict_threshold_asks_for_more() -> None:
    text = "The committee decided in March to close all three of the remaining plants by 2030."
    quote = "The committee decided in April to close all three of the remaining plants by 2030"
    assert find_quote(text, quote, threshold=0.8) is not None
    assert find_quote(text, quote, threshold=0.99) is None


def test_a_page_of_a_megabyte_is_searched_quickly() -> None:
    rng = random.Random(3)
    words = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randint(2, 9))) for _ in range(4000)]
    text = " ".join(rng.choice(words) for _ in range(160_000))
    at = text.index(" ", 600_000) + 1
    quote = text[at : text.index(" ", at + 280)]
    slipped = " ".join(w for i, w in enumerate(quote.split()) if i % 12 != 5)
    assert len(text) > 900_000
    began = time.process_time()
    near, exact = find_quote(text, slipped), find_quote(text, quote.upper())
    spent = time.process_time() - began
    assert near is not None and (near.start, near.exact) == (at, False)
    assert exact == QuoteMatch(at, at + len(quote), True, 1.0)
    assert spent < 3  # measured: about 0.25 s; the bound is loose for loaded machines


@given(st.text(max_size=60))
def test_every_word_aligned_piece_of_a_text_is_found_in_it(text: str) -> None:
    match = find_quote(text, text)
    if match is not None:
        inside = text[match.start : match.end]
        assert normal_text(inside).text.strip("\"' .,;:!?。！？…") == normal_text(text).text.strip("\"' .,;:!?。！？…")
        assert match.exact


@given(st.text(max_size=40), st.integers(0, 40), st.integers(1, 10))
def test_spans_of_the_normal_form_map_into_the_text(text: str, start: int, size: int) -> None:
    normal = normal_text(text)
    if start + size <= len(normal.text):
        left, right = normal.span(start, start + size)
        assert 0 <= left < right <= len(text)
