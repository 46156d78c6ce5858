"""A tree of HTML nodes to blocks of text in reading order: paragraphs, list items, table rows, headings, code."""

import re
from dataclasses import dataclass
from typing import Self

from selectolax.lexbor import LexborNode

_BLOCKS = frozenset(
    (
        "p", "div", "section", "article", "main", "header", "footer", "ul", "ol", "dl", "dt", "dd", "table", "tr",
        "blockquote", "pre", "figure", "figcaption", "address", "hr", "body", "center", "fieldset", "details", "form",
        "summary", "caption", "li", "thead", "tbody", "tfoot", "h1", "h2", "h3", "h4", "h5", "h6", "legend", "hgroup",
    )
)  # fmt: skip
_TIGHT = frozenset(("li", "dt", "dd"))
_SPACE = re.compile(r"[ \t\n\r\f\v\xa0]+")
_LINK_SHARE, _LINK_RUN, _SHORT = 0.8, 4, 80


@dataclass(frozen=True, slots=True)
class _Block:
    text: str
    links: int
    """Characters of it that are link text."""
    tight: bool
    """Whether it follows one of its like without an empty line."""


class Blocks:
    """Collects blocks from a tree; `skipped` are identities of nodes to pass over with all that is in them."""

    def __init__(self, skipped: set[int]) -> None:
        self._skipped = skipped
        self._blocks: list[_Block] = []
        self._parts: list[str] = []
        self._links = 0
        self._prefix = ""
        self._tight = False

    def read(self, root: LexborNode) -> Self:
        """Walk below a node. Without recursion: pages may be nested deeper than a stack is high."""
        stack: list[tuple[LexborNode, bool, int, int]] = [(root, False, 0, 0)]
        while stack:
            node, leaving, pre, links = stack.pop()
            tag = node.tag or ""
            if leaving:
                self._leave(tag, pre)
                continue
            if tag == "-text":
                self._say(node.text(deep=False) or "", pre, links)
                continue
            if tag.startswith(("-", "_", "!")) or node.mem_id in self._skipped:
                continue
            self._enter(tag, pre)
            pre, links = pre + (tag == "pre"), links + (tag == "a")
            stack.append((node, True, pre, links))
            child = node.last_child
            while child is not None:
                stack.append((child, False, pre, links))
                child = child.prev
        self._flush()
        return self

    def text(self, drop_links: bool = False) -> str:
        """The blocks; with `drop_links` without runs of blocks that are links, unless nothing much would be left."""
        kept = self._without_link_runs() if drop_links else self._blocks
        if sum(len(b.text) for b in kept) * 5 < sum(len(b.text) for b in self._blocks):
            kept = self._blocks
        out: list[str] = []
        tight = False
        for block in kept:
            out += ["\n" if block.tight and tight else "\n\n", block.text]
            tight = block.tight
        return "".join(out).strip("\n")

    # -- while walking ------------------------------------------------------------------------------------------

    def _enter(self, tag: str, pre: int) -> None:
        if tag in _BLOCKS:
            self._flush(keep_prefix=True)
            if tag == "li":
                self._prefix, self._tight = "- ", True
            elif tag[0] == "h" and tag[1:].isdigit():
                self._prefix, self._tight = "#" * int(tag[1:]) + " ", False
            elif not self._prefix:
                self._tight = tag in _TIGHT
        elif tag == "br":
            self._parts.append("\n" if pre else "\ue000")
        elif tag == "img" and pre:
            self._parts.append(" ")

    def _leave(self, tag: str, pre: int) -> None:
        if tag in ("td", "th") and self._parts:
            self._parts.append(" | ")
        elif tag == "pre":
            self._flush(pre=True)
        elif tag in _BLOCKS:
            self._flush(pre=pre > 0)
            self._prefix = ""

    def _say(self, text: str, pre: int, links: int) -> None:
        words = text if pre else _SPACE.sub(" ", text)
        if words:
            self._parts.append(words)
            self._links += len(words) if links else 0

    def _flush(self, pre: bool = False, keep_prefix: bool = False) -> None:
        joined = "".join(self._parts)
        self._parts = []
        if pre:
            text = joined.strip("\n").rstrip()
        else:
            text = re.sub(r" *\ue000 *", "\n", re.sub(r" {2,}", " ", joined)).strip().removesuffix("|").rstrip()
            if self._prefix.startswith("#"):
                text = " ".join(text.split())
        if text.strip(" |\n"):
            self._blocks.append(_Block(self._prefix + text, self._links, self._tight))
            self._prefix, self._tight = "", False
        elif not keep_prefix:
            self._prefix, self._tight = "", False
        self._links = 0

    def _without_link_runs(self) -> list[_Block]:
        kept: list[_Block] = []
        run: list[_Block] = []
        for block in (*self._blocks, None):
            if block is not None and len(block.text) <= _SHORT and block.links >= _LINK_SHARE * len(block.text.lstrip("- ")):
                run.append(block)
                continue
            if len(run) < _LINK_RUN:
                kept += run
            run = []
            if block is not None:
                kept.append(block)
        return kept
