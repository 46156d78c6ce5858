"""What a file is: by its first bytes, and by its name only where bytes cannot tell (kinds of text).

Runs in the parsing process, since even the table of contents of a zip file can be made to hurt.
"""

import re
import zipfile
from io import BytesIO
from pathlib import PurePosixPath

from research_crew.documents.outcome import FileTrouble

BY_NAME = {
    ".txt": "txt", ".text": "txt", ".log": "txt", ".rst": "txt", ".tex": "txt", ".org": "txt", ".adoc": "txt",
    ".md": "md", ".markdown": "md", ".html": "html", ".htm": "html", ".xhtml": "html", ".pdf": "pdf",
    ".docx": "docx", ".docm": "docx", ".pptx": "pptx", ".pptm": "pptx", ".xlsx": "xlsx", ".xlsm": "xlsx",
    ".epub": "epub", ".csv": "csv", ".tsv": "csv", ".json": "json", ".jsonl": "jsonl", ".ndjson": "jsonl",
    ".ipynb": "ipynb",
}  # fmt: skip
"""Endings that are read, and as what."""
TEXTS = frozenset(("txt", "md", "html", "csv", "json", "jsonl", "ipynb"))
"""Kinds that are text themselves: only the name tells them apart."""
_MAGIC = (
    (b"%PDF-", "pdf"), (b"\x89PNG", "picture"), (b"\xff\xd8\xff", "picture"), (b"GIF8", "picture"),
    (b"BM", "picture"), (b"II*\0", "picture"), (b"MM\0*", "picture"), (b"RIFF", "sound or picture"),
    (b"ID3", "sound"), (b"OggS", "sound"), (b"fLaC", "sound"), (b"\x1f\x8b", "archive"), (b"BZh", "archive"),
    (b"\xfd7zXZ", "archive"), (b"7z\xbc\xaf", "archive"), (b"Rar!", "archive"), (b"\x28\xb5\x2f\xfd", "archive"),
    (b"\x7fELF", "program"), (b"MZ", "program"), (b"\xca\xfe\xba\xbe", "program"), (b"\0asm", "program"),
    (b"SQLite format 3\0", "database"), (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "ole"), (b"{\\rtf", "rtf"),
    (b"%!PS", "PostScript"), (b"PK\x05\x06", "archive"), (b"PK\x07\x08", "archive"),
)  # fmt: skip
_ALSO_WORDS = frozenset((b"BM", b"MZ", b"ID3", b"RIFF", b"BZh", b"GIF8", b"Rar!", b"OggS", b"fLaC"))
"""Marks that a text may begin with too: they count when what follows is not text."""
_ZIPPED = (
    ("word/document.xml", "docx"), ("ppt/presentation.xml", "pptx"), ("xl/workbook.xml", "xlsx"),
    ("META-INF/container.xml", "epub"),
)  # fmt: skip
_BINARY = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_BOMS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
_LOCKED = "EncryptedPackage".encode("utf-16-le")


def kind_of(path: str, data: bytes) -> tuple[str, str]:
    """The kind of a file and a note for a person (empty as a rule): content first, then the ending of its name.

    Raises `FileTrouble` with the state `wrong-type`, `encrypted`, `no-text` or `broken` for what is not read.
    """
    ending = PurePosixPath(path).suffix.lower()
    named = BY_NAME.get(ending, "")
    found = _by_content(data, named, ending)
    if found:
        return found, f"named {ending or 'without an ending'}, is {found}" if found != named else ""
    binary = _BINARY.search(data[:8192])
    if binary and not data.startswith(_BOMS) and not _is_wide(data):
        if named and named not in TEXTS:
            raise FileTrouble("broken", f"it does not begin as a {named} file does", named)
        raise FileTrouble("wrong-type", f"named {ending}, but it is binary data" if named else "binary data")
    if named in TEXTS:
        start = data[:1000].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
        if named == "txt" and start.startswith((b"<!doctype html", b"<html")):
            return "html", f"named {ending}, is html"
        return named, ""
    if named:
        raise FileTrouble("wrong-type", f"named {ending}, but it holds plain text")
    if ending:
        raise FileTrouble("wrong-type", f"files ending in {ending} are not read")
    return "txt", ""


def _by_content(data: bytes, named: str, ending: str) -> str:
    """The kind by first bytes; empty when they say nothing."""
    if data.startswith(b"PK\x03\x04"):
        return _zip_kind(data, named, ending)
    start = data[:1100].lstrip(b"\xef\xbb\xbf \t\r\n")
    marks = (k for mark, k in _MAGIC if start.startswith(mark) and (mark not in _ALSO_WORDS or _BINARY.search(data[:8192])))
    kind = next(marks, "")
    if not kind:
        # Readers of PDF accept some rubbish before its mark (ISO 32000-1, appendix H, note 13).
        return "pdf" if named == "pdf" and b"%PDF-" in data[:1024] else ""
    if kind == "pdf":
        return kind
    if kind in ("picture", "sound or picture"):
        raise FileTrouble("no-text", "a picture")
    if kind == "ole":
        if _LOCKED in data:
            raise FileTrouble("encrypted", "protected by a password", named)
        raise FileTrouble("wrong-type", "in the office format before 2007, which is not read", named)
    if kind == "archive":
        raise FileTrouble("wrong-type", "archives are not opened")
    raise FileTrouble("wrong-type", f"named {ending}, but it is {kind} data" if named else f"{kind} data is not read")


def _zip_kind(data: bytes, named: str, ending: str) -> str:
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            members = frozenset(archive.namelist())
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        if named and named not in TEXTS:
            raise FileTrouble("broken", f"damaged: {error}", named) from None
        raise FileTrouble("wrong-type", f"named {ending}, but it is a damaged archive") from None
    for member, kind in _ZIPPED:
        if member in members:
            return kind
    if named and named not in TEXTS and named != "pdf":
        raise FileTrouble("broken", f"no {named} file inside", named)
    raise FileTrouble("wrong-type", "archives are not opened")


def _is_wide(data: bytes) -> bool:
    """Whether it looks like UTF-16 without a mark: every other byte of the beginning is NUL."""
    head = data[:200]
    return len(head) >= 4 and (not any(head[1::2]) or not any(head[::2]))
