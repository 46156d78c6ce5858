"""A question over a folder of documents: a cited report, a bill that adds up, a list of what was dropped."""

import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import time
from decimal import Decimal
from pathlib import Path

import pytest

from research_crew import Budget, Crew, CrewResult, Event, InvalidInput, MixedCurrencies, OverBudget, Solo, Stop
from research_crew.interfaces.cli.app import main

HERONS = """# Herons

The grey heron eats fish, frogs and small mammals. A grey heron stands up to one metre tall.
Herons nest in colonies called heronries. The oldest known grey heron lived for 37 years.

# Flight

In flight the grey heron folds its neck back. Its wingbeats are slow.
"""
CRANES = """The common crane eats roots, seeds and insects. A common crane stands up to 130 centimetres tall.
Cranes dance in spring. In flight the common crane stretches its neck out.
The common crane winters in Spain and in North Africa."""


@pytest.fixture
def birds(tmp_path: Path) -> Path:
    folder = tmp_path / "birds"
    folder.mkdir()
    (folder / "herons.md").write_text(HERONS)
    (folder / "cranes.txt").write_text(CRANES)
    (folder / "cranes copy.txt").write_text(CRANES)
    (folder / "trains.txt").write_text("The railway opened in 1850. It carried coal.")
    return folder


QUESTION = "What does the grey heron eat, and where does the common crane winter?"


@pytest.fixture
def answer(birds: Path) -> CrewResult:
    return Crew(docs=str(birds)).run(QUESTION)


def test_the_report_answers_with_citations(answer: CrewResult) -> None:
    assert (answer.status, answer.exit_code) == ("complete", 0)
    text = str(answer)
    assert "The grey heron eats fish, frogs and small mammals. [" in text
    assert "The common crane winters in Spain and in North Africa. [" in text
    assert "## References" in text
    assert "herons.md" in text
    assert "railway" not in text


def test_every_claim_is_a_verbatim_sentence_at_its_place(answer: CrewResult, birds: Path) -> None:
    assert answer.report is not None
    by_number = {s.number: s for s in answer.sources}
    kept = [c for c in answer.claims if c.id in answer.report.claims]
    assert kept
    for claim in kept:
        assert claim.check is not None
        assert claim.check.verdict == "supported"
        assert claim.start is not None
        assert claim.end is not None
        path = by_number[claim.source].path
        assert path is not None
        stored = (birds / path).read_text()
        assert " ".join(claim.quote.split()) in " ".join(stored.split())


def test_a_citation_names_page_and_heading(tmp_path: Path) -> None:
    from documents_made import pdf_of, pptx_of

    (tmp_path / "a.md").write_text("# Notes\n\nOn birds.\n\n## Food of the grey heron\n\nThe grey heron eats fish and frogs.\n")
    (tmp_path / "b.pdf").write_bytes(pdf_of("A title page about birds.", "The grey heron eats small mammals too."))
    (tmp_path / "c.pptx").write_bytes(pptx_of(("Diet", "In winter the grey heron eats voles."), ("End", "Bye")))
    report = Crew(docs=str(tmp_path)).run("What does the grey heron eat?").markdown
    assert 'Notes, "Food of the grey heron". a.md' in report
    assert "b, p. 2. b.pdf" in report
    assert "p. 1" in report.split("c.pptx")[0].splitlines()[-1] and "Diet" in report


def test_the_bill_adds_up_to_the_last_credit(answer: CrewResult) -> None:
    bill = answer.bill
    assert bill.currency == "credits"
    assert bill.spent == sum((e.amount for e in answer.ledger), Decimal(0)) == answer.total_cost
    for split in (bill.by_role, bill.by_kind, bill.by_provider, bill.by_model, bill.by_basis):
        assert sum(split.values()) == bill.spent
    usage = answer.usage()
    steps = sum(1 for e in answer.ledger if e.kind == "task")
    assert bill.spent == usage.searches + usage.pages + steps
    assert sum((t.cost for t in answer.tasks), Decimal(0)) == bill.spent <= bill.limit


def test_the_books_lose_nothing(answer: CrewResult) -> None:
    assert answer.report is not None
    counts = answer.run.books.claims.counts()
    assert sum(counts.values()) == len(answer.claims) == len(answer.run.books.claims)
    assert counts["kept"] == len(answer.report.claims)
    assert sum(answer.run.books.sources.counts().values()) == len(answer.sources)
    assert {d.id for d in answer.dropped if d.kind == "claim"} | set(answer.report.claims) == {c.id for c in answer.claims}


