"""The results file of a comparison: what was asked of whom in its first line, then one answer a line, appended.

A comparison that was stopped is gone on with by naming the same file: what stands in it is not bought again.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from research_crew.core.errors import InvalidInput
from research_crew.measure.answers import Answered

SCHEMA = "research-crew/answers/1"


class AnswersFile:
    """Open a file of answers, new or begun. `None` keeps them in memory only."""

    def __init__(self, path: Path | None, made_with: Mapping[str, Any]) -> None:
        """Raises `InvalidInput` for a file that cannot be read or was made with other settings."""
        self._path, self.answers = path, dict[tuple[str, str], Answered]()
        if path is None:
            return
        if not path.exists():
            self._append({"schema": SCHEMA, "made_with": dict(made_with)})
            return
        lines = path.read_text(encoding="utf-8").splitlines()
        header = _parsed(path, 1, lines[0]) if lines else {}
        if header.get("schema") != SCHEMA:
            raise InvalidInput("--results", str(path), "it is no file of answers; name another one")
        differing = sorted(k for k, v in made_with.items() if header["made_with"].get(k) != v)
        if differing:
            raise InvalidInput("--results", str(path), f"it was made with other settings ({', '.join(differing)}); name another one")
        for number, line in enumerate(lines[1:], 2):
            # A line that was cut off by a crash is the last one; what it held is asked again.
            if line.strip() and not (number == len(lines) and not _whole(line)):
                answer = Answered.from_json(_parsed(path, number, line))
                self.answers[answer.question, answer.arm] = answer
        if lines and not _whole(lines[-1]):
            path.write_text("".join(f"{line}\n" for line in lines[:-1]), encoding="utf-8")

    def add(self, answer: Answered) -> None:
        """Keep one more answer."""
        self.answers[answer.question, answer.arm] = answer
        if self._path is not None:
            self._append(answer.to_json())

    def _append(self, row: Mapping[str, Any]) -> None:
        assert self._path is not None
        try:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
        except OSError as error:
            raise InvalidInput("--results", str(self._path), error.strerror or "it cannot be written") from None


def read_answers(path: Path) -> list[Answered]:
    """The answers of a file, whatever they were made with."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    if not lines or _parsed(path, 1, lines[0]).get("schema") != SCHEMA:
        raise InvalidInput("results file", str(path), "it is no file of answers, as compare --results writes it")
    return [Answered.from_json(_parsed(path, n, line)) for n, line in enumerate(lines[1:], 2) if line.strip()]


def _whole(line: str) -> bool:
    try:
        json.loads(line)
    except json.JSONDecodeError:
        return False
    return True


def _parsed(path: Path, number: int, line: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        raise InvalidInput("results file", f"{path}, line {number}", f"no JSON: {error}") from None
    if not isinstance(row, dict):
        raise InvalidInput("results file", f"{path}, line {number}", "no object")
    return row
