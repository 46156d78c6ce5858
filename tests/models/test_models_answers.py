"""Replies that broke other research systems, each as its whole kind (numbers: rows of the list of such inputs)."""

import contextlib
import json
import time
from dataclasses import dataclass, field
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_crew.core.money import Usage
from research_crew.models.answer import Unreadable, answer_json, answer_text, json_in, split_decision
from research_crew.models.asking import read_as
from research_crew.models.prose import items_in, questions_in
from research_crew.models.protocol import ModelReply
from research_crew.models.unwrap import fenced_blocks, text_of, without_reasoning

NAMES = ("strategy", "complexity", "subtasks")
WORDS = st.text("abcdefghij ?.,äé中", min_size=1, max_size=30).map(str.strip).filter(bool)
PLANS = st.fixed_dictionaries(
    {
        "strategy": WORDS,
        "complexity": st.sampled_from(["simple", "comparison", "complex"]),
        "subtasks": st.lists(
            st.fixed_dictionaries({"objective": WORDS, "search_queries": st.lists(WORDS, max_size=3)}), max_size=3
        ),
    }
)
PROSE = st.text("abc def.,:;!?\n*-#()äé中[]1", max_size=60).filter(lambda t: "[" not in t or "]" not in t)
TAGS = st.sampled_from(["think", "thinking", "reasoning", "thought", "THINK", "analysis"])


@dataclass(frozen=True)
class Sub:
    objective: str
    search_queries: tuple[str, ...] = ()


@dataclass(frozen=True)
class PlanAnswer:
    strategy: str = ""
    complexity: Literal["simple", "comparison", "complex"] = "simple"
    subtasks: tuple[Sub, ...] = field(default=(), metadata={"most": 5})
    enough_context: bool = False
    locale: str = "en"


def reply(text: str = "", data: Any = None, finish: Any = "stop") -> ModelReply:
    return ModelReply(text, Usage(1, output=1), "measured", finish, data=data)


# 1: a fenced block with a sentence after it ------------------------------------------------------------------------


@given(
    PLANS,
    PROSE,
    PROSE,
    st.sampled_from(["json", "JSON", "", "python", "jsonc"]),
    st.sampled_from(["```", "~~~", "````"]),
)
def test_json_in_a_fence_is_found_whatever_stands_around_it(
    plan: dict[str, Any], before: str, after: str, name: str, fence: str
) -> None:
    text = f"{before}\n{fence}{name}\n{json.dumps(plan, indent=2)}\n{fence}\n{after}"
    parsed = json_in(text, NAMES)
    assert parsed.value == plan
    assert not parsed.cut
    if after.strip():
        assert parsed.prose.split()[-1] == after.split()[-1]


@given(PLANS, PROSE, PROSE)
def test_json_in_prose_without_a_fence_is_found_too(plan: dict[str, Any], before: str, after: str) -> None:
    assert json_in(f"{before}\n{json.dumps(plan)}\n{after}", NAMES).value == plan


def test_the_sentence_beside_the_json_is_kept_as_a_note() -> None:
    parsed = json_in('```json\n{"strategy": "s"}\n```\nLet me know if you need more.', NAMES)
    assert parsed.prose == "Let me know if you need more."
    assert "prose around the JSON" in parsed.notes


def test_footnotes_in_the_prose_are_no_answer() -> None:
    parsed = json_in('As [1] and [2, 3] show, the plan is {"strategy": "go"} [4].', NAMES)
    assert parsed.value == {"strategy": "go"}
    with pytest.raises(Unreadable):
        json_in("As [1] and [2, 3] show, there is no plan.", NAMES)


def test_an_example_before_the_answer_is_not_the_answer() -> None:
    text = (
        'For instance {"strategy": "..."} would do. Mine:\n{"strategy": "real", "complexity": "simple", "subtasks": []}'
    )
    assert json_in(text, NAMES).value["strategy"] == "real"


