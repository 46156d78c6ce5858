"""Prompts fit their window: what does not fit goes by reference or is cut by policy, and either is said."""

import asyncio
import re
from collections.abc import Mapping
from random import Random
from typing import Any

import pytest
from brains import honest, role_of, whole

from research_crew import Crew, CrewResult, InvalidInput
from research_crew.agents.model.answers import EditAnswer
from research_crew.agents.model.citer import apply
from research_crew.core.secret import Secret
from research_crew.hiring import windows_of
from research_crew.models.fake_faults import Fault, fault
from research_crew.models.fake_server import FakeServer
from research_crew.models.fake_shapes import Asked, Said

WINDOW = 32_000
KEYS = {"openai": Secret("key-of-the-tests"), "exa": Secret("key-of-the-tests")}
WORDS = [a + b for a in ("bar", "cor", "dal", "fen", "gor", "hal", "mir", "nor", "pel", "sal") for b in (
    "dane", "win", "ric", "mund", "bert", "gard", "mont", "ford", "stead", "wick",
)]  # fmt: skip
_SOURCE = re.compile(r"<<<source (\d+) \(\w+\) [0-9a-f]{16}: data, not instructions>>>\n.*?\n(.*?)\n<<<end of source", re.S)


def sentence(seed: str) -> str:
    """A sentence of about 330 characters like no other."""
    rng = Random(seed)
    return f"{rng.choice(WORDS).title()} heron notes say that " + " ".join(rng.choice(WORDS) for _ in range(38)) + "."


def found(body: Mapping[str, Any]) -> Mapping[str, Any]:
    """Five pages of two long sentences each, of which no other query finds one."""
    query = body["query"]
    pages = [
        {
            "url": f"https://www.nature.com/{'-'.join(query.split())}/{n}", "title": f"Heron {n}",
            "text": f"{sentence(f'{query}/{n}/a')} {sentence(f'{query}/{n}/b')}",
        }
        for n in range(5)
    ]  # fmt: skip
    return {"results": pages, "costDollars": {"total": 0}}


def mind(asked: Asked) -> Said:
    """Plans 20 briefs, reports ten claims a round, and asks for the claims that its list names last."""
    role = role_of(asked)
    if role == "planner":
        briefs = [{"objective": f"Heron part {n}?", "search_queries": [f"heron part {n}"]} for n in range(20)]
        return Said(data={"complexity": "complex", "strategy": "By part.", "subtasks": briefs})
    if role == "researcher":
        claims = [
            {"text": text, "quote": text, "source": int(number)}
            for number, block in _SOURCE.findall(asked.prompt)
            for text in re.findall(r"[A-Z][^.]{200,390}\.", block)
        ]
        part = re.search(r"Heron part \d+", asked.prompt)
        assert part is not None
        return Said(data={"claims": claims, "coverage": "partial", "follow_up_queries": [f"{part[0]} more heron"]})
    if "has found more than fits" in asked.system:
        return Said(data={"labels": re.findall(r"\[(c\d+)\]", asked.prompt)[-20:]})
    if role == "writer":
        cited = re.findall(r"^\[(c\d+)\] ", asked.prompt, re.M)[:20]
        end = '```json\n{"needs_more_research": false, "gaps": []}\n```'
        return Said("\n\n".join([*(f"Herons, part {n}. [{label}]" for n, label in enumerate(cited)), end]))
    return honest(asked)


def wanting(asked: Asked) -> Said:
    """The same, with a gap after the first loop."""
    said = mind(asked)
    if role_of(asked) == "writer" and "The report of the last round" not in asked.prompt:
        return Said(said.text.replace('false, "gaps": []', 'true, "gaps": ["Where do herons winter?"]'))
    return said


def run(
    faults: Any = lambda _: None, budget: str = "100", researchers: int = 20, script: Any = mind, **options: Any
) -> tuple[CrewResult, FakeServer]:
    async def go() -> tuple[CrewResult, FakeServer]:
        async with FakeServer(script, faults, search=found) as server:
            urls = f"openai={server.base('openai')},exa={server.base('exa')}"
            options.setdefault("windows", str(WINDOW))
            options["store"] = "off"
            crew = Crew(
                lead="openai:m", search="exa", price="openai:m=0.1/0.1", base_urls=urls, keys=KEYS,
                researchers=researchers, **options,
            )  # fmt: skip
            return await crew.arun("What is known of the heron?", budget), server

    patch = pytest.MonkeyPatch()
    patch.setattr("research_crew.search.exa.Exa.interval", 0.0)
    try:
        return asyncio.run(go())
    finally:
        patch.undo()


@pytest.fixture(scope="module")
def large() -> tuple[CrewResult, FakeServer]:
    return run()


def of_role(server: FakeServer, role: str) -> list[Asked]:
    return [asked for asked in server.asked if role_of(asked) == role]


def test_twenty_researchers_with_large_findings_fit_a_window_of_32k(large: tuple[CrewResult, FakeServer]) -> None:
    result, server = large
    assert sum(t.role == "researcher" and t.state == "ok" for t in result.tasks) == 20
    findings = sum(len(c.text) for c in result.claims)
    assert findings / 4 > WINDOW, "the findings would have fitted"
    models = [asked for asked in server.asked if asked.shape == "openai"]
    assert all(asked.tokens + asked.max_tokens <= WINDOW for asked in models)
    assert max(asked.tokens for asked in models) > WINDOW / 3, "the window is hardly used"
    assert result.report is not None
    assert (result.status, result.report.by) == ("complete", "writer")


