"""What the models of each role answer with, as the schema says and as it is read; bounded, with defaults."""

from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True)
class BriefAnswer:
    """One sub-task of a plan."""

    objective: str = field(metadata={"characters": 400})
    search_queries: list[str] = field(default_factory=list, metadata={"most": 3})
    output_format: str = field(default="", metadata={"characters": 200})
    boundaries: str = field(default="", metadata={"characters": 300})


@dataclass(frozen=True)
class PlanAnswer:
    """The lead's plan."""

    complexity: Literal["simple", "comparison", "complex"] = "simple"
    strategy: str = field(default="", metadata={"characters": 300})
    subtasks: list[BriefAnswer] = field(default_factory=list, metadata={"most": 100})


@dataclass(frozen=True)
class ClaimAnswer:
    """One claim of a researcher."""

    text: str = field(metadata={"characters": 400})
    quote: str = field(metadata={"characters": 600})
    source: int = field(metadata={"about": "number of the source", "low": 1})


@dataclass(frozen=True)
class FindingAnswer:
    """What a researcher reports of one round."""

    claims: list[ClaimAnswer] = field(default_factory=list, metadata={"most": 10})
    coverage: Literal["comprehensive", "partial", "insufficient"] = "partial"
    follow_up_queries: list[str] = field(default_factory=list, metadata={"most": 3})


@dataclass(frozen=True)
class DoubtAnswer:
    """The critic's doubt about one claim."""

    claim: str = field(metadata={"about": "label, as c3", "characters": 12})
    doubt: int = field(default=0, metadata={"low": 0, "high": 10})
    reason: str = field(default="", metadata={"characters": 120})


@dataclass(frozen=True)
class CritiqueAnswer:
    """The critic's doubts."""

    claims: list[DoubtAnswer] = field(default_factory=list, metadata={"most": 100})


@dataclass(frozen=True)
class ChoiceAnswer:
    """The claims that the lead wants to read in full."""

    labels: list[str] = field(
        default_factory=list, metadata={"about": "labels, as c3, the most important first", "most": 200, "characters": 12}
    )


@dataclass(frozen=True)
class EditAnswer:
    """One edit of the citer."""

    action: Literal["attach", "replace", "remove", "soften", "delete"]
    sentence: str = field(metadata={"characters": 600})
    labels: list[str] = field(default_factory=list, metadata={"most": 5})
    text: str = field(default="", metadata={"characters": 600})


@dataclass(frozen=True)
class EditsAnswer:
    """The edits of the citer."""

    edits: list[EditAnswer] = field(default_factory=list, metadata={"most": 40})


@dataclass(frozen=True)
class Decision:
    """The end of a draft: whether another loop would change the answer."""

    needs_more_research: bool = False
    gaps: list[str] = field(default_factory=list, metadata={"most": 3, "characters": 200})
