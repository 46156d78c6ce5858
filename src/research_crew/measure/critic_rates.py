"""A critic that knows its own error: canaries go through it, and what it cuts is counted.

For the question of each stored run, some of its verified claims are shown to the critic as they are and others made
false (a number, a date or a name changed; see `evidence.canary`). No claim is shown beside its original, none is
registered, nothing is written; what the critic costs is billed under the role `canary`.

With a critic that cuts a true claim with probability l and a false one with c, of n claims of which t are true, kept are
t (1 - l) + (n - t)(1 - c). Solved for t, the share of true claims among those kept is the precision that the report
would have by the canaries alone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from random import Random

from research_crew.agents.roles import Critique, Finding, Question
from research_crew.backends import Backends, open_backends
from research_crew.core.budget import Budget
from research_crew.core.context import Context, Scope, Tools
from research_crew.core.graph import Task, TaskGraph
from research_crew.core.money import show, to_decimal
from research_crew.core.runner import Runner, utc_now
from research_crew.core.secret import Secret
from research_crew.evidence.canary import Canary, make_canaries
from research_crew.evidence.source import SourceRegistry
from research_crew.measure.rates import Rate
from research_crew.measure.run_files import Record, supported_claims
from research_crew.settings import Settings

LEAST = 30
"""Fewer canaries than this (of either kind) give no rate."""
ROLE = "canary"


@dataclass(frozen=True, slots=True)
class CriticRates:
    """What a critic does to false and to true claims, at one strictness."""

    strictness: float
    catch: Rate
    """False claims that it cut."""
    collateral: Rate
    """True claims that it cut."""
    cost: Decimal = Decimal(0)
    currency: str = ""

    @property
    def enough(self) -> bool:
        """Whether there are enough canaries of both kinds for a rate."""
        return min(self.catch.trials, self.collateral.trials) >= LEAST

    def corrected_precision(self, before: int, kept: int) -> float | None:
        """Precision after the critic, by the canaries: of `before` claims `kept` were. None when it cannot be told."""
        catch, lost = self.catch.value, self.collateral.value
        if not self.enough or kept == 0 or catch <= lost:
            return None
        true = (kept - before * (1 - catch)) / (catch - lost)
        true = min(float(before), max(0.0, true))
        return min(1.0, true * (1 - lost) / kept)

    def worth(self, true: float, false: float, price: float, fact: float, harm: float = 1.0) -> float:
        """What it brings on so many true and false claims, in money: inventions removed less facts lost less its price."""
        return fact * (harm * false * self.catch.value - true * self.collateral.value) - price

    @property
    def sentences(self) -> tuple[str, ...]:
        """The rates in words; why there are none when there are too few canaries."""
        few = min(self.catch.trials, self.collateral.trials)
        if not self.enough:
            return (f"critic: {few} canaries of one kind; at least {LEAST} of each are needed for a rate.",)
        said = [
            f"critic at strictness {self.strictness:g}: it cut {self.catch} of the false claims and {self.collateral} of the "
            f"true ones, for {show(self.cost)} {self.currency}."
        ]
        if self.catch.interval[1] <= self.collateral.value or self.catch.value <= self.collateral.value:
            said.append("drop the critic: it does not tell true claims from false ones.")
        else:
            odds = self.collateral.value / self.catch.value
            said.append(
                f"drop the critic where fewer than {odds:.2f} bogus claims stand beside each true one (and sooner, if they do "
                "less harm than a lost fact, or for its price)."
            )
        return tuple(said)

    def to_json(self) -> dict[str, object]:
        """Plain values."""
        return {
            "strictness": self.strictness, "catch": self.catch.to_json(), "collateral": self.collateral.to_json(),
            "cost": show(self.cost), "currency": self.currency, "enough": self.enough, "sentences": list(self.sentences),
        }  # fmt: skip


async def measure_critic(
    records: Sequence[Record], settings: Settings, keys: Mapping[str, Secret], *, most: int = 10, seed: int = 0
) -> CriticRates:
    """Put up to `most` canaries for each stored run through the critic of the settings."""
    rng = Random(seed)
    batches = [(record, made) for record in records if (made := make_canaries(supported_claims(record), most, rng))]
    first = str(batches[0][0]["question"]) if batches else "?"
    backends = await open_backends(settings, keys, first, now=utc_now)
    try:
        limit = to_decimal(settings.budget or backends.limit)
        backends.fit_to(limit)
        price = None if backends.prices.metered else backends.prices.critique
        tasks = [
            Task(f"{ROLE}:{n}", ROLE, price, None if price is not None else limit, brief=_question(record, settings))
            for n, (record, _) in enumerate(batches)
        ]
        agent = _Critics(backends, {f"{ROLE}:{n}": made for n, (_, made) in enumerate(batches)})
        budget = Budget(limit, backends.prices.currency)
        result = await Runner(TaskGraph(tasks), agent, budget, attempts=1, concurrency=4, tools=agent.tools).run()
    finally:
        await backends.close()
    return CriticRates(settings.strictness, agent.catch, agent.collateral, result.spent, result.bill.currency)


class _Critics:
    """Plays the critic on canaries alone and counts what it cut."""

    def __init__(self, backends: Backends, batches: Mapping[str, Sequence[Canary]]) -> None:
        self._backends, self._batches = backends, batches
        self.catch, self.collateral = Rate(0, 0), Rate(0, 0)

    def tools(self, scope: Scope) -> Tools:
        """The sources of the canaries, by number, and nothing else."""
        registry = SourceRegistry()
        for number in range(1, 1 + len(self._batches[scope.task.id])):
            registry.register(path=f"canary-{number}.txt", title="")
        return Tools(sources=registry)

    async def __call__(self, task: Task, ctx: Context) -> str:
        """Criticise one batch."""
        batch, question = self._batches[task.id], task.brief
        assert isinstance(question, Question)
        claims = tuple(replace(c.claim, source=n, task=f"research:{n}") for n, c in enumerate(batch, 1))
        ctx.results = {"canaries": Finding(claims, "partial")}
        critique = await self._criticise(question, ctx)
        gone = {cut.claim for cut in critique.cuts}
        for canary in batch:
            rate = Rate(int(canary.claim.id in gone), 1)
            if canary.true:
                self.collateral = self.collateral.plus(rate)
            else:
                self.catch = self.catch.plus(rate)
        return f"{len(gone)} of {len(batch)} cut"

    async def _criticise(self, question: Question, ctx: Context) -> Critique:
        if self._backends.hired is None:
            from research_crew.agents.extractive.critic import criticise as by_rule

            return by_rule(question, (question.text,), ctx)
        from research_crew.agents.model.critic import criticise

        return await criticise(question, self._backends.hired.team, ctx)


def _question(record: Record, settings: Settings) -> Question:
    return Question(str(record["question"]), str(record.get("language", "en")), strictness=settings.strictness)


def through_critic(records: Sequence[Record]) -> tuple[int, int]:
    """How many claims of those runs came before their critic, and how many it kept."""
    states = [c["state"] for r in records if any(t["role"] == "critic" for t in r["tasks"]) for c in r["claims"]]
    kept = sum(state in ("kept", "cut-for-space", "lost-in-writing") for state in states)
    return kept + states.count("cut-by-critic"), kept
