"""A crew and one agent alone with a real language model on this machine, on public questions with known answers.

    python benchmarks/real_model.py --data DIR --into FOLDER --base-url http://127.0.0.1:8089/v1 [--questions 6] [--arms crew,solo]
    python benchmarks/real_model.py --data DIR --into FOLDER --table          (what is there; nothing is asked)
    python benchmarks/real_model.py --data DIR --into FOLDER --replay         (from the recordings, without a model)

Any server that speaks the OpenAI protocol will do; measured with llama.cpp and Qwen2.5-Coder-1.5B-Instruct (Q4_K_M), one
thread, temperature 0, with `--profile small`. Every run is recorded in FOLDER, and what is there already is not asked
again: stop when you like, go on later. `--replay` plays all recordings back and counts them anew: the same table again, or
what a change of the checks makes of the same generations (a change of a prompt needs new ones; times are the recorded ones).

The price is nominal, since a token of a model on one's own machine has none: 1 and 4 USD per million tokens of prompt and
answer (`--price`), with the ratio of the design's 1 and 4 credits per 1,000. Searching and reading the documents is free.
"""

import argparse
import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from research_crew.core.secret import Secret
from research_crew.measure.answers import Answered
from research_crew.measure.answers_file import read_answers
from research_crew.measure.bench import acompare
from research_crew.measure.compared import Compared
from research_crew.measure.datasets import Dataset, GoldQuestion, load_dataset
from research_crew.settings import load

BUDGET = "0.05"
COLUMNS = (
    "arm", "questions", "gold facts found", "bogus", "extra", "gold paragraphs", "pages", "calls", "tokens", "cost, USD",
    "seconds", "longest prompt", "longest answer",
)  # fmt: skip


def main() -> None:
    """Ask what is missing, then print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder that holds the set wiki-multihop")
    parser.add_argument("--into", type=Path, required=True, help="folder of recordings and answers")
    parser.add_argument("--questions", type=int, default=6, help="how many (6), the types of question in turn")
    parser.add_argument("--arms", default="crew,solo", help="of crew, solo, solo=, union=, closed-book (crew,solo)")
    parser.add_argument("--model", default="llamacpp:local", help="as vendor:name")
    parser.add_argument("--base-url", help="address of the server")
    parser.add_argument("--price", default="1/4", help="nominal price per million tokens in and out (1/4)")
    parser.add_argument("--table", action="store_true", help="print the table of what is there")
    parser.add_argument("--replay", action="store_true", help="play the recordings back instead of asking a model")
    arguments = parser.parse_args()
    data = load_dataset(arguments.data / "wiki-multihop")
    data = replace(data, questions=tuple(chosen(data.questions, arguments.questions)))
    into: Path = arguments.into
    into.mkdir(parents=True, exist_ok=True)
    answers, recordings = into / "answers.jsonl", into / "runs"
    arms = arguments.arms.split(",")
    if not arguments.table:
        compared = asyncio.run(ask(arguments, data, arms, answers, recordings))
        print(compared.render(), end="\n\n")
    wanted = {question.id for question in data.questions}
    there = [a for a in read_answers(answers) if a.question in wanted and a.arm in arms]
    print(table(there, recordings))


async def ask(
    arguments: argparse.Namespace, data: Dataset, arms: Sequence[str], answers: Path, recordings: Path
) -> Compared:
    """The comparison: from the model with recordings, or from the recordings."""
    given = {"profile": "small", "price": arguments.price, "language": "en", "budget": BUDGET}
    if arguments.replay:
        given |= {"lead": f"recorded:{recordings}"}
        seconds = {(a.question, a.arm): a.spent.wall_s for a in read_answers(answers)}
        answers = answers.with_suffix(".replayed.jsonl")
        answers.unlink(missing_ok=True)
    else:
        if not arguments.base_url:
            raise SystemExit("name the server with --base-url, or use --table or --replay")
        vendor = arguments.model.partition(":")[0]
        given |= {"lead": arguments.model, "base_urls": f"{vendor}={arguments.base_url}", "record": str(recordings)}
        seconds = {}

    def told(answer: Answered, done: int, total: int) -> None:
        spent = answer.spent
        print(
            f"{done}/{total} {answer.question[:22]:<22} {answer.arm:<11} found {answer.found}/{answer.facts} bogus {answer.bogus} "
            f"calls {spent.calls} {seconds.get((answer.question, answer.arm), spent.wall_s):.0f} s {answer.status}", flush=True,
        )  # fmt: skip

    keys: dict[str, Secret] = {}
    return await acompare(data, load(given, {}, arguments.into).settings, keys, arms=arms, results=answers, on_answer=told)


def chosen(questions: Sequence[GoldQuestion], most: int) -> list[GoldQuestion]:
    """The first questions of each type in turn, so that a few of them are a picture of the set."""
    kinds: dict[str, list[GoldQuestion]] = {}
    for question in questions:
        kinds.setdefault(question.kind, []).append(question)
    longest = max(map(len, kinds.values()))
    return [some[i] for i in range(longest) for some in kinds.values() if i < len(some)][:most]


def table(answers: Sequence[Answered], recordings: Path) -> str:
    """A row for each arm: found and bogus are sums, the others means a question."""
    lines = ["| " + " | ".join(COLUMNS) + " |", "|---" + "|--:" * (len(COLUMNS) - 1) + "|"]
    for arm in dict.fromkeys(answer.arm for answer in answers):
        own = [answer for answer in answers if answer.arm == arm]
        lines.append("| " + " | ".join(_cells(arm, own, recordings)) + " |")
    return "\n".join(lines)


def _cells(arm: str, own: Sequence[Answered], recordings: Path) -> list[str]:
    n = len(own)
    found, facts = sum(a.found for a in own), sum(a.facts for a in own)
    longest = [longest_of(recordings / f"{a.question}.{arm}.jsonl") for a in own]
    return [
        arm, str(n), f"{found} of {facts} = {found / facts:.3f}", str(sum(a.bogus for a in own)),
        f"{sum(a.extra for a in own) / n:.2f}", f"{sum(a.reached or 0 for a in own) / n:.3f}",
        f"{sum(a.spent.pages for a in own) / n:.1f}", f"{sum(a.spent.calls for a in own) / n:.1f}",
        f"{sum(a.spent.tokens for a in own) / n:.0f}", f"{sum(a.spent.cost for a in own) / n:.6f}",
        f"{sum(a.spent.wall_s for a in own) / n:.0f}", str(max(p for p, _ in longest)), str(max(o for _, o in longest)),
    ]  # fmt: skip


def longest_of(recording: Path) -> tuple[int, int]:
    """The longest prompt and answer of a recording, in tokens as the server counted them."""
    if not recording.exists():
        return 0, 0
    used = [json.loads(line)["reply"]["usage"] for line in recording.read_text(encoding="utf-8").splitlines()[1:]]
    return max((u.get("input", 0) for u in used), default=0), max((u.get("output", 0) for u in used), default=0)


if __name__ == "__main__":
    main()
