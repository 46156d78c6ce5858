"""arXiv: the Atom API of the preprint server, with abstracts. No key, no price.

Facts, from info.arxiv.org/help/api (user-manual, tou), November 2026:
- `GET /api/query` with `search_query` (`all:word`, joined by AND, OR; `submittedDate:[YYYYMMDDHHMM TO YYYYMMDDHHMM]`),
  `start`, `max_results` (slices of up to 2,000), `sortBy=relevance`;
- an Atom feed; each `entry` has `id` (the address of the abstract), `title`, `summary`, `published`, `author/name`; an
  error is a feed with one entry titled `Error` whose `summary` says what is wrong;
- one request every three seconds, one connection at a time;
- no language and no domains.
"""

import re
from xml.etree import ElementTree

from research_crew.search.engine import HttpEngine
from research_crew.search.names import Kit
from research_crew.search.protocol import Hits, Query, Result
from research_crew.search.request import EngineTrouble
from research_crew.search.rows import Row, day_of, plain, shortened, title_of, to_hits, url_of

_ATOM = {"a": "http://www.w3.org/2005/Atom"}
_SMALL = frozenset(
    ["a", "an", "and", "are", "by", "did", "do", "does", "for", "from", "how", "in", "is", "not", "of", "on", "or",
     "the", "to", "was", "were", "what", "when", "where", "which", "who", "why", "with"]
)  # fmt: skip


class ArXiv(HttpEngine):
    """The engine `arxiv`."""

    name = "arxiv"
    base_url = "https://export.arxiv.org"
    interval = 3.0
    characters = 300

    async def ask(self, query: Query) -> Hits:
        """See `HttpEngine.ask`."""
        text, notes = shortened(query.text, self.characters)
        words = [word for word in re.findall(r"\w+(?:[-.']\w+)*", text) if word.lower() not in _SMALL] or text.split()
        asked = " AND ".join(f"all:{word}" for word in words)
        if query.since or query.until:
            start = query.since.strftime("%Y%m%d") if query.since else "19910101"
            end = query.until.strftime("%Y%m%d") if query.until else "29991231"
            asked = f"({asked}) AND submittedDate:[{start}0000 TO {end}2359]"
        params = {
            "search_query": asked, "start": "0", "max_results": str(max(1, min(query.limit, 100))),
            "sortBy": "relevance",
        }  # fmt: skip
        rows = _entries((await self.door.ask("/api/query", params=params)).text)
        return to_hits(self.name, rows, _result, query, honours=("time range",), notes=notes)


def _entries(feed: str) -> list[Row]:
    # No feed of arXiv declares entities; one that does is not looked at further (entity expansion).
    if "<!DOCTYPE" in feed or "<!ENTITY" in feed:
        raise EngineTrouble("unreadable", "the answer is not an Atom feed")
    try:
        root = ElementTree.fromstring(feed)
    except ElementTree.ParseError as error:
        raise EngineTrouble("unreadable", f"the answer is not an Atom feed: {error}") from None
    if root.tag != f"{{{_ATOM['a']}}}feed":
        raise EngineTrouble("unreadable", f"the answer is not an Atom feed but {root.tag[:60]!r}")
    rows: list[Row] = []
    for entry in root.findall("a:entry", _ATOM):
        row = {name: entry.findtext(f"a:{name}", "", _ATOM) for name in ("id", "title", "summary", "published")}
        if row["title"].strip() == "Error":
            raise EngineTrouble("rejected", plain(row["summary"])[:300])
        names = [plain(author.findtext("a:name", "", _ATOM)) for author in entry.findall("a:author", _ATOM)]
        rows.append({**row, "authors": ", ".join(name for name in names if name)})
    return rows


def _result(row: Row) -> Result:
    url = url_of(re.sub(r"^http:", "https:", str(row.get("id"))))
    return Result(
        title_of(row.get("title"), url), url, text=plain(row.get("summary")), published=day_of(row.get("published")),
        author=str(row.get("authors")) or None, engine=ArXiv.name,
    )  # fmt: skip


def make(argument: str, kit: Kit) -> ArXiv:  # noqa: ARG001
    """See `names.Maker`."""
    return ArXiv(kit.http, None, kit.base_urls.get("arxiv"))
