"""Markdown: headings stay as `#` lines, the markup of links, pictures and emphasis goes.

What is code stays as it stands. The rules are those of CommonMark 0.31, as far as they change what a reader reads;
every pattern is bounded, so that no text makes it run for long.
"""

import re
from collections.abc import Callable

from research_crew.documents.document import Document, Page, clean
from research_crew.documents.outcome import FileTrouble
from research_crew.documents.parsers.plain import text_of

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_SETEXT = re.compile(r" {0,3}(=+|-{2,})[ \t]*\Z")
_NO_PARAGRAPH = re.compile(r"[ \t]*(?:#{1,6}[ \t]|[-*+>|][ \t]|\d{1,9}[.)][ \t]|```|~~~)|\s*\Z|[|\-:\s]+\Z")
_FRONT = re.compile(r"\A---[ \t]*\n(.{0,20000}?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.S)
_TITLE = re.compile(r"^title:[ \t]*(\S[^\n]*)$", re.M)
_FIELD = re.compile(r"^(author|date|lang|language):[ \t]*(\S[^\n]*)$", re.M)
_HEADING = re.compile(r"^#{1,6}[ \t]+(\S[^\n]*)$", re.M)
_CLOSING = re.compile(r"^(#{1,6}[ \t]+[^\n]*?\S)[ \t]{1,20}#{1,6}$", re.M)
_RULE_ROW = re.compile(r"^[ \t]*\|?[ \t:|-]*-{3,}[ \t:|-]*\|?[ \t]*$\n?", re.M)
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_CODE = re.compile(r"(?<!`)(`{1,3})(?!`)([^\n]{1,500}?)(?<!`)\1(?!`)")
_LABEL = r"((?:[^\[\]\n]|\[[^\[\]\n]{0,100}\]){0,500})"
_TARGET = r"\(\s{0,3}(?:<[^<>\n]{0,2000}>|(?:[^()\s]|\([^()\s]{0,200}\)){0,2000})(?:\s{1,3}(?:\"[^\"\n]{0,300}\"|'[^'\n]{0,300}'))?\s{0,3}\)"
_INLINE = (
    (re.compile(rf"!\[{_LABEL}\]{_TARGET}"), r"\1"),
    (re.compile(rf"\[{_LABEL}\]{_TARGET}"), r"\1"),
    (re.compile(r"!?\[([^\[\]\n]{1,500})\]\[[^\[\]\n]{0,200}\]"), r"\1"),
    (re.compile(r"^ {0,3}\[[^\[\]\n]{1,200}\]:[ \t]+\S[^\n]*$", re.M), ""),
    (re.compile(r"<((?:https?://|mailto:)[^\s<>]{1,500})>"), r"\1"),
    (re.compile(r"</?[a-zA-Z][^<>\n]{0,300}>"), ""),
    (re.compile(r"(?<![\w*])(\*{1,3})(?=[^\s*])([^*\n]{1,500}?)(?<=\S)\1(?![\w*])"), r"\2"),
    (re.compile(r"(?<![\w_])(_{1,3})(?=[^\s_])([^_\n]{1,500}?)(?<=\S)\1(?![\w_])"), r"\2"),
    (re.compile(r"~~(?=\S)([^~\n]{1,500})~~"), r"\1"),
)
_KEPT = re.compile("\ue001(\\d+)\ue002")


def parse(kind: str, data: bytes, name: str) -> Document:  # noqa: ARG001
    """The text as one page; title, author and date come from a front matter, the title else from the first heading."""
    text, notes = text_of(data, kind)
    front = _FRONT.match(text)
    facts: dict[str, str] = {}
    named = None
    if front:
        named = _TITLE.search(front[1])
        facts = {m[1]: m[2].strip().strip("\"'") for m in _FIELD.finditer(front[1])}
        text = text[front.end() :]
    title, text = readable(text)
    if not text.strip():
        raise FileTrouble("empty", "no text in it", kind)
    if named:
        title = named[1].strip().strip("\"'")
    date = re.match(r"\d{4}(?:-\d{2}(?:-\d{2})?)?", facts.get("date", ""))
    language = facts.get("lang") or facts.get("language")
    return Document(kind, (Page(text),), title, date[0] if date else None, facts.get("author"), language, notes)


def readable(text: str) -> tuple[str, str]:
    """The first heading, and the text without markup."""
    codes: list[str] = []

    def keep(code: str) -> str:
        codes.append(code)
        return f"\ue001{len(codes) - 1}\ue002"

    text = _blocks(without_comments(text.replace("\ue001", "").replace("\ue002", "")), keep)
    text = _ESCAPED.sub(lambda m: keep(m[1]), _CODE.sub(lambda m: keep(m[2].strip()), text))
    for pattern, replacement in _INLINE:
        text = pattern.sub(replacement, text)
    text = _CLOSING.sub(r"\1", _RULE_ROW.sub("", text))
    text = clean(_KEPT.sub(lambda m: codes[int(m[1])] if int(m[1]) < len(codes) else "", text))
    heading = _HEADING.search(text)
    return (heading[1].rstrip(" \t#") if heading else ""), text


def without_comments(text: str) -> str:
    """The text without `<!-- … -->`; one that never ends is no comment."""
    kept: list[str] = []
    at = 0
    while (start := text.find("<!--", at)) >= 0 and (end := text.find("-->", start + 4)) >= 0:
        kept.append(text[at:start])
        at = end + 3
    return "".join((*kept, text[at:]))


def _blocks(text: str, keep: Callable[[str], str]) -> str:
    """Fenced code set aside, underlined headings turned into marked ones, table rows into cells between bars."""
    lines: list[str] = []
    code: list[str] = []
    fence = ""
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if fence:
            if mark and mark[1].startswith(fence) and not line.strip(" `~"):
                lines.append(keep("\n".join(code)))
                fence, code = "", []
            else:
                code.append(line)
        elif mark and not (mark[1][0] == "`" and "`" in line[mark.end() :]):
            fence = mark[1]
        elif lines and (under := _SETEXT.match(line)) and not _NO_PARAGRAPH.match(lines[-1]):
            lines[-1] = ("# " if under[1][0] == "=" else "## ") + lines[-1].strip()
        elif line.lstrip().startswith("|") and line.rstrip().endswith("|") and not _RULE_ROW.fullmatch(line):
            lines += [" | ".join(cell.strip() for cell in line.strip().strip("|").split("|")), ""]
        else:
            lines.append(line)
    if code:
        lines.append(keep("\n".join(code)))
    return "\n".join(lines)
