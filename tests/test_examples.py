"""Every example runs and says what it promises."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"
PROMISES = {
    "first_answer.py": ["SQLITE_BUSY", "## References", "of at most 100 credits."],
    "own_agent.py": [
        "tides are known, winds are known; missing: fetch:waves",
        "failed   fetch:waves  cost 6 in 2 attempt(s) no answer for fetch:waves",
        "spent 17 of 50; status incomplete",
    ],
    "bill_and_books.py": ["sum of the ledger: ", "= spent: ", "by role: ", "candidates: "],
}


def test_no_example_is_without_a_test() -> None:
    assert {file.name for file in EXAMPLES.glob("*.py")} == set(PROMISES)


@pytest.mark.parametrize("name", PROMISES)
def test_example(name: str) -> None:
    done = subprocess.run([sys.executable, str(EXAMPLES / name)], capture_output=True, text=True, check=True, timeout=60)
    for promise in PROMISES[name]:
        assert promise in done.stdout
    assert done.stderr == ""
