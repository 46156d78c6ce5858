"""What a model wraps its answer in: reasoning, fences, content blocks, prose. Pure text in, pure text out."""

import re
from collections.abc import Sequence
from typing import Any

_NAMES = "think|thinking|thought|thoughts|reasoning|reflection|analysis|scratchpad|inner_monologue"
_OPENING = re.compile(rf"(?:(?<=\n)|\A)[ \t]{{0,8}}<({_NAMES})\b[^>\n]{{0,80}}>", re.I)
_CLOSING = re.compile(rf"</({_NAMES})\s{{0,8}}>[ \t]{{0,8}}(?=\n|\Z|[{{\[])", re.I)
_OTHERS = (
    re.compile(r"\A\s*\[THINK\].*?\[/THINK\]", re.S),
    re.compile(r"\A\s*◁think▷.*?◁/think▷", re.S),
    re.compile(r"<\|channel\|>\s*(?:analysis|commentary)\b.*?(?:<\|end\|>|(?=<\|channel\|>\s*final)|\Z)", re.S),
)
_MARKS = re.compile(
    r"<\|(?:im_)?start\|>\s{0,4}assistant|<\|channel\|>\s{0,4}final\s{0,4}(?=<\|message)"
    r"|<\|(?:message|end|return|im_end|eot_id|endoftext|begin_of_text)\|>|</s>\s{0,4}\Z"
)
_FENCE = re.compile(r"[ \t]{0,12}(`{3,20}|~{3,20})[ \t]{0,8}([\w+-]{0,20})")

_PLAIN = ("", "markdown", "md", "text", "txt")
_SILENT = ("thinking", "reasoning", "redacted_thinking", "image", "image_url")


def without_reasoning(text: str) -> tuple[str, str]:
    """The text without the reasoning that stands in it, and that reasoning.

    A closed block at the beginning of a line goes; an unclosed one goes with all that follows, when the text begins
    with it; a lone closing tag takes what stands before it. A tag that a sentence mentions stays.
    """
    if "<" not in text and "[THINK]" not in text and "◁" not in text:
        return text, ""
    kept, taken = _without_tags(text)
    for pattern in _OTHERS:
        taken += [found[0] for found in pattern.finditer(kept)]
        kept = pattern.sub("", kept)
    if taken or "<|" in text:
        kept = _MARKS.sub("", kept).strip("\n")
    return kept, "\n".join(taken)


def _without_tags(text: str) -> tuple[str, list[str]]:
    """What stands outside of reasoning tags, and what stands in them; one pass, whatever is opened or closed."""
    kept: list[str] = []
    taken: list[str] = []
    lower, at = text.lower(), 0
    first = _OPENING.search(text)
    alone = _CLOSING.search(text)
    if alone is not None and (first is None or alone.start() < first.start()):
        taken.append(text[: alone.end()])
        at = alone.end()
    unclosed: set[str] = set()
    while (found := _OPENING.search(text, at)) is not None:
        name = found[1].lower()
        end = -1 if name in unclosed else lower.find(f"</{name}", found.end())
        if end < 0:
            unclosed.add(name)
            if not text[: found.start()].strip():
                return "", [*taken, text[found.start() :]]
            kept.append(text[at : found.end()])
            at = found.end()
            continue
        close = text.find(">", end)
        close = len(text) if close < 0 else close + 1
        kept.append(text[at : found.start()])
        taken.append(text[found.start() : close])
        at = close + 1 if text.startswith("\n", close) else close
    kept.append(text[at:])
    return "".join(kept), taken


def fenced_blocks(text: str) -> list[str]:
    """The contents of the fenced blocks of a text, those called JSON first; a fence that is never closed counts."""
    if "```" not in text and "~~~" not in text:
        return []
    blocks: list[tuple[str, str]] = []
    mark, name = "", ""
    lines: list[str] = []
    for line in text.split("\n"):
        fence = _FENCE.match(line)
        if not mark:
            if fence is not None:
                mark, name, lines = fence[1], fence[2].lower(), []
                rest = line[fence.end() :].strip()
                if rest:
                    lines.append(rest.removesuffix(mark))
                    if rest.endswith(mark):
                        blocks.append((name, lines[0]))
                        mark = ""
        elif line.strip() == mark or line.rstrip().endswith(mark):
            lines.append(line.rstrip().removesuffix(mark))
            blocks.append((name, "\n".join(lines)))
            mark = ""
        else:
            lines.append(line)
    if mark:
        blocks.append((name, "\n".join(lines)))
    return [body for name, body in blocks if name.startswith("json")] + [
        body for name, body in blocks if not name.startswith("json")
    ]


def without_outer_fence(text: str) -> str:
    """A whole answer in one fence (a report as a Markdown block), without it."""
    lines = text.strip().split("\n")
    fence = _FENCE.fullmatch(lines[0].rstrip())
    if fence is None or len(lines) < 2 or lines[-1].strip() != fence[1] or fence[2].lower() not in _PLAIN:
        return text
    return "\n".join(lines[1:-1])


def text_of(content: object) -> str:
    """The text of an answer's content: a string, blocks (`{"type": "text", "text": …}`), a message, or lists of them.

    Reasoning blocks and pictures have no text. Raises nothing.
    """
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        if str(content.get("type", "text")).lower() in _SILENT:
            return ""
        for name in ("text", "content", "output_text", "value", "parts", "message"):
            if content.get(name) is not None:
                return text_of(content[name])
        return ""
    if isinstance(content, Sequence):
        return "".join(text_of(part) for part in content)
    return "" if content is None else str(content)


def is_blocks(value: Any) -> bool:
    """Whether a JSON value is an answer in content blocks rather than an answer."""
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(part, dict) and isinstance(part.get("type"), str) for part in value)
        and any(part["type"] in ("text", "output_text") and isinstance(part.get("text"), str) for part in value)
    )