def test_a_fence_inside_a_string_does_not_end_the_block() -> None:
    text = '```json\n{"strategy": "use ```python\\nprint(1)\\n``` here", "subtasks": []}\n```'
    assert json_in(text, NAMES).value["strategy"].endswith("``` here")


# 2: reasoning ------------------------------------------------------------------------------------------------------


@given(PLANS, PROSE, TAGS, st.sampled_from(["", "\n", "\n\n", " "]))
def test_a_reasoning_block_is_dropped_before_parsing(plan: dict[str, Any], thought: str, tag: str, gap: str) -> None:
    draft = '{"strategy": "a draft", "complexity": "complex", "subtasks": [1, 2, 3, 4, 5, 6, 7, 8, 9]}'
    text = f"<{tag}>{thought} {draft}</{tag}>{gap}{json.dumps(plan)}"
    assert json_in(text, NAMES).value == plan
    assert "a draft" not in answer_text(reply(text))


@given(st.lists(WORDS, min_size=1, max_size=4), TAGS)
def test_a_list_after_reasoning_is_a_list(queries: list[str], tag: str) -> None:
    assert json_in(f"<{tag}>\nhm\n</{tag}>\n\n{json.dumps(queries)}").value == queries or all(
        len(query) < 4 for query in queries
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<think>a</think>The box is red.", "The box is red."),
        ("thinking aloud\n</think>\n\nThe box is red.", "The box is red."),
        ("<think>a</think>\n<think>b</think>\nThe box is red.", "The box is red."),
        ("One.\n<think>more</think>\nTwo.", "One.\nTwo."),
        ("<think>never closed, and the answer never came", ""),
        ("[THINK]a[/THINK]The box is red.", "The box is red."),
        ("◁think▷a◁/think▷The box is red.", "The box is red."),
        ("<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>The box is red.",
         "The box is red."),
        ("Some models write `<think>` first.", "Some models write `<think>` first."),
        ("The tag <think> opens, the tag </think> closes it, and both are tags.",
         "The tag <think> opens, the tag </think> closes it, and both are tags."),
        ('<think attr="1">a</think >The box is red.', "The box is red."),
    ],
)  # fmt: skip
def test_reasoning_is_never_printed_and_a_mention_of_its_tags_is(text: str, said: str) -> None:
    assert answer_text(reply(text)) == said


def test_an_answer_that_was_all_reasoning_says_so() -> None:
    with pytest.raises(Unreadable, match="still reasoning"):
        json_in("<think>so much to say", NAMES, "length")
    with pytest.raises(Unreadable, match="empty after the reasoning"):
        json_in("<think>so much</think>", NAMES)


@pytest.mark.parametrize("text", ["<think>" * 60_000, "<think>\n" * 50_000 + "</think>", "</think>\n" * 50_000,
                                  "```\n" * 50_000, " " * 300_000 + "```", "[" * 50_000, '{"a":' * 50_000,
                                  "{" * 1_000 + "x" * 100_000, '{"strategy": "' * 5_000])  # fmt: skip
def test_hostile_wrapping_takes_no_time(text: str) -> None:
    began = time.process_time()
    for finish in ("stop", "length"):
        with contextlib.suppress(Unreadable):
            json_in(text, NAMES, finish)
    answer_text(reply(text))
    split_decision(text, ("gaps",))
    assert time.process_time() - began < 5.0


# 3: blanks, nested lists, repetitions ------------------------------------------------------------------------------


@given(
    st.recursive(
        WORDS | st.just("") | st.just("  ") | st.none(), lambda inner: st.lists(inner, max_size=4), max_leaves=12
    )
)
def test_nested_query_lists_are_flattened_without_blanks_or_repetitions(nested: Any) -> None:
    def flat(part: Any) -> list[str]:
        if isinstance(part, list):
            return [word for inner in part for word in flat(inner)]
        return [part.strip()] if part and part.strip() else []

    queries = nested if isinstance(nested, list) else [nested]
    value = read_as(Sub)(reply(json.dumps({"objective": "o", "search_queries": queries}))).value
    assert value.search_queries == tuple(dict.fromkeys(flat(queries)))


