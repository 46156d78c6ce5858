"""The process that is killed: begins a run in a store, or resumes it when it is there, and writes its record to a file.

    python tests/kill_child.py STORE BASE RUN LIMIT OUT
"""

import asyncio
import sys
from pathlib import Path

HERE = Path(__file__).parent


async def no_wait(seconds: float) -> None:
    """Tries follow each other at once."""


async def main(store: str, base: str, run: str, limit: str, out: str) -> None:
    """One process's part in the run."""
    from crew_faults import KEYS, QUESTION
    from kill_world import MODEL
    from research_crew import Crew
    from research_crew.again import replay, resume
    from research_crew.core.errors import NoSuchRun
    from research_crew.search.exa import Exa
    from research_crew.stores.opening import open_store

    Exa.interval = 0.0
    with open_store(store) as opened:
        try:
            opened.read.run(run)
        except NoSuchRun:
            crew = Crew(
                lead=MODEL, search="exa", price=f"{MODEL}=2/10/0.5", keys=KEYS, loops=2, researchers=3, timeout=20.0,
                base_urls=f"swarms={base}/swarms,exa={base}/exa", sleep=no_wait, store=opened, new_id=lambda: run,
            )  # fmt: skip
            result = await crew.arun(QUESTION, limit)
        else:
            if opened.read.run(run).status == "running":
                result = await resume(opened, run, KEYS, sleep=no_wait)
            else:  # killed when all was written down already
                result = await replay(opened, run)
    Path(out).write_text(result.json())


if __name__ == "__main__":
    sys.path[:0] = [str(HERE), str(HERE / "agents")]
    asyncio.run(main(*sys.argv[1:]))
