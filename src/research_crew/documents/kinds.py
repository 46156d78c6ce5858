"""What a file is, by its first bytes before its name."""

import zipfile
from io import BytesIO
from pathlib import PurePosixPath

from research_crew.documents.outcome import FileTrouble

BY_NAME = {
    ".txt": "txt", ".text": "txt", ".log": "txt", ".rst": "txt", ".tex": "txt", ".md": "md", ".markdown": "md",
    ".html": "html", ".htm": "html", ".xhtml": "html", ".pdf": "pdf", ".docx": "docx",
}  # fmt: skip
"""Endings that are read, and as what."""
PLAIN = frozenset(("txt", "md"))
"""Kinds that are text themselves."""
IN_CHILD = frozenset(("html", "pdf", "docx"))
"""Kinds whose parsers run in a process of their own: native code, or formats that can be made to blow up."""
_MAGIC = (
    (b"%PDF-", "pdf"), (b"\x89PNG", "image"), (b"\xff\xd8\xff", "image"), (b"GIF8", "image"), (b"BM", "image"),
    (b"II*\0", "image"), (b"MM\0*", "image"), (b"RIFF", "media"), (b"ID3", "media"), (b"OggS", "media"),
    (b"\x1f\x8b", "archive"), (b"BZh", "archive"), (b"\xfd7zXZ", "archive"), (b"7z\xbc\xaf", "archive"),
    (b"Rar!", "archive"), (b"\x28\xb5\x2f\xfd", "archive"), (b"\x7fELF", "program"), (b"MZ", "program"),
    (b"\xca\xfe\xba\xbe", "program"), (b"SQLite format 3\0", "database"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "ole"),
)  # fmt: skip
_ZIPPED = (
    ("word/document.xml", "docx"),
)


def kind_of(path: str, head: bytes, whole: bytes | None = None) -> str:
    """The kind of a file; `head` is its first kilobytes, `whole` all of it where it is a zip.

    Raises `FileTrouble` with the state `wrong-type`, `encrypted` or `broken` for what is not read.
    """
    name = PurePosixPath(path).suffix.lower()
    named = BY_NAME.get(name)
    if head.startswith(b"PK\x03\x04"):
        return _zip_kind(named, whole if whole is not None else head)
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    for magic, kind in _MAGIC:
        if start.startswith(magic) and not (magic in (b"BM", b"MZ", b"ID3", b"RIFF") and b"\0" not in head):
            return _by_magic(kind, named, name)
    if named is None:
        why = f"files ending in {name!r} are not read" if name else "no ending says what it is"
        raise FileTrouble("wrong-type", why)
    if named not in PLAIN and named != "html":
        raise FileTrouble("broken", f"it does not begin as a {named} file does")
    if b"\0" in head and not head.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise FileTrouble("wrong-type", f"named {name} but holds binary data")
    looks_html = start[:200].lower().startswith((b"<!doctype html", b"<html"))
    return "html" if looks_html and named in ("txt", "html") else named


def _by_magic(kind: str, named: str | None, name: str) -> str:
    if kind == "pdf":
        return "pdf"
    if kind == "image":
        raise FileTrouble("no-text", "a picture")
    if kind == "ole" and named == "docx":
        raise FileTrouble("encrypted", "protected by a password, or in the format before 2007")
    if kind == "archive":
        raise FileTrouble("wrong-type", "archives are not opened")
    raise FileTrouble("wrong-type", f"named {name} but is {kind} data" if named else f"{kind} data")


def _zip_kind(named: str | None, data: bytes) -> str:
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            members = frozenset(archive.namelist())
    except (zipfile.BadZipFile, OSError, ValueError, RuntimeError) as error:
        raise FileTrouble("broken", f"damaged: {error}") from None
    for member, kind in _ZIPPED:
        if member in members:
            return kind
    if named == "docx":
        raise FileTrouble("broken", "not a docx file inside")
    raise FileTrouble("wrong-type", "archives are not opened")
