"""Which nodes of a page a reader does not see, as far as the page itself says: attributes, inline styles, and rules of
its own style sheet for one class or one id. Styles in files of their own and scripts are not looked at.
"""

import re

from selectolax.lexbor import LexborHTMLParser

_INVISIBLE = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|opacity\s*:\s*0(?:\.0*)?(?![.\d])"
    r"|font-size\s*:\s*0(?:\.0*)?(?:px|pt|r?em|%)?(?![.\d])|(?:text-indent|left|top|right|margin-left)\s*:\s*-\d{3,}"
    r"|clip\s*:\s*rect\(\s*[01](?:px)?[\s,]|clip-path\s*:\s*inset\(\s*(?:50|100)%"
    r"|(?<![-\w])color\s*:\s*transparent",
    re.I,
)
_NO_ROOM = re.compile(r"(?<![-\w])(?:max-)?(?:height|width)\s*:\s*0(?:px)?\s*(?:;|!|$)", re.I)
_CUT_OFF = re.compile(r"overflow(?:-[xy])?\s*:\s*(?:hidden|clip)", re.I)
_COLOURS = re.compile(r"(?<![-\w])(background(?:-color)?|color)\s*:\s*([#\w]+(?:\([^)]{0,40}\))?)", re.I)
_NAMED = re.compile(r"[.#][\w-]{1,80}\Z")
_WHITE = frozenset(("#fff", "#ffffff", "white", "rgb(255,255,255)"))


def hidden_nodes(tree: LexborHTMLParser) -> set[int]:
    """Identities (`mem_id`) of the topmost hidden nodes."""
    found = {node.mem_id for node in tree.css("[hidden], [aria-hidden=true]")}
    for node in tree.css("[style]"):
        if is_invisible(node.attributes.get("style") or ""):
            found.add(node.mem_id)
    sheets = "\n".join(node.text(deep=True) for node in tree.css("style"))
    names = hidden_names(sheets)
    if names:
        for node in tree.css("[class], [id]"):
            mine = {f".{c}" for c in (node.attributes.get("class") or "").split()}
            if node.attributes.get("id"):
                mine.add(f"#{node.attributes['id']}")
            if mine & names:
                found.add(node.mem_id)
    body = tree.body
    return found - ({body.mem_id} if body is not None else set())


def hidden_names(sheet: str) -> set[str]:
    """Classes and ids that a style sheet hides by a rule for them alone; what is inside `@media` is left alone."""
    names: set[str] = set()
    depth, start = 0, 0
    selector, conditional = "", 0
    for at, char in enumerate(sheet):
        if char == "{":
            depth += 1
            selector = sheet[start:at].strip()
            if selector.startswith("@"):
                conditional = conditional or depth
            start = at + 1
        elif char == "}":
            if not conditional and depth == 1 and is_invisible(sheet[start:at]):
                names.update(s for one in selector.split(",") if _NAMED.match(s := one.strip()))
            if conditional == depth:
                conditional = 0
            depth, start = max(depth - 1, 0), at + 1
        elif char == ";" and depth == 0:
            start = at + 1
    return names


def is_invisible(style: str) -> bool:
    """Whether declarations take a node out of sight."""
    if _INVISIBLE.search(style) or (_NO_ROOM.search(style) and _CUT_OFF.search(style)):
        return True
    colours = {m[1].lower().removesuffix("-color"): m[2].lower().replace(" ", "") for m in _COLOURS.finditer(style)}
    text, ground = colours.get("color"), colours.get("background")
    return text is not None and ground is not None and (text == ground or {text, ground} <= _WHITE)
