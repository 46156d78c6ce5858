"""Values out of JSON: what fits stays, what nearly fits is put right and noted, what does not is refused by name."""

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from research_crew.models.answer import Unreadable
from research_crew.models.coerce import coerce
from research_crew.models.protocol import ModelRequest
from research_crew.models.schema import in_words, prompt_of, schema_of, skeleton


@dataclass(frozen=True)
class Inner:
    claim: str = field(metadata={"about": "one sentence", "characters": 80})
    source: int = field(default=1, metadata={"low": 1, "high": 99})


@dataclass(frozen=True)
class Answer:
    verdict: Literal["keep", "cut", "needs-work"]
    sure: bool = False
    score: float = field(default=0.0, metadata={"low": 0.0, "high": 1.0})
    count: int | None = None
    inner: Inner | None = None
    many: tuple[Inner, ...] = field(default=(), metadata={"most": 3})
    words: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Named:
    by_name: Mapping[str, float]


class Modelled(BaseModel):
    title: str
    tags: list[str] = []
    best: Literal["a", "b"] = "a"


ANSWERS = st.builds(
    Answer,
    verdict=st.sampled_from(["keep", "cut", "needs-work"]), sure=st.booleans(), score=st.floats(0, 1),
    count=st.none() | st.integers(0, 10**6),
    inner=st.none() | st.builds(Inner, st.text("abc xyz", min_size=1).map(str.strip).filter(bool), st.integers(1, 99)),
    many=st.lists(st.builds(Inner, st.sampled_from(["a", "b", "c"]), st.integers(1, 99)), max_size=3).map(tuple),
    words=st.lists(st.text("abc", min_size=1, max_size=3), max_size=3, unique=True),
)  # fmt: skip


def read(value: Any, kind: Any = Answer) -> tuple[Any, list[str]]:
    notes: list[str] = []
    return coerce(kind, value, notes), notes


@given(ANSWERS)
def test_a_value_that_fits_comes_back_as_it_is_and_without_a_note(answer: Answer) -> None:
    assert read(json.loads(json.dumps(asdict(answer)))) == (answer, [])


@pytest.mark.parametrize(
    ("said", "truth"),
    [("yes", True), ("No.", False), (1, True), (0, False), ("true", True), ("False", False), ("ja", True), ("はい", True),
     ("Yes, because it holds", True), ([True], True), ("", False)],
)  # fmt: skip
def test_true_and_false_in_other_words(said: Any, truth: bool) -> None:
    assert read({"verdict": "keep", "sure": said})[0].sure is truth


@pytest.mark.parametrize(("said", "choice"), [("KEEP", "keep"), ("cut it", "cut"), ("needs work", "needs-work"),
                                             ("Needs_Work.", "needs-work"), (["keep"], "keep"), ("kep", "keep")])  # fmt: skip
def test_a_choice_by_its_spelling(said: Any, choice: str) -> None:
    assert read({"verdict": said})[0].verdict == choice


def test_a_choice_that_is_none_is_refused_with_the_choices() -> None:
    with pytest.raises(Unreadable, match="'verdict' should be one of keep, cut, needs-work"):
        read({"verdict": "perhaps"})


@pytest.mark.parametrize(
    ("said", "score"), [("0.5", 0.5), ("50 %", 1.0), (1, 1.0), ([0.25], 0.25), (-3, 0.0), (1e9, 1.0)]
)
def test_numbers_in_strings_and_out_of_bounds(said: Any, score: float) -> None:
    value, notes = read({"verdict": "keep", "score": said})
    assert value.score == score
    assert said in (1, [0.25]) or any("'score'" in note for note in notes)


@pytest.mark.parametrize("said", ["many", {}, [], math.nan, math.inf, True, "1" * 400])
def test_no_number_leaves_the_default_with_a_note(said: Any) -> None:
    value, notes = read({"verdict": "keep", "score": said})
    assert value.score == 0.0
    assert any("score" in note for note in notes)


