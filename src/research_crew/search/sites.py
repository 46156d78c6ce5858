"""Domains as operators in the query, for engines that know `site:` and no field for it."""

from research_crew.search.protocol import Query
from research_crew.search.rows import shortened


def with_sites(
    query: Query, characters: int, words: int | None = None, no: str = "-site:"
) -> tuple[str, tuple[str, ...]]:
    """The text of a query with its domains in it, within the limits of the engine.

    The words are shortened first; domains that do not fit are left out and a note says so (`rows.to_hits` still
    applies them to the results).
    """
    inside = [f"site:{domain}" for domain in query.include_domains]
    outside = [f"{no}{domain}" for domain in query.exclude_domains]
    operators = ([" OR ".join(inside) if len(inside) < 2 else f"({' OR '.join(inside)})"] if inside else []) + outside
    tail = " ".join(operators)
    notes: tuple[str, ...] = ()
    if len(tail) > characters // 2 or (words is not None and len(tail.split()) > words // 2):
        tail, notes = "", ("too many domains for a query; applied to the results only",)
    room = characters - (len(tail) + 1 if tail else 0)
    text, cut = shortened(query.text, room, words - len(tail.split()) if words is not None else None)
    return f"{text} {tail}".strip(), (*cut, *notes)
