"""From a reply to a page: status, type, encoding, text."""

from collections.abc import Mapping
from dataclasses import replace

from research_crew.evidence.charset import decode
from research_crew.evidence.instructions import count_instructions
from research_crew.net.hops import Reply
from research_crew.net.page import Extract, Extracted, FetchedPage, State
from research_crew.net.sniff import Kind, sniff

_REFUSING = {401: "asks for a login", 402: "asks for payment", 403: "refused", 407: "asks for a login", 451: "blocks"}


def outcome_of_status(status: int, retry_after: float | None) -> tuple[State, str] | None:
    """What a status that is not 2xx means for the page; None when the body is the page."""
    if status in (200, 203):
        return None
    if status == 204 or status == 205:
        return "empty", "the page has no content"
    if status == 429 or (status == 503 and retry_after is not None):
        return "throttled", f"the host asked to wait (status {status})"
    if status in _REFUSING:
        return "refused", f"the host {_REFUSING[status]} (status {status})"
    if status in (404, 410):
        return "failed", f"there is no such page (status {status})"
    return "failed", f"the host answered with status {status}"


def read_reply(asked: str, reply: Reply, extractors: Mapping[Kind, Extract]) -> FetchedPage:
    """The page in a 200 reply; every way in which it can be unreadable has its state."""
    declared = reply.headers.get("content-type", "")
    kind, media = sniff(reply.body, declared)
    page = FetchedPage(
        asked, reply.url, reply.status, "empty", content_type=media, bytes=len(reply.body), notes=reply.notes
    )
    said = declared.partition(";")[0].strip().lower()
    if said and said != media and kind in ("pdf", "html", "other"):
        page = replace(page, notes=(*page.notes, f"declared as {said[:60]}, is {media}"))
    if not reply.body.strip():
        return replace(page, notes=(*page.notes, "the body is empty"))
    extract = extractors.get(kind)
    if extract is None and kind in ("pdf", "other", "html"):
        return replace(page, state="wrong-type", notes=(*page.notes, f"{media} is not read"))
    source, codec = "", None
    if kind != "pdf":
        source, codec, notes = decode(reply.body, _charset(declared), markup=kind in ("html", "xml"))
        page = replace(page, notes=(*page.notes, *notes))
    try:
        found = extract(reply.body, codec, reply.url) if extract is not None else Extracted(source)
    except ValueError as error:
        return replace(page, state="failed", notes=(*page.notes, f"the {kind} cannot be read: {error}"[:300]))
    text = found.text.replace("\0", "")
    return replace(
        page,
        state="read" if text.strip() else "empty",
        text=text,
        title=found.title,
        published=found.published,
        author=found.author,
        canonical=found.canonical,
        language=found.language or reply.headers.get("content-language", "").partition(",")[0].strip() or None,
        links=found.links,
        notes=(*page.notes, *found.notes) if text.strip() else (*page.notes, *found.notes, "there is no text in it"),
        instructions=count_instructions(
            text, source if kind == "html" else "", _metadata(found) if kind == "pdf" else None
        ),
    )


def _metadata(found: Extracted) -> dict[str, str]:
    """The fields of a PDF that nobody sees on its pages."""
    return {"title": found.title, "author": found.author or ""}


def _charset(content_type: str) -> str | None:
    for part in content_type.split(";")[1:]:
        name, _, value = part.partition("=")
        if name.strip().lower() == "charset":
            return value
    return None
