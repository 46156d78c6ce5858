"""What stands in a claim without being part of it: citation marks, list marks, emphasis."""

import re

_MARKERS = re.compile(
    r"\s*\[(?:c?\d+(?:\s*[,;–-]\s*c?\d+)*)\]"  # [3], [1, 2], [c12]
    r"|(?<=^According to )\d{1,2}(?=,)"  # a citation that lost its brackets
    r"|\*\*|__"
    r"|^\s*(?:\d{1,2}[.)]|[•*-])\s+"
)


def without_markers(text: str) -> str:
    """`text` without citation marks in brackets, emphasis marks, and the number or bullet of a list item."""
    return _MARKERS.sub("", text).strip()
