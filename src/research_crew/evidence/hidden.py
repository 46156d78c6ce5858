"""What of a page a reader does not see: hidden elements, comments, alternative texts, metadata.

A scanner of our own, linear in the length of the page: the parser of the standard library is quadratic on some broken
pages, and the tree of the documents' parser is a floor further up.
"""

import html as entities
import re
from collections.abc import Iterator, Mapping
from typing import Literal

Where = Literal["text", "page", "hidden", "comment", "attribute", "metadata"]
"""`text`: what is read as the page's content. `page`: visible, outside of that content."""

_ATTRIBUTE = re.compile(r"([a-z][\w:-]{0,40})\s*=\s*(\"[^\"]{0,4000}\"|'[^']{0,4000}'|[^\s\"'>]{1,4000})", re.I)
_INVISIBLE_STYLE = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|opacity\s*:\s*0(?:\.0*)?(?![.\d])|font-size\s*:\s*[01](?:\.\d+)?(?:px|pt|em|%)?(?![.\d])"
    r"|(?:text-indent|left|top|margin-left)\s*:\s*-\d{3,}|(?<![-\w])color\s*:\s*(?:#fff(?:fff)?\b|white|transparent)"
    r"|clip(?:-path)?\s*:\s*(?:rect\(0|inset\(\d)|(?:height|width)\s*:\s*0(?:px)?\s*(?:;|$)",
    re.I,
)
_RULE = re.compile(r"([.#][\w-]{1,60})\s*\{([^{}]{0,400})\}")
_VOID = frozenset(
    ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"]
)
_SPOKEN = frozenset(["alt", "title", "aria-label", "aria-description", "placeholder", "summary", "label"])
_END = re.compile(r"</(?:script|style)", re.I)
_LONGEST_TAG = 20_000


def unseen(html: str) -> Iterator[tuple[Where, str]]:
    """Texts of a page by where they stand: comments, attributes, hidden elements, metadata, and all that is visible."""
    visible: list[str] = []
    hidden: list[str] = []
    outside: list[str] = []
    inside, depth, at, close = "", 0, 0, -1
    styled = {name for name, body in _RULE.findall(html) if _INVISIBLE_STYLE.search(body)} if "{" in html else set()
    while at < len(html):
        start = html.find("<", at)
        chunk = html[at:] if start < 0 else html[at:start]
        (hidden if depth else visible).append(entities.unescape(chunk))
        if start < 0:
            break
        if html.startswith("<!--", start):
            end = html.find("-->", start + 4)
            yield "comment", html[start + 4 : end if end > 0 else len(html)]
            at = end + 3 if end > 0 else len(html)
            continue
        if close < start:
            close = html.find(">", start)
        if close < 0 or close - start > _LONGEST_TAG:
            (hidden if depth else visible).append("<")
            at = start + 1 if close >= 0 else len(html)
            continue
        tag, at = html[start + 1 : close], close + 1
        name = tag[1:] if tag.startswith("/") else tag.partition(" ")[0]
        name = name.strip("/ \t\r\n").partition("\n")[0].lower()
        if tag.startswith("/"):
            if depth and name == inside:
                depth -= 1
            continue
        attributes = {key.lower(): entities.unescape(value.strip("\"'")) for key, value in _ATTRIBUTE.findall(tag)}
        outside.extend(value for key, value in attributes.items() if key in _SPOKEN)
        if name == "meta" and "content" in attributes:
            yield "metadata", attributes["content"]
        if name == "img" and re.search(r"[?&=][^\"']*(?:\{|\[|%7b|%5b)", attributes.get("src", ""), re.I):
            yield "attribute", f"![]({attributes['src']})"
        if name in ("script", "style"):
            ending = _END.search(html, at)
            after = ending.start() if ending else len(html)
            if name == "script" and "json" in attributes.get("type", "").lower():
                yield "metadata", html[at:after]
            at = after
        elif depth:
            depth += name == inside
        elif name not in _VOID and _is_hidden(name, tag, attributes, styled):
            inside, depth = name, 1
        if not depth and name in ("p", "div", "br", "li", "td", "h1", "h2", "h3", "tr", "section"):
            visible.append("\n")
    yield "attribute", "\n".join(outside)
    yield "hidden", " ".join(hidden)
    yield "page", "".join(visible)


def _is_hidden(name: str, tag: str, attributes: Mapping[str, str], styled: set[str]) -> bool:
    if name in ("template", "noscript", "noembed") or attributes.get("aria-hidden", "").lower() == "true":
        return True
    if re.search(r"\shidden(?:[\s=>/]|$)", tag, re.I) or _INVISIBLE_STYLE.search(attributes.get("style", "")):
        return True
    marks = {f".{part}" for part in attributes.get("class", "").split()} | {f"#{attributes.get('id', '')}"}
    return bool(marks & styled)