def test_the_record_is_whole_json(answer: CrewResult) -> None:
    record = json.loads(answer.json())
    assert record["schema"] == "research-crew/run/1"
    assert record["plan"]["subtasks"][0]["search_queries"]
    assert set(record["report"]["references"]) <= {s["number"] for s in record["sources"]}
    states = ("kept", "duplicate", "unsupported", "cut-by-critic", "cut-for-space", "lost-in-writing", "stranded")
    assert record["books"]["candidates"] == sum(record["books"][s] for s in states)
    assert [e["n"] for e in record["ledger"]] == list(range(1, len(record["ledger"]) + 1))
    assert record["tasks"][0]["id"] == "plan"
    assert {"started", "ended", "needed", "left", "attempts"} <= set(record["tasks"][0])
    assert record["findings"][0]["coverage"] in ("comprehensive", "partial", "insufficient")
    assert record["conversation"][0]["content"] == QUESTION
    assert record["timing"]["wall_s"] > 0


def test_the_same_run_twice_is_the_same(birds: Path, answer: CrewResult) -> None:
    again = Crew(docs=str(birds)).run(QUESTION)
    assert str(again) == str(answer)
    assert [(e.task, e.step, e.nano) for e in again.ledger] == [(e.task, e.step, e.nano) for e in answer.ledger]


def test_one_agent_alone_uses_two_tasks_and_the_same_checks(birds: Path) -> None:
    result = Solo(docs=str(birds)).run(QUESTION, budget=20)
    assert [t.id for t in result.tasks] == ["investigate", "write"]
    assert result.status == "complete"
    assert result.report is not None
    assert "frogs" in str(result)


def test_a_second_run_reads_no_file_again(birds: Path) -> None:
    seen: list[bool] = []
    for _ in range(2):
        Crew(docs=str(birds), on_file=lambda outcome, read: seen.append(read)).run(QUESTION)
    assert seen == [True] * 4 + [False] * 4


@pytest.mark.parametrize("limit", [3, 4, 5, 6, 8, 12, 20, 40])
def test_no_budget_is_ever_exceeded_and_what_was_given_up_is_named(birds: Path, limit: int) -> None:
    result = Crew(docs=str(birds)).run(QUESTION, budget=limit)
    assert result.total_cost <= limit
    assert result.report is not None
    assert (result.status == "complete") == (not result.degraded and all(t.state == "ok" for t in result.tasks))
    if limit < 6:
        assert "no critic" in result.degraded
    if limit < 5:
        assert "template writer" in result.degraded
        assert result.report.by == "template"


def test_a_budget_below_the_smallest_run_is_refused_with_what_it_needs(birds: Path) -> None:
    with pytest.raises(OverBudget) as caught:
        Crew(docs=str(birds)).run(QUESTION, budget="2.5")
    assert (caught.value.left, caught.value.exit_code) == (Decimal("2.5"), 5)
    assert caught.value.needed == 3


def test_a_budget_in_another_currency_is_refused(birds: Path) -> None:
    with pytest.raises(MixedCurrencies, match="USD and credits"):
        Crew(docs=str(birds)).run(QUESTION, budget=Budget("1.00", "USD"))


def test_no_evidence_writes_no_report(birds: Path) -> None:
    result = Crew(docs=str(birds)).run("Quantum chromodynamics lattice gauge?")
    assert (result.status, result.exit_code, result.report) == ("no-evidence", 3, None)
    assert "there is no report" in str(result)
    assert result.total_cost > 0


def test_copies_are_one_witness(birds: Path) -> None:
    result = Crew(docs=str(birds)).run("Where does the common crane winter?")
    assert result.report is not None
    claim = next(c for c in result.claims if "winters in Spain" in c.text)
    cited = [numbers for _, name, numbers in result.report.cited if name == claim.id]
    assert all(len(numbers) == 1 for numbers in cited)