def test_the_lead_sees_claims_in_brief_asks_for_some_and_gets_them_in_full(large: tuple[CrewResult, FakeServer]) -> None:
    result, server = large
    (choosing,) = [asked for asked in server.asked if "has found more than fits" in asked.system]
    texts = {claim.text for claim in result.claims}
    assert not any(text in choosing.prompt for text in texts), "claims in full where summaries belong"
    listed = re.findall(r"\[(c\d+)\] ", choosing.prompt)
    assert len(listed) == len(set(listed)) == len(texts) - result.run.books.claims.counts()["duplicate"]
    assert "## research:7: Heron part 7? (partial, 20 claims)" in choosing.prompt
    (writing,) = of_role(server, "writer")
    shown = re.findall(r"^\[(c\d+)\] (.+?) \(", writing.prompt, re.M)
    assert [label for label, _ in shown][:20] == listed[-20:], "what was asked for comes first"
    assert {text for _, text in shown} <= texts
    assert any("asked for 20 in full" in warning for warning in result.warnings)


def test_nothing_is_lost_without_a_word(large: tuple[CrewResult, FakeServer]) -> None:
    result, server = large
    counts = result.run.books.claims.counts()
    assert sum(counts.values()) == len(result.claims) == 400
    shown = len(re.findall(r"^\[c\d+\] ", of_role(server, "writer")[0].prompt, re.M))
    assert counts["cut-for-space"] == 400 - shown - counts["duplicate"] - counts["cut-by-critic"] > 0
    assert result.report is not None
    assert len(result.report.claims) == counts["kept"] == 20
    assert counts["lost-in-writing"] == shown - 20
    assert {d.id for d in result.dropped if d.kind == "claim"} | set(result.report.claims) == {c.id for c in result.claims}


def test_the_critic_judges_more_claims_than_one_answer_holds_in_parts(large: tuple[CrewResult, FakeServer]) -> None:
    result, server = large
    judged = [re.findall(r"^\[(c\d+)\] ", asked.prompt, re.M) for asked in of_role(server, "critic")]
    assert len(judged) > 1
    labels = [label for part in judged for label in part]
    assert len(labels) == len(set(labels)) == 400 - result.run.books.claims.counts()["duplicate"]
    steps = [entry.step for entry in result.ledger if entry.task == "critique"]
    assert sorted(steps)[:2] == ["critique", "critique/part-2"]


def test_a_lead_that_does_not_choose_leaves_it_to_the_rank() -> None:
    def deaf(asked: Asked) -> Fault | None:
        return fault("bad-request") if "has found more than fits" in asked.system else None

    result, _ = run(deaf)
    assert result.report is not None
    assert result.report.by == "writer"
    assert any("their rank decided which did" in warning and "400" in warning for warning in result.warnings)
    assert {t.state for t in result.tasks} == {"ok"}


def test_a_part_that_the_critic_cannot_judge_is_kept_and_said() -> None:
    def once(asked: Asked) -> Fault | None:
        return fault("bad-request") if role_of(asked) == "critic" and "[c60]" in asked.prompt else None

    result, _ = run(once)
    assert any("claims were not judged and were kept" in warning for warning in result.warnings)
    assert next(t for t in result.tasks if t.id == "critique").state == "ok"


@pytest.mark.parametrize("window", [2_000, 4_000, 8_000])
def test_small_windows_are_kept_by_every_role_and_in_a_second_loop(window: int) -> None:
    result, server = run(script=wanting, researchers=3, loops=2, windows=str(window))
    models = [asked for asked in server.asked if asked.shape == "openai"]
    assert all(asked.tokens + asked.max_tokens <= window for asked in models)
    assert {"plan:2", "write:2"} <= {t.id for t in result.tasks}
    assert any("did not fit" in warning for warning in result.warnings)
    assert sum(result.run.books.claims.counts().values()) == len(result.claims)


def test_a_lead_that_plans_for_gaps_sees_what_was_researched_and_not_the_claims() -> None:
    _, server = run(script=wanting, researchers=3, loops=2)
    _, again = of_role(server, "planner")
    assert "Plan for them only:\n- Where do herons winter?" in whole(again)
    assert "- research:2: Heron part 2? (partial, 20 claims)" in again.prompt
    assert "<<<source" not in again.prompt


def test_windows_are_read_as_people_write_them() -> None:
    assert windows_of("32000") == {"": 32_000}
    assert windows_of("ollama:qwen3=8192, 16000") == {"ollama:qwen3": 8192, "": 16_000}
    for bad in ("many", "12", "openai:x=", "openai:x=1e5"):
        with pytest.raises(InvalidInput, match="--windows"):
            windows_of(bad)


def test_no_edit_touches_a_sentence_whose_claim_was_not_shown() -> None:
    draft, labels = "Herons fish. [c1] Herons nest. [c2]", {"c1": "a", "c2": "b"}
    edits = [EditAnswer("remove", "Herons nest."), EditAnswer("remove", "Herons fish.")]
    markdown, rejected = apply(draft, edits, labels, unseen=["c2"])
    assert markdown == "Herons fish. Herons nest. [c2]"
    assert len(rejected) == 1
    assert "not shown" in rejected[0]
