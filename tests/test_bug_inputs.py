"""Inputs that broke other research systems, each as its whole kind, in whole runs: the numbers are those of the list.

Those that concern files, fetching, canonical addresses and rendering are tested beside the code that meets them.
"""

import asyncio
import json
import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from brains import honest, role_of
from crew_on_loopback import QUESTION, ask, birds_in, crew_of, price_of

from research_crew import Crew, CrewResult, Price, Usage
from research_crew.core.secret import Secret
from research_crew.models.fake_faults import Fault, fault
from research_crew.models.fake_server import FakeServer
from research_crew.models.fake_shapes import Asked, Said

PLAN = {
    "complexity": "comparison", "strategy": "By part.",
    "subtasks": [
        {"objective": "What does the grey heron eat?", "search_queries": ["grey heron eats"]},
        {"objective": "Where does the common crane winter?", "search_queries": ["common crane winters"]},
    ],
}  # fmt: skip
JSON = json.dumps(PLAN)


@pytest.fixture
def birds(tmp_path: Path) -> Path:
    return birds_in(tmp_path / "birds")


def instead(role: str, *said: str | Said) -> Callable[[Asked], Said]:
    """A model that says these things, one after the other, in one role, and is honest otherwise."""
    left = [Said(text) if isinstance(text, str) else text for text in said]

    def script(asked: Asked) -> Said:
        if role_of(asked) == role and left:
            return left.pop(0) if len(left) > 1 else left[0]
        return honest(asked)

    return script


def once(role: str, *said: str | Said) -> Callable[[Asked], Said]:
    """The same, but honest again when they have all been said."""
    left = [Said(text) if isinstance(text, str) else text for text in said]
    return lambda asked: left.pop(0) if role_of(asked) == role and left else honest(asked)


def steps(result: CrewResult, task: str) -> list[tuple[str, str]]:
    return [(e.step, e.outcome) for e in result.ledger if e.task == task]


# 1, 2, 3, 5: what models wrap a plan in


@pytest.mark.parametrize(
    "said",
    [
        f"```json\n{JSON}\n```\nI hope that this helps.",
        f"Here is the plan:\n\n~~~\n{JSON}\n~~~\nTell me if it is too long.",
        f"Sure! {JSON} That is all.",
        f"<think>The user wants two things. {{}} </think>\n{JSON}",
        f"<think>They want a list.</think>\n{json.dumps(PLAN['subtasks'])}",
        f"[THINK]hm[/THINK]{JSON}",
        json.dumps({"plan": PLAN}),
        json.dumps([{"type": "text", "text": JSON}]),
        JSON[:-1] + ",}",
    ],
)
def test_a_plan_is_found_whatever_stands_around_it(birds: Path, said: str) -> None:
    result, _ = ask(birds, instead("planner", said))
    assert steps(result, "plan") == [("plan", "ok")], "no retry"
    assert result.plan is not None
    assert [b.objective for b in result.plan.subtasks] == [s["objective"] for s in PLAN["subtasks"]]  # type: ignore[index]
    assert result.status == "complete"


@pytest.mark.parametrize("tag", ["think", "thinking", "reasoning"])
def test_reasoning_is_never_printed(birds: Path, tag: str) -> None:
    def thinking(asked: Asked) -> Said:
        said = honest(asked).text
        return Said(f"<{tag}>SECRET thoughts about [c1]</{tag}>\n{said}")

    result, _ = ask(birds, thinking)
    assert result.report is not None
    assert "SECRET" not in str(result)
    assert "SECRET" not in json.dumps(result.to_json()["conversation"])
    assert "frogs" in str(result)


@pytest.mark.parametrize("queries", [["", ["grey heron eats", ["heron food"]], "grey heron eats"], [[], "", None, "grey heron eats"], "grey heron eats"])
def test_nested_empty_and_repeated_queries_are_flattened(birds: Path, queries: Any) -> None:
    plan = {"subtasks": [{"objective": "What does the grey heron eat?", "search_queries": queries}]}
    result, _ = ask(birds, instead("planner", json.dumps(plan)))
    assert result.plan is not None
    made = list(result.plan.subtasks[0].search_queries)
    assert made[0] == "grey heron eats"
    assert len(made) == len(set(made))
    assert all(made)


