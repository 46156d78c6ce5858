"""Whole runs of a crew against the fake provider while requests fail in every way it offers, by a seeded script.

A script says for each request whether and how it fails, from what is asked and how often it was asked before, so that
the order of arrival does not matter. Whatever else it does, in every script the model of one researcher never answers,
the first plan is empty (a repair), and the first draft meets a rate limit (a retry); the first draft also asks
for a second loop. `benchmarks/fault_scripts.py` runs a thousand, `test_crew_faults.py` a sample.
"""

import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from random import Random
from typing import Any

from brains import honest, role_of

from research_crew import Crew, CrewResult, OverBudget
from research_crew.core.account import Account
from research_crew.core.budget import Budget
from research_crew.core.events import Event
from research_crew.core.journal import MemoryJournal
from research_crew.core.ledger import LedgerEntry
from research_crew.core.meter import Meter
from research_crew.core.money import USD, Price
from research_crew.core.runner import utc_now
from research_crew.core.secret import Secret
from research_crew.models.fake_faults import KINDS, Fault, fault
from research_crew.models.fake_server import FakeServer, Served
from research_crew.models.fake_shapes import Asked, Said

VENDORS = ("swarms", "openai", "anthropic", "google")
QUESTION = "What does the grey heron eat, and how many nests did the colonies have, and where does it winter?"
GAP = "How long does the grey heron live?"
PRICE = Price(USD, Decimal(2), Decimal(10), cached_read=Decimal("0.5"))
MODEL = {"swarms": "gpt-5.4-mini", "openai": "gpt-4o", "anthropic": "claude-haiku-4-5", "google": "gemini-2.5-flash"}
KEYS = {vendor: Secret("key-of-the-tests") for vendor in (*VENDORS, "exa")}
FINAL = ("quota", "bad-request", "bad-key", "no-credit", "forbidden", "unknown-model", "too-large", "context")
"""Faults after which nobody tries again; drawn less often than the others, or few runs would get to their end."""
HANGS = ("hang", "hang-after")
SEARCH_KINDS = (
    "rate-limit", "error", "unavailable", "bad-request", "drop", "cut-body", "not-json", "no-usage", "empty", "hang",
)  # fmt: skip
VICTIM = "Your brief: where does it winter"
_WEIGHTS = [1 if kind in (*FINAL, *HANGS, "huge") else 4 for kind in KINDS]
PAGES = [
    {
        "url": f"https://www.nature.com/articles/{n}", "title": f"Study {n}", "publishedDate": "2024-02-03T00:00:00Z",
        "text": f"The grey heron of study {n} eats fish, frogs and small mammals. Colony {n} had {n + 20} nests in 2023.",
    }
    for n in range(1, 30)
]  # fmt: skip


def found(body: Mapping[str, Any]) -> Mapping[str, Any]:
    start = sum(map(ord, body["query"])) % 20
    return {"results": PAGES[start : start + 3], "costDollars": {"total": 0.007}}


def mind(asked: Asked) -> Said:
    """An honest model whose first draft wants one thing more."""
    if role_of(asked) == "planner" and "left these gaps" in asked.prompt:
        brief = {"objective": GAP, "search_queries": [GAP], "output_format": "a figure", "boundaries": "nothing else"}
        return Said(data={"complexity": "simple", "strategy": "The gap.", "subtasks": [brief]})
    said = honest(asked)
    if role_of(asked) == "writer" and "The report of the last round" not in asked.prompt:
        wants = said.text.replace('"needs_more_research": false, "gaps": []', f'"needs_more_research": true, "gaps": ["{GAP}"]')
        return Said(wants)
    return said


class Script:
    """Which requests of one run fail, and how."""

    def __init__(self, seed: int, rate: float = 0.3) -> None:
        self._seed, self._rate = seed, rate
        self._asked: Counter[str] = Counter()

    def __call__(self, asked: Asked) -> Fault | None:
        role = role_of(asked)
        what = hashlib.sha256(f"{asked.shape}\0{asked.turns}\0{asked.prompt}".encode()).hexdigest()
        self._asked[what] += 1
        self._asked[role] += 1
        if asked.shape == "exa":
            rng = Random(f"{self._seed}/{what}/{self._asked[what]}")
            return fault(rng.choice(SEARCH_KINDS), retry_after=0) if rng.random() < self._rate else None
        if VICTIM in asked.prompt:
            return fault("error")
        if self._asked[role] == 1 and role == "planner":
            return fault("empty")
        if self._asked[role] == 1 and role == "writer":
            return fault("rate-limit", retry_after=0)
        rng = Random(f"{self._seed}/{what}/{self._asked[what]}")
        if rng.random() >= self._rate:
            return None
        (kind,) = rng.choices(KINDS, _WEIGHTS)
        return fault(kind, billed_output=40) if kind == "gateway" else fault(kind, size=60_000, pause=0.0)


