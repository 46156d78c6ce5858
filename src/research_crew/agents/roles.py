"""The values that agents return. A role is known by the one value it returns: planner → `Plan`, researcher →
`Finding`, critic → `Critique`, writer → `Draft`, citer → `Report`. The one-agent baseline returns a `Finding`
(`investigate`) and a `Draft` like the others.

All are frozen and compare equal; `text` is what a dependent task sees as `ctx["…"]`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal

from research_crew.evidence.claim import Claim

Complexity = Literal["simple", "comparison", "complex"]
Coverage = Literal["comprehensive", "partial", "insufficient"]

PLANNER = "planner"
RESEARCHER = "researcher"
CRITIC = "critic"
WRITER = "writer"
CITER = "citer"
INVESTIGATOR = "investigator"

MOST_ROUNDS = 100
"""Search rounds of an agent that persists; money, pages or queries run out long before."""


@dataclass(frozen=True, slots=True)
class Question:
    """What a run is asked, with the settings that agents need: the brief of every task but a researcher's."""

    text: str
    language: str = "en"
    """ISO 639-1 code of the language to answer in."""
    today: str = ""
    """ISO date, frozen for the run."""
    strictness: float = 0.5
    search_rounds: int = 2
    queries_per_round: int = 3
    results_per_search: int = 10
    pages_per_round: int = 6
    """Most pages that a researcher reads in one round."""
    max_researchers: int = 5
    gaps: tuple[str, ...] = ()
    """In a later loop: what is still missing, the only thing to plan for."""
    previous: str = ""
    """In a later loop: the last report."""
    planned: tuple[tuple[str, str], ...] = ()
    """What was researched so far: (task, its objective and what came of it)."""
    loop: int = 1
    max_claims: int | None = None
    """Most claims in the answer (comparisons: 10), or None."""
    max_words: int | None = None
    """Most words in the answer (comparisons: 300), or None."""
    persist: bool = False
    """Go on past what would be enough, as long as there is money and a new query: the baseline `solo=`."""
    spend: Decimal | None = None
    """What research may come to where calls are metered; no round is begun that is expected to pass it."""

    readmitted: tuple[Claim, ...] = ()
    """Claims that a person took back: the writer is shown them first, whatever became of them before."""

    @property
    def most_rounds(self) -> int:
        """Search rounds that a researcher may make."""
        return MOST_ROUNDS if self.persist else self.search_rounds


@dataclass(frozen=True, slots=True)
class Brief:
    """What one researcher is to find out; it cannot ask back."""

    objective: str
    """One precise question, with its time frame."""
    search_queries: tuple[str, ...]
    """Two or three, as typed into a search box, the broadest first."""
    output_format: str = ""
    boundaries: str = ""
    """What belongs to the others."""

    def to_json(self) -> dict[str, object]:
        """The brief as the record writes it."""
        return {
            "objective": self.objective, "search_queries": list(self.search_queries),
            "output_format": self.output_format, "boundaries": self.boundaries,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Assignment:
    """What a researcher's task carries: its brief, and the question that it is a part of."""

    brief: Brief
    question: Question


@dataclass(frozen=True, slots=True)
class Plan:
    """How a question is divided: briefs that do not overlap and together cover it."""

    complexity: Complexity
    strategy: str
    """One sentence."""
    subtasks: tuple[Brief, ...]
    language: str = "en"
    """ISO 639-1 code of the question's language, in which the report is written."""
    warnings: tuple[str, ...] = ()
    fallback: str = ""
    """Why this is not the lead's own plan (`no usable query`), empty when it is."""

    @property
    def text(self) -> str:
        """The plan in plain lines."""
        lines = [f"{self.complexity}: {self.strategy}"]
        lines += [f"{n}. {b.objective} [{'; '.join(b.search_queries)}]" for n, b in enumerate(self.subtasks, 1)]
        return "\n".join(lines)

    def to_json(self) -> dict[str, object]:
        """The plan as the record writes it."""
        return {
            "complexity": self.complexity, "strategy": self.strategy,
            "subtasks": [brief.to_json() for brief in self.subtasks],
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Finding:
    """What one researcher brings back: verified claims, how far they cover the brief, and what to ask next."""

    claims: tuple[Claim, ...]
    """Only claims that `ctx.register` returned: verified and booked."""
    coverage: Coverage
    follow_up_queries: tuple[str, ...] = ()
    rounds: int = 1
    note: str = ""
    """What the reader should know (`every search failed: …`)."""

    @property
    def text(self) -> str:
        """The claims in plain lines, each with its id."""
        return "\n".join(f"[{claim.id}] {claim.text}" for claim in self.claims)


@dataclass(frozen=True, slots=True)
class Cut:
    """A claim that the critic leaves out, and why."""

    claim: str
    """Its id."""
    reason: str


@dataclass(frozen=True, slots=True)
class Critique:
    """Which claims go on to the writer."""

    kept: tuple[Claim, ...]
    """The most useful first: what does not fit is cut from the end."""
    cuts: tuple[Cut, ...] = ()
    duplicates: Mapping[str, str] = field(default_factory=dict)
    """Id of a claim that says what another says → id of that other."""
    support: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """Id of a kept claim → numbers of all sources that say it, its own first; near-copies count once."""
    conflicts: tuple[tuple[str, str], ...] = ()
    """Pairs of claims that say nearly the same with different numbers."""
    note: str = ""

    @property
    def text(self) -> str:
        """The kept claims in plain lines, each with its id."""
        return "\n".join(f"[{claim.id}] {claim.text}" for claim in self.kept)


@dataclass(frozen=True, slots=True)
class Draft:
    """A report that cites claims by id, and whether more research is needed.

    `markdown` cites claims as `[c3]`, where `labels` maps `c3` to the claim's id; sources and addresses are filled
    in by the program.
    """

    markdown: str
    labels: Mapping[str, str]
    claims: tuple[Claim, ...]
    """The claims that the writer was shown."""
    cut_for_space: tuple[str, ...] = ()
    """Ids of the claims that the writer was not shown, because they did not fit."""
    support: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    needs_more_research: bool = False
    gaps: tuple[str, ...] = ()
    conflicts: tuple[tuple[str, str], ...] = ()
    incomplete: bool = False
    """The answer was cut off at its limit and could not be continued."""
    by: str = "writer"
    """`writer`, or `template` when it was put together without a model."""
    warnings: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The draft itself."""
        return self.markdown


@dataclass(frozen=True, slots=True)
class Report:
    """The finished report: every citation stands for a claim with a stored quote."""

    markdown: str
    """Cites sources by their number in the run, `[4]`; without the list of references."""
    claims: tuple[str, ...]
    """Ids of the claims in it, in reading order."""
    references: tuple[int, ...]
    """Numbers of the cited sources, in reading order."""
    cited: tuple[tuple[int, str, tuple[int, ...]], ...] = ()
    """(place in `markdown`, claim id, source numbers) of each citation, in reading order."""
    unbacked: tuple[str, ...] = ()
    """Sentences that rest on no claim."""
    incomplete: bool = False
    by: str = "writer"
    checked: bool = True
    """Whether the citations were checked again after writing."""
    warnings: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The report itself."""
        return self.markdown
