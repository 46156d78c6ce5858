"""What one arm answered to one question, counted: the record of a comparison, one JSON line each."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from decimal import Decimal
from typing import Any

from research_crew.agents.roles import WRITER
from research_crew.evidence.folding import fold
from research_crew.measure.datasets import GoldQuestion
from research_crew.measure.matching import Stated, count
from research_crew.measure.official import official_score
from research_crew.result import CrewResult

MOST_CLAIMS, MOST_WORDS = 10, 300
"""Every arm answers in at most so many claims and words; what is beyond is not counted."""
_BAD = ("failed", "skipped", "over-budget")


@dataclass(frozen=True, slots=True)
class Said:
    """One claim of an answer, with what it cites."""

    text: str
    doc: str = ""
    """Path or address of the source; empty when nothing is cited."""
    title: str = ""
    supported: bool = True
    """Whether it passed every check against its source."""
    quote: str = ""


@dataclass(frozen=True, slots=True)
class Spent:
    """What an answer took."""

    cost: float = 0.0
    currency: str = "credits"
    fails: int = 0
    pages: int = 0
    searches: int = 0
    calls: int = 0
    """Calls of a model."""
    tokens: int = 0
    wall_s: float = 0.0
    apart_s: float = 0.0
    """What the same calls would take one after another."""

    def plus(self, other: "Spent") -> "Spent":
        """Both together, one after the other."""
        sums = {f.name: getattr(self, f.name) + getattr(other, f.name) for f in fields(self) if f.name != "currency"}
        return Spent(currency=other.currency, **sums)


@dataclass(frozen=True, slots=True)
class Bill:
    """What the crew paid for one question, as text: what the baselines may spend."""

    total: str
    writing: str = "0"
    """Its writer's part; one agent needs about as much for its own report."""
    metered: bool = False
    """Calls were reserved at their worst and billed at less: then the limit of a run says little about its bill."""


@dataclass(frozen=True, slots=True)
class Answered:
    """One arm's answer to one question."""

    question: str
    arm: str
    found: int
    bogus: int
    extra: int
    facts: int
    """Gold facts of the question; 0 without gold."""
    spent: Spent
    claims: tuple[Said, ...] = ()
    unbacked: int = 0
    """Sentences that rest on no claim; among the bogus."""
    read: tuple[str, ...] = ()
    """What was read, by path or address."""
    reached: float | None = None
    """Share of the gold paragraphs that were read; None where the set names none."""
    official: Mapping[str, float] = field(default_factory=dict)
    """The set's own score, by its name."""
    runs: int = 1
    """How many agents were merged."""
    status: str = "complete"
    topic: str = ""
    bill: Bill | None = None
    """Of the crew only."""
    gold: tuple[int, ...] = ()
    """Which of the question's gold facts were found, by place."""

    @property
    def prec(self) -> float | None:
        """found / (found + bogus); None for an answer with neither."""
        return self.found / (self.found + self.bogus) if self.found + self.bogus else None

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Answered":
        """The inverse of `to_json`."""
        given = dict(data)
        given["spent"] = Spent(**given["spent"])
        given["claims"] = tuple(Said(**claim) for claim in given["claims"])
        given["read"], given["gold"] = tuple(given["read"]), tuple(given.get("gold", ()))
        given["bill"] = Bill(**given["bill"]) if given["bill"] else None
        return cls(**given)


def said_by(result: CrewResult) -> tuple[Said, ...]:
    """The claims of a report, in reading order."""
    if result.report is None:
        return ()
    sources = {s.number: s for s in result.sources}
    claims = {c.id: c for c in result.claims}
    said = []
    for name in result.report.claims:
        claim, source = claims[name], sources[claims[name].source]
        whole = claim.check is None or claim.check.verdict == "supported"
        said.append(Said(claim.text, source.path or source.url or "", source.title, whole, claim.quote))
    return tuple(said)


def spent_by(result: CrewResult) -> Spent:
    """What a run took, from its ledger."""
    usage = result.usage()
    apart = sum((entry.ended - entry.started).total_seconds() for entry in result.ledger)
    tokens = usage.input + usage.cached_read + usage.cached_write + usage.output
    calls = sum(entry.kind == "model" for entry in result.ledger)
    fails = sum(task.state in _BAD for task in result.tasks)
    return Spent(
        float(result.total_cost), result.bill.currency, fails, usage.pages, usage.searches, calls, tokens,
        result.run.wall_s, apart,
    )  # fmt: skip


def bill_of(result: CrewResult) -> Bill:
    """The bill of a crew's run, as its baselines need it."""
    writing = sum((e.amount for e in result.ledger if e.role == WRITER), Decimal(0))
    return Bill(f"{result.total_cost:f}", f"{writing:f}", result.agents == "model")


def within_limits(claims: Sequence[Said]) -> tuple[Said, ...]:
    """As many claims, from the first, as an answer may have."""
    kept: list[Said] = []
    room = MOST_WORDS
    for claim in claims:
        room -= len(claim.text.split())
        if len(kept) == MOST_CLAIMS or room < 0:
            break
        kept.append(claim)
    return tuple(kept)


def counted(
    question: GoldQuestion, arm: str, claims: Sequence[Said], spent: Spent, texts: Mapping[str, tuple[str, str]],
    unbacked: Sequence[str] = (), read: Sequence[str] = (), runs: int = 1, status: str = "complete", cites: bool = True,
) -> Answered:  # fmt: skip
    """Count an answer. `texts` has title and text of every paragraph of the set by its id; a claim on a source that is
    not among them is held against its own quote. `cites` False is an answer from memory: found by its values alone,
    and whatever matches nothing is bogus, since no source holds it."""
    kept = within_limits(claims)
    if question.facts:
        stated = []
        for claim in kept:
            title, text = texts.get(claim.doc, (claim.title, claim.quote))
            stated.append(Stated(claim.text, claim.doc, title, text, claim.supported))
        came = count(question, stated, cites=cites)
        found, bogus, extra, which = came.found, came.bogus, came.extra, came.which
    else:
        which = ()
        distinct = {fold(claim.text): claim.supported for claim in kept}
        found, extra = sum(distinct.values()), 0
        bogus = len(distinct) - found
    gold = set(question.gold_doc_ids)
    reached = len(gold & set(read)) / len(gold) if gold else None
    return Answered(
        question.id, arm, found, bogus + len(set(unbacked)), extra, len(question.facts), spent, kept, len(set(unbacked)),
        tuple(read), reached, official_score(question, kept), runs, status, question.topic, gold=which,
    )  # fmt: skip


def verified_keys(answer: Answered) -> tuple[object, ...]:
    """What an answer holds that is known to be true: its gold facts, or without gold its supported claims as folded."""
    if answer.facts:
        return answer.gold
    return tuple(fold(claim.text) for claim in answer.claims if claim.supported)
