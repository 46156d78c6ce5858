"""Crew or one agent, how many researchers, how strict a critic: for the prices and chances of a world.

What is best depends on what a true fact is worth, in the currency of the prices, and on how much a bogus claim costs of
that. With both, an option is worth `worth x (found - harm x bogus) - cost`. As the worth rises, the best option moves
along the upper edge of those lines: `Advice.steps` is that edge, so that the advice is complete before anyone has put a
figure on a fact. Strictness pays in proportion, so the best one is 0 or 1, or what a wanted precision asks for.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random

from research_crew.agents.scripted.world import World
from research_crew.core.errors import InvalidInput
from research_crew.measure.calibrated import Calibrated
from research_crew.measure.exact import Expected, exact_crew, exact_solo
from research_crew.measure.roots import root

DRAWS = 100
"""Worlds drawn from the intervals of a calibrated one."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One way to get an answer."""

    researchers: int
    """0 for one agent."""
    strictness: float
    passes: int
    """Of one agent; 0 for a crew."""
    expected: Expected
    gain: float
    """found - harm x bogus."""

    @property
    def name(self) -> str:
        """In words."""
        if self.researchers:
            return f"a crew of {self.researchers} at strictness {self.strictness:.2f}"
        return "one agent" if self.passes == 1 else f"one agent, {self.passes} passes"


@dataclass(frozen=True, slots=True)
class Step:
    """The best choice from one worth of a fact up to the next step's."""

    worth: float
    choice: Choice


@dataclass(frozen=True, slots=True)
class Advice:
    """What is best at which worth of a fact, and how sure that is."""

    world: World
    harm: float
    precision: float | None
    worth: float | None
    steps: tuple[Step, ...]
    """Empty when nothing reaches the wanted precision."""
    sure: float | None
    """Share of the worlds within the intervals in which the same kind (crew or one agent) is best; None without."""
    crew_from: tuple[float, float] | None
    """95 % interval of the worth from which a crew is best; None when no dial has an interval."""

    @property
    def best(self) -> Choice | None:
        """The best at the worth that was named; None without one, or when nothing is worth its price."""
        fitting = [s.choice for s in self.steps if self.worth is not None and s.worth <= self.worth]
        return fitting[-1] if fitting else None

    @property
    def crew_at(self) -> float | None:
        """The worth of a fact from which a crew is best; None when it never is."""
        return next((s.worth for s in self.steps if s.choice.researchers), None)

    @property
    def sentences(self) -> tuple[str, ...]:
        """The advice in words."""
        if not self.steps:
            return (f"nothing reaches a precision of {self.precision:g} in this world.",)
        lines = []
        if self.worth is not None:
            said = self.best.name if self.best else "nothing: no answer is worth its price"
            lines.append(f"at {self.worth:g} per fact: {said}.")
        if self.crew_at is None:
            lines.append("one agent is the better buy at every worth of a fact.")
        else:
            lines.append(f"a crew is the better buy when a fact is worth more than {self.crew_at:.2f}.")
        if self.crew_from is not None:
            low, high = (f"{end:.2f}" if end < float("inf") else "never" for end in self.crew_from)
            lines.append(f"with the intervals of this world: from {low} to {high} (95 %).")
        if self.sure is not None:
            lines.append(f"the same kind is best in {self.sure:.0%} of the worlds within the intervals.")
        return tuple(lines)

    def render(self) -> str:
        """The table for a person."""
        head = f"{'a fact is worth':>15}  {'best':<34}  found  bogus  prec   cost  found/cost"
        lines = [head, "-" * len(head)]
        for step in self.steps:
            e = step.choice.expected
            prec = "   -" if e.prec is None else f"{e.prec:.2f}"
            lines.append(
                f"{step.worth:>15.2f}  {step.choice.name:<34}  {e.found:>5.2f}  {e.bogus:>5.2f}  {prec}  {e.cost:>5.1f}"
                f"  {e.found_per_cost:>10.3f}"
            )
        return "\n".join([*lines, "", *self.sentences])

    def to_json(self) -> dict[str, object]:
        """Plain values."""
        return {
            "schema": "research-crew/advice/1", "world": self.world.to_json(), "harm": self.harm,
            "precision": self.precision, "worth": self.worth,
            "steps": [
                {
                    "worth": s.worth, "researchers": s.choice.researchers, "strictness": s.choice.strictness,
                    "passes": s.choice.passes, "found": s.choice.expected.found, "bogus": s.choice.expected.bogus,
                    "prec": s.choice.expected.prec, "cost": s.choice.expected.cost,
                }
                for s in self.steps
            ],
            "crew_at": self.crew_at,
            "crew_from": None if self.crew_from is None else [_finite(end) for end in self.crew_from],
            "sure": self.sure, "sentences": list(self.sentences),
        }  # fmt: skip


