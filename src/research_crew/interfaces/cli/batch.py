"""`research-crew batch FILE.jsonl`: many questions under one total, resumed where it was stopped."""

import argparse
import asyncio
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from decimal import Decimal
from pathlib import Path
from typing import Any

from research_crew.backends import open_backends
from research_crew.core.errors import InvalidInput, StoreError
from research_crew.core.money import show
from research_crew.core.runner import utc_now
from research_crew.core.stop import Stop
from research_crew.crew import Crew, Solo
from research_crew.distribute.batch import AT_ONCE, Batch, Limits, exit_code_of
from research_crew.distribute.desk import Desk
from research_crew.distribute.items import Item, read_items
from research_crew.distribute.results import ResultsFile, Row
from research_crew.interfaces.cli import ask
from research_crew.interfaces.cli.files import FileReporter
from research_crew.interfaces.cli.progress import Progress
from research_crew.interfaces.cli.signals import stop_on_signal
from research_crew.interfaces.render.rows import row_line, table
from research_crew.library import open_library
from research_crew.settings import Loaded, Settings, index_file, load, store_file
from research_crew.shared_store import shared_store
from research_crew.stores.store import Store


def options(parser: argparse.ArgumentParser) -> None:
    """Those of a question, and the limits of the batch."""
    parser.add_argument("file", metavar="FILE.jsonl", help="a JSON value a line: a text, or an object with `question`")
    parser.add_argument("--to", metavar="FILE", help="where the results go, a record a line (FILE.results.jsonl)")
    parser.add_argument("--budget-each", metavar="AMOUNT", help="limit of one question")
    parser.add_argument("--budget-total", metavar="AMOUNT", help="limit of all questions together")
    parser.add_argument("--database", metavar="URL", help="postgresql://...: workers on any number of machines answer")
    parser.add_argument("--batch-name", metavar="NAME", help="name of the batch in the database (that of the file)")
    parser.add_argument("--at-once", type=int, default=AT_ONCE, help=f"questions side by side ({AT_ONCE})")
    ask.run_options(parser)


def command(arguments: argparse.Namespace) -> int:
    """Ask what is not answered yet and print the table of all."""
    if arguments.at_once < 1:
        raise InvalidInput("--at-once", arguments.at_once, "use a whole number of at least 1")
    items = read_items(Path(arguments.file))
    target = Path(arguments.to) if arguments.to else Path(arguments.file).with_suffix(".results.jsonl")
    if target.resolve() == Path(arguments.file).resolve():
        raise InvalidInput("--to", str(target), "the results would overwrite the questions; name another file")
    loaded = load(ask.given_settings(arguments) | {"database": arguments.database})
    progress = Progress(arguments.quiet)
    with ResultsFile(target) as results, stop_on_signal(arguments.quiet) as stop:
        rows, limits = asyncio.run(_run(items, results, arguments, loaded, progress, stop))
        spent = results.spent
    progress.close()
    if arguments.json:
        print(ask.as_json({
            "schema": "research-crew/batch-table/1", "questions": len(items), "spent": show(spent),
            "limit": show(limits.total), "currency": limits.currency, "results": str(target),
            "rows": [{k: v for k, v in row.to_json().items() if k != "run"} for row in rows],
        }))  # fmt: skip
    else:
        print(table(rows, items, spent, limits.total, limits.currency))
        print(f"\nresults: {target}")
    code = exit_code_of(rows, len(items), bool(stop.reason))
    if code and not arguments.quiet:
        print(f"research-crew: not every question is answered in full (exit code {code})", file=sys.stderr)
    return code


async def _run(
    items: tuple[Item, ...], results: ResultsFile, arguments: argparse.Namespace, loaded: Loaded, progress: Progress, stop: Stop
) -> tuple[tuple[Row, ...], Limits]:
    settings = loaded.settings
    reporter = FileReporter(progress, stop)
    shared = None
    if settings.docs is not None or settings.search in (None, "docs"):
        shared = await open_library(
            settings.docs, index_file(settings.docs), reporter, retrieval=settings.retrieval,
            on_count=reporter.embedding,
        )  # fmt: skip
    try:
        probe = await open_backends(settings, loaded.keys, items[0].question, now=utc_now, library=shared)
        currency, each = probe.prices.currency, settings.budget or probe.limit
        chosen = probe.chosen
        await probe.close()
        limits = Limits.of(arguments.budget_each or each, arguments.budget_total, currency, len(items))
        left = sum(1 for item in items if not (item.key in results.rows and results.rows[item.key].done))
        progress.say(f"{'; '.join(chosen)}; at most {show(limits.each)} {currency} each, {show(limits.total)} in all")
        if results.torn:
            progress.say(f"{results.path}: the last line was cut short by a crash and is asked again")
        if left < len(items):
            progress.say(f"{len(items) - left} of {len(items)} questions are answered already, for {show(results.spent)} {currency}")
        done = len(items) - left

        def on_row(row: Row) -> None:
            nonlocal done
            done += row.done
            progress.say(f"{done}/{len(items)} {row_line(row)}")

        if settings.database is None:
            with _store(settings, progress) as store:
                maker = Solo if arguments.one_agent else Crew
                where: Any = store or "off"
                crew = maker(settings=settings, keys=loaded.keys, library=shared, store=where)
                desk = Desk(crew, store, loaded.keys, str(results.path.resolve()))
                batch = Batch(desk, limits, results, at_once=arguments.at_once, stop=stop, on_row=on_row)
                return await batch.run(items), limits
        from research_crew.distribute.remote import RemoteBatch, batch_name

        name = batch_name(arguments.batch_name, Path(arguments.file).stem)
        sent = stored(settings, arguments.one_agent)
        remote = RemoteBatch(settings.database, name, limits, sent, results, stop=stop, on_row=on_row, say=progress.say)
        return await remote.run(items), limits
    finally:
        if shared is not None:
            shared.close()




@contextmanager
def _store(settings: Settings, progress: Progress) -> Iterator[Store | None]:
    """Where the runs are stored; None when they are not."""
    file = store_file(settings)
    if file is None:
        yield None
        return
    try:
        lent = shared_store(file, durable=settings.durable)
    except StoreError as trouble:
        if settings.store is not None:
            raise
        progress.say(f"these runs are not stored: {trouble}")
        yield None
        return
    with lent as store:
        yield store


def stored(settings: Settings, alone: bool) -> dict[str, object]:
    """The settings as they go to workers: JSON values, none of them a key; the folder of documents by its whole path."""
    values = asdict(settings) | {"alone": alone, "database": None}
    if settings.docs is not None:
        values["docs"] = str(Path(settings.docs).expanduser().resolve())
    return {name: str(value) if isinstance(value, Decimal) else value for name, value in values.items()}
