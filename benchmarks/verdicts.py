"""How often the verdict at equal money is wrong, in scripted worlds whose truth is known.

    python benchmarks/verdicts.py [--comparisons 1000] [--margin 0.25]

Each line repeats a comparison of crew, solo= and union= that many times and counts the verdicts. A verdict is wrong when
it names a winner that the exact expectations do not: `crew` although the true difference (found - bogus, against the
better baseline) is not above the margin, `one agent` although it is not below it on the other side. The worlds `at +m`
and `at -m` lie exactly on the border, where a wrong verdict is easiest. Needs numpy (the extra `sim`).
"""

import argparse
import time
from collections import Counter

import numpy as np

from research_crew import World
from research_crew.measure.exact import Expected, exact_crew
from research_crew.measure.exact_equal import exact_solo_equal, exact_union_equal
from research_crew.measure.sample import Drawn, sample_crews, sample_solo_equal, sample_union_equal
from research_crew.measure.statistics import decide, paired

ALLOWED = 0.05


def main() -> None:
    """Print a line per world and number of questions."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--comparisons", type=int, default=1000)
    parser.add_argument("--margin", type=float, default=0.25)
    parser.add_argument("--questions", type=int, action="append", help="questions a comparison (8, 20, 60, 200)")
    arguments = parser.parse_args()
    margin, began = arguments.margin, time.process_time()
    print(f"{'world':<22} {'needs':>5} {'true':>6} {'questions':>9}  {'crew':>6} {'one agent':>9} {'cannot tell':>11}  {'wrong':>6}")
    most = 0.0
    for name, world, needs in worlds(margin):
        truth = true_difference(world, needs)
        right = "crew" if truth > margin + 1e-6 else "one agent" if truth < -margin - 1e-6 else "cannot tell"
        for questions in arguments.questions or (8, 20, 60, 200):
            said = verdicts(world, needs, arguments.comparisons, questions, margin)
            wrong = sum(n for v, n in said.items() if v not in (right, "cannot tell")) / arguments.comparisons
            most = max(most, wrong)
            shares = [said[v] / arguments.comparisons for v in ("crew", "one agent", "cannot tell")]
            print(
                f"{name:<22} {needs:>5} {truth:>+6.2f} {questions:>9}  {shares[0]:>6.1%} {shares[1]:>9.1%} "
                f"{shares[2]:>11.1%}  {wrong:>6.1%}",
                flush=True,
            )
    print(f"most often wrong: {most:.1%} (allowed {ALLOWED:.0%}); {time.process_time() - began:.0f} s of CPU")


def worlds(margin: float) -> list[tuple[str, World, str]]:
    """Far from the border on both sides, and on it."""
    found = [("strictness 0", World(critic_strictness=0), "all"), ("strictness 0.3", World(critic_strictness=0.3), "all")]
    found += [("strictness 1", World(critic_strictness=1), "all")]
    for needs, failures in (("all", 0.0), ("any", 0.2)):
        for label, target in (("at +m", margin), ("at -m", -margin)):
            world = at(target, World(failure_rate=failures), needs)
            found.append((f"{label}, failures {failures:g}", world, needs))
    return found


def at(target: float, world: World, needs: str) -> World:
    """The world with the strictness at which the true difference is `target`."""
    low, high = 0.0, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if true_difference(world.but(critic_strictness=middle), needs) < target else (low, middle)
    return world.but(critic_strictness=(low + high) / 2)


def true_difference(world: World, needs: str) -> float:
    """Found less bogus: the crew's expectation against the better baseline's."""

    def value(arm: Expected) -> float:
        return arm.found - arm.bogus

    best = max(value(exact_solo_equal(world, 4, needs)), value(exact_union_equal(world, 4, needs)))
    return value(exact_crew(world, 4, needs)) - best


def verdicts(world: World, needs: str, comparisons: int, questions: int, margin: float) -> Counter[str]:
    """The verdicts of many comparisons, each over questions of its own."""
    crew = sample_crews(world, comparisons * questions, 4, needs, seed=1)
    solo, union = sample_solo_equal(world, crew.cost, seed=2), sample_union_equal(world, crew.cost, seed=3)
    values = [split(arm, comparisons) for arm in (crew, solo, union)]
    said: Counter[str] = Counter()
    for i, (a, b, c) in enumerate(zip(*values, strict=True)):
        gaps = {"solo=": paired(a, b, margin=margin, seed=i), "union=": paired(a, c, margin=margin, seed=i)}
        said[decide(gaps, margin).winner] += 1
    return said


def split(arm: Drawn, comparisons: int) -> list[list[float]]:
    """Found less bogus, a list per comparison."""
    value = arm.found.astype(np.int64) - arm.bogus.astype(np.int64)
    return [[float(v) for v in part] for part in value.reshape(comparisons, -1)]


if __name__ == "__main__":
    main()