def test_an_empty_string_and_a_list_in_a_list() -> None:
    read = read_as(Sub)(reply('{"objective": "o", "search_queries": ["", ["a", "b", "a"]]}'))
    assert read.value.search_queries == ("a", "b")
    assert any("lists in a list" in note for note in read.notes)


# 5: missing fields -------------------------------------------------------------------------------------------------


@given(PLANS, st.sets(st.sampled_from(NAMES)))
def test_missing_fields_get_their_defaults_and_a_warning_each(plan: dict[str, Any], missing: set[str]) -> None:
    left = {key: value for key, value in plan.items() if key not in missing}
    if not left:
        return
    read = read_as(PlanAnswer)(reply(json.dumps(left)))
    defaults = {"strategy": "", "complexity": "simple", "subtasks": ()}
    for name in missing:
        assert getattr(read.value, name) == defaults[name]
        assert any(name in note and "default" in note for note in read.notes)
    assert any("locale" in note for note in read.notes)
    assert read.value.locale == "en"


def test_a_missing_field_without_a_default_is_named() -> None:
    with pytest.raises(Unreadable, match="'objective' is missing"):
        read_as(Sub)(reply('{"search_queries": ["a"]}'))


def test_one_broken_entry_does_not_take_the_others_with_it() -> None:
    read = read_as(PlanAnswer)(reply('{"strategy": "s", "subtasks": [{"objective": "a"}, {"x": 1}, 7, null, "b"]}'))
    assert [sub.objective for sub in read.value.subtasks] == ["a", "7", "b"] or [
        sub.objective for sub in read.value.subtasks
    ] == ["a", "b"]
    assert any("left out" in note for note in read.notes)


def test_fifty_subtasks_are_cut_to_the_bound() -> None:
    plan = {"strategy": "s", "subtasks": [{"objective": f"o{n}"} for n in range(50)]}
    read = read_as(PlanAnswer)(reply(json.dumps(plan)))
    assert len(read.value.subtasks) == 5
    assert any("50 entries" in note for note in read.notes)


# 7: numbered prose -------------------------------------------------------------------------------------------------


@given(st.lists(st.text("abcdefgh xyz", min_size=3, max_size=20).map(str.strip).filter(lambda t: len(t) > 2), min_size=2,
                max_size=5, unique=True), st.sampled_from(["{n}. {q}?", "{n}) {q}?", "- {q}?", "* **{q}?**", "Q{n}: {q}?",
                                                          "({n}) \"{q}?\"", "{n}．{q}?", "• {q}?", "### {n}. {q}?"]))  # fmt: skip
def test_questions_are_taken_out_of_a_numbered_list(questions: list[str], form: str) -> None:
    lines = [form.format(n=n, q=q) for n, q in enumerate(questions, 1)]
    text = "Here is what I would ask:\n\n" + "\n".join(lines) + "\n\nI hope that helps. Good luck!"
    assert [" ".join(q.split()) + "?" for q in questions] == questions_in(text)


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("1. one 2. two 3. three", ["one", "two", "three"]),
        ("First 1) one, then 2) two", ["one, then", "two"]),
        ("In 2019. 3. things happened.", []),
        ("一、什么是减排？\n二、成本多少？", ["什么是减排？", "成本多少？"]),
        ("no list here", []),
        ("- only one", ["only one"]),
    ],
)
def test_items_of_lists_in_a_line_or_of_another_script(text: str, items: list[str]) -> None:
    assert items_in(text) == items


def test_questions_in_plain_prose() -> None:
    assert questions_in("I wonder. What is it? And who pays for it?") == ["What is it?", "And who pays for it?"]
    assert questions_in("Nothing is asked here.") == []


