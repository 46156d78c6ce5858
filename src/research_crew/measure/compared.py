"""What a comparison of real agents came to: the table, its sentences, the verdict, and what stands below."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from research_crew.evidence.unseen import NotEstimable, chapman
from research_crew.measure.answers import Answered, verified_keys
from research_crew.measure.compare import HEADER, SCHEMA, plain_sentences, row
from research_crew.measure.moments import COLUMNS, Moments, moments
from research_crew.measure.runs import Row
from research_crew.measure.statistics import MARGIN, Verdict, decide, paired

EQUAL = ("solo=", "union=")
CONTROL = "closed-book"


@dataclass(frozen=True, slots=True)
class Compared:
    """The answers of every arm to the same questions."""

    bench: str
    answers: Mapping[str, Sequence[Answered]]
    """By arm, each in the order of the questions; arms in the order of the table."""
    margin: float = MARGIN
    left_out: int = 0
    """Questions that not every arm has answered yet."""
    _moments: dict[str, Moments] = field(default_factory=dict)

    @property
    def questions(self) -> int:
        """How many questions the table is over."""
        return len(next(iter(self.answers.values()), ()))

    def moments(self, arm: str) -> Moments:
        """The means of an arm."""
        if arm not in self._moments:
            rows = [Row(a.found, a.bogus, a.prec, a.spent.cost, a.spent.fails) for a in self.answers[arm]]
            self._moments[arm] = moments(rows)
        return self._moments[arm]

    @property
    def verdict(self) -> Verdict | None:
        """Against both baselines that may spend as much; None where one is missing."""
        if not self.questions or "crew" not in self.answers or not all(arm in self.answers for arm in EQUAL):
            return None
        crew = [float(a.found - a.bogus) for a in self.answers["crew"]]
        topics = [a.topic for a in self.answers["crew"]]
        gaps = {}
        for arm in EQUAL:
            other = [float(a.found - a.bogus) for a in self.answers[arm]]
            gaps[arm] = paired(crew, other, topics if all(topics) else None, margin=self.margin)
        return decide(gaps, self.margin)

    def used(self, arm: str) -> float | None:
        """Share of the crew's bill that an equal-money arm spent."""
        if arm not in EQUAL or "crew" not in self.answers or not (bill := self._sum("crew", "cost")):
            return None
        return self._sum(arm, "cost") / bill

    @property
    def sentences(self) -> tuple[str, ...]:
        """What the table says in words."""
        said: list[str] = []
        if "crew" in self.answers and "solo" in self.answers and self.questions:
            said += plain_sentences(self.moments("crew"), self.moments("solo"))
        for arm in EQUAL:
            used = self.used(arm) if arm in self.answers else None
            if used is not None and used < 0.9995:
                said.append(f"{arm} could not spend {1 - used:.1%} of the crew's bill.")
            elif used is not None and used > 1.0005:
                said.append(f"{arm} spent {used - 1:.1%} more than the crew's bill.")
        if (verdict := self.verdict) is not None:
            said.append(verdict.sentence)
        return (*said, *self._unfound(), *self._of_models())

    def _unfound(self) -> list[str]:
        """How much neither crew nor one agent found, by capture and recapture over all questions together.

        Only what is verified counts: gold facts found, or, without gold, claims that passed all their checks.
        """
        if not self.questions or "crew" not in self.answers or "solo" not in self.answers:
            return []
        crew, solo = (
            {(a.question, key) for a in self.answers[arm] for key in verified_keys(a)} for arm in ("crew", "solo")
        )
        estimate = chapman(crew, solo)
        if isinstance(estimate, NotEstimable):
            return [f"what was never found: not estimable; {estimate.reason}."]
        return [
            f"crew and solo together found {estimate.found} distinct true facts; by what both found there are at least "
            f"{estimate.total:.0f} (Chapman; arms that search alike make this too low)."
        ]

    def _of_models(self) -> list[str]:
        """Tokens, their ratio to one closed-book reply, and the time saved: for agents with a model."""
        if not any(self._sum(arm, "calls") for arm in self.answers):
            return []
        control = self._sum(CONTROL, "tokens") if CONTROL in self.answers else 0
        parts = []
        for arm in self.answers:
            tokens = self._sum(arm, "tokens")
            times = f" ({tokens / control:.1f}x)" if control and arm != CONTROL else ""
            parts.append(f"{arm} {tokens / self.questions:,.0f}{times}")
        said = [f"tokens a question{', and times one closed-book reply' if control else ''}: {', '.join(parts)}."]
        for arm in ("crew", "solo"):
            if arm in self.answers and (apart := self._sum(arm, "apart_s")):
                wall = self._sum(arm, "wall_s")
                said.append(
                    f"{arm}: {wall / self.questions:.2f} s a question; the same calls one after another "
                    f"{apart / self.questions:.2f} s, so that {1 - wall / apart:.0%} of the time is saved."
                )
        return said

    def render(self) -> str:
        """The table for a person, exact values and the set's own scores below it."""
        width = max((len(arm) for arm in self.answers), default=4)
        head = f"{'':<{width}}  {HEADER}"
        lines = [head, "-" * len(head)]
        lines += [f"{arm:<{width}}  {row(self.moments(arm))}" for arm in self.answers]
        facts = sum(a.facts for a in next(iter(self.answers.values()), ()))
        what = f"{self.questions} question(s)" + (f", {facts} gold facts" if facts else ", no gold: found is what its source supports")
        lines += ["", *self.sentences, "", f"{self.bench}: {what}; sums and means:"]
        lines += [f"{arm:<{width}}  {self._below(arm)}" for arm in self.answers]
        if self.left_out:
            lines.append(f"{self.left_out} question(s) left out: not every arm has answered them yet.")
        return "\n".join(lines)

    def _below(self, arm: str) -> str:
        answers = self.answers[arm]
        some = answers[0].spent.currency if answers else ""
        parts = [f"found {sum(a.found for a in answers)}", f"bogus {sum(a.bogus for a in answers)}"]
        parts += [f"extra {sum(a.extra for a in answers)}"] if any(a.extra for a in answers) else []
        parts.append(f"cost {self._sum(arm, 'cost'):.6g} {some}")
        parts.append(f"pages {self._sum(arm, 'pages') / max(1, len(answers)):.1f} a question")
        reached = [a.reached for a in answers if a.reached is not None]
        parts += [f"gold paragraphs {sum(reached) / len(reached):.3f}"] if reached else []
        names = dict.fromkeys(name for a in answers for name in a.official)
        parts += [f"{n} {sum(a.official.get(n, 0.0) for a in answers) / len(answers):.3f}" for n in names]
        return ", ".join(parts)

    def _sum(self, arm: str, what: str) -> float:
        return float(sum(getattr(a.spent, what) for a in self.answers[arm]))

    def to_json(self) -> dict[str, object]:
        """`research-crew/comparison/1`."""
        verdict = self.verdict
        return {
            "schema": SCHEMA, "bench": self.bench, "questions": self.questions, "margin": verdict.margin if verdict else None,
            "simulated": False, "left_out": self.left_out,
            "arms": [self._arm(arm) for arm in self.answers] if self.questions else [],
            "verdict": verdict.winner if verdict else None, "differences": verdict.to_json() if verdict else None,
            "sentences": list(self.sentences),
        }  # fmt: skip

    def _arm(self, arm: str) -> dict[str, object]:
        drawn, answers = self.moments(arm), self.answers[arm]
        columns = (*COLUMNS, "found_per_cost")
        reached = [a.reached for a in answers if a.reached is not None]
        names = dict.fromkeys(name for a in answers for name in a.official)
        return {
            "name": arm, **{column: getattr(drawn, column).value for column in columns},
            "interval": {column: list(getattr(drawn, column).interval) for column in columns},
            "budget_used": self.used(arm), "currency": answers[0].spent.currency,
            "tokens": self._sum(arm, "tokens") / len(answers), "pages": self._sum(arm, "pages") / len(answers),
            "wall_s": self._sum(arm, "wall_s"), "apart_s": self._sum(arm, "apart_s"),
            "reached": sum(reached) / len(reached) if reached else None,
            "official": {n: sum(a.official.get(n, 0.0) for a in answers) / len(answers) for n in names},
        }  # fmt: skip
