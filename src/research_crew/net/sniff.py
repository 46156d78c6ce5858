"""What a body is, by its own first bytes. The declared type only decides between kinds of text.

A small part of the WHATWG MIME Sniffing standard: enough to tell what can be read from what cannot, and never to
take a picture or an archive for text because a header said so.
"""

import re
from typing import Literal

Kind = Literal["html", "pdf", "xml", "json", "text", "other"]

_MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"BM", "image/bmp"),
    (b"PK\x03\x04", "application/zip"),
    (b"PK\x05\x06", "application/zip"),
    (b"\x1f\x8b", "application/gzip"),
    (b"Rar!\x1a\x07", "application/vnd.rar"),
    (b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "application/x-ole-storage"),
    (b"\x7fELF", "application/x-executable"),
    (b"MZ", "application/x-executable"),
    (b"OggS", "application/ogg"),
    (b"ID3", "audio/mpeg"),
    (b"fLaC", "audio/flac"),
    (b"\x00asm", "application/wasm"),
    (b"{\\rtf", "application/rtf"),
    (b"wOFF", "font/woff"),
    (b"wOF2", "font/woff2"),
)
_TAGS = re.compile(
    rb"<(?:!doctype\s+html|html|head|body|title|meta|script|style|div|p|h1|article|table|a|br|iframe|!--)[\s/>]", re.I
)
_BINARY = frozenset(range(0x20)) - {0x09, 0x0A, 0x0C, 0x0D, 0x1B}
_BOMS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")


def sniff(body: bytes, declared: str) -> tuple[Kind, str]:
    """The kind of a body and its media type; `declared` is the Content-Type field, as it came."""
    said = declared.partition(";")[0].strip().lower()
    head = body[:2_048]
    if b"%PDF-" in head[:1_024]:
        return "pdf", "application/pdf"
    if head[:4] == b"RIFF" and head[8:12] in (b"WEBP", b"WAVE", b"AVI "):
        return "other", {b"WEBP": "image/webp", b"WAVE": "audio/wav", b"AVI ": "video/avi"}[head[8:12]]
    if head[4:8] == b"ftyp":
        return "other", "video/mp4"
    wide = head.startswith(_BOMS) or b"utf-16" in declared.lower().encode("ascii", "replace")
    for magic, name in _MAGIC:
        # Two-letter marks also begin ordinary words; they count when what follows is not text.
        if head.startswith(magic) and (len(magic) > 3 or _is_binary(head)):
            return "other", name
    if not wide and _is_binary(head):
        return "other", said if said and not said.startswith("text/") else "application/octet-stream"
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if wide:
        start = start.replace(b"\0", b"").lstrip(b"\xff\xfe")
    if said == "application/xhtml+xml" or start.startswith((b"<!doctype html", b"<html")):
        return "html", "text/html"
    if start.startswith(b"<?xml"):
        return ("html", "text/html") if b"<html" in start else ("xml", "application/xml")
    if said in ("text/html", "") and _TAGS.search(start):
        return "html", "text/html"
    if said == "application/json" or said.endswith("+json"):
        return "json", "application/json"
    if said in ("text/xml", "application/xml") or said.endswith("+xml"):
        return "xml", "application/xml"
    if said == "text/html":
        return "html", "text/html"
    return "text", said if said.startswith("text/") else "text/plain"


def _is_binary(head: bytes) -> bool:
    return any(byte in _BINARY for byte in head)
