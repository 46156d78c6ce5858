"""JSON as models write it: strict JSON is read as it is, and what is broken is read as it was meant."""

import contextlib
import json
import time
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from research_crew.models.json_text import NotJson, read_json

PLAIN = st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(max_size=30)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False, width=32)
VALUES = st.recursive(
    PLAIN | NUMBERS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=20,
)
KEYS = st.text("abcdefgh_xyz", min_size=1, max_size=8)
WORDS = st.text("abcdefghij klmnop", min_size=1, max_size=20).map(str.strip).filter(bool)
TAME = st.dictionaries(KEYS, WORDS | st.integers(0, 999) | st.lists(WORDS, max_size=3), min_size=1, max_size=4)


@given(VALUES)
def test_strict_json_is_read_as_it_is(value: Any) -> None:
    for text in (json.dumps(value), json.dumps(value, ensure_ascii=False), json.dumps(value, indent=2)):
        read = read_json(text)
        assert (read.value, read.cut, read.notes) == (value, False, ())


@given(st.lists(VALUES, min_size=1, max_size=3) | st.dictionaries(st.text(max_size=8), VALUES, min_size=1, max_size=3))
def test_the_tolerant_reader_reads_strict_json_the_same_way(value: Any) -> None:
    """Begun in the middle of a text, so that the strict parser has no part in it."""
    text = "x " + json.dumps(value, ensure_ascii=False)
    read = read_json(text, 2)
    assert read.value == value
    assert not read.cut
    assert read.end == len(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1,}', {"a": 1}),
        ('["a", "b",,]', ["a", "b"]),
        ('{"a": 1 "b": 2}', {"a": 1, "b": 2}),
        ('{"a": "x" "b": "y"}', {"a": "x", "b": "y"}),
        ('["a"\n"b"]', ["a", "b"]),
        ('["a" "b"]', ["a", "b"]),
        ("{'a': 'it\\'s', 'b': None, 'c': True}", {"a": "it's", "b": None, "c": True}),
        ("('a', 'b')", ["a", "b"]),
        ("{a: 1, b-c: 2}", {"a": 1, "b-c": 2}),
        ('{"a" = 1; "b" => 2}', {"a": 1, "b": 2}),
        ('{"a": yes please, "b": 1}', {"a": "yes please", "b": 1}),
        ('{"a": 12 %, "b": 3 to 5}', {"a": "12 %", "b": "3 to 5"}),
        ('{“a”: “b”}', {"a": "b"}),
        ('{"a": "C:\\docs\\new", "b": "\\( x \\)"}', {"a": "C:\\docs\new", "b": "\\( x \\)"}),
        ('{"a": "one\ntwo"}', {"a": "one\ntwo"}),
        ('{"a": "he said "yes", and left", "b": 1}', {"a": 'he said "yes", and left', "b": 1}),
        ('["the "best" one", "b"]', ['the "best" one', "b"]),
        ('{"a": 1, // first\n "b": 2 /* second */}', {"a": 1, "b": 2}),
        ('{"a": [1, 2}', {"a": [1, 2]}),
        ('{"a": [1, 2]]}', {"a": [1, 2]}),
        ('{"a": "x", ...}', {"a": "x"}),
        ('["a", …]', ["a"]),
        ('{"a": , "b": 2}', {"a": None, "b": 2}),
        ('{"a": NaN, "b": Infinity, "c": undefined}', {"a": None, "b": None, "c": None}),
        ('{"a": .5, "b": +3, "c": 0x1F, "d": 007}', {"a": 0.5, "b": 3, "c": 31, "d": 7}),
        ('{"a": "\\ud83d\\ude00", "b": "\\ud83d", "c": "\\u00e"}', {"a": "😀", "b": "\ufffd", "c": "\\u00e"}),
        ("\ufeff{\"a\": 1}", {"a": 1}),
    ],
)  # fmt: skip
def test_what_is_broken_is_read_as_it_was_meant(text: str, value: Any) -> None:
    read = read_json(text)
    assert read.value == value
    assert not read.cut


def test_brackets_that_are_wrong_or_missing_at_the_end_are_forgiven() -> None:
    assert read_json('{"a": {"b": 1]').value == {"a": {"b": 1}}
    assert read_json('{"a": [1, 2, "b": 3}').value["a"][:2] == [1, 2]


@given(TAME, st.sampled_from(["comma", "single", "python", "bare"]))
def test_kinds_of_damage_do_not_change_the_value(value: dict[str, Any], kind: str) -> None:
    text = json.dumps(value, indent=1)
    if kind == "comma":
        text = text.replace("\n}", ",\n}").replace("]", ",]")
    elif kind in ("single", "python"):
        text = repr(value)
    else:
        for key in value:
            text = text.replace(f'"{key}":', f"{key}:")
    assert read_json(text).value == value


@given(TAME, st.data())
def test_cut_anywhere_what_came_is_kept_and_nothing_is_made_up(value: dict[str, Any], data: st.DataObject) -> None:
    text = json.dumps(value)
    at = data.draw(st.integers(1, len(text) - 1))
    read = read_json(text[:at])
    assert read.cut
    assert isinstance(read.value, dict)
    for key, part in read.value.items():
        whole = value[key]
        if isinstance(part, list):
            assert isinstance(whole, list)
            assert part[:-1] == whole[: max(0, len(part) - 1)]
        elif isinstance(part, str):
            assert str(whole).startswith(part)
        else:
            assert part == whole


@pytest.mark.parametrize("text", ['{"a": 12', '{"a": [1, 23', '{"a": -', '{"a": 1.'])
def test_a_number_cut_in_two_is_not_a_number(text: str) -> None:
    value = read_json(text).value
    assert value in ({}, {"a": [1]})


def test_a_word_cut_in_two_is_finished_when_only_one_word_begins_so() -> None:
    assert read_json('{"a": tru').value == {"a": True}
    assert read_json('{"a": nul').value == {"a": None}


@pytest.mark.parametrize("text", ["", "   ", "word", ":", "}", "]", "// only a comment"])
def test_no_value_is_an_error_of_its_own(text: str) -> None:
    with pytest.raises(NotJson):
        read_json(text)


@settings(max_examples=400)
@given(st.text(alphabet='{}[]()":,\\\'"“”\n ab1-.…#/*=>tfn', max_size=60))
@example('{"a": "\\')
@example('{"":{"":"')
@example("[[[[")
@example('{"a"')
def test_any_garbage_is_read_or_refused_and_never_breaks(text: str) -> None:
    try:
        read = read_json(text)
    except NotJson:
        return
    assert 0 <= read.end <= len(text)
    json.dumps(read.value)


@pytest.mark.parametrize(
    "text",
    ["[" * 100_000, "{" * 100_000, '{"a":' * 50_000, '"' * 100_000, '["' + '" ' * 50_000, "{" + " " * 200_000,
     '{"a": "' + '\\' * 200_001, "[" + "1," * 100_000, '{"a": ' + "x " * 100_000, "'" * 99_999, "[" + '"a",' * 50_000],
)  # fmt: skip
def test_a_hostile_text_takes_no_time(text: str) -> None:
    began = time.process_time()
    for start in (0, 1):
        with contextlib.suppress(NotJson):
            read_json(text, start)
    assert time.process_time() - began < 2.0


def test_a_number_of_more_digits_than_python_reads_stays_text() -> None:
    assert read_json('x{"n": ' + "9" * 5_000 + "}", 1).value == {"n": "9" * 5_000}
    with pytest.raises(NotJson):
        read_json("9" * 5_000 + "x")
