"""Compares a crew with one agent on many questions, or on one: at equal money, resumable, counted.

    from research_crew import compare
    print(compare(bench="wiki-multihop", data="data", agents="extractive").render())
    print(compare("What limits write throughput?", docs="papers").render())
"""

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import asdict, replace
from importlib.metadata import version
from pathlib import Path
from typing import Unpack

from research_crew.core.calling import run_in_own_loop
from research_crew.core.errors import InvalidInput
from research_crew.core.events import OnEvent
from research_crew.core.runner import Stop
from research_crew.core.secret import Secret
from research_crew.crew import check_question
from research_crew.documents.index import DocumentIndex
from research_crew.hiring import choose
from research_crew.library import Library
from research_crew.measure.answers import Answered
from research_crew.measure.answers_file import AnswersFile
from research_crew.measure.arms import ARMS, CLOSED, Arms, is_free
from research_crew.measure.compared import Compared
from research_crew.measure.datasets import Dataset, GoldQuestion, find_dataset, load_dataset
from research_crew.measure.statistics import MARGIN
from research_crew.options import Options
from research_crew.settings import Settings, load

MOST_PAGES = 20
"""Pages that may be read for a question in comparisons of retrieval."""
_NOT_COMPARED = ("record", "output", "trace", "concurrency", "deadline")
"""Settings that change nothing in what is answered."""

OnAnswer = Callable[[Answered, int, int], None]
"""Told of every answer, how many there are now and how many there will be."""


def compare(
    question: str | None = None, *, bench: str | Path | Dataset | None = None, data: str | Path | None = None,
    arms: Sequence[str] | None = None, questions: int | None = None, margin: float = MARGIN,
    results: str | Path | None = None, on_answer: OnAnswer | None = None, stop: Stop | None = None,
    **options: Unpack[Options],
) -> Compared:  # fmt: skip
    """Compare the crew with one agent, on one question or on the set `bench` (a folder, or a name within `data`).

    `arms` are of `crew`, `solo`, `solo=`, `union=` and, for agents with a model, `closed-book`; all of them by default.
    `results` is a file that takes every answer, and from which a stopped comparison goes on. Options are those of `Crew`.
    """
    loaded = load({k: v for k, v in options.items() if v is not None})
    asked = dataset_of(question, bench, None if data is None else Path(data))
    return run_in_own_loop(
        lambda: acompare(
            asked, loaded.settings, loaded.keys, arms=arms, questions=questions, margin=margin,
            results=None if results is None else Path(results), on_answer=on_answer, stop=stop,
        )
    )


def dataset_of(question: str | None, bench: str | Path | Dataset | None, data: Path | None) -> Dataset:
    """The questions to compare on: a set, or one question without gold."""
    if isinstance(bench, Dataset):
        return bench
    if bench is not None:
        return load_dataset(find_dataset(str(bench), data))
    return Dataset("question", (GoldQuestion("question", check_question(question), (), "open"),))


async def acompare(
    data: Dataset, settings: Settings, keys: Mapping[str, Secret], *, arms: Sequence[str] | None = None,
    questions: int | None = None, margin: float = MARGIN, results: Path | None = None,
    on_answer: OnAnswer | None = None, on_event: OnEvent | None = None, stop: Stop | None = None,
) -> Compared:  # fmt: skip
    """See `compare`. Questions are asked one after another, so that the times of runs mean something."""
    if settings.agents == "scripted":
        raise InvalidInput("--agents", "scripted", "compare the scripted world with research-crew --compare --equal-money")
    choice = choose(settings, keys)
    names = checked_arms(arms, choice.agents == "model")
    if data.corpus:
        settings = replace(settings, pages=min(settings.pages, MOST_PAGES), docs=None)
    some = data.questions[:questions]
    file = AnswersFile(results, _made_with(data.name, settings, choice.agents, choice.lead, choice.worker))
    total = len(some) * len(names)
    library = await asyncio.to_thread(_library, data) if data.corpus else None
    try:
        texts = {doc: (title, text) for doc, title, text in data.corpus}
        runner = Arms(settings, keys, library, texts, on_event, stop)
        for question in some:
            for answer in [a async for a in _ask(runner, question, names, file)]:
                if stop is not None and stop.reason:
                    return _summary(data, some, names, file, margin)
                file.add(answer)
                if on_answer is not None:
                    on_answer(answer, sum((q.id, n) in file.answers for q in some for n in names), total)
    finally:
        if library is not None:
            library.close()
    return _summary(data, some, names, file, margin)


async def _ask(runner: Arms, question: GoldQuestion, names: Sequence[str], file: AnswersFile) -> AsyncIterator[Answered]:
    """The arms that this question lacks, in order: the crew first, whose bill the others may spend."""
    known = {name: file.answers[question.id, name] for name in names if (question.id, name) in file.answers}
    wanted = [name for name in names if name not in known]
    bill = known["crew"].bill if "crew" in known else None
    for name in wanted:
        if name == "crew":
            answer = await runner.crew(question)
            bill = answer.bill
            _refuse_free(answer)
        elif name == "solo":
            answer = await runner.solo(question)
        elif name == CLOSED:
            answer = await runner.closed_book(question)
        else:
            assert bill is not None
            answer = await (
                runner.solo_equal(question, bill) if name == "solo=" else runner.union(question, bill, known["solo"])
            )
        known[name] = answer
        yield answer


def checked_arms(arms: Sequence[str] | None, model: bool) -> tuple[str, ...]:
    """The arms in the order of the table. Raises `InvalidInput` for an arm that is unknown or that lacks its bill."""
    known = (*ARMS, CLOSED)
    if arms is None:
        return known if model else ARMS
    for arm in arms:
        if arm not in known:
            raise InvalidInput("--arms", arm, f"use {', '.join(known)}")
    if CLOSED in arms and not model:
        raise InvalidInput("--arms", CLOSED, "it needs a model: name one with --model vendor:name")
    needed = {"solo=": "crew", "union=": "crew"} | ({"union=": "solo"} if "crew" in arms else {})
    for arm, before in needed.items():
        if arm in arms and before not in arms:
            raise InvalidInput("--arms", arm, f"it needs {before} beside it")
    return tuple(arm for arm in known if arm in arms)


def _refuse_free(answer: Answered) -> None:
    if is_free(answer):
        raise InvalidInput(
            "comparison", "a run that cost 0 USD", "without a price there is no equal money: give --price IN/OUT"
        )


def _library(data: Dataset) -> Library:
    index = DocumentIndex()
    index.add_texts(data.corpus)
    return Library(index)


def _summary(
    data: Dataset, some: Sequence[GoldQuestion], names: Sequence[str], file: AnswersFile, margin: float
) -> Compared:
    """The table over the questions that every arm has answered."""
    whole = [q.id for q in some if all((q.id, name) in file.answers for name in names)]
    answers = {name: [file.answers[q, name] for q in whole] for name in names}
    return Compared(data.name, answers, margin, len(some) - len(whole))


def _made_with(name: str, settings: Settings, agents: str, lead: str, worker: str) -> dict[str, str]:
    """What must be the same for answers to stand in one table."""
    values = {k: str(v) for k, v in asdict(settings).items() if k not in _NOT_COMPARED}
    prompts = "none"
    if agents == "model":
        from research_crew.agents.model.prompting import prompts_version

        prompts = prompts_version()
    whole = hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()[:16]
    made = {"bench": name, "agents": agents, "lead": lead, "worker": worker, "prompts": prompts, "settings": whole}
    return made | {"package": version("research-crew")}
