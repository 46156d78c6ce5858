"""A whole crew under random fault scripts: its ledger is the provider's own log, and the limit holds.

`benchmarks/fault_scripts.py` runs a thousand of them; here is a sample, over all four vendors' shapes.
"""

import asyncio

import pytest

from crew_faults import VENDORS, Outcome, held_against, one_run
from research_crew.models.library import preload
from research_crew.search.exa import Exa


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> dict[int, tuple[Outcome, str]]:
    """Runs of the sample, eight at once, since most of their time is spent in time-outs."""
    store = str(tmp_path_factory.mktemp("store") / "runs.sqlite")
    patch = pytest.MonkeyPatch()
    patch.setattr(Exa, "interval", 0.0)  # the fake has no rate limit

    for vendor in ("openai", "anthropic", "google"):
        preload(vendor)  # a second of import inside a time-out of half a second would be one more fault

    async def go() -> dict[int, tuple[Outcome, str]]:
        gate = asyncio.Semaphore(8)

        async def one(seed: int, limit: str) -> Outcome:
            async with gate:
                return await one_run(seed, VENDORS[seed % len(VENDORS)], limit, timeout=0.5, store=store if seed % 2 else "off")

        limits = {seed: "1" if seed % 4 else "0.12" for seed in range(20)}
        runs = await asyncio.gather(*(one(seed, limit) for seed, limit in limits.items()))
        return {seed: (run, limit) for (seed, limit), run in zip(limits.items(), runs, strict=True)}

    try:
        return asyncio.run(go())
    finally:
        patch.undo()


@pytest.mark.parametrize("seed", range(20))
def test_the_ledger_of_a_whole_run_equals_the_providers_own_log(
    sample: dict[int, tuple[Outcome, str]], seed: int
) -> None:
    outcome, limit = sample[seed]
    assert held_against(outcome, limit)["tries"] >= 5


def test_the_sample_has_two_loops_a_failing_researcher_a_repair_and_a_retry(
    sample: dict[int, tuple[Outcome, str]],
) -> None:
    whole = 0
    for outcome, limit in sample.values():
        assert outcome.result is not None
        tasks = {task.id: task for task in outcome.result.tasks}
        steps = {(entry.task, entry.step) for entry in outcome.result.ledger}
        if limit == "1" and {"plan:2", "write:2"} <= set(tasks):
            failing = [t for t in tasks.values() if t.role == "researcher" and t.state == "failed"]
            retried = any(e.task == "write" and e.try_ > 1 for e in outcome.result.ledger)
            whole += bool(failing) and retried and ("plan", "plan/repair") in steps
    assert whole >= 5
