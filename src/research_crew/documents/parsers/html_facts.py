"""What a page says of itself: title, date, author, language, address.

Looked for in meta elements (HTML, Open Graph, Dublin Core, Highwire), JSON-LD of schema.org, `time`, `rel=author` and
`rel=canonical`, in this order; nothing is guessed from the text.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser, LexborNode

_DATES = (
    "article:published_time", "datepublished", "date", "dc.date", "dc.date.issued", "dcterms.created",
    "dcterms.issued", "citation_publication_date", "citation_date", "parsely-pub-date", "pubdate", "publishdate",
)  # fmt: skip
_AUTHORS = ("author", "article:author", "dc.creator", "dcterms.creator", "citation_author", "parsely-author")
_ISO = re.compile(r"(\d{4})(?:[-/](\d{1,2})(?:[-/](\d{1,2}))?)?")
_MOST_LD = 500_000


@dataclass(frozen=True, slots=True)
class Facts:
    """Empty or None where the page does not say."""

    title: str = ""
    published: str | None = None
    """ISO date, as exact as the page gives it."""
    author: str | None = None
    language: str | None = None
    canonical: str | None = None


def facts_of(tree: LexborHTMLParser) -> Facts:
    """Read the head and the marked-up parts of a page."""
    head = _meta(tree)
    linked = list(_linked_data(tree))
    html = tree.css_first("html")
    title = _text(tree.css_first("head title") or tree.css_first("title")) or head.get("og:title", "")
    return Facts(
        title or _text(tree.css_first("h1")),
        _published(tree, head, linked),
        _author(tree, head, linked),
        (html.attributes.get("lang") if html is not None else "") or head.get("content-language") or None,
        _canonical(tree, head),
    )


def iso_date(text: str) -> str | None:
    """`2024-3-5T…` or `2024/03/05` as `2024-03-05`; a year or month alone stays as exact as it is; else None."""
    match = _ISO.match(text.strip())
    if match is None or not 1000 <= int(match[1]) <= 2999:
        return None
    month, day = int(match[2] or 0), int(match[3] or 0)
    if not 1 <= month <= 12:
        return match[1]
    return f"{match[1]}-{month:02}" + (f"-{day:02}" if 1 <= day <= 31 else "")


def _meta(tree: LexborHTMLParser) -> dict[str, str]:
    found: dict[str, str] = {}
    for node in tree.css("meta[content]"):
        a = node.attributes
        for key in (a.get("name"), a.get("property"), a.get("itemprop"), a.get("http-equiv")):
            if key:
                found.setdefault(key.lower(), (a.get("content") or "").strip())
    return found


def _linked_data(tree: LexborHTMLParser) -> Iterator[dict[str, object]]:
    for node in tree.css("script[type='application/ld+json']"):
        text = node.text(deep=True)
        if len(text) <= _MOST_LD:
            try:
                value = json.loads(text)
            except (ValueError, RecursionError):
                continue
            graph = value.get("@graph", value) if isinstance(value, dict) else value
            yield from (item for item in (graph if isinstance(graph, list) else [graph]) if isinstance(item, dict))


def _published(tree: LexborHTMLParser, head: dict[str, str], linked: list[dict[str, object]]) -> str | None:
    given = [head.get(key, "") for key in _DATES]
    given += [str(item.get("datePublished") or item.get("dateCreated") or "") for item in linked]
    given += [
        node.attributes.get("datetime") or node.attributes.get("content") or ""
        for node in tree.css("[itemprop=datePublished], time[pubdate], article time[datetime], main time[datetime]")
    ]
    return next((date for text in given if (date := iso_date(text))), None)


def _author(tree: LexborHTMLParser, head: dict[str, str], linked: list[dict[str, object]]) -> str | None:
    given = [head.get(key, "") for key in _AUTHORS]
    for item in linked:
        people = item.get("author")
        names = [p.get("name") if isinstance(p, dict) else p for p in (people if isinstance(people, list) else [people])]
        given.append(", ".join(name for name in names if isinstance(name, str)))
    given += [_text(node) for node in tree.css("[rel=author], [itemprop=author] [itemprop=name], [itemprop=author]")]
    return next((name for name in given if name and len(name) <= 200 and "://" not in name), None)


def _canonical(tree: LexborHTMLParser, head: dict[str, str]) -> str | None:
    node = tree.css_first("link[rel~=canonical][href]")
    address = (node.attributes.get("href") or "") if node is not None else head.get("og:url", "")
    return address if address.lower().startswith(("http://", "https://")) else None


def _text(node: LexborNode | None) -> str:
    return " ".join(node.text(deep=True).split()) if node is not None else ""