@pytest.mark.parametrize("missing", ["complexity", "strategy", "both", "format"])
def test_missing_fields_get_defaults(birds: Path, missing: str) -> None:
    plan = {k: v for k, v in PLAN.items() if k != missing and not (missing == "both" and k != "subtasks")}
    result, _ = ask(birds, instead("planner", json.dumps(plan)))
    assert result.plan is not None
    assert len(result.plan.subtasks) == 2
    assert result.plan.complexity in ("simple", "comparison")
    assert steps(result, "plan") == [("plan", "ok")]
    if missing in ("complexity", "strategy"):
        assert any(missing in note for note in result.plan.warnings), "the default is recorded"


# 7, 8, 10, 12: plans that are none


@pytest.mark.parametrize(
    "said",
    [
        "1. What does the grey heron eat?\n2. Where does the common crane winter?",
        "I would ask:\n- What does the grey heron eat?\n- Where does the common crane winter?",
        "First we ask what matters. What does the grey heron eat? Where does the common crane winter?",
    ],
)
def test_questions_are_taken_out_of_prose(birds: Path, said: str) -> None:
    result, _ = ask(birds, instead("planner", said))
    assert result.plan is not None
    assert [b.objective for b in result.plan.subtasks] == ["What does the grey heron eat?", "Where does the common crane winter?"]
    assert result.plan.fallback
    assert [s for s, _ in steps(result, "plan")] == ["plan", "plan/repair"], "one repair was paid for"


