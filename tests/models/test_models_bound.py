"""The bound on prompt tokens: never below the truth for ordinary text, and near it once a model has answered."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from models_desk import PRICE

from research_crew.core.money import Price, Usage
from research_crew.models.bound import Bounds, by_bytes, by_pieces
from research_crew.models.protocol import Message, ModelReply, ModelRequest


class Named:
    """A model of which only the name matters here."""

    provider, window = "openai", None
    price: Price = PRICE

    def __init__(self, name: str = "a") -> None:
        self.name = name

    async def send(self, request: ModelRequest, *, timeout: float, on_text: object = None) -> ModelReply:
        raise AssertionError("nothing is sent")


MODEL = Named()
ENGLISH = ModelRequest("The quick brown fox jumps over the lazy dog. " * 100)


def test_half_a_token_for_a_byte_of_ascii_and_three_quarters_for_others() -> None:
    assert by_bytes("a" * 1_000) == 500
    assert by_bytes("減" * 1_000) == 2_250
    assert by_bytes("é" * 10 + "e" * 10) == 20


@given(st.text(max_size=300), st.text(max_size=300))
def test_more_text_never_has_a_lower_bound(one: str, two: str) -> None:
    bounds = Bounds()
    assert bounds.prompt(MODEL, ModelRequest(one)) <= bounds.prompt(MODEL, ModelRequest(one + two))


def test_everything_that_is_sent_is_counted() -> None:
    bounds = Bounds()
    plain = bounds.prompt(MODEL, ModelRequest("x"))
    for request in (
        ModelRequest("x", system="y" * 100), ModelRequest("x", history=(Message("user", "y" * 100),)),
        ModelRequest("x", schema={"type": "object", "properties": {"y" * 100: {}}}),
        ModelRequest("x", schema={"type": "object", "properties": {"y" * 100: {}}}, rung="text"),
    ):  # fmt: skip
        assert bounds.prompt(MODEL, request) >= plain + 50


def test_after_three_answers_the_bound_is_a_quarter_above_the_highest_share_seen() -> None:
    bounds = Bounds()
    first = bounds.prompt(MODEL, ENGLISH)
    for number, tokens in enumerate((1_000, 1_100, 900)):
        assert bounds.prompt(MODEL, ENGLISH) == first, number
        bounds.saw(MODEL, ENGLISH, tokens)
    assert bounds.prompt(MODEL, ENGLISH) == pytest.approx(1.25 * 1_100, abs=1)
    assert bounds.prompt(Named("b"), ENGLISH) == first


def test_it_never_rises_above_the_bound_by_bytes_and_forgets_no_high_share() -> None:
    bounds = Bounds()
    first = bounds.prompt(MODEL, ENGLISH)
    for tokens in (first, 10, 10, 10):
        bounds.saw(MODEL, ENGLISH, tokens)
    assert bounds.prompt(MODEL, ENGLISH) == first


def test_what_was_learned_from_english_still_bounds_chinese() -> None:
    """English has a quarter of a token a byte, Chinese up to half: the same share of the bound by bytes."""
    bounds = Bounds()
    for _ in range(3):
        bounds.saw(MODEL, ENGLISH, len(ENGLISH.prompt) // 4)
    chinese = ModelRequest("減排成本是多少" * 200)
    assert bounds.prompt(MODEL, chinese) >= len(chinese.prompt.encode()) * 0.4


def test_strict_takes_a_token_for_every_byte() -> None:
    assert Bounds(strict=True).prompt(MODEL, ModelRequest("é" * 1_000)) >= 2_000
    bounds = Bounds(strict=True)
    for _ in range(5):
        bounds.saw(MODEL, ENGLISH, 10)
    assert bounds.prompt(MODEL, ENGLISH) >= len(ENGLISH.prompt)


def test_a_tokenizer_at_hand_is_used() -> None:
    bounds = Bounds(counters={"openai:a": lambda text: len(text.split())})
    assert 900 <= bounds.prompt(MODEL, ENGLISH) <= 950


def test_an_estimate_is_never_nothing() -> None:
    bounds = Bounds()
    for reply in (ModelReply(""), ModelReply("word " * 100), ModelReply("", data={"a": "word " * 100})):
        used = bounds.estimate(MODEL, ModelRequest("x"), reply)
        assert used.input > 0
        assert used.output >= (1 if not (reply.text or reply.data) else 125)


@given(st.text("abcdefghij klmnop.,", min_size=50, max_size=2_000), st.text("abcdefghij .", max_size=500))
def test_an_estimate_is_above_what_ordinary_text_has(prompt: str, said: str) -> None:
    """About one token for four characters."""
    used: Usage = Bounds().estimate(MODEL, ModelRequest(prompt), ModelReply(said))
    assert used.input >= len(prompt) / 4
    assert used.output >= len(said) / 4


def test_by_pieces_counts_short_words_digits_and_marks_as_one_and_every_fence_alike() -> None:
    assert by_pieces("It is 1974.") == 7
    assert by_pieces("internationalisation") > by_pieces("word") == 1
    one, other = (by_pieces(f"<<<source 3 {mark}: data>>>") for mark in ("802ebda24dbb2488", "1111111111111111"))
    assert one == other


def test_a_schema_that_becomes_a_grammar_is_no_part_of_the_prompt() -> None:
    request = ModelRequest("What colour?", schema={"type": "object", "properties": {"colour": {"type": "string"}}}, rung="native")
    plain, grammar = Bounds(), Bounds(grammars=True)
    assert plain.prompt(MODEL, request) > grammar.prompt(MODEL, request)
    in_words = replace(request, rung="text")
    assert plain.prompt(MODEL, in_words) == grammar.prompt(MODEL, in_words)