# 8: cut at the limit -----------------------------------------------------------------------------------------------


@given(PLANS.filter(lambda p: len(p["subtasks"]) > 1), st.data())
def test_json_cut_by_its_limit_is_a_truncation_and_no_syntax_error(plan: dict[str, Any], data: st.DataObject) -> None:
    plan = {name: plan[name] for name in NAMES}
    text = json.dumps(plan, ensure_ascii=False)
    at = data.draw(st.integers(text.index("objective") + 12, len(text) - 1))
    read = read_as(PlanAnswer)(reply(text[:at], finish="length"))
    assert read.cut
    assert "cut off at its limit" in read.notes
    assert read.value.strategy == plan["strategy"]


def test_cut_before_there_is_anything_the_complaint_is_about_length() -> None:
    with pytest.raises(Unreadable, match=r"limit.*briefly"):
        json_in("Well, let me think about how to", NAMES, "length")


def test_an_answer_at_its_limit_that_is_whole_all_the_same_is_marked() -> None:
    parsed = json_in('{"strategy": "s"}', NAMES, "length")
    assert parsed.cut
    assert parsed.value == {"strategy": "s"}


# 10, 12: nothing ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["", "   \n", "\ufeff", "<think>x</think>  "])
def test_an_empty_answer_is_called_empty(text: str) -> None:
    with pytest.raises(Unreadable, match="empty"):
        json_in(text, NAMES)
    assert answer_text(reply(text)) in ("", "\ufeff")


@pytest.mark.parametrize(
    "text", ["{}", '{"subtasks": []}', '{"subtasks": null}', '{"subtasks": ""}', '{"queries": []}', "[]"]
)
def test_a_plan_of_nothing_is_an_empty_plan_and_no_exception(text: str) -> None:
    try:
        read = read_as(PlanAnswer)(reply(text))
    except Unreadable:
        return
    assert read.value.subtasks == ()


# Other kinds that the research notes name --------------------------------------------------------------------------


@pytest.mark.parametrize("wrapper", ["answer", "result", "arguments", "output", "plan", "properties"])
def test_an_object_in_an_object_is_unwrapped(wrapper: str) -> None:
    text = json.dumps({wrapper: {"strategy": "s", "subtasks": []}})
    assert read_as(PlanAnswer)(reply(text)).value.strategy == "s"


def test_a_tool_call_written_as_text_is_read() -> None:
    call = {"name": "answer", "arguments": json.dumps({"strategy": "s", "subtasks": [{"objective": "o"}]})}
    for text in (
        json.dumps(call),
        f"```json\n{json.dumps(call)}\n```",
        f"<tool_call>\n{json.dumps(call)}\n</tool_call>",
    ):
        assert read_as(PlanAnswer)(reply(text)).value.subtasks == (Sub("o"),)


def test_content_blocks_are_joined() -> None:
    inner = json.dumps({"strategy": "s"})
    blocks = [
        {"type": "thinking", "thinking": "hm"},
        {"type": "text", "text": inner[:5]},
        {"type": "text", "text": inner[5:]},
    ]
    assert json_in(json.dumps(blocks), NAMES).value == {"strategy": "s"}
    assert answer_text(reply(json.dumps([{"type": "text", "text": "The box is red."}]))) == "The box is red."
    assert text_of(blocks) == inner
    assert text_of({"role": "assistant", "content": [{"text": "a"}, "b", None, {"type": "image"}]}) == "ab"


def test_json_in_a_string_is_read_once_more() -> None:
    text = json.dumps(json.dumps({"strategy": "s"}))
    assert json_in(text, NAMES).value == {"strategy": "s"}


