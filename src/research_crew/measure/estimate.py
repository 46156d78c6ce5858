"""What a question will cost and how long it will take, before anything is bought: stage by stage, as a range.

The range is to hold 9 times out of 10. With five or more bills of the same makers it is a prediction interval of their
logarithms (Student's t for one further run: mean ± t s sqrt(1 + 1/n)). With fewer the stages are added up from what
such calls usually take, and the range is as wide as those guesses were seen to be off.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import exp, log, sqrt

from research_crew.agents.roles import CITER, CRITIC, INVESTIGATOR, PLANNER, RESEARCHER, WRITER, Question
from research_crew.agents.scripted.world import World
from research_crew.backends import Backends, open_backends
from research_crew.core.money import to_decimal
from research_crew.core.runner import utc_now
from research_crew.core.secret import Secret
from research_crew.evidence.language import detect_language
from research_crew.measure.exact_equal import crew_bills
from research_crew.measure.promises import Paid, Promise
from research_crew.settings import Settings

ENOUGH = 5
"""Bills from which a range is made."""
_SPREAD, _FIXED_SPREAD, _TIME_SPREAD = 0.55, 0.35, 0.8
"""Standard deviation of the logarithm of a guess, with and without a model, and of its time."""
_Z = 1.645
_T90 = {4: 2.132, 5: 2.015, 6: 1.943, 7: 1.895, 8: 1.860, 9: 1.833, 14: 1.761, 19: 1.729, 29: 1.699, 10**9: 1.645}
"""95 % points of Student's t by degrees of freedom (90 % between both ends); the next smaller one is used between."""
_TOKENS = {
    PLANNER: (900, 400), RESEARCHER: (5000, 700), INVESTIGATOR: (5000, 700), CRITIC: (2200, 500), WRITER: (2600, 900),
    CITER: (3200, 300),
}  # fmt: skip
"""Tokens in and out of a call that goes as usual."""
_RESEARCHERS = 3
_SEARCHES, _PAGES = 4.7, 7.8
"""Of one researcher without a model (docs/measured.md)."""
_SECONDS, _SECONDS_FREE = 8.0, 0.4
"""A call of a model, and a whole stage without one."""


