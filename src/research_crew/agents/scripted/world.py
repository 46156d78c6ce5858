"""The scripted world: a fixed truth, and the dials that say how well its agents find it."""

import math
from dataclasses import dataclass, fields, replace
from typing import Self

from research_crew.core.errors import InvalidInput

FACTS = 12
CATCH = 0.9
"""A critic of strictness s removes an invented claim with probability 0.9 s …"""
COLLATERAL = 0.25
"""… and a correct one with probability 0.25 s: strictness costs true facts too."""


@dataclass(frozen=True, slots=True)
class Prices:
    """What an attempt at each task costs. Raises `InvalidInput` for a price that is not a number of more than 0."""

    plan: float = 2
    research: float = 3
    """Of each researcher."""
    critique: float = 2
    edit: float = 2
    solo: float = 4
    """The first pass of one agent alone."""
    further: float = 3
    """Each further pass of the same agent, when it may spend as much as a crew."""

    def __post_init__(self) -> None:
        for spec in fields(self):
            value = getattr(self, spec.name)
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < 1e9:
                raise InvalidInput(f"price of {spec.name}", value, "use a number of more than 0")

    def to_json(self) -> dict[str, float]:
        """The prices by name."""
        return {spec.name: getattr(self, spec.name) for spec in fields(self)}


@dataclass(frozen=True, slots=True)
class World:
    """The dials of a simulation. All but the number of facts and the prices are probabilities, 0 to 1.

    Raises `InvalidInput`, naming the dial, for NaN and for values out of range.
    """

    recall: float = 0.35
    """A researcher reports each true fact with this probability."""
    hallucination_rate: float = 0.15
    """For each of the fact slots, a researcher invents a claim of its own with this probability."""
    failure_rate: float = 0.0
    """An attempt at a task fails with this probability, and is paid for all the same."""
    critic_strictness: float = 0.5
    catch: float = CATCH
    collateral: float = COLLATERAL
    n_facts: int = FACTS
    prices: Prices = Prices()

    def __post_init__(self) -> None:
        for spec in fields(self):
            value = getattr(self, spec.name)
            if spec.name == "prices":
                if not isinstance(value, Prices):
                    raise InvalidInput("prices", value, "give a Prices value")
            elif spec.name == "n_facts":
                if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= 100_000:
                    raise InvalidInput("n_facts", value, "use a whole number from 1 to 100000")
            elif isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
                # A NaN fails every comparison, so it lands here too.
                label = "--" + spec.name.replace("_", "-")
                raise InvalidInput(label, value, "use a probability from 0 to 1")
            elif math.isclose(value, 0.0, abs_tol=0.0):
                object.__setattr__(self, spec.name, 0.0)

    @property
    def facts(self) -> tuple[str, ...]:
        """The truth: the same facts in every run."""
        return tuple(f"fact {i + 1}" for i in range(self.n_facts))

    @property
    def catches(self) -> float:
        """Probability that the critic removes an invented claim."""
        return self.catch * self.critic_strictness

    @property
    def loses(self) -> float:
        """Probability that the critic removes a true fact."""
        return self.collateral * self.critic_strictness

    def but(self, **dials: float | Prices) -> Self:
        """The same world with some dials turned."""
        return replace(self, **dials)  # type: ignore[arg-type]

    def to_json(self) -> dict[str, object]:
        """The dials by name, the prices under `prices`."""
        return {spec.name: getattr(self, spec.name) for spec in fields(self)} | {"prices": self.prices.to_json()}