@pytest.mark.parametrize("role", ["planner", "researcher", "critic", "citer"])
def test_json_cut_at_the_limit_is_a_truncation_and_asked_for_at_most_twice(birds: Path, role: str) -> None:
    def cut(asked: Asked) -> Said:
        said = honest(asked)
        return Said(said.text[: len(said.text) // 5], finish="length") if role_of(asked) == role else said

    result, server = ask(birds, cut)
    tries: dict[tuple[str, str], int] = {}
    for entry in result.ledger:
        if entry.kind == "model" and entry.role == role:
            key = (entry.task, entry.step.split("/repair")[0])
            tries[key] = tries.get(key, 0) + 1
    assert tries
    assert set(tries.values()) <= {1, 2}
    asked_again = [a.prompt for a in server.asked if role_of(a) == role and "cut off at the limit" in a.prompt]
    assert all("in at most" in prompt for prompt in asked_again), "shorter, not repaired as a syntax error"
    assert result.report is None or result.report.markdown


@pytest.mark.parametrize(
    "plan",
    [
        {"subtasks": []}, {"complexity": "complex", "strategy": "None needed."}, [], {},
        {"subtasks": [{"objective": "", "search_queries": ["", " "]}, {"objective": " ", "search_queries": []}]},
    ],
)
def test_a_plan_without_a_query_is_the_question_itself(birds: Path, plan: Any) -> None:
    result, _ = ask(birds, instead("planner", json.dumps(plan)))
    assert result.plan is not None
    assert [b.objective for b in result.plan.subtasks] == [QUESTION]
    assert result.plan.fallback
    assert any("fallback plan" in w for w in result.warnings)
    assert result.report is not None


@pytest.mark.parametrize("role", ["planner", "researcher", "critic", "writer", "citer"])
def test_an_empty_answer_is_billed_and_asked_for_once_more(birds: Path, role: str) -> None:
    result, server = ask(birds, once(role, Said("")))
    entries = [e for e in result.ledger if e.role == role and e.kind == "model"]
    empty = next(e for e in entries if e.outcome == "rejected")
    assert empty.amount > 0
    assert any(e.step == f"{empty.step}/repair" and e.outcome == "ok" for e in entries)
    assert result.total_cost == server.billed
    assert result.status == "complete"


# 14, 15, 17, 19: usage


def test_9_read_17102_from_a_cache_and_8_said_are_17119_each_at_its_own_rate() -> None:
    used = Usage(input=9, cached_read=17_102, output=8)
    price = Price(input=Decimal(5), output=Decimal(30), cached_read=Decimal("0.5"))
    assert used.tokens == 17_119
    assert price.cost(used) == Decimal("0.000045") + Decimal("0.008551") + Decimal("0.00024")


@pytest.mark.parametrize("stream", ["on", "off"])
def test_usage_that_is_missing_is_estimated_and_says_so(birds: Path, stream: str) -> None:
    result, _ = ask(birds, faults=lambda a: fault("no-usage"), stream=stream)
    bought = [e for e in result.ledger if e.kind == "model"]
    assert {e.basis for e in bought} == {"estimated"}
    assert all(e.amount > 0 for e in bought)
    assert result.bill.by_basis["estimated"] == sum((e.amount for e in bought), Decimal(0))


@pytest.mark.parametrize("stream", ["on", "off"])
def test_cached_tokens_are_counted_once(birds: Path, stream: str) -> None:
    result, server = ask(birds, faults=lambda a: fault("cached"), stream=stream)
    assert result.usage().cached_read == sum(s.usage.cached_read for s in server.log) > 0
    assert result.usage().input == sum(s.usage.input for s in server.log)
    assert result.total_cost == server.billed


def test_the_bill_is_split_by_model_and_role_and_the_sums_are_equal(birds: Path) -> None:
    result, server = ask(birds, critic="openai:other")
    for split in (result.bill.by_model, result.bill.by_role, result.bill.by_provider, result.bill.by_kind):
        assert sum(split.values(), Decimal(0)) == result.total_cost == server.billed
    for model in ("big", "small", "other"):
        assert result.bill.by_model[f"openai:{model}"] == sum((s.amount for s in server.log if s.model == model), Decimal(0))


# 21, 22: what researchers hand on


@pytest.mark.parametrize(
    "claims",
    [
        ["The grey heron eats fish, frogs and small mammals."],
        [["The grey heron eats fish, frogs and small mammals."], {"text": 7}],
        [{"claim": "The grey heron eats fish.", "source": "one"}, None, 3, {"quote": None}],
        {"text": "The grey heron eats fish, frogs and small mammals.", "quote": "The grey heron eats fish, frogs and small mammals.", "source": "1"},
        "The grey heron eats fish.", None, 12,
    ],
)  # fmt: skip
def test_claims_of_any_shape_are_typed_or_dropped_and_nothing_raises(birds: Path, claims: Any) -> None:
    mixed = json.dumps({"claims": claims, "coverage": "partial", "follow_up_queries": [["a"], {"q": "b"}, None]})
    result, _ = ask(birds, instead("researcher", mixed))
    assert all(t.state in ("ok", "partial", "skipped", "failed") for t in result.tasks)
    assert all(isinstance(c.text, str) and isinstance(c.source, int) for c in result.claims)
    assert not any("Traceback" in t.reason or "TypeError" in t.reason for t in result.tasks)


def test_raw_text_goes_first_when_a_prompt_does_not_fit(tmp_path: Path) -> None:
    for n in range(30):
        filler = " ".join(f"The grey heron number {n} was seen at lake {k} in spring." for k in range(60))
        (tmp_path / f"{n}.txt").write_text(f"The grey heron of pond {n} eats fish and frogs. {filler}")

    def curious(asked: Asked) -> Said:
        return Said(honest(asked).text.replace("what else is known", f"grey heron lake {asked.n}"))

    result, server = ask(tmp_path, curious, question="What does the grey heron eat?", prompt_tokens=3000, search_rounds=3)
    later = [a for a in server.asked if role_of(a) == "researcher" and "Already found:" in a.prompt]
    assert later
    for asked in later:
        found = asked.prompt.partition("Already found:\n")[2].partition("\n\n<<<")[0].splitlines()
        assert len(found) >= 3, "what was found stays"
        assert asked.tokens <= 3000
    assert any("did not fit into the prompt" in w for w in result.warnings)


# 24, 26, 27, 28: providers and engines that fail


@pytest.mark.parametrize("role", ["planner", "researcher", "writer"])
def test_429_with_a_wait_of_a_second_is_one_wait_and_one_retry(birds: Path, role: str) -> None:
    waits: list[float] = []
    hit: list[int] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    def busy(asked: Asked) -> Fault | None:
        if role_of(asked) == role and not hit:
            hit.append(1)
            return fault("rate-limit", retry_after=1)
        return None

    result, _ = ask(birds, faults=busy, sleep=sleep)
    assert waits == [1.0]
    tries = [e for e in result.ledger if e.role == role and e.kind == "model"]
    refused = next(e for e in tries if e.outcome == "error")
    again = next(e for e in tries if (e.task, e.step, e.try_) == (refused.task, refused.step, 2))
    assert refused.amount == 0
    assert again.outcome == "ok"


def over_exa(
    search: Callable[[Mapping[str, Any]], Mapping[str, Any]], faults: Callable[[Asked], Fault | None] = lambda _: None
) -> CrewResult:
    async def go() -> CrewResult:
        async with FakeServer(honest, faults, price_of, search=search) as server:
            urls = f"openai={server.base('openai')},exa={server.base('exa')}"
            keys = {"openai": Secret("k"), "exa": Secret("wrong")}
            crew = Crew(lead="openai:big", worker="openai:small", search="exa", price="openai:big=5/30,openai:small=1/4", keys=keys, base_urls=urls)
            return await crew.arun(QUESTION)

    return asyncio.run(go())


@pytest.mark.parametrize("kind", ["bad-key", "no-credit", "forbidden"])
def test_a_search_key_that_is_refused_ends_the_research_after_its_first_round(kind: str) -> None:
    result = over_exa(lambda body: {"results": []}, lambda a: fault(kind) if a.shape == "exa" else None)
    assert (result.status, result.exit_code, result.report) == ("no-evidence", 3, None)
    searched = [e for e in result.ledger if e.kind == "search"]
    assert all(e.step.startswith("round-1/") for e in searched)
    assert all(e.try_ == 1 for e in searched), "a refused key is not tried again"
    assert all("every search of round 1 failed" in t.reason for t in result.tasks if t.role == "researcher")
    assert "## References" not in str(result)


@pytest.mark.parametrize(
    "rows",
    [
        [{"title": "no address", "text": "The grey heron eats fish."}], [{"url": None}, {"url": ""}, 7, None, "text"],
        {"error": "an object where a list should be"}, None, "nothing",
    ],
)
def test_broken_results_are_skipped_and_the_others_kept(rows: Any) -> None:
    good = {"url": "https://www.nature.com/a", "title": None, "text": "The grey heron eats fish, frogs and small mammals. The common crane winters in Spain."}
    whole = [*rows, good] if isinstance(rows, list) else rows
    result = over_exa(lambda body: {"results": whole})
    if isinstance(rows, list):
        assert [s.url for s in result.sources] == ["https://www.nature.com/a"]
        assert "frogs" in str(result)
    else:
        assert result.status == "no-evidence"
        assert not any("Error:" in t.reason for t in result.tasks)


@pytest.mark.parametrize("words", [1, 600])
def test_without_evidence_there_is_no_report_and_no_list_of_references(tmp_path: Path, words: int) -> None:
    (tmp_path / "trains.txt").write_text("The railway opened in 1850. It carried coal.")
    result, server = ask(tmp_path, question=("What does the grey heron eat? " * words)[:3900], script=instead("researcher", '{"claims": []}'))
    assert (result.status, result.report, result.exit_code) == ("no-evidence", None, 3)
    assert "References" not in str(result)
    assert "writer" not in {role_of(a) for a in server.asked}


# 33, 35: citations of nothing


@pytest.mark.parametrize("label", ["[c99]", "[c1][c99]", "[c99, c1]", "[c0]"])
def test_a_citation_of_no_claim_is_removed_and_reported_and_the_others_stay(birds: Path, label: str) -> None:
    result, _ = ask(birds, instead("writer", f"The grey heron eats fish, frogs and small mammals. {label}\n\n```json\n{{\"gaps\": []}}\n```"))
    assert result.report is not None
    assert not re.search(r"c99|c0", result.report.markdown)
    assert any("citations of no claim were removed" in w for w in result.warnings)
    assert ("[1]" in result.report.markdown or "[2]" in result.report.markdown) == ("c1" in label)


@pytest.mark.parametrize("address", ["https://example.com/study", "[a study](https://example.org/x_(y))", "www.example.net/report"])
def test_an_invented_address_is_never_rendered(birds: Path, address: str) -> None:
    result, _ = ask(birds, instead("writer", f"The grey heron eats fish, frogs and small mammals. [c1] See {address}.\n\n```json\n{{\"gaps\": []}}\n```"))
    assert "example." not in str(result)
    assert any("that no source gave" in w for w in result.warnings)


# 50, 51, 53: partial failure


@pytest.mark.parametrize("kind", ["hang", "bad-request", "empty", "quota"])
def test_when_synthesis_fails_the_findings_are_in_the_report_and_marked(birds: Path, kind: str) -> None:
    result, _ = ask(birds, faults=lambda a: fault(kind) if role_of(a) == "writer" else None, timeout=1.0, tries=1)
    assert result.report is not None
    assert result.report.by == "template"
    assert "not put together by a writer" in result.report.markdown
    assert "frogs" in str(result)
    assert "winters in Spain" in str(result)
    assert (result.status, result.exit_code) == ("incomplete", 4)


@pytest.mark.parametrize("failing", [0, 2, 4])
def test_of_five_researchers_one_fails_and_four_are_used(tmp_path: Path, failing: int) -> None:
    animals = ["heron", "crane", "stork", "egret", "ibis"]
    for n, animal in enumerate(animals):
        (tmp_path / f"{animal}.txt").write_text(f"The {animal} eats {n + 3} kinds of fish and lives near the water.")
    subtasks = [{"objective": f"What does the {a} eat?", "search_queries": [f"{a} eats"]} for a in animals]
    plan = json.dumps({"complexity": "complex", "strategy": "Each.", "subtasks": subtasks})
    bad = f"Your brief: What does the {animals[failing]} eat?"
    result, _ = ask(
        tmp_path, instead("planner", plan), lambda a: fault("bad-request") if a.prompt.startswith(bad) else None,
        question="What do the heron, the crane, the stork, the egret and the ibis eat?", budget="5",
    )  # fmt: skip
    states = {t.id: t.state for t in result.tasks if t.role == "researcher"}
    assert list(states.values()).count("ok") == 4
    assert states[f"research:{failing}"] == "failed"
    for n, animal in enumerate(animals):
        assert n == failing or f"The {animal} eats {n + 3}" in str(result)
    assert any(d.kind == "task" and d.id == f"research:{failing}" for d in result.dropped)
    assert result.exit_code == 4


@pytest.mark.parametrize("gap", ["Who owns the pond?", "who owns  the POND?"])
def test_a_gap_that_comes_again_ends_the_loops(birds: Path, gap: str) -> None:
    said = iter(["Who owns the pond?", gap, gap, gap, gap, gap])

    def wanting(asked: Asked) -> Said:
        answer = honest(asked)
        if role_of(asked) != "writer":
            return answer
        return Said(answer.text.replace('false, "gaps": []', f'true, "gaps": ["{next(said)}"]'))

    result, _ = ask(birds, wanting, loops=6, budget="5")
    assert [t.id for t in result.tasks if t.role == "planner"] == ["plan", "plan:2"]
    assert any("was searched for already" in w for w in result.warnings)
    assert result.report is not None
    assert "frogs" in str(result)


def test_different_gaps_go_on_until_the_limit_of_loops(birds: Path) -> None:
    count = iter(range(100))

    def wanting(asked: Asked) -> Said:
        answer = honest(asked)
        if role_of(asked) != "writer":
            return answer
        return Said(answer.text.replace('false, "gaps": []', f'true, "gaps": ["Who owns pond {next(count)}?"]'))

    async def go() -> CrewResult:
        async with FakeServer(wanting, prices=price_of) as server:
            return await crew_of(server, birds, loops=3).arun(QUESTION, "5")

    result = asyncio.run(go())
    assert [t.id for t in result.tasks if t.role == "planner"] == ["plan", "plan:2", "plan:3"]
    assert result.report is not None