@dataclass(frozen=True, slots=True)
class Stage:
    """One line of an estimate."""

    name: str
    calls: float
    model: str
    each: float
    """Expected price of a call."""

    @property
    def cost(self) -> float:
        """Expected price of all."""
        return self.calls * self.each


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a run will come to."""

    kind: str
    stages: tuple[Stage, ...]
    low: float
    high: float
    currency: str
    seconds_low: float
    seconds_high: float
    limit: float
    bills: int
    """How many bills of the same makers it rests on; 0 for a guess."""

    @property
    def expected(self) -> float:
        """The middle of it."""
        return min(self.limit, sum(stage.cost for stage in self.stages))

    def promise(self, question: str, at: str) -> Promise:
        """The range as it is kept."""
        return Promise(
            question, self.kind, self.low, self.high, self.currency, self.seconds_low, self.seconds_high, at
        )

    def render(self) -> str:
        """The table for a person."""
        head = f"{'stage':<12} {'calls':>6}  {'model':<34} {'each':>10} {'all':>10}"
        lines = [head, "-" * len(head)]
        lines += [f"{s.name:<12} {s.calls:>6.1f}  {s.model[:34]:<34} {s.each:>10.4g} {s.cost:>10.4g}" for s in self.stages]
        basis = f"{self.bills} bills of the same makers" if self.bills else "usual sizes of calls; no bill of these makers yet"
        return "\n".join(
            (
                *lines, "",
                f"{self.low:.4g} to {self.high:.4g} {self.currency} (9 times out of 10), about {self.expected:.4g}; never above "
                f"{self.limit:g}.",
                f"{self.seconds_low:.0f} to {self.seconds_high:.0f} s. From {basis}.",
            )
        )  # fmt: skip

    def to_json(self) -> dict[str, object]:
        """Plain values."""
        return {
            "schema": "research-crew/estimate/1", "kind": self.kind, "low": self.low, "high": self.high,
            "expected": self.expected, "currency": self.currency, "seconds": [self.seconds_low, self.seconds_high],
            "limit": self.limit, "bills": self.bills,
            "stages": [{"stage": s.name, "calls": s.calls, "model": s.model, "each": s.each} for s in self.stages],
        }  # fmt: skip


async def estimate(
    question: str, settings: Settings, keys: Mapping[str, Secret], past: Sequence[Paid] = (), *, alone: bool = False
) -> Estimate:
    """Estimate a run of these settings; opens its back ends and buys nothing."""
    backends = await open_backends(settings, keys, question, now=utc_now, alone=alone)
    try:
        limit = to_decimal(settings.budget or backends.limit)
        backends.fit_to(limit)
        kind = kind_of(backends.agents, settings, alone)
        mine = [bill for bill in past if bill.kind == kind and bill.cost > 0]
        stages = _from_bills(mine, settings) if len(mine) >= ENOUGH else _usual(question, backends, settings, alone)
        currency = backends.prices.currency
        metered = backends.prices.metered
    finally:
        await backends.close()
    if len(mine) >= ENOUGH:
        low, high = predicted([bill.cost for bill in mine])
        quick, slow = predicted([max(bill.seconds, 1e-3) for bill in mine])
    else:
        middle = sum(stage.cost for stage in stages)
        spread = _SPREAD if metered else _FIXED_SPREAD
        low, high = middle * exp(-_Z * spread), middle * exp(_Z * spread)
        calls = sum(s.calls / (_RESEARCHERS if s.name == RESEARCHER else 1) for s in stages)
        seconds = calls * _SECONDS if metered else len(stages) * _SECONDS_FREE
        quick, slow = seconds * exp(-_Z * _TIME_SPREAD), seconds * exp(_Z * _TIME_SPREAD)
    most = float(limit)
    return Estimate(
        kind, stages, min(low, most), min(high, most), currency, quick, slow, most, len(mine) if len(mine) >= ENOUGH else 0
    )


def estimate_scripted(world: World, n: int, needs: str | int = "all") -> Estimate:
    """The scripted crew: the exact 5 % and 95 % points of its bill."""
    bills = sorted(crew_bills(world, n, needs).items())
    price = world.prices
    stages = (
        Stage("planner", 1, "scripted", price.plan), Stage("researcher", n, "scripted", price.research),
        Stage("critic", 1, "scripted", price.critique), Stage("editor", 1, "scripted", price.edit),
    )  # fmt: skip
    return Estimate("scripted", stages, _point(bills, 0.05), _point(bills, 0.95), "credits", 0.0, 1.0, 10_000.0, 0)


def kind_of(agents: str, settings: Settings, alone: bool = False) -> str:
    """Runs of one kind may be held against one another: the same makers, as wide and as deep."""
    models = f" {settings.lead or settings.solo} {settings.worker or settings.lead}" if agents == "model" else ""
    who = "one agent" if alone else f"{settings.researchers} researchers"
    return f"{agents}{models}, {who}, {settings.search_rounds} rounds, {settings.loops} loops"


def with_lead(settings: Settings, lead: str) -> Settings:
    """The same run under another lead."""
    return replace(settings, lead=lead, worker=settings.worker or settings.lead)


def _usual(question: str, backends: Backends, settings: Settings, alone: bool) -> tuple[Stage, ...]:
    """Stages by what such calls usually take."""
    prices = backends.prices
    asked = Question(question, settings.language or detect_language(question), max_researchers=settings.researchers)
    single = None if alone else backends.one_thread(asked)
    if backends.hired is None:
        from research_crew.agents.extractive.planner import plan

        width = 1 if alone else len(plan(asked).subtasks)
        research = _SEARCHES * float(prices.worst_search) + _PAGES * float(prices.tariff.page)
        stages = [Stage(INVESTIGATOR if alone else RESEARCHER, width, "no model", research / (1.0 if width == 1 else 1.4))]
        if not alone and single is None:
            stages.insert(0, Stage(PLANNER, 1, "no model", float(prices.plan)))
        if not alone:
            stages.append(Stage(CRITIC, 1, "no model", float(prices.critique)))
        stages.append(Stage(WRITER, 1, "no model", float(prices.write)))
        return (*stages, Stage(CITER, 1, "no model", float(prices.cite))) if not alone and single is None else tuple(stages)
    team = backends.hired.team
    width = min(_RESEARCHERS, settings.researchers)
    rounds = 1 + 0.6 * (settings.search_rounds - 1)
    searches = settings.queries_per_round * float(prices.worst_search)
    roles = (INVESTIGATOR, WRITER) if alone else (PLANNER, RESEARCHER, CRITIC, WRITER, CITER)
    found = []
    for role in roles:
        tokens_in, tokens_out = _TOKENS[role]
        each = float(team.worst(role, tokens_in, tokens_out)) + (searches if role in (RESEARCHER, INVESTIGATOR) else 0)
        calls = {RESEARCHER: width * rounds, INVESTIGATOR: rounds}.get(role, 1.0)
        model = team.of(role)
        found.append(Stage(role, calls, f"{model.provider}:{model.name}", each))
    return tuple(found)


def _from_bills(bills: Sequence[Paid], settings: Settings) -> tuple[Stage, ...]:
    """The mean of each stage over past bills."""
    roles = dict.fromkeys(role for bill in bills for role in bill.stages)
    stages = []
    for role in roles:
        calls = sum(bill.stages.get(role, (0, 0.0))[0] for bill in bills)
        cost = sum(bill.stages.get(role, (0, 0.0))[1] for bill in bills)
        model = (settings.worker if role in (RESEARCHER, CRITIC) else settings.lead) or settings.lead or "no model"
        stages.append(Stage(role, calls / len(bills), model, cost / calls if calls else 0.0))
    return tuple(stages)


def predicted(values: Sequence[float]) -> tuple[float, float]:
    """The 90 % prediction interval of one further value, by logarithms."""
    logs = [log(value) for value in values]
    n = len(logs)
    middle = sum(logs) / n
    spread = sqrt(sum((x - middle) ** 2 for x in logs) / (n - 1) * (1 + 1 / n))
    t = next(t for freedom, t in sorted(_T90.items(), reverse=True) if freedom <= n - 1 or freedom == min(_T90))
    return exp(middle - t * spread), exp(middle + t * spread)


def _point(bills: Sequence[tuple[float, float]], share: float) -> float:
    """The smallest bill that so many of the runs do not pass."""
    seen = 0.0
    for amount, probability in bills:
        seen += probability
        if seen >= share:
            return amount
    return bills[-1][0]
