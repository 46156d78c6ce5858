"""Entry point: routes the arguments, runs one command, turns errors into messages and exit codes.

The first word that is no option, if it is the name of a command, chooses it; otherwise the whole line is a question
for `ask`. Only the parser and the modules of the chosen command are loaded.
"""

import importlib
import sys
import traceback
from collections.abc import Sequence

from research_crew.core.errors import ResearchCrewError
from research_crew.interfaces.cli.options import Parser, takes_value

COMMANDS: dict[str, str] = {
    "ask": "research a question (the default: the word may be left out)",
    "batch": "many questions of a file, under one total",
    "compare": "crew against one agent at equal money, on a question or a set of them",
    "worker": "answers questions of batches in a database, with others of its kind",
    "estimate": "price and time of a question, before anything is bought",
    "judge": "marks of a model for stored reports, beside the counts",
    "sweep": "one dial of the scripted world over a range",
    "explore": "the scripted world as one offline page with sliders",
    "sample": "millions of scripted crews, drawn at once, beside the exact values",
    "advise": "crew or one agent, how many, how strict, for the prices of a world",
    "runs": "the stored runs",
    "show": "one stored run: its report, or how far it is",
    "resume": "go on with a run that was stopped, or whose process died",
    "restore": "take a dropped claim back: the report is written anew, no search is bought again",
    "replay": "rebuild a run from its record, without buying anything",
    "export": "write the record of a run to a file",
    "rm": "delete stored runs",
    "calibrate": "the dials of a world, measured from stored runs",
    "models": "what each provider offers, with prices and windows, and whose key was found",
    "doctor": "whether a run could work here, and what to do where it could not",
    "graph": "the waves and the critical path of a crew",
    "mcp-check": "tries the search tool of an MCP server and proposes a clearer description of it",
    "config": "the settings in force and where each came from",
}

_INTRO = """Asks a crew of agents a question and says what it cost, what it dropped, and whether it beat one agent.

usage: research-crew "question" [--docs DIR] [options]
       research-crew "question" -n 4 --failure-rate 0.25     (scripted agents: a simulation)
       research-crew --compare [--seeds 60]                  (the scripted crew against one scripted agent)
       research-crew COMMAND ...

commands:"""

_EXITS = """exit codes: 0 complete, 1 internal error, 2 bad usage or configuration, 3 no evidence, 4 incomplete,
            5 the budget cannot pay the smallest run, 130 stopped by Ctrl-C"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit code; never raises for bad input."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in words
    try:
        return _run(words)
    except ResearchCrewError as error:
        if debug:
            traceback.print_exc()
        print(f"research-crew: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print("research-crew: stopped", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # Whoever read our output has gone (`| head`); nothing more can be said to them.
        sys.stderr.close()
        return 0
    except Exception as error:  # noqa: BLE001 - the last door: said plainly, never turned into a result
        if debug:
            traceback.print_exc()
        print(f"research-crew: internal error: {type(error).__name__}: {error}; --debug shows where", file=sys.stderr)
        return 1


def route(words: Sequence[str]) -> tuple[str, list[str]]:
    """The command that a line means, and its arguments without the command's name."""
    if "--compare" in words:
        return "compare-scripted", [word for word in words if word != "--compare"]
    skip = False
    for place, word in enumerate(words):
        if skip:
            skip = False
        elif word == "--":
            break
        elif word.startswith("-") and len(word) > 1:
            skip = takes_value(word)
        else:
            return (word, [*words[:place], *words[place + 1 :]]) if word in COMMANDS else ("ask", list(words))
    return "ask", list(words)


def _run(words: list[str]) -> int:
    if not words or words in (["-h"], ["--help"], ["help"]):
        print(_INTRO)
        for name, what in COMMANDS.items():
            print(f"  {name:<10} {what}")
        print(f"\nresearch-crew COMMAND --help lists the options of a command.\n\n{_EXITS}")
        return 0
    if words == ["--version"]:
        from importlib.metadata import version

        print(f"research-crew {version('research-crew')}")
        return 0
    command, rest = route(words)
    module = importlib.import_module(f"research_crew.interfaces.cli.{command.replace('-', '_')}")
    parser = Parser(prog=f"research-crew {command}" if command in COMMANDS else "research-crew --compare")
    module.options(parser)
    parser.add_argument("--debug", action="store_true", help="show the traceback of an error")
    return int(module.command(parser.parse_args(rest)))