def test_ten_copies_of_a_text_are_one_source_of_support_and_the_report_says_so(tmp_path: Path) -> None:
    rng = random.Random(1)
    text = (
        "The lighthouse of Penmarn was lit in 1897. Its lamp is turned by a clockwork that keepers wound every four hours "
        "until 1983. The tower stands 65 metres high on a bare rock, and 307 steps lead up to the lamp room. Fishermen of "
        "the village paid for the bell."
    )
    for n in range(10):
        frame = "" if n == 0 else f"\n\nReprinted by the paper of {rng.choice(['Brest', 'Quimper', 'Vannes'])} no. {n}."
        (tmp_path / f"copy{n}.txt").write_text(text + frame, encoding="utf-8")
    result = Crew(docs=str(tmp_path)).run("When was the lighthouse of Penmarn lit?")
    assert result.report is not None
    claim = next(c for c in result.claims if "lit in 1897" in c.text)
    cited = [numbers for _, name, numbers in result.report.cited if name == claim.id]
    assert cited and all(len(numbers) == 1 for numbers in cited)
    copies = sum(s.copy_of is not None for s in result.sources)
    assert copies >= 1
    assert f"one source of support: nearly the same text in {copies} more: [" in str(result)


def test_copies_whose_figures_differ_are_shown_as_a_contradiction(tmp_path: Path) -> None:
    text = (
        "The lighthouse of Penmarn was lit in {year}. Its lamp is turned by a clockwork that keepers wound every four hours "
        "for decades. The tower stands high on a bare rock, and a long stair leads up to the lamp room. Fishermen of the "
        "village paid for the bell."
    )
    for year in (1897, 1879):
        (tmp_path / f"{year}.txt").write_text(text.format(year=year), encoding="utf-8")
    result = Crew(docs=str(tmp_path)).run("When was the lighthouse of Penmarn lit?")
    assert len(result.conflicts) == 1
    line = next(line for line in str(result).splitlines() if "but" in line)
    assert "1897" in line and "1879" in line


def test_stream_gives_events_then_the_result(birds: Path) -> None:
    async def collect() -> list[Event | CrewResult]:
        return [item async for item in Crew(docs=str(birds)).stream(QUESTION)]

    *events, result = asyncio.run(collect())
    assert isinstance(result, CrewResult)
    kinds = [e.kind for e in events if isinstance(e, Event)]
    assert kinds[0] == "run-started"
    assert kinds[-1] == "run-ended"
    assert kinds.count("task-ended") == len(result.tasks)


def test_run_works_inside_a_running_loop(birds: Path) -> None:
    async def notebook() -> CrewResult:
        return Crew(docs=str(birds)).run(QUESTION)

    assert asyncio.run(notebook()).status == "complete"


def test_batch_answers_one_after_another(birds: Path) -> None:
    results = Crew(docs=str(birds)).batch([QUESTION, "When did the railway open?"])
    assert "1850" in str(results[1])


def test_a_stop_keeps_what_is_there_and_is_cancelled(birds: Path) -> None:
    stop = Stop()

    def after_research(event: Event) -> None:
        if event.kind == "task-ended" and event.task == "research:0":
            stop.request("interrupted")

    result = Crew(docs=str(birds)).run(QUESTION, on_event=after_research, stop=stop)
    assert (result.status, result.exit_code) == ("cancelled", 130)
    assert result.report is not None
    assert result.report.by == "template"
    assert result.run.books.claims.counts()["kept"] == len(result.report.claims)


@pytest.mark.parametrize("question", ["", "  \n", None, 7])
def test_an_empty_question_is_refused(birds: Path, question: object) -> None:
    with pytest.raises(InvalidInput, match="ask something"):
        Crew(docs=str(birds)).run(question)  # type: ignore[arg-type]


def test_strictness_keeps_a_subset(birds: Path) -> None:
    kept = []
    for strictness in (0.0, 0.3, 0.6, 1.0):
        result = Crew(docs=str(birds), strictness=strictness).run(QUESTION)
        kept.append(frozenset(result.report.claims if result.report else ()))
    assert kept[0] >= kept[1] >= kept[2] >= kept[3]
    assert len(kept[3]) < len(kept[0])


LANGUAGES = {
    "de": (
        "Der Rhein entspringt in den Schweizer Alpen. Er mündet in den Niederlanden in die Nordsee.",
        "Wo entspringt der Rhein?", "Schweizer Alpen", "Quellen",
    ),
    "fr": (
        "La Loire prend sa source au mont Gerbier-de-Jonc. Elle se jette dans l'océan Atlantique.",
        "Où la Loire prend-elle sa source ?", "Gerbier-de-Jonc", "Sources",
    ),
    "es": (
        "El Ebro nace en Fontibre, en Cantabria. Desemboca en el mar Mediterráneo.",
        "¿Dónde nace el Ebro?", "Fontibre", "Fuentes",
    ),
    "zh": ("长江发源于青藏高原的唐古拉山脉。它在上海流入东海。", "长江发源于哪里？", "唐古拉山脉", "参考资料"),
    "ja": ("信濃川は日本で最も長い川である。その長さは三百六十七キロメートルである。", "日本で最も長い川は何ですか？", "信濃川", "参考資料"),
}  # fmt: skip


