"""The dials of a world, measured: from answers with gold, exported run records and canaries.

- recall, hallucinations: the `solo` (else `crew`) answers of a results file: gold facts found, and bogus claims, per gold
  fact. Their intervals treat each fact as a trial; facts of one question are alike, so they are wider than that by
  the ratio of the spread between questions (the design effect).
- failures: attempts of run records that did not succeed. Prices: what each role cost there, on average. Without
  records the default prices are scaled so that crew and one agent cost what they did.
- catch, collateral: canaries. What was not measured keeps its default, and has no interval.
"""

from collections.abc import Sequence
from dataclasses import replace

from research_crew.agents.scripted.world import Prices, World
from research_crew.core.errors import InvalidInput
from research_crew.measure.answers import Answered
from research_crew.measure.calibrated import Calibrated
from research_crew.measure.critic_rates import CriticRates
from research_crew.measure.rates import Rate
from research_crew.measure.run_files import Record

_ROLES = {
    "planner": "plan", "researcher": "research", "critic": "critique", "writer": "edit", "citer": "edit",
}  # fmt: skip
Interval = tuple[float, float]


def calibrate(
    answers: Sequence[Answered] = (), records: Sequence[Record] = (), critic: CriticRates | None = None, source: str = ""
) -> Calibrated:
    """A world from what was measured. Raises `InvalidInput` when there is nothing to measure from."""
    if not answers and not records:
        raise InvalidInput("calibrate", "no runs", "name files of answers (compare --results) or exported run records")
    world, intervals = World(), dict[str, Interval]()
    golden = [a for a in answers if a.facts and a.arm == "solo"] or [a for a in answers if a.facts and a.arm == "crew"]
    if golden:
        facts = sum(a.facts for a in golden)
        world = world.but(n_facts=max(1, round(facts / len(golden))))
        for dial, hits in (("recall", [a.found for a in golden]), ("hallucination_rate", [a.bogus for a in golden])):
            rate = Rate(min(facts, sum(hits)), facts)
            world = world.but(**{dial: rate.value})
            intervals[dial] = _widened(rate, _design(hits, [a.facts for a in golden]))
    if records:
        failed = _failures(records)
        world = world.but(failure_rate=failed.value)
        intervals["failure_rate"] = failed.interval
        strict = [float(r["settings"]["strictness"]) for r in records if "strictness" in r.get("settings", {})]
        world = world.but(critic_strictness=sum(strict) / len(strict)) if strict else world
    world = world.but(prices=_prices(answers, records))
    if critic is not None and critic.enough and critic.strictness > 0:
        world = world.but(critic_strictness=critic.strictness)
        for dial, rate in (("catch", critic.catch), ("collateral", critic.collateral)):
            value, low, high = (min(1.0, v / critic.strictness) for v in (rate.value, *rate.interval))
            world = world.but(**{dial: value})
            intervals[dial] = (low, high)
    return Calibrated(world, intervals, len(golden) + len(records), source)


def _design(hits: Sequence[int], trials: Sequence[int]) -> float:
    """How much larger the variance between questions is than independent trials would make it; at least 1."""
    total, n = sum(trials), len(trials)
    p = sum(hits) / total
    if n < 2 or not 0 < p < 1:
        return 1.0
    between = sum((h - p * t) ** 2 for h, t in zip(hits, trials, strict=True)) * n / (n - 1)
    return max(1.0, between / (total * p * (1 - p)))


def _widened(rate: Rate, design: float) -> Interval:
    low, high = Rate(round(rate.hits / design), max(1, round(rate.trials / design))).interval
    return (min(rate.value, low), max(rate.value, high))


def _failures(records: Sequence[Record]) -> Rate:
    tried = [(int(t["attempts"]), t["state"]) for r in records for t in r["tasks"] if int(t["attempts"])]
    attempts = sum(n for n, _ in tried)
    return Rate(attempts - sum(state in ("ok", "partial") for _, state in tried), attempts)


def _prices(answers: Sequence[Answered], records: Sequence[Record]) -> Prices:
    prices = Prices()
    cost = {arm: [a.spent.cost for a in answers if a.arm == arm] for arm in ("crew", "solo")}
    means = {arm: sum(some) / len(some) for arm, some in cost.items() if some and sum(some) > 0}
    if "solo" in means:
        prices = replace(prices, solo=means["solo"], further=means["solo"] * prices.further / Prices().solo)
    if crews := [r for r in records if any(t["role"] == "researcher" for t in r["tasks"])]:
        spent = dict.fromkeys(_ROLES.values(), 0.0)
        for record in crews:
            for task in record["tasks"]:
                if task["role"] in _ROLES:
                    spent[_ROLES[task["role"]]] += float(task["cost"])
        researchers = sum(t["role"] == "researcher" for r in crews for t in r["tasks"])
        each = {name: total / (researchers if name == "research" else len(crews)) for name, total in spent.items()}
        return replace(prices, **{name: value for name, value in each.items() if value > 0})
    if "crew" in means:
        usual = Prices()
        factor = means["crew"] / (usual.plan + 4 * usual.research + usual.critique + usual.edit)
        scaled = {name: getattr(usual, name) * factor for name in ("plan", "research", "critique", "edit")}
        prices = replace(prices, **scaled)
    return prices
