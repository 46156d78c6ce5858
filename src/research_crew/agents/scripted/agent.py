"""The scripted agents: planner, researcher, critic, editor and one agent alone, in one callable.

Claims are integers while the agents pass them on: fact i is i, the invention of researcher r in slot j is
F + r * F + j, so that inventions of different researchers never coincide and a duplicate is an equal number. The r of a
task is the number after the colon of its id, 0 without one: tasks `solo` and `solo/pass-1` are the same agent's.
"""

from dataclasses import dataclass

from research_crew.agents.scripted.draws import below, draw, key
from research_crew.agents.scripted.world import World
from research_crew.core.books import Books
from research_crew.core.context import Context
from research_crew.core.errors import AgentFailure
from research_crew.core.graph import Task
from research_crew.core.outcome import RunResult

_FAILS = 0
_RECALLS = 1
"""Index of the first recall draw of an attempt; inventions follow."""


@dataclass(frozen=True, slots=True)
class Reported:
    """What a scripted researcher, critic or editor hands on: claims by number, each with its booked id."""

    claims: dict[int, str]
    who: int = 0

    @property
    def text(self) -> str:
        """The claims in plain words."""
        return ", ".join(map(str, sorted(self.claims)))


class ScriptedAgent:
    """Plays every role of the scripted crew. `ScriptedAgent(seed)` or `ScriptedAgent(seed, world=World(...))`."""

    __slots__ = ("_book", "seed", "world")

    def __init__(
        self,
        seed: int,
        recall: float = 0.35,
        hallucination_rate: float = 0.15,
        failure_rate: float = 0.0,
        critic_strictness: float = 0.5,
        *,
        world: World | None = None,
        book: bool = True,
    ) -> None:
        """`world` stands for all dials at once. `book=False` leaves the books empty, for many runs in a row.

        Raises `InvalidInput` for a dial out of range.
        """
        self.seed = seed
        self.world = world or World(recall, hallucination_rate, failure_rate, critic_strictness)
        self._book = book

    async def __call__(self, task: Task, ctx: Context) -> object:
        """Perform one attempt; raises `AgentFailure` with the probability of the world."""
        fails = self.world.failure_rate
        if fails and draw(key(self.seed, task.id, ctx.attempt), _FAILS) < fails:
            raise AgentFailure(f"{task.role} failed on {task.id}")
        if task.role in ("researcher", "solo", "investigator"):
            return self._research(task, ctx, key(self.seed, task.id, ctx.attempt))
        if task.role == "critic":
            return self._criticise(ctx)
        if task.role in ("editor", "writer"):
            return self._edit(ctx)
        return f"plan for {task.brief}"

    def _research(self, task: Task, ctx: Context, base: int) -> Reported:
        world, facts = self.world, self.world.n_facts
        suffix = task.id.rpartition(":")[2]
        who = int(suffix) if suffix.isdigit() else 0
        found = below(base, _RECALLS, facts, world.recall)
        if world.hallucination_rate:
            first = facts + who * facts
            found += [first + j for j in below(base, _RECALLS + facts, facts, world.hallucination_rate)]
        if not self._book:
            return Reported(dict.fromkeys(found, ""), who)
        return Reported({claim: ctx.book(self.say(claim)) for claim in found}, who)

    def _criticise(self, ctx: Context) -> Reported:
        """Merge duplicates, then keep or cut each claim once, whoever reported it."""
        world, facts, books = self.world, self.world.n_facts, ctx.books
        base = key(self.seed, "critic", ctx.attempt)
        merged: dict[int, str] = {}
        for result in ctx.results.values():
            if isinstance(result, Reported):
                for claim, name in result.claims.items():
                    if claim not in merged:
                        merged[claim] = name
                    elif name:
                        books.claims.move(name, "duplicate", f"says what {merged[claim]} says", merged[claim])
        loses, catches = world.loses, world.catches
        kept: dict[int, str] = {}
        for claim, name in merged.items():
            if draw(base, claim) >= (loses if claim < facts else catches):
                kept[claim] = name
            elif name:
                books.claims.move(name, "cut-by-critic", "did not convince the critic")
        return Reported(kept)

    def _edit(self, ctx: Context) -> Reported:
        kept: dict[int, str] = {}
        for result in ctx.results.values():
            if isinstance(result, Reported):
                kept.update(result.claims)
        return Reported(kept)

    def say(self, claim: int) -> str:
        """A claim in words: one of the world's facts, or an invention named after who made it."""
        facts = self.world.n_facts
        if claim < facts:
            return f"fact {claim + 1}"
        who, slot = divmod(claim - facts, facts)
        return f"invention {slot + 1} of researcher {who}"

    def answer(self, result: RunResult) -> frozenset[str]:
        """The claims of the final answer in words; empty when the last task came to nothing."""
        last = result.results[-1]
        return frozenset(map(self.say, last.output.claims)) if isinstance(last.output, Reported) else frozenset()


def close_books(books: Books, result: RunResult) -> None:
    """Claims that are still kept without a final answer are stranded."""
    last = result.results[-1]
    written = last.output.claims.values() if isinstance(last.output, Reported) else ()
    books.finish(written, "" if last.usable else f"{last.id} {last.state}")
