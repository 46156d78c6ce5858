"""Options that several commands share, and the parser that turns a mistake into exit code 2."""

import argparse
from typing import TYPE_CHECKING, Any, NoReturn

from research_crew.core.errors import InvalidInput, UserError
from research_crew.settings import Settings

if TYPE_CHECKING:
    from research_crew.agents.scripted.world import World

DIALS = ("recall", "hallucination_rate", "failure_rate")
"""Dials that select the scripted agents."""

_FLAGS = frozenset(
    (
        "-h", "--help", "--json", "--csv", "--bill", "--calls", "--live", "--offline", "--quiet", "--verbose", "--debug", "--published", "--compare",
        "--confirm", "--version", "--rebuy", "--all", "--yes", "--durable", "--one-agent", "--allow-mixed", "--equal-money", "--svg", "--score", "--canaries", "--judge",
        "--closed-book",
    )
)  # fmt: skip


class Parser(argparse.ArgumentParser):
    """A parser whose mistakes are `UserError`s (exit code 2, one sentence, no usage dump)."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog=prog, allow_abbrev=False)

    def error(self, message: str) -> NoReturn:
        """Raise instead of exiting."""
        raise UserError(f"{message}; {self.prog} --help lists the options")


def takes_value(option: str) -> bool:
    """Whether the word after this option is its value and not a word of its own."""
    return "=" not in option and option not in _FLAGS


def number(text: str) -> float:
    """A number as argparse reads one; `nan` passes, and is refused by name where the dial is checked."""
    return float(text)


def add_scripted(parser: argparse.ArgumentParser) -> None:
    """The dials of the scripted world."""
    dials = parser.add_argument_group("scripted agents (a simulation)")
    dials.add_argument("--recall", type=number, help="chance that a researcher reports a true fact (0.35)")
    dials.add_argument("--hallucination-rate", type=number, help="chance of an invention per fact slot (0.15)")
    dials.add_argument("--failure-rate", type=number, help="chance that an attempt fails (0)")
    dials.add_argument("--needs", help="researchers the critic needs: all, any or a number (all)")


def add_shared(parser: argparse.ArgumentParser) -> None:
    """Seed and strictness, which select nothing, and the output switches."""
    parser.add_argument("--seed", type=int, help="seed of everything drawn by chance (1)")
    parser.add_argument("--critic-strictness", type=number, help="how much the critic cuts, 0 to 1")
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")
    parser.add_argument("--quiet", action="store_true", help="no progress")


def add_world(parser: argparse.ArgumentParser) -> None:
    """A world from a file; the dials that are given too stand over it."""
    parser.add_argument("--world", metavar="FILE", help="a world file, as calibrate writes it; dials given too stand over it")


def needs_of(text: str | None) -> Any:
    """`all`, `any` or a number of researchers."""
    if text is None or text in ("all", "any"):
        return text or "all"
    try:
        return int(text)
    except ValueError:
        raise InvalidInput("--needs", text, "use all, any or a number of researchers") from None


def world_of(arguments: argparse.Namespace, strictness: float) -> "World":
    """The scripted world that the dials describe, over that of `--world`; `strictness` where none was given."""
    from research_crew.agents.scripted.world import World

    dials = {name: value for name in DIALS if (value := getattr(arguments, name)) is not None}
    if arguments.critic_strictness is not None:
        dials["critic_strictness"] = arguments.critic_strictness
    if getattr(arguments, "world", None) is None:
        return World(**({"critic_strictness": strictness} | dials))
    from pathlib import Path

    from research_crew.measure.calibrated import load_world

    return load_world(Path(arguments.world)).world.but(**dials)


def researchers_of(given: int | None, default: int) -> int:
    """The number of researchers, refused when it is not 1 to 1,000."""
    return Settings(researchers=default if given is None else given).researchers


def numbers(option: str, text: str | None) -> tuple[float, ...] | None:
    """Numbers between commas, None for none given; raises `InvalidInput`."""
    if text is None:
        return None
    try:
        return tuple(float(part) for part in text.split(",") if part.strip()) or None
    except ValueError:
        raise InvalidInput(option, text, "write numbers between commas, such as 0.1,0.2,0.5") from None
