"""`research-crew "question"`: researches it, or simulates it when a scripted dial is given."""

import argparse
from typing import Any

from research_crew.core.errors import InvalidInput, UserError
from research_crew.interfaces.cli.options import DIALS, add_scripted, add_shared, number
from research_crew.settings import load

_SETTINGS = {
    "writer": "writer", "citer": "citer", "queries_per_round": "queries_per_round", "timeout": "timeout", "tries": "tries",
    "chars_per_result": "chars_per_result", "prompt_tokens": "prompt_tokens", "temperature": "temperature",
    "output_tokens": "output_tokens", "effort": "effort", "stream": "stream",
    "solo": "solo", "base_urls": "base_urls", "price": "price", "record": "record", "windows": "windows",
    "profile": "profile", "retrieval": "retrieval", "support": "support", "mcp": "mcp", "filters": "filters", "pages_per_round": "pages_per_round",
    "docs": "docs", "lead": "lead", "worker": "worker", "critic": "critic", "search": "search", "agents": "agents",
    "n": "researchers", "search_rounds": "search_rounds", "loops": "loops", "results_per_search": "results_per_search",
    "pages": "pages", "critic_strictness": "strictness", "budget": "budget", "deadline": "deadline",
    "max_calls": "max_calls", "max_tokens": "max_tokens", "concurrency": "concurrency", "language": "language",
    "seed": "seed", "output": "output", "trace": "trace", "rates": "rates", "allow_mixed": "allow_mixed", "store": "store", "durable": "durable",
}  # fmt: skip


def options(parser: argparse.ArgumentParser) -> None:
    """Every option of a question."""
    parser.add_argument("question", nargs="*", help="the question, in any language")
    run_options(parser)
    parser.add_argument("--confirm", action="store_true", help="show the plan and its price range before research is bought")
    parser.add_argument("--verbose", action="store_true", help="print each reply as it arrives")
    parser.add_argument("--bill", action="store_true", help="one line per task: what it cost, how it ended")
    parser.add_argument("--calls", action="store_true", help="one line per try of a call: what was used, what it cost")
    parser.add_argument("--run", metavar="ID", help="answer from what a stored run has read; --search ENGINES allows more")
    parser.add_argument("--export", metavar="DIR", help="write DIR/RUN.json after the run")
    add_scripted(parser)


