"""HTML: the main text without navigation, boilerplate, scripts and what is hidden; headings as `#` lines.

Parsed by lexbor (WHATWG tree building). The tree is never changed: nodes to pass over are noted by identity, since
freeing a node under another one that is still held is a crash in native code. Where a page has one `main` or
`article`, that is the text; otherwise the body without the parts that say by their element, role or name that they are
not, and without runs of links.
"""

import re

from selectolax.lexbor import LexborHTMLParser, LexborNode

from research_crew.documents.document import Document, Page, has_words, instruction_notes
from research_crew.documents.outcome import FileTrouble
from research_crew.documents.parsers.html_blocks import Blocks
from research_crew.documents.parsers.html_facts import Facts, facts_of
from research_crew.documents.parsers.html_hidden import hidden_nodes
from research_crew.evidence.charset import decode

_GONE = (
    "script, style, noscript, template, svg, canvas, math annotation, iframe, object, embed, button, select, input, "
    "textarea, nav, aside, dialog, [role=navigation], [role=banner], [role=contentinfo], [role=search], "
    "[role=complementary], [role=dialog], [role=alert], [role=menu], [role=toolbar], head"
)
_BOILERPLATE = re.compile(
    r"(?:^|[\s_-])(?:nav(?:bar|igation)?|menu(?:bar)?|breadcrumbs?|sidebar|cookies?|consent|banner|advert(?:isement)?s?|"
    r"ads?|share|social|newsletter|subscribe|related|comments?|toc|pagination|skip-?link|site-?footer|site-?header|"
    r"toolbar|searchmenu|nosearch|toc_sub|toggle_toc)(?:$|[\s_-])",
    re.I,
)
_BOXES = frozenset(("div", "ul", "ol", "section", "footer", "header", "span", "p", "table", "form", "details"))
_LEAST_MAIN = 200


def parse(kind: str, data: bytes, name: str) -> Document:  # noqa: ARG001
    """The main text as one page, with title, date, author, language and canonical address where the page names them."""
    source, _, notes = decode(data, None, markup=True)
    facts, text, pictures = read_html(source)
    if not has_words(text):
        raise FileTrouble("no-text" if pictures else "empty", "no text in the page", kind)
    return Document(
        kind, (Page(text),), facts.title, facts.published, facts.author, facts.language,
        (*notes, *instruction_notes(text, source)), facts.canonical,
    )  # fmt: skip


def read_html(source: str) -> tuple[Facts, str, bool]:
    """What a page says of itself, its main text, and whether it has pictures."""
    tree = LexborHTMLParser(source)
    facts = facts_of(tree)
    body = tree.body
    if body is None:
        return facts, "", False
    skipped = {node.mem_id for node in tree.css(_GONE) if node.tag not in ("body", "html")}
    skipped |= hidden_nodes(tree)
    whole = len(body.text(deep=True))
    for node in body.css("[class], [id]"):
        if node.tag in _BOXES and node.mem_id not in skipped and _is_boilerplate(node, whole):
            skipped.add(node.mem_id)
    root = _main(body, skipped)
    if root is body:
        for node in body.css("body > footer, body > header"):
            if node.css_first("h1") is None:
                skipped.add(node.mem_id)
    text = Blocks(skipped).read(root).text(drop_links=root is body)
    return facts, text, tree.css_first("img, picture, video, canvas") is not None


def _is_boilerplate(node: LexborNode, whole: int) -> bool:
    """Whether a box is named like a part that is no text; one that holds the page's text is kept, whatever its name."""
    names = f"{node.attributes.get('class') or ''} {node.attributes.get('id') or ''}"
    if not _BOILERPLATE.search(names):
        return False
    return node.css_first("main, article, h1, [role=main]") is None and len(node.text(deep=True)) * 2 < whole


def _main(body: LexborNode, skipped: set[int]) -> LexborNode:
    for selector in ("main", "[role=main]", "article"):
        nodes = [node for node in body.css(selector) if node.mem_id not in skipped]
        if len(nodes) == 1 and len(nodes[0].text(deep=True)) > _LEAST_MAIN:
            return nodes[0]
    return body
