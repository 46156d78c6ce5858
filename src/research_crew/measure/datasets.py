"""Question sets with known answers, in one shape; docs/datasets.md documents it and maps other sets to it.

A set is a folder with `questions.jsonl` and, for a closed corpus, `corpus.jsonl` (`doc_id`, `text`, optional `title`);
without a corpus its questions are researched with the engines of the settings. A question has `facts` (objects with
aliases, subjects, relations, paragraphs; as in `wiki-multihop`) or a list of `answers` (as in `multispanqa`).
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar

from research_crew.core.errors import InvalidInput

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class GoldFact:
    """One thing that a full answer states."""

    object: str
    aliases: tuple[str, ...] = ()
    subject: str | None = None
    """What it is said of, where the set names it."""
    doc_ids: tuple[str, ...] = ()
    """Paragraphs that hold it."""
    relation: str = ""
    """What is said of the subject: `date of birth`."""


@dataclass(frozen=True, slots=True)
class GoldQuestion:
    """A question with its gold facts."""

    id: str
    text: str
    facts: tuple[GoldFact, ...]
    scoring: Literal["open", "closed"]
    """`closed`: whatever matches no gold fact is bogus. `open`: true but unasked claims are `extra`."""
    gold_doc_ids: tuple[str, ...] = ()
    kind: str = ""
    topic: str = ""
    """Questions of one topic are alike; the bootstrap draws whole topics where there are any."""


@dataclass(frozen=True, slots=True)
class Dataset:
    """A set with its corpus."""

    name: str
    questions: tuple[GoldQuestion, ...]
    corpus: tuple[tuple[str, str, str], ...] = ()
    """(id, title, text) of every paragraph; empty for a set that is researched on the web."""


def load_dataset(folder: Path) -> Dataset:
    """Read a set; raises `InvalidInput` naming the file and the line that cannot be read."""
    corpus: list[tuple[str, str, str]] = []
    if (folder / "corpus.jsonl").exists():
        corpus = [_shaped("corpus.jsonl", n, row, _paragraph) for n, row in _rows(folder / "corpus.jsonl")]
    questions = [_shaped("questions.jsonl", n, row, _question) for n, row in _rows(folder / "questions.jsonl")]
    if not questions:
        raise InvalidInput("data set", str(folder), "its questions.jsonl holds no question")
    return Dataset(folder.name, tuple(questions), tuple(corpus))


def find_dataset(name: str, data: Path | None) -> Path:
    """The folder of a set: a path as it stands, or a name within `data`. Raises `InvalidInput` that lists what is there."""
    folder = Path(name) if data is None else data / name
    if (folder / "questions.jsonl").exists():
        return folder
    if data is None:
        raise InvalidInput("--bench", name, "no questions.jsonl in that folder; name the folder of a set, or --data DIR")
    there = sorted(f.parent.name for f in data.glob("*/questions.jsonl"))
    raise InvalidInput("--bench", name, f"{data} has {', '.join(there) or 'no set (a folder with questions.jsonl)'}")


def _rows(file: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise InvalidInput("data set", str(file), error.strerror or "it cannot be read") from None
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                row = json.loads(line)
            except json.JSONDecodeError as error:
                raise InvalidInput("data set", f"{file.name}, line {number}", f"no JSON: {error}") from None
            yield number, row


def _shaped(file: str, line: int, row: Any, make: Callable[[dict[str, Any]], T]) -> T:
    try:
        return make(row)
    except KeyError as error:
        raise InvalidInput("data set", f"{file}, line {line}", f"it has no {error.args[0]!r}") from None
    except (TypeError, ValueError, AttributeError):
        raise InvalidInput("data set", f"{file}, line {line}", "it is not in the shape of docs/datasets.md") from None


def _paragraph(row: dict[str, Any]) -> tuple[str, str, str]:
    text = row["text"]
    if not isinstance(text, str):
        raise TypeError
    return str(row["doc_id"]), str(row.get("title") or ""), text


def _question(row: dict[str, Any]) -> GoldQuestion:
    gold = tuple(map(str, row.get("gold_doc_ids", ())))
    if "answers" in row:
        facts = tuple(
            GoldFact(a, doc_ids=gold) if isinstance(a, str) else GoldFact(a["object"], tuple(a["aliases"]), doc_ids=gold)
            for a in row["answers"]
        )
        default, kind = "closed", row.get("answer_type", "")
    else:
        facts, default, kind = tuple(map(_fact, row["facts"])), "open", row.get("type", "")
    scoring = row.get("scoring", default)
    if scoring not in ("open", "closed"):
        raise ValueError(scoring)
    return GoldQuestion(str(row["id"]), row["question"], facts, scoring, gold, kind, str(row.get("topic", "")))


def _fact(row: dict[str, Any]) -> GoldFact:
    aliases = tuple(row.get("object_aliases", row.get("aliases", ())))
    return GoldFact(row["object"], aliases, row.get("subject"), tuple(row.get("doc_ids", ())), row.get("relation", ""))
