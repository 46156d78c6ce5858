"""What is claimed, where it stands, and what the checks said: frozen values that go into records as they are."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, Self

Verdict = Literal["supported", "partly", "unsupported"]
Stage = Literal["source", "quote", "numbers", "names", "negation", "support"]


@dataclass(frozen=True, slots=True)
class Check:
    """The outcome of verifying one claim."""

    verdict: Verdict
    stage: Stage
    """The last check that was made: the one that failed, or `support`."""
    reason: str
    """A key of `verify.REASONS`, followed where it helps by what was missing: `number-not-in-quote: 1,200`."""
    score: float | None = None
    """Support between 0 and 1, when it came to that."""

    @property
    def code(self) -> str:
        """The reason without its detail."""
        return self.reason.partition(":")[0]

    def to_json(self) -> dict[str, Any]:
        """JSON types only."""
        return {"verdict": self.verdict, "stage": self.stage, "reason": self.reason, "score": self.score}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """The inverse of `to_json`."""
        return cls(data["verdict"], data["stage"], data["reason"], data.get("score"))


@dataclass(frozen=True, slots=True)
class Citation:
    """One place that a claim rests on."""

    source: int
    quote: str
    start: int | None = None
    end: int | None = None

    def to_json(self) -> dict[str, Any]:
        """JSON types only."""
        return {"source": self.source, "quote": self.quote, "start": self.start, "end": self.end}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """The inverse of `to_json`."""
        return cls(data["source"], data["quote"], data.get("start"), data.get("end"))


@dataclass(frozen=True, slots=True)
class Claim:
    """One sentence with a verbatim quote and the number of the source it was taken from.

    Text and quote are in the source's language. `id` is given when the claim is registered, nowhere else.
    """

    text: str
    quote: str
    source: int
    id: str = ""
    start: int | None = None
    """Where the quote stands in the stored text of the source, in code points; None until it was found."""
    end: int | None = None
    language: str | None = None
    """ISO 639-1."""
    check: Check | None = None
    of: str | None = None
    """The id of the root, if this claim is a duplicate of another."""
    task: str = ""
    also: tuple[Citation, ...] = ()
    """Citations joined from duplicates of this claim."""
    heading: str = ""
    """The nearest heading above the quote in its source, where there is one."""

    @property
    def citations(self) -> tuple[Citation, ...]:
        """Its own citation first, then those of its duplicates."""
        return (Citation(self.source, self.quote, self.start, self.end), *self.also)

    @property
    def supported(self) -> bool:
        """Whether it may be cited: checked, and not found unsupported."""
        return self.check is not None and self.check.verdict != "unsupported"

    def checked(self, check: Check, start: int | None = None, end: int | None = None) -> Self:
        """The same claim with the outcome of its checks and the place of its quote."""
        return replace(self, check=check, start=start, end=end)

    def to_json(self) -> dict[str, Any]:
        """JSON types only, by the names of the run record."""
        return {
            "id": self.id,
            "task": self.task,
            "text": self.text,
            "source": self.source,
            "quote": self.quote,
            "start": self.start,
            "end": self.end,
            "language": self.language,
            "check": self.check.to_json() if self.check else None,
            "of": self.of,
            "also": [c.to_json() for c in self.also],
            "heading": self.heading,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """The inverse of `to_json`; unknown names are ignored, missing ones take their defaults."""
        return cls(
            text=data["text"],
            quote=data["quote"],
            source=data["source"],
            id=data.get("id", ""),
            start=data.get("start"),
            end=data.get("end"),
            language=data.get("language"),
            check=Check.from_json(data["check"]) if data.get("check") else None,
            of=data.get("of"),
            task=data.get("task", ""),
            also=tuple(Citation.from_json(c) for c in data.get("also", ())),
            heading=data.get("heading", ""),
        )