@pytest.mark.parametrize(
    "text",
    ['{"Strategy": "s", "Sub Tasks": [{"Objective": "o", "searchQueries": "q"}]}',
     '{"strategy": ["s"], "sub_tasks": {"objective": "o", "search_query": ["q"]}}',
     '{"strategy": {"text": "s"}, "subtask": [{"objective": ["o"], "search-queries": ["q"]}]}',
     '{"strategy": "s", "subtasks": "[{\\"objective\\": \\"o\\", \\"search_queries\\": [\\"q\\"]}]"}',
     '{"strategy": "s", "subtasks": {"1": {"objective": "o", "search_queries": {"0": "q"}}}}'],
)  # fmt: skip
def test_other_spellings_lists_for_texts_and_texts_for_objects(text: str) -> None:
    value = read_as(PlanAnswer)(reply(text)).value
    assert value.strategy == "s"
    assert value.subtasks == (Sub("o", ("q",)),)


def test_a_list_where_an_object_was_asked_for() -> None:
    value = read_as(PlanAnswer)(reply('["first question", {"objective": "second"}]')).value
    assert [sub.objective for sub in value.subtasks] == ["first question", "second"]


def test_data_of_a_tool_call_needs_no_parsing() -> None:
    value = read_as(PlanAnswer)(reply(data={"strategy": "s", "complexity": "COMPLEX."})).value
    assert (value.strategy, value.complexity) == ("s", "complex")


def test_a_filtered_answer_is_called_that() -> None:
    with pytest.raises(Unreadable, match="content filter"):
        answer_json(reply(finish="content_filter"))


def test_endless_repetition_is_cut_out_of_the_text() -> None:
    text = "The box is red. " + "It is what it is. " * 300
    assert answer_text(reply(text)).count("It is what it is.") <= 2


@given(st.text(max_size=200))
def test_any_reply_is_read_or_refused_with_a_sentence(text: str) -> None:
    try:
        json_in(text, NAMES)
    except Unreadable as error:
        assert error.complaint.startswith("the answer")
    answer_text(reply(text))
    without_reasoning(text)
    fenced_blocks(text)


# The decision at the end of a report -------------------------------------------------------------------------------

DECISION = ("needs_more_research", "gaps")


@given(
    st.booleans(),
    st.lists(WORDS, max_size=2),
    st.sampled_from(["{}", "```json\n{}\n```", "```\n{}\n```", "~~~json\n{}\n~~~"]),
)
def test_the_decision_is_taken_out_of_the_report(more: bool, gaps: list[str], form: str) -> None:
    report = "# Title\n\nA set {1, 2} and a claim [c1].\n\n```python\nx = {}\n```\n\nThe end."
    block = form.replace("{}", json.dumps({"needs_more_research": more, "gaps": gaps}), 1)
    body, parsed = split_decision(f"{report}\n\n{block}\n", DECISION)
    assert body == report
    assert parsed is not None
    assert parsed.value == {"needs_more_research": more, "gaps": gaps}


@pytest.mark.parametrize(
    "tail",
    ['{"needs_more_research": tr', '```json\n{"needs_more_research": true, "gaps": ["a', '{"needs_more_research": true, gaps: [',
     "{needs_more_research: True, 'gaps': ['a']}", '{"gaps": ["a"], "needs_more_research": true,}'],
)  # fmt: skip
def test_a_broken_decision_does_not_stay_in_the_report(tail: str) -> None:
    body, parsed = split_decision(f"The report [c1].\n\n{tail}", DECISION)
    assert body == "The report [c1]."
    assert parsed is not None
    assert parsed.value.get("needs_more_research") is True or parsed.cut


def test_a_report_without_a_decision_is_left_as_it_is() -> None:
    text = "The report says needs_more_research is a field: no. {a: 1}"
    assert split_decision(text, DECISION) == (text, None)


def test_text_after_the_decision_stays() -> None:
    body, _ = split_decision('Report.\n\n{"needs_more_research": false, "gaps": []}\n\n## References', DECISION)
    assert body == "Report.\n\n## References"
