"""How often the 95 % interval of what was never found holds the truth, and how good the price of the next researcher is.

    python benchmarks/unfound.py [--repeats 1000] [--data DIR [--set wiki-multihop] [--batches 12]]

Scripted worlds: K replicated researchers report each of F facts. `equal`: with the same chance; `unequal`: each fact has
its own chance (Beta(1, 2)); `dependent`: half of what a researcher reports is copied from a shared draw; `false 5 %`:
one in twenty reported facts is an invention of that researcher alone, as if nothing had been verified.

With --data: four single agents whose searches each forget half of their results, by seed; the gold facts of a batch of
questions are one population. Facts that no agent can find make the truth larger than what is estimated: read "at least".
"""

import argparse
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from research_crew import Solo
from research_crew.documents.index import DocumentIndex
from research_crew.evidence.unseen import NotEstimable, Unseen, chao2, chapman, expected_new
from research_crew.library import Library
from research_crew.measure.answers import counted, said_by, spent_by
from research_crew.measure.datasets import Dataset, load_dataset
from research_crew.search.protocol import Hits, Query, SearchEngine

Samples = list[set[object]]
RECALL = 0.35
REPLICATES = 4


def main() -> None:
    """Print a line per world, then per set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=1000)
    parser.add_argument("--data", type=Path, help="folder that holds the sets")
    parser.add_argument("--set", action="append", help="one set only")
    parser.add_argument("--batches", type=int, default=12)
    arguments = parser.parse_args()
    head = f"{'world':<14} {'estimator':<9} {'F':>4} {'K':>2}  {'estimated':>9}  {'covered':>7}  {'no interval':>11}  {'refused':>7}  {'mean/truth':>10}  {'next: expected':>14}  {'came':>5}"
    print(head)
    for name, draw in WORLDS.items():
        for facts in (30, 100):
            for replicates in (3, 4, 5, 8):
                runs = [draw(facts, replicates + 1, random.Random(f"{name}/{facts}/{replicates}/{i}")) for i in range(arguments.repeats)]
                show(name, "Chao2", facts, replicates, runs)
            show(name, "Chapman", facts, 2, runs)
    if arguments.data:
        for name in arguments.set or ("wiki-multihop", "multispanqa"):
            on_set(load_dataset(arguments.data / name), arguments.batches)


def show(name: str, estimator: str, facts: int, replicates: int, runs: list[Samples]) -> None:
    """One line: intervals that hold the truth, among those that there are."""
    covered = without = refused = estimated = 0
    ratio = promised = came = 0.0
    for samples in runs:
        seen, following = samples[:replicates], samples[replicates]
        guess = chapman(*seen) if estimator == "Chapman" else chao2(seen)
        if isinstance(guess, NotEstimable):
            refused += 1
            continue
        estimated += 1
        ratio += guess.total / facts
        promised += expected_new(guess)
        came += len(following - set().union(*seen))
        if guess.low is None or guess.high is None:
            without += 1
        else:
            covered += guess.low <= facts <= guess.high
    held = estimated - without
    print(
        f"{name:<14} {estimator:<9} {facts:>4} {replicates:>2}  {estimated:>9}  "
        f"{(f'{covered / held:.1%}' if held else '-'):>7}  {without:>11}  {refused:>7}  "
        + (f"{ratio / estimated:>10.2f}  {promised / estimated:>14.2f}  {came / estimated:>5.2f}" if estimated else ""),
        flush=True,
    )


def equal(facts: int, replicates: int, rng: random.Random) -> Samples:
    """Every fact with the same chance."""
    return [{f for f in range(facts) if rng.random() < RECALL} for _ in range(replicates)]


def unequal(facts: int, replicates: int, rng: random.Random) -> Samples:
    """Every fact with a chance of its own."""
    chances = [rng.betavariate(1, 2) for _ in range(facts)]
    return [{f for f in range(facts) if rng.random() < chances[f]} for _ in range(replicates)]


def dependent(facts: int, replicates: int, rng: random.Random) -> Samples:
    """Half of the draws are the same for all."""
    shared = {f for f in range(facts) if rng.random() < RECALL}
    return [{f for f in range(facts) if (f in shared if rng.random() < 0.5 else rng.random() < RECALL)} for _ in range(replicates)]


def unverified(facts: int, replicates: int, rng: random.Random) -> Samples:
    """Equal chances, and one false fact in twenty."""
    samples = equal(facts, replicates, rng)
    return [s | {(k, i) for i in range(len(s)) if rng.random() < 0.05} for k, s in enumerate(samples)]


WORLDS: dict[str, Callable[[int, int, random.Random], Samples]] = {
    "equal": equal, "unequal": unequal, "dependent": dependent, "false 5 %": unverified,
}  # fmt: skip


class Forgetful:
    """An engine that leaves out half of its results, by seed and query."""

    def __init__(self, inner: SearchEngine, seed: int) -> None:
        self._inner, self._seed = inner, seed

    async def search(self, query: Query) -> Hits:
        """The results that are remembered."""
        hits = await self._inner.search(query)
        rng = random.Random(f"{self._seed}/{query.text}")
        return replace(hits, results=tuple(r for r in hits.results if rng.random() < 0.5))


def on_set(data: Dataset, batches: int) -> None:
    """Replicated agents over all questions; a batch of questions is one population."""
    index = DocumentIndex()
    index.add_texts(data.corpus)
    texts = {doc: (title, text) for doc, title, text in data.corpus}
    found: dict[str, Samples] = {}
    for replicate in range(REPLICATES + 1):
        library = Library(index)
        library.engine = Forgetful(library.engine, replicate)
        agent = Solo(agents="extractive", library=library, pages=20, max_claims=10, max_words=300, language="en")
        for question in data.questions:
            result = agent.run(question.text, budget=200)
            said, spent = said_by(result), spent_by(result)
            mine: set[object] = set()
            for place, fact in enumerate(question.facts):
                one = replace(question, facts=(fact,))
                mine |= {(question.id, place)} if counted(one, "solo", said, spent, texts).found else set()
            found.setdefault(question.id, []).append(mine)
    estimates: list[tuple[Unseen | NotEstimable, int, int]] = []
    for batch in range(batches):
        some = data.questions[batch::batches]
        samples = [set().union(*(found[q.id][k] for q in some)) for k in range(REPLICATES + 1)]
        new = len(samples[REPLICATES] - set().union(*samples[:REPLICATES]))
        estimates.append((chao2(samples[:REPLICATES]), sum(len(q.facts) for q in some), new))
    told = [(e, truth, new) for e, truth, new in estimates if isinstance(e, Unseen)]
    held = [(e, truth) for e, truth, _ in told if e.low is not None and e.high is not None]
    print(f"{data.name}: {len(estimates)} batches of {len(data.questions) // batches} questions, {REPLICATES} replicates; {len(estimates) - len(told)} refused")
    if told and held:
        covered = sum((e.low or 0) <= truth <= (e.high or 0) for e, truth in held)
        below = sum(e.total <= truth for e, truth, _ in told)
        print(
            f"  interval holds the truth in {covered} of {len(held)}; the estimate is at most the truth in {below} of {len(told)}; "
            f"found {sum(e.found for e, *_ in told)}, estimated {sum(e.total for e, *_ in told):.0f}, truth {sum(t for _, t, _ in told)}"
        )
        print(
            f"  the next researcher: {sum(expected_new(e) for e, *_ in told) / len(told):.2f} new facts a batch expected, "
            f"{sum(n for *_, n in told) / len(told):.2f} came"
        )


if __name__ == "__main__":
    main()
