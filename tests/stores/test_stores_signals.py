"""Ctrl-C once and twice, SIGTERM, a closed terminal: what there is is kept, and the run can be resumed."""

import asyncio
import os
import pty
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from crew_faults import KEYS, QUESTION
from kill_world import MODEL, Provider
from research_crew import Crew, Stop
from research_crew.again import resume
from research_crew.core.events import Event
from research_crew.models.fake_server import FakeServer
from research_crew.search.exa import Exa
from research_crew.stores.opening import open_store

Process = asyncio.subprocess.Process


async def no_wait(seconds: float) -> None:
    return None


def command(server: FakeServer, store: Path) -> list[str]:
    return [
        sys.executable, "-m", "research_crew", QUESTION, "--lead", MODEL, "--search", "exa", "--price", f"{MODEL}=2/10/0.5",
        "--budget", "1.00", "--base-urls", f"swarms={server.base('swarms')},exa={server.base('exa')}", "--store", str(store),
    ]  # fmt: skip


def environment() -> dict[str, str]:
    return {**os.environ, "SWARMS_API_KEY": "k", "EXA_API_KEY": "k"}


async def until(provider: Provider, requests: int) -> None:
    async with asyncio.timeout(60):
        while len(provider.asked) < requests:
            await asyncio.sleep(0.005)


async def scene(store: Path, end: Callable[[Process], None], status: str, record: bool | None) -> tuple[int, str, str]:
    """A run in the middle of its searches, ended in some way; then resumed to its end."""
    provider = Provider(7)
    async with provider.server() as server:
        child = await asyncio.create_subprocess_exec(
            *command(server, store), env=environment(), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
        )
        await until(provider, 4)
        end(child)
        out, err = await child.communicate()
        await _resumed(store, server, status, record)
    assert child.returncode is not None
    return child.returncode, out.decode(), err.decode()


async def _resumed(store: Path, server: FakeServer, status: str, record: bool | None) -> None:
    with open_store(store) as opened:
        (row,) = opened.read.runs()
        assert row.status == status
        assert record is None or (opened.read.record(row.id) is not None) == record
        assert opened.read.in_flight(row.id) == [], "what was on its way is charged"
        before = opened.read.ledger(row.id, "USD")
        assert before
        result = await resume(opened, row.id, KEYS, sleep=no_wait)
        assert result.status == "complete"
        assert tuple(result.ledger)[: len(before)] == before


@pytest.fixture(autouse=True)
def no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Exa, "interval", 0.0)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_first_signal_stops_buying_writes_what_there_is_and_can_be_resumed(tmp_path: Path, number: int) -> None:
    code, out, err = asyncio.run(
        scene(tmp_path / "runs.sqlite", lambda child: child.send_signal(number), "cancelled", record=True)
    )
    assert code == 130
    assert "## Bill" in out and "stopping: nothing more is bought" in err and "research-crew resume" in err
    assert "Traceback" not in err


def test_a_second_ctrl_c_stops_at_once_and_can_be_resumed_too(tmp_path: Path) -> None:
    def twice(child: Process) -> None:
        child.send_signal(signal.SIGINT)
        child.send_signal(signal.SIGTERM)  # two of one kind may be delivered as one

    code, _, err = asyncio.run(scene(tmp_path / "runs.sqlite", twice, "cancelled", record=None))
    assert code == 130
    assert "Traceback" not in err
    # The first may have been obeyed already when the second comes.
    assert "research-crew: stopped" in err or "research-crew: cancelled" in err


def test_what_is_to_end_at_once_writes_no_report_and_can_be_resumed(tmp_path: Path) -> None:
    store = tmp_path / "runs.sqlite"

    async def go() -> None:
        provider, stop = Provider(7), Stop()

        def watch(event: Event) -> None:
            if len(provider.asked) >= 4 and not stop.reason:
                stop.request("interrupted")
                assert stop.now() and not stop.now(), "asked once; a third signal does not wait"

        async with provider.server() as server:
            crew = Crew(
                lead=MODEL, search="exa", price=f"{MODEL}=2/10/0.5", keys=KEYS, store=str(store), sleep=no_wait,
                base_urls=f"swarms={server.base('swarms')},exa={server.base('exa')}",
            )  # fmt: skip
            # In a loop of its own: an interrupt ends the loop that it comes to.
            with pytest.raises(KeyboardInterrupt):
                await asyncio.to_thread(crew.run, QUESTION, "1.00", on_event=watch, stop=stop)
            await _resumed(store, server, "cancelled", False)

    asyncio.run(go())


def test_a_terminal_that_is_closed_ends_the_run_in_good_order(tmp_path: Path) -> None:
    async def go() -> None:
        provider, store = Provider(7), tmp_path / "runs.sqlite"
        async with provider.server() as server:
            master, slave = pty.openpty()
            child = await asyncio.create_subprocess_exec(
                *command(server, store), env=environment(), stdin=slave, stdout=slave, stderr=slave,
                start_new_session=True, preexec_fn=_take_terminal,
            )  # fmt: skip
            os.close(slave)
            reading = asyncio.create_task(asyncio.to_thread(_drain, master, 2000))
            await until(provider, 4)
            os.close(os.dup(master))
            reading.cancel()
            os.close(master)  # the window is gone: its foreground processes get SIGHUP, and writing to it fails
            async with asyncio.timeout(60):
                await child.wait()
            await _resumed(store, server, "cancelled", True)

    asyncio.run(go())


def _take_terminal() -> None:
    import fcntl
    import termios

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def _drain(master: int, most: int) -> bytes:
    return os.read(master, most)
