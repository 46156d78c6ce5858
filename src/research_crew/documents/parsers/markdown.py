"""Markdown: headings stay as `#` lines, the markup of links, pictures and emphasis goes.

What is code stays as it stands. The rules are those of CommonMark 0.31, as far as they change what a reader reads.
"""

import re

from research_crew.documents.document import Document, Page, clean
from research_crew.documents.parsers.plain import text_of

_FENCE = re.compile(r"^\s{0,3}(`{3,}|~{3,})")
_SETEXT = re.compile(r"^\s{0,3}(=+|-+)\s*$")
_FRONT = re.compile(r"\A---\n(.*?)\n---\n", re.S)
_INLINE = (
    (re.compile(r"<!--.*?-->", re.S), ""),
    (re.compile(r"!\[([^\]]*)\]\([^)\s]*(?:\s+\"[^\"]*\")?\)"), r"\1"),
    (re.compile(r"\[([^\]]+)\]\((?:[^()\s]|\([^()\s]*\))*(?:\s+\"[^\"]*\")?\)"), r"\1"),
    (re.compile(r"\[([^\]]+)\]\[[^\]]*\]"), r"\1"),
    (re.compile(r"^\s{0,3}\[[^\]]+\]:\s+\S+.*$", re.M), ""),
    (re.compile(r"(?<![\w*])(\*\*\*|\*\*|\*)(?=\S)(.+?)(?<=\S)\1(?![\w*])"), r"\2"),
    (re.compile(r"(?<![\w_])(___|__|_)(?=\S)(.+?)(?<=\S)\1(?![\w_])"), r"\2"),
    (re.compile(r"`([^`]+)`"), r"\1"),
    (re.compile(r"</?[a-zA-Z][^<>]{0,300}>"), ""),
)


def parse(kind: str, data: bytes, name: str) -> Document:
    """The text as one page; the title is the first heading, or `title:` of a front matter."""
    text, notes = text_of(data)
    title = ""
    front = _FRONT.match(text)
    if front:
        named = re.search(r"^title:\s*(.+)$", front[1], re.M)
        title = named[1].strip().strip("\"'") if named else ""
        text = text[front.end() :]
    lines: list[str] = []
    fence = ""
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if mark and (not fence or line.strip().startswith(fence)):
            fence = "" if fence else mark[1]
        elif not fence and lines and lines[-1].strip() and _SETEXT.match(line) and not lines[-1].startswith("#"):
            lines[-1] = ("# " if line.lstrip()[0] == "=" else "## ") + lines[-1].strip()
        else:
            lines.append(line)
    text = "\n".join(lines)
    for pattern, replacement in _INLINE:
        text = pattern.sub(replacement, text)
    text = clean(re.sub(r"^(#{1,6} .*?)\s+#+\s*$", r"\1", text, flags=re.M))
    heading = re.search(r"^#{1,6}\s+(.+)$", text, re.M)
    return Document(kind, (Page(text),), title or (heading[1].strip() if heading else name), notes=notes)