@dataclass(frozen=True)
class Outcome:
    """One run, and what the server has in its own books."""

    result: CrewResult | None
    """None when the budget could not pay the smallest run."""
    log: tuple[Served, ...]
    events: tuple[Event, ...]

    @property
    def billed(self) -> Decimal:
        return sum((served.amount for served in self.log), Decimal(0))


async def one_run(seed: int, vendor: str, limit: str, timeout: float = 1.0, store: str = "off") -> Outcome:
    """A crew of at most three, two loops, through the public interface; half of the seeds stream their answers.

    `store` is the file in which the run is stored, its journal of calls included.
    """

    async def no_wait(seconds: float) -> None:
        return None

    events: list[Event] = []
    async with FakeServer(mind, faults=Script(seed), prices=lambda _: PRICE, search=found) as server:
        urls = f"{vendor}={server.base(vendor)},exa={server.base('exa')}"
        model = f"{vendor}:{MODEL[vendor]}"
        crew = Crew(
            lead=model, search="exa", price=f"{model}=2/10/0.5", base_urls=urls, keys=KEYS, loops=2, researchers=3,
            timeout=timeout, sleep=no_wait, stream="on" if seed % 8 > 3 else "off", store=store,
        )  # fmt: skip
        try:
            result = await crew.arun(QUESTION, limit, on_event=events.append)
        except OverBudget:
            result = None
    return Outcome(result, tuple(server.log), tuple(events))


def held_against(outcome: Outcome, limit: str) -> Counter[str]:
    """Hold the ledger against the server's log, entry by entry; returns counts of what was seen.

    A measured entry is the very amount and usage of its request in the log. A guessed one (no usage in the reply, a
    broken connection, a time-out) is put right by the late bill; after that both sums are equal to the last unit.
    """
    result = outcome.result
    if result is None:
        assert not outcome.log, "a refused run bought something"
        return Counter(refused=1)
    assert result.total_cost <= Decimal(limit), "the limit was passed"
    assert result.bill.overrun == 0
    assert sum((entry.amount for entry in result.ledger), Decimal(0)) == result.total_cost == result.bill.spent
    late = [*_late(outcome, "model"), *_late(outcome, "search")]
    books = Meter("late", Account.for_run(Budget("1000", USD)), result.ledger, MemoryJournal(), utc_now)
    tries = [entry for entry in result.ledger if entry.corrects is None]
    for entry, amount in late:
        assert amount <= entry.amount, f"a try was charged less than it cost: {amount} for {entry}"
        if amount != entry.amount:
            books.correct(entry, amount)
    assert result.ledger.spent == outcome.billed
    return Counter(
        tries=len(tries), failed=sum(e.outcome not in ("ok", "rejected") for e in tries), late=len(late),
        faults=sum(bool(s.fault) for s in outcome.log), **{result.status.replace("-", "_"): 1},
    )  # fmt: skip


def _late(outcome: Outcome, kind: str) -> list[tuple[LedgerEntry, Decimal]]:
    """The entries of one kind whose bill was not known, each with what its request really cost."""
    assert outcome.result is not None
    log = [served for served in outcome.log if (served.shape == "exa") == (kind == "search")]
    entries = [entry for entry in outcome.result.ledger if entry.kind == kind]
    left = {entry.n: entry for entry in entries if "no connection" not in entry.note}
    assert all(entry.amount == 0 for entry in entries if entry.n not in left), "what never left was charged"
    # A request that left while the client's time ran out may never have been read by the server.
    timeouts = sum(entry.outcome == "timeout" for entry in left.values())
    assert len(log) <= len(left) <= len(log) + timeouts, "a try without an entry, or an entry without a try"
    known = [e for e in left.values() if e.basis == "measured" and e.outcome in ("ok", "rejected")]
    guessed = [e for e in left.values() if e.basis != "measured"]
    assert all(e.amount == 0 for e in left.values() if e not in known and e not in guessed)
    unmatched = {served.request_id: served for served in log}
    if kind == "model":
        for entry in known:
            served = unmatched.pop(str(entry.request_id))
            assert (entry.amount, entry.usage) == (served.amount, served.usage), (entry, served)
        owed = sorted(served.amount for served in unmatched.values() if served.amount)
    else:  # the engine's answers have no number of their own, and all cost the same
        costs = [served.amount for served in log if served.amount]
        assert all(entry.amount == costs[0] for entry in known)
        owed = costs[len(known) :]
    # An outage of the engine, and a time-out that a refusal came too late for, may have cost nothing.
    free = [e for e in guessed if e.outcome == "timeout" or (kind == "search" and "status 5" in e.note)]
    nothing = len(guessed) - len(owed)
    assert 0 <= nothing <= len(free), "something executed was charged nothing, or something refused was charged"
    spared = sorted(free, key=lambda e: e.amount)[:nothing]
    rest = sorted((e for e in guessed if e not in spared), key=lambda e: e.amount)
    return [*((e, Decimal(0)) for e in spared), *zip(rest, owed, strict=True)]