def run_options(parser: argparse.ArgumentParser) -> None:
    """Those that say how a question is researched, for every command that does."""
    parser.add_argument("--docs", metavar="DIR", help="folder of documents to search; alone it means no network")
    parser.add_argument("-n", type=int, metavar="N", help="most researchers (5; scripted: exactly N, 4)")
    parser.add_argument("--budget", help="limit of the run: credits without a model, otherwise USD")
    parser.add_argument("--agents", help="scripted, extractive or model")
    parser.add_argument("--lead", help="model of the lead, as vendor:name")
    parser.add_argument("--worker", help="model of researchers and critic, as vendor:name")
    parser.add_argument("--critic", help="model of the critic")
    parser.add_argument("--writer", help="model of the writer (the lead's)")
    parser.add_argument("--citer", help="model of the citer (the lead's)")
    parser.add_argument("--search", help="search engines, separated by commas")
    parser.add_argument("--retrieval", metavar="HOW", help="how documents are searched: lexical, semantic or hybrid (lexical)")
    parser.add_argument("--support", metavar="HOW", help="how quotes are held to claims: lexical or semantic (lexical)")
    parser.add_argument("--filters", metavar="NAME=VALUE,...", help="limits of searches: since, until (days), language, domain, not")
    parser.add_argument("--mcp", metavar="NAME=URL;...", help="MCP servers: an address, or a command that speaks on its streams")
    parser.add_argument("--solo", help="model of the one agent alone")
    parser.add_argument("--base-urls", metavar="VENDOR=URL,...", help="addresses of vendors: a local server, a proxy")
    parser.add_argument("--price", metavar="IN/OUT", help="price per million tokens of models that no table knows")
    parser.add_argument("--windows", metavar="TOKENS", help="window of the models, for those that no table knows")
    parser.add_argument("--profile", metavar="NAME", help="small: for a model of 1 to 3 billion parameters on this machine")
    parser.add_argument("--record", metavar="FILE", help="write every answer of a model; play it back as recorded:FILE")
    parser.add_argument("--model", help="one model for everybody, as vendor:name")
    parser.add_argument("--search-rounds", type=int, help="search rounds of a researcher (2)")
    parser.add_argument("--results-per-search", type=int, help="results of a search (10)")
    parser.add_argument("--queries-per-round", type=int, help="new queries in a round (3)")
    parser.add_argument("--chars-per-result", type=int, help="characters kept of each result, the best passages (2000)")
    parser.add_argument("--pages-per-round", type=int, help="pages that a researcher reads in a round (6)")
    parser.add_argument("--pages", type=int, help="most pages read in the run (40)")
    parser.add_argument("--loops", type=int, help="plan-research-write loops (1)")
    parser.add_argument("--output-tokens", metavar="ROLE=N,...", help="longest answers, as planner=1500,writer=4000")
    parser.add_argument("--prompt-tokens", type=int, help="largest prompt, in tokens (24000)")
    parser.add_argument("--effort", metavar="[ROLE=]EFFORT,...", help="how long models think: off, minimal, low, medium, high (off)")
    parser.add_argument("--temperature", type=number, help="temperature of models, where they allow one (0)")
    parser.add_argument("--timeout", type=number, metavar="SECONDS", help="seconds before a call is given up (120)")
    parser.add_argument("--tries", type=int, help="tries of a paid call (3)")
    parser.add_argument("--stream", help="answers piece by piece: auto, on or off (auto)")
    parser.add_argument("--deadline", type=number, metavar="SECONDS", help="stop after so long")
    parser.add_argument("--max-calls", type=int, help="most paid calls")
    parser.add_argument("--max-tokens", type=int, help="most tokens, prompts and answers together")
    parser.add_argument("--concurrency", type=int, help="tasks side by side (32)")
    parser.add_argument("--language", help="language of the report (that of the question)")
    parser.add_argument("--output", help="final, all, markdown or json")
    parser.add_argument("--rates", metavar="PROVIDER=N/min,...", help="most calls of providers, side by side or not")
    parser.add_argument("--trace", help="OpenTelemetry spans: on, or content for questions and answers too (off)")
    parser.add_argument("--one-agent", action="store_true", help="one agent alone instead of a crew")
    parser.add_argument("--store", metavar="FILE", help="file of stored runs; off stores none (the platform's data folder)")
    parser.add_argument("--durable", action="store_true", default=None,
                        help="wait for the disk at every step, against loss of power")  # fmt: skip
    parser.add_argument("--allow-mixed", action="store_true", default=None,
                        help="words from documents may go to engines of the network")
    add_shared(parser)


def given_settings(arguments: argparse.Namespace) -> dict[str, Any]:
    """The settings that a line names; None for those that it leaves out."""
    given = {setting: getattr(arguments, option) for option, setting in _SETTINGS.items()}
    if arguments.model is not None:
        given |= {name: given[name] or arguments.model for name in ("lead", "worker")}
    return given


def command(arguments: argparse.Namespace) -> int:
    """Decide which agents answer, and run them."""
    question = " ".join(arguments.question)
    given = given_settings(arguments)
    dials = {dial: getattr(arguments, dial) for dial in DIALS if getattr(arguments, dial) is not None}
    if dials:
        for real in ("docs", "lead", "worker", "search"):
            if given[real] is not None:
                dial = "--" + next(iter(dials)).replace("_", "-")
                raise UserError(f"{dial} selects the scripted agents and cannot go together with --{real}; drop one")
        if given["agents"] not in (None, "scripted"):
            raise UserError(f"a scripted dial cannot go together with --agents {given['agents']}; drop one")
    loaded = load(given)
    if not question.strip():
        raise InvalidInput("question", question, 'ask something: research-crew "why is the sky blue"')
    if dials or loaded.settings.agents == "scripted":
        for option in ("confirm", "verbose"):
            if getattr(arguments, option):
                raise UserError(f"--{option} belongs to agents that research; the scripted ones only simulate; drop one")
        from research_crew.interfaces.cli import scripted

        return scripted.run_once(question, arguments, loaded.settings)
    if arguments.needs is not None:
        raise UserError("--needs belongs to the scripted agents; add --agents scripted or a dial")
    if arguments.run is not None:
        from research_crew.interfaces.cli import further

        return further.answer(question, arguments, loaded)
    from research_crew.interfaces.cli import research

    return research.answer(question, arguments, loaded)


def as_json(value: Any) -> str:
    """JSON for standard output."""
    import json

    return json.dumps(value, ensure_ascii=False, indent=2)