def test_whole_numbers_are_rounded_and_null_is_none() -> None:
    assert read({"verdict": "keep", "count": 2.6})[0].count == 3
    for nothing in (None, "null", "N/A", ""):
        assert read({"verdict": "keep", "count": nothing})[0].count is None


def test_texts_are_cut_to_their_bound_and_lists_to_theirs() -> None:
    value, notes = read(
        {"verdict": "keep", "many": [{"claim": "x" * 100}, {"claim": "b"}, {"claim": "c"}, {"claim": "d"}]}
    )
    assert [len(inner.claim) for inner in value.many] == [80, 1, 1]
    assert any("100 characters" in note for note in notes)
    assert any("4 entries" in note for note in notes)


def test_an_object_in_place_of_a_list_and_a_list_in_place_of_an_object() -> None:
    value, _ = read({"verdict": "keep", "many": {"claim": "a"}, "inner": [{"claim": "b"}]})
    assert (value.many, value.inner) == ((Inner("a"),), Inner("b"))


def test_texts_of_lists_and_objects() -> None:
    for said, text in ((["a", "b"], "a; b"), ({"text": "a", "n": 1}, "a"), (7, "7"), ([["a"], None, "b"], "a; b")):
        assert read({"claim": said}, Inner)[0].claim == text


def test_control_characters_and_lone_surrogates_do_not_come_through() -> None:
    assert read({"claim": "a\x00b\ud800"}, Inner)[0].claim.encode() == b"ab?"


def test_a_mapping_of_numbers() -> None:
    assert read({"by_name": {"a": "1.5"}}, Named)[0].by_name == {"a": 1.5}
    assert read({"by_name": [["a", 2], ["b", 3]]}, Named)[0].by_name == {"a": 2.0, "b": 3.0}
    with pytest.raises(TypeError):
        schema_of(Named)


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
                    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(
                        st.sampled_from(["verdict", "many", "claim", "words", "inner", "sure", "x"]), inner, max_size=4),
                    max_leaves=15))  # fmt: skip
def test_any_json_is_read_or_refused_with_a_sentence(value: Any) -> None:
    try:
        made, _ = read(value)
    except Unreadable as error:
        assert error.complaint
    else:
        assert isinstance(made, Answer)
        json.dumps(asdict(made), allow_nan=False)


def test_a_pydantic_model_is_read_the_same_way() -> None:
    value, notes = read({"Title": ["t"], "tags": "x", "best": "B"}, Modelled)
    assert value == Modelled(title="t", tags=["x"], best="b")
    assert notes
    with pytest.raises(Unreadable, match="'title' is missing"):
        read({}, Modelled)


def test_the_schema_has_every_bound_and_no_freedom() -> None:
    schema = schema_of(Answer)
    assert schema["required"] == list(schema["properties"])
    assert schema["additionalProperties"] is False
    assert schema["properties"]["many"]["maxItems"] == 3
    inner = schema["properties"]["many"]["items"]
    assert inner["properties"]["claim"] == {"type": "string", "maxLength": 80, "description": "one sentence"}
    assert inner["properties"]["source"] == {"type": "integer", "minimum": 1, "maximum": 99}
    assert schema["properties"]["count"] == {"anyOf": [{"type": "integer"}, {"type": "null"}]}
    assert schema["properties"]["verdict"]["enum"] == ["keep", "cut", "needs-work"]
    assert schema_of(Modelled)["properties"]["tags"]["maxItems"] > 0


def test_the_form_in_words_is_json_and_reads_back() -> None:
    form = skeleton(schema_of(Inner))
    assert json.loads(form) == {"claim": "one sentence", "source": 1}
    assert read(json.loads(form), Inner)[0] == Inner("one sentence")
    request = ModelRequest("Which?", schema=schema_of(Inner), rung="text")
    assert prompt_of(request) == f"Which?\n\n{in_words(schema_of(Inner))}"
    assert prompt_of(ModelRequest("Which?", schema=schema_of(Inner), rung="native")) == "Which?"
