"""Public question sets with known answers, in one shape.

A set is a folder with `corpus.jsonl` (`doc_id`, `text`, optional `title`) and `questions.jsonl`. Two forms of question
are read: those with `facts` (objects with aliases, each in known paragraphs: `wiki-multihop`) and those with a closed
list of `answers` (`multispanqa`). See docs/datasets.md for how other sets are brought into this shape.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from research_crew.core.errors import InvalidInput


@dataclass(frozen=True, slots=True)
class GoldFact:
    """One thing that a full answer states."""

    object: str
    aliases: tuple[str, ...] = ()
    subject: str | None = None
    """What it is said of, where the set names it."""
    doc_ids: tuple[str, ...] = ()
    """Paragraphs that hold it."""


@dataclass(frozen=True, slots=True)
class GoldQuestion:
    """A question with its gold facts."""

    id: str
    text: str
    facts: tuple[GoldFact, ...]
    scoring: Literal["open", "closed"]
    """`closed`: whatever matches no gold fact is bogus. `open`: true but unasked claims are `extra`."""
    gold_doc_ids: tuple[str, ...]
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Dataset:
    """A set with its corpus."""

    name: str
    questions: tuple[GoldQuestion, ...]
    corpus: tuple[tuple[str, str, str], ...]
    """(id, title, text) of every paragraph."""


def load_dataset(folder: Path) -> Dataset:
    """Read a set; raises `InvalidInput` naming the file and the line that cannot be read."""
    corpus = tuple((d["doc_id"], d.get("title", ""), d["text"]) for d in _rows(folder / "corpus.jsonl"))
    questions = tuple(_question(row) for row in _rows(folder / "questions.jsonl"))
    return Dataset(folder.name, questions, corpus)


def _rows(file: Path) -> Iterator[dict[str, Any]]:
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
            yield row


def _question(row: dict[str, Any]) -> GoldQuestion:
    gold = tuple(row["gold_doc_ids"])
    if "answers" in row:
        facts = tuple(GoldFact(answer, doc_ids=gold) for answer in row["answers"])
        return GoldQuestion(row["id"], row["question"], facts, "closed", gold, row.get("answer_type", ""))
    facts = tuple(
        GoldFact(f["object"], tuple(f.get("object_aliases", ())), f.get("subject"), tuple(f["doc_ids"]))
        for f in row["facts"]
    )
    return GoldQuestion(row["id"], row["question"], facts, "open", gold, row.get("type", ""))