@pytest.mark.parametrize("language", LANGUAGES)
def test_questions_in_six_languages(tmp_path: Path, language: str) -> None:
    text, question, expected, heading = LANGUAGES[language]
    (tmp_path / "a.txt").write_text(text, encoding="utf-8")
    result = Crew(docs=str(tmp_path)).run(question)
    assert result.language == language
    assert expected in str(result)
    assert f"## {heading}" in str(result)


def test_a_broken_file_is_a_warning_not_an_end(birds: Path) -> None:
    (birds / "broken.pdf").write_bytes(b"%PDF-1.7 nothing more")
    result = Crew(docs=str(birds)).run(QUESTION)
    assert any(w.startswith("broken.pdf: broken") for w in result.warnings)
    assert result.report is not None


def test_the_command_line_prints_report_bill_and_what_was_dropped(
    birds: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    code = main([QUESTION, "--docs", str(birds), "--bill", "--export", str(tmp_path / "out")])
    captured = capsys.readouterr()
    assert code == 0
    out = captured.out
    assert out.startswith("> No language model was used")
    order = ["## References", "budget 200, spent", "## Bill", "## What was dropped", "## Beside one agent"]
    assert [out.index(part) for part in order] == sorted(out.index(part) for part in order)
    assert "One agent alone, allowed the same" in out
    assert "agents: extractive, without a model; a crew of at most 5 researchers; search: docs" in captured.err
    record = json.loads(next((tmp_path / "out").glob("*.json")).read_text())
    assert record["bill"]["spent"] in out


def test_json_on_standard_output_is_nothing_but_json(birds: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([QUESTION, "--docs", str(birds), "--json", "--quiet"]) == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out)["status"] == "complete"
    assert captured.err == ""


def test_output_all_has_the_whole_conversation(birds: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main([QUESTION, "--docs", str(birds), "--output", "all", "--quiet"])
    out = capsys.readouterr().out
    for who in ("user", "planner (plan)", "researcher (research:0)", "critic (critique)", "writer (write)", "report"):
        assert f". {who}" in out


def test_the_bundled_question_is_answered_in_full(capsys: pytest.CaptureFixture[str], root: Path) -> None:
    question = (root / "src/research_crew/samples/question.txt").read_text()
    assert main([question, "--quiet"]) == 0
    out = capsys.readouterr().out
    assert out.count("\n## ") >= 6
    assert "wal.html" in out
    assert "howtocorrupt.html" in out


def test_ctrl_c_once_stops_buying_and_says_so(birds: Path) -> None:
    slow = (
        "import sys, time\n"
        "from research_crew.search import local\n"
        "from research_crew.interfaces.cli.app import main\n"
        "import asyncio\n"
        "class Slow(local.LocalSearch):\n"
        "    async def search(self, query):\n"
        "        print('searching', file=sys.stderr, flush=True)\n"
        "        await asyncio.sleep(60)\n"
        "import research_crew.library as library\n"
        "library.LocalSearch = Slow\n"
        f"raise SystemExit(main([{QUESTION!r}, '--docs', {str(birds)!r}]))\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", slow], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=dict(os.environ)
    ) as child:
        assert child.stderr is not None
        while "searching" not in (line := child.stderr.readline()):
            assert line, "the run ended before it searched"
        child.send_signal(signal.SIGINT)
        began = time.monotonic()
        out, err = child.communicate(timeout=55)
    assert child.returncode == 130
    assert time.monotonic() - began < 50, "it waited for the search of 60 s"
    assert "nothing more is bought" in err
    assert "Traceback" not in err
    assert "cancelled" in out
    assert "assumed" in out


def test_nothing_from_outside_becomes_html_in_the_report(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# Herons <script>alert(2)</script>\n\nThe heron uses the <b>bold</b> <img src=x> tag of fish.\n")
    (tmp_path / "b.txt").write_text("A heron wrote <iframe src=y> on the wall, and 3 < 4.")
    result = Crew(docs=str(tmp_path)).run("What did the heron <script>alert(1)</script> write on the wall?")
    assert result.report is not None
    assert "3 < 4" in str(result)
    for tag in ("<script", "</script", "<iframe", "<img"):
        assert tag not in str(result).replace("\\<", "")
