"""HTML: the main text without navigation, boilerplate, scripts and what is hidden; headings as `#` lines.

Parsed by lexbor (WHATWG tree building). Where a page has one `main` or `article`, that is the text; otherwise the body
without the parts that say by their element, role or name that they are not.
"""

import re

from selectolax.lexbor import LexborHTMLParser, LexborNode

from research_crew.documents.document import Document, Page, clean, instruction_notes
from research_crew.documents.outcome import FileTrouble
from research_crew.evidence.charset import decode

_GONE = (
    "script, style, noscript, template, svg, canvas, iframe, object, embed, form, button, select, input, textarea, "
    "nav, aside, dialog, [hidden], [aria-hidden=true], [role=navigation], [role=banner], [role=contentinfo], "
    "[role=search], [role=complementary], [role=dialog], [role=alert]"
)
_BOILERPLATE = re.compile(
    r"(?:^|[\s_-])(?:nav(?:bar|igation)?|menu|breadcrumbs?|sidebar|cookies?|consent|banner|advert(?:isement)?s?|ads?|share|"
    r"social|newsletter|subscribe|related|comments?|toc|pagination|skip-?link|site-?footer|site-?header|toolbar|"
    r"searchmenu|menubar|nosearch|toc_sub|toggle_toc)(?:$|[\s_-])",
    re.I,
)
_HIDDEN = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|(?:font-size\s*:\s*0(?:px|pt|em)?|opacity\s*:\s*0)\s*(?:;|$)", re.I
)
_BLOCKS = frozenset(
    (
        "p", "div", "section", "article", "main", "header", "footer", "ul", "ol", "dl", "dt", "dd", "table", "tr",
        "blockquote", "pre", "figure", "figcaption", "address", "hr", "br", "body", "center", "fieldset", "details",
        "summary", "caption",
    )
)  # fmt: skip
_BOXES = frozenset(("div", "ul", "section", "footer", "header", "span", "p", "table"))
_HEADING = re.compile(r"h([1-6])\Z")
_DATES = ("article:published_time", "datepublished", "date", "dc.date", "dcterms.created", "citation_publication_date")
_ISO = re.compile(r"\d{4}(?:[-/]\d{2}(?:[-/]\d{2})?)?")


def parse(kind: str, data: bytes, name: str) -> Document:
    """The main text as one page, with title, date, author and language where the page names them."""
    source, _, notes = decode(data, None, markup=True)
    tree = LexborHTMLParser(source)
    head = _meta(tree)
    title = _text(tree.css_first("title")) or head.get("og:title", "") or _text(tree.css_first("h1")) or name
    root = _main(tree)
    if root is None:
        raise FileTrouble("empty", "no body")
    parts: list[str] = []
    _walk(root, parts, pre=False)
    text = clean(re.sub(r"[ \t]*\n[ \t]*", "\n", re.sub(r"[ \t\xa0]+", " ", "".join(parts))).replace(_KEPT, " "))
    if not any(c.isalnum() for c in text):
        raise FileTrouble("no-text" if tree.css_first("img") else "empty", "no text in the page")
    html = tree.css_first("html")
    language = (html.attributes.get("lang") or "") if html is not None else ""
    published = next((m[0] for key in _DATES if (m := _ISO.match(head.get(key, "")))), None)
    return Document(
        kind, (Page(text),), title, published, head.get("author") or None, language.split("-")[0].lower() or None,
        (*notes, *instruction_notes(text, source)),
    )


_KEPT = "\ue000"
"""Stands for a blank inside preformatted text, which is kept."""


def _meta(tree: LexborHTMLParser) -> dict[str, str]:
    found: dict[str, str] = {}
    for node in tree.css("meta[content]"):
        key = (node.attributes.get("name") or node.attributes.get("property") or node.attributes.get("itemprop") or "")
        if key:
            found.setdefault(key.lower(), (node.attributes.get("content") or "").strip())
    return found


def _main(tree: LexborHTMLParser) -> LexborNode | None:
    for node in tree.css(_GONE):
        if node.tag not in ("body", "html"):
            node.decompose()
    body = tree.body
    if body is None:
        return None
    for node in body.css("[class], [id], [style]"):
        a = node.attributes
        names = f"{a.get('class') or ''} {a.get('id') or ''}"
        hidden = _HIDDEN.search(a.get("style") or "")
        if hidden or (node.tag in _BOXES and _BOILERPLATE.search(names)):
            node.decompose()
    for selector in ("main", "[role=main]", "article"):
        nodes = body.css(selector)
        if len(nodes) == 1 and len(nodes[0].text(deep=True)) > 200:
            return nodes[0]
    for node in body.css("body > footer"):
        node.decompose()
    return body


def _walk(node: LexborNode, parts: list[str], pre: bool) -> None:
    """Text in reading order: blocks on lines of their own, headings marked, cells parted by bars."""
    child = node.child
    while child is not None:
        tag = child.tag
        if tag == "-text":
            text = child.text(deep=False)
            parts.append(text.replace(" ", _KEPT) if pre else re.sub(r"\s+", " ", text))
        elif tag and not tag.startswith(("-", "_", "!")):
            heading = _HEADING.match(tag)
            if heading:
                words = " ".join(child.text(deep=True).split())
                parts.append(f"\n\n{'#' * int(heading[1])} {words}\n\n" if words else "")
            elif tag == "li":
                parts.append("\n- ")
                _walk(child, parts, pre)
            elif tag in ("td", "th"):
                _walk(child, parts, pre)
                parts.append(" | ")
            elif tag in _BLOCKS:
                gap = "\n" if tag in ("br", "tr", "dd", "dt") else "\n\n"
                parts.append(gap)
                _walk(child, parts, pre or tag == "pre")
                parts.append("" if tag == "br" else gap)
            else:
                _walk(child, parts, pre)
        child = child.next


def _text(node: LexborNode | None) -> str:
    return " ".join(node.text(deep=True).split()) if node is not None else ""
