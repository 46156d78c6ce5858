"""Which passages answer a query best: candidates by FTS5, then ranked by a score of our own.

The score is BM25 with the fields of a passage joined before saturation (BM25F: Robertson, Zaragoza, Taylor 2004;
Robertson and Zaragoza 2009), which FTS5 cannot do: its k1 and b are fixed, and its fields are added up as if they were
one text. To it comes a part for titles that the query names as a whole, since a file whose whole title is asked for is
rarely the wrong one. `benchmarks/retrieval.py` prints what this gives; the constants were chosen there on the training
queries of SciFact and the two question sets, not on the queries that are reported first.
"""

import math
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, field

K1, B = 1.2, 0.5
TITLE, HEADING = 2.0, 1.5
"""What an occurrence there counts, against one in the body."""
_TITLE_B = 0.75
_NAMED, _WHOLE = 0.6, 2
"""Weight of a named title, and the power of the share of it that is named."""
_MOST_TERMS = 60
_SEEKERS = 4
"""The rarest terms always find candidates."""
_RARE, _TOGETHER = 0.05, 0.1
"""Further terms do while each is in at most this share of the passages, and all in at most that: a common term costs
the most time and tells the least, and counts in the score of what the others found."""
_MOST_REMEMBERED = 50_000

Spellings = tuple[str, ...]


@dataclass(slots=True)
class Statistics:
    """What BM25 needs to know of the whole index in one generation."""

    generation: tuple[int, int]
    """Of the file, and within it."""
    passages: int
    body_length: float
    """Mean number of terms."""
    title_length: float
    counts: dict[str, int] = field(default_factory=dict)
    """Term → number of passages that hold it, as far as they were asked for."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """A passage and its score, the higher the better."""

    passage: int
    score: float


def statistics(db: sqlite3.Connection, known: Statistics | None, era: int = 0) -> Statistics:
    """Those of the index as it is; `known` is given back while nothing has changed."""
    generation = (era, int(db.execute("select value from meta where name = 'generation'").fetchone()[0]))
    if known is not None and known.generation == generation:
        return known
    rows, body, title = db.execute("select count(*), avg(words), avg(title_words) from passage").fetchone()
    return Statistics(generation, rows, max(body or 0.0, 1.0), max(title or 0.0, 1.0))


def rank(db: sqlite3.Connection, terms: Sequence[Spellings], facts: Statistics, most: int) -> list[Ranked]:
    """The best passages for the terms of a query, best first, at most `most`."""
    counted = [(spellings, _count(db, spellings, facts)) for spellings in terms]
    wanted = sorted((pair for pair in counted if pair[1]), key=lambda pair: pair[1])[:_MOST_TERMS]
    if not wanted:
        return []
    expression = " OR ".join(f'"{form}"' for spellings in _seekers(wanted, facts) for form in spellings)
    rows = db.execute(_CANDIDATES, (expression, most))
    weights = [(spellings, math.log(1 + (facts.passages - count + 0.5) / (count + 0.5))) for spellings, count in wanted]
    found = [Ranked(row, _score(weights, facts, title, heading, body)) for row, title, heading, body in rows]
    return sorted(found, key=lambda r: (-r.score, r.passage))


def _seekers(wanted: Sequence[tuple[Spellings, int]], facts: Statistics) -> list[Spellings]:
    """The terms that find candidates; `wanted` comes rarest first."""
    chosen: list[Spellings] = []
    together = 0
    for spellings, count in wanted:
        together += count
        common = count > _RARE * facts.passages or together > _TOGETHER * facts.passages
        if common and len(chosen) >= _SEEKERS:
            break
        chosen.append(spellings)
    return chosen


def _score(
    weights: Sequence[tuple[Spellings, float]], facts: Statistics, title: str, heading: str, body: str
) -> float:
    # Terms are counted by their blanks; one that directly follows itself is counted once.
    title, heading, body = f" {title} ", f" {heading} ", f" {body} "
    long_body = 1 - B + B * (body.count(" ") - 1) / facts.body_length
    in_title = title.count(" ") - 1
    long_title = 1 - _TITLE_B + _TITLE_B * in_title / facts.title_length
    total, named, matched = 0.0, 0.0, 0
    for spellings, weight in weights:
        in_text = 0.0
        titled = False
        for form in spellings:
            blank = f" {form} "
            if times := title.count(blank):
                in_text += TITLE * times / long_title
                titled = True
            if times := heading.count(blank):
                in_text += HEADING * times / long_title
            if times := body.count(blank):
                in_text += times / long_body
        if in_text:
            total += weight * in_text * (K1 + 1) / (in_text + K1)
        if titled:
            named += weight
            matched += 1
    if matched:
        total += _NAMED * named * min(1.0, matched / in_title) ** _WHOLE
    return total


def _count(db: sqlite3.Connection, spellings: Spellings, facts: Statistics) -> int:
    """In how many passages a term stands, in any of its spellings."""
    total = 0
    for form in spellings:
        count = facts.counts.get(form)
        if count is None:
            row = db.execute("select doc from term_count where term = ?", (form,)).fetchone()
            count = int(row[0]) if row else 0
            if len(facts.counts) < _MOST_REMEMBERED:
                facts.counts[form] = count
        total += count
    return min(total, facts.passages)


_CANDIDATES = f"""
    select rowid, title, heading, body from term where term match ?
    order by bm25(term, {TITLE}, {HEADING}, 1.0), rowid limit ?
"""
