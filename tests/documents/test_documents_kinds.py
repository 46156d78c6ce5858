"""What a file is: content before name; what is not read has its own outcome and reason."""

import pytest

from documents_made import docx_of, epub_of, pdf_of, pptx_of, xlsx_of, zip_of
from research_crew.documents.kinds import kind_of
from research_crew.documents.outcome import FileTrouble

TEXT = b"Herons stand still.\n"
PAGE = b"\xef\xbb\xbf  <!DOCTYPE html><html><body>x</body></html>"


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [
        ("a.txt", TEXT, "txt"), ("A.TXT", TEXT, "txt"), ("README", TEXT, "txt"), ("a.md", TEXT, "md"),
        ("a.csv", b"a,b\n", "csv"), ("a.tsv", b"a\tb\n", "csv"), ("a.json", b"{}", "json"), ("a.ndjson", b"1\n", "jsonl"),
        ("a.ipynb", b"{}", "ipynb"), ("a.htm", b"<p>x", "html"), ("a.pdf", pdf_of("x"), "pdf"),
        ("a.pdf", b"junk before\n" + pdf_of("x"), "pdf"), ("a.docx", docx_of("x"), "docx"),
        ("a.pptx", pptx_of(("t", "x")), "pptx"), ("a.xlsx", xlsx_of({"s": ""}), "xlsx"), ("a.epub", epub_of("x"), "epub"),
        ("a.txt", "Grüße".encode("utf-16"), "txt"), ("a.txt", "Grüße, Wörter".encode("utf-16-le"), "txt"),
        ("a.txt", b"BMW and GIF8 are words; MZ too", "txt"), ("a.txt", "猫".encode("iso2022_jp"), "txt"),
    ],
)  # fmt: skip
def test_files_that_are_what_they_say(name: str, data: bytes, kind: str) -> None:
    assert kind_of(name, data) == (kind, "")


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [
        ("a.txt", pdf_of("x"), "pdf"), ("a.pdf", docx_of("x"), "docx"), ("a.docx", pdf_of("x"), "pdf"),
        ("a.zip", epub_of("x"), "epub"), ("a.xlsx", pptx_of(("t", "x")), "pptx"), ("a.txt", PAGE, "html"), ("book", pdf_of("x"), "pdf"),
    ],
)  # fmt: skip
def test_a_wrong_name_does_not_matter_where_content_tells(name: str, data: bytes, kind: str) -> None:
    got, note = kind_of(name, data)
    assert got == kind
    assert note.endswith(f"is {kind}")


@pytest.mark.parametrize(
    ("name", "data", "state", "why"),
    [
        ("a.pdf", TEXT, "wrong-type", "holds plain text"),
        ("a.docx", PAGE, "wrong-type", "holds plain text"),
        ("a.pdf", bytes(range(256)), "broken", "does not begin as a pdf"),
        ("a.txt", b"abc\0\1\2" * 40, "wrong-type", "binary"),
        ("a.txt", b"\x7fELF\0\0", "wrong-type", "program data"),
        ("a.txt", b"\x89PNG\r\n\x1a\n\0", "no-text", "a picture"),
        ("a.jpg", b"\xff\xd8\xff\xe0\0", "no-text", "a picture"),
        ("a.pdf", b"II*\0\0\0", "no-text", "a picture"),
        ("a.docx", b"PK\x03\x04 no zip", "broken", "damaged"),
        ("a.docx", zip_of({"a.txt": "x"}), "broken", "no docx file inside"),
        ("a.zip", zip_of({"a.txt": "x"}), "wrong-type", "archives are not opened"),
        ("a.txt", zip_of({"a.txt": "x"}), "wrong-type", "archives are not opened"),
        ("a.tar.gz", b"\x1f\x8b\x08\0", "wrong-type", "archives are not opened"),
        ("a.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "wrong-type", "before 2007"),
        ("a.docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0" + "EncryptedPackage".encode("utf-16-le"), "encrypted", "password"),
        ("a.rtf", b"{\\rtf1 x}", "wrong-type", "rtf data"),
        ("a.py", b"import os\n", "wrong-type", "files ending in .py are not read"),
        ("a.sqlite", b"SQLite format 3\0", "wrong-type", "database data"),
    ],
)  # fmt: skip
def test_what_is_not_read_says_why(name: str, data: bytes, state: str, why: str) -> None:
    with pytest.raises(FileTrouble) as caught:
        kind_of(name, data)
    assert caught.value.state == state
    assert why in caught.value.reason