def advise(
    world: World | Calibrated, *, worth: float | None = None, harm: float = 1.0, precision: float | None = None,
    most: int = 16, needs: str | int = "all", seed: int = 0,
) -> Advice:  # fmt: skip
    """What to hire in this world, at these prices.

    `worth` of a true fact, in the currency of the prices; `harm` of a bogus claim as a multiple of it; `precision` that
    an answer is to have on average; `most` researchers (and passes of one agent). Raises `InvalidInput`.
    """
    for name, value in (("--worth", worth), ("--harm", harm)):
        if value is not None and not 0 <= value < float("inf"):
            raise InvalidInput(name, value, "use a number of 0 or more")
    if precision is not None and not 0 <= precision <= 1:
        raise InvalidInput("--precision", precision, "use a number from 0 to 1")
    if isinstance(most, bool) or not isinstance(most, int) or not 1 <= most <= 64:
        raise InvalidInput("-n", most, "use 1 to 64 researchers")
    known = world if isinstance(world, Calibrated) else Calibrated(world)
    steps = tuple(
        Step(step.worth, _with_precision(step.choice, known.world, needs))
        for step in _edge(list(_choices(known.world, harm, precision, most, needs)))
    )
    plain = Advice(known.world, harm, precision, worth, steps, None, None)
    if not known.intervals:
        return plain
    rng = Random(seed)
    drawn = [known.drawn(rng) for _ in range(DRAWS)]
    others = [
        Advice(w, harm, precision, worth, _edge(list(_choices(w, harm, precision, most, needs))), None, None)
        for w in drawn
    ]
    starts = sorted(float("inf") if a.crew_at is None else a.crew_at for a in others)
    sure = None if worth is None else sum(_kind(a) == _kind(plain) for a in others) / len(others)
    edges = starts[round(0.025 * (DRAWS - 1))], starts[round(0.975 * (DRAWS - 1))]
    return Advice(known.world, harm, precision, worth, steps, sure, edges)


def _kind(advice: Advice) -> str:
    best = advice.best
    return "nothing" if best is None else "crew" if best.researchers else "one agent"


def _choices(
    world: World, harm: float, precision: float | None, most: int, needs: str | int
) -> Iterator[Choice]:
    """One agent with some passes, and crews at the two strictnesses that can be best, as far as precise enough."""
    careful = precision is not None
    for passes in range(1, most + 1):
        e = exact_solo(world, passes, careful)
        if _precise(e, precision):
            yield Choice(0, 0.0, passes, e, e.found - harm * e.bogus)
    for n in range(1, most + 1):
        if isinstance(needs, int) and needs > n:
            continue
        for strictness in _strictnesses(world, n, needs, precision):
            e = exact_crew(world.but(critic_strictness=strictness), n, needs, careful)
            if _precise(e, precision):
                yield Choice(n, strictness, 0, e, e.found - harm * e.bogus)


def _with_precision(choice: Choice, world: World, needs: str | int) -> Choice:
    if choice.expected.prec is not None:
        return choice
    turned = world.but(critic_strictness=choice.strictness)
    crew = choice.researchers
    return replace(choice, expected=exact_crew(turned, crew, needs) if crew else exact_solo(world, choice.passes))


def _strictnesses(world: World, n: int, needs: str | int, precision: float | None) -> tuple[float, ...]:
    """0, 1, and the strictness that just reaches the precision."""
    if precision is None:
        return (0.0, 1.0)

    def gap(strictness: float) -> float:
        return (exact_crew(world.but(critic_strictness=strictness), n, needs).prec or 0.0) - precision

    just = root(gap, 0.0, 1.0)
    return (0.0, 1.0) if just is None else (0.0, min(1.0, just + 1e-9), 1.0)


def _precise(expected: Expected, precision: float | None) -> bool:
    return precision is None or (expected.prec is not None and expected.prec >= precision - 1e-9)


def _edge(choices: list[Choice]) -> tuple[Step, ...]:
    """The upper edge of worth x gain - cost over the worth, from where it first pays to buy anything."""
    steps: list[Step] = []
    worth, gain, cost = 0.0, 0.0, 0.0
    while True:
        best: tuple[float, float, Choice] | None = None
        for choice in choices:
            if choice.gain > gain + 1e-12:
                crossing = max(worth, (choice.expected.cost - cost) / (choice.gain - gain))
                if best is None or (crossing, -choice.gain) < (best[0], -best[1]):
                    best = (crossing, choice.gain, choice)
        if best is None:
            return tuple(steps)
        worth, gain, cost = best[0], best[1], best[2].expected.cost
        steps.append(Step(worth, best[2]))


def _finite(value: float) -> float | None:
    return value if value < float("inf") else None
