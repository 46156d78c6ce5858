"""Files made by hand for tests: a PDF written byte by byte, office files as the zips of XML they are."""

import hashlib
import zipfile
from collections.abc import Mapping, Sequence
from io import BytesIO

import docx

_PAD = bytes.fromhex("28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A")


def pdf_of(*pages: str, title: str = "", outline: Sequence[tuple[str, int]] = (), password: str = "") -> bytes:
    """A small PDF, written by hand (ISO 32000-1): one line of Helvetica for each line of text.

    `outline` are bookmarks, each with the index of its page; with a `password` the file asks for it.
    """
    objects: list[bytes] = [b"", b"", b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    kids = []
    for text in pages:
        lines = "".join(f"({line}) Tj 0 -16 Td " for line in text.split("\n"))
        stream = f"BT /F1 12 Tf 60 760 Td {lines} ET".encode("latin-1")
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream))
        page = f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 842] /Contents {len(objects)} 0 R"
        objects.append(f"{page} /Resources << /Font << /F1 3 0 R >> >> >>".encode())
        kids.append(f"{len(objects)} 0 R")
    marks = ""
    if outline:
        root = len(objects) + 1
        marks = f" /Outlines {root} 0 R"
        objects.append(f"<< /First {root + 1} 0 R /Last {root + len(outline)} 0 R /Count {len(outline)} >>".encode())
        for n, (name, place) in enumerate(outline, 1):
            more = f" /Next {root + n + 1} 0 R" if n < len(outline) else ""
            objects.append(f"<< /Title ({name}) /Parent {root} 0 R /Dest [{kids[place]} /Fit]{more} >>".encode())
    objects[0] = f"<< /Type /Catalog /Pages 2 0 R{marks} >>".encode()
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>".encode()
    objects.append(f"<< /Title ({title}) >>".encode())
    info = len(objects)
    lock = b""
    if password:
        objects.append(_encryption(password))
        lock = b" /Encrypt %d 0 R /ID [<%s> <%s>]" % (len(objects), b"00" * 16, b"00" * 16)
    out = BytesIO(b"%PDF-1.4\n")
    out.seek(0, 2)
    places = []
    for number, body in enumerate(objects, 1):
        places.append(out.tell())
        out.write(b"%d 0 obj\n%s\nendobj\n" % (number, body))
    start = out.tell()
    out.write(b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1))
    out.write(b"".join(b"%010d 00000 n \n" % place for place in places))
    trailer = b"trailer\n<< /Size %d /Root 1 0 R /Info %d 0 R%s >>\nstartxref\n%d\n%%%%EOF"
    out.write(trailer % (len(objects) + 1, info, lock, start))
    return out.getvalue()


def _encryption(password: str) -> bytes:
    """The dictionary of the standard handler, revision 2 (ISO 32000-1, 7.6.3), for a user password."""
    padded = (password.encode() + _PAD)[:32]
    owner = _rc4(hashlib.md5(padded).digest()[:5], padded)
    allowed = (-4).to_bytes(4, "little", signed=True)
    key = hashlib.md5(padded + owner + allowed + bytes(16)).digest()[:5]
    user = _rc4(key, _PAD)
    return b"<< /Filter /Standard /V 1 /R 2 /P -4 /O <%s> /U <%s> >>" % (owner.hex().encode(), user.hex().encode())


def _rc4(key: bytes, data: bytes) -> bytes:
    state = list(range(256))
    j = 0
    for i in range(256):
        j = (j + state[i] + key[i % len(key)]) % 256
        state[i], state[j] = state[j], state[i]
    i = j = 0
    out = bytearray()
    for byte in data:
        i = (i + 1) % 256
        j = (j + state[i]) % 256
        state[i], state[j] = state[j], state[i]
        out.append(byte ^ state[(state[i] + state[j]) % 256])
    return bytes(out)


def docx_of(*paragraphs: str, heading: str = "", table: list[list[str]] | None = None, title: str = "") -> bytes:
    """Made by python-docx, as a person's file would be."""
    file = docx.Document()
    if title:
        file.core_properties.title = title
    if heading:
        file.add_heading(heading, 1)
    for text in paragraphs:
        file.add_paragraph(text)
    if table:
        grid = file.add_table(len(table), len(table[0]))
        for row, texts in zip(grid.rows, table, strict=True):
            for cell, text in zip(row.cells, texts, strict=True):
                cell.text = text
    out = BytesIO()
    file.save(out)
    return out.getvalue()


def zip_of(members: Mapping[str, str | bytes]) -> bytes:
    """A zip file."""
    out = BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return out.getvalue()


def word_of(body: str, **parts: str) -> bytes:
    """A DOCX with a body of one's own XML; `parts` are further members of the folder `word`."""
    w = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    members = {f"word/{name}.xml": text for name, text in parts.items()}
    return zip_of({"word/document.xml": f"<w:document {w}><w:body>{body}</w:body></w:document>", **members})


_MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_RELS = 'xmlns="http://schemas.openxmlformats.org/package/2006/relationships"'
_CORE = (
    '<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" '
    'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/"><dc:title>{title}</dc:title>'
    "<dc:creator>{author}</dc:creator><dcterms:created>2021-03-04T05:06:07Z</dcterms:created></cp:coreProperties>"
)


def core(title: str = "", author: str = "") -> str:
    """The properties of an office file, made on 4 March 2021."""
    return _CORE.format(title=title, author=author)


def xlsx_of(sheets: Mapping[str, str], strings: Sequence[str] = (), hidden: Sequence[str] = (), **more: str) -> bytes:
    """A workbook: name of a sheet → the XML of its rows. Style 1 is a date, style 2 a share."""
    listed = "".join(
        f'<sheet name="{name}" sheetId="{n}" r:id="r{n}"{" state=" + chr(34) + "hidden" + chr(34) if name in hidden else ""}/>'
        for n, name in enumerate(sheets, 1)
    )
    links = "".join(
        f'<Relationship Id="r{n}" Type="{_OFFICE}/worksheet" Target="worksheets/sheet{n}.xml"/>'
        for n in range(1, len(sheets) + 1)
    )
    styles = '<cellXfs><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="9"/></cellXfs>'
    formats = '<numFmts><numFmt numFmtId="164" formatCode="dd\\/mm\\/yyyy"/></numFmts>'
    return zip_of({
        "xl/workbook.xml": f'<workbook {_MAIN} xmlns:r="{_OFFICE}"><sheets>{listed}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f"<Relationships {_RELS}>{links}</Relationships>",
        "xl/styles.xml": f"<styleSheet {_MAIN}>{formats}{styles}</styleSheet>",
        "xl/sharedStrings.xml": f"<sst {_MAIN}>{''.join(f'<si><t>{s}</t></si>' for s in strings)}</sst>",
        "docProps/core.xml": core("A workbook", "Ann"),
        **{f"xl/worksheets/sheet{n}.xml": f"<worksheet {_MAIN}><sheetData>{rows}</sheetData></worksheet>"
           for n, rows in enumerate(sheets.values(), 1)},
        **more,
    })  # fmt: skip


def pptx_of(*slides: tuple[str, str], hidden: Sequence[int] = (), notes: Mapping[int, str] | None = None) -> bytes:
    """A presentation: (title, text) of each slide; `hidden` and `notes` go by its index."""
    a = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
    p = f'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" {a} xmlns:r="{_OFFICE}"'

    def shape(role: str, text: str) -> str:
        lines = "".join(f"<a:p><a:r><a:t>{line}</a:t></a:r></a:p>" for line in text.split("\n"))
        place = f'<p:nvSpPr><p:nvPr><p:ph type="{role}"/></p:nvPr></p:nvSpPr>'
        return f"<p:sp>{place}<p:txBody>{lines}</p:txBody></p:sp>"

    members: dict[str, str] = {"docProps/core.xml": core("", "Bo")}
    links, entries = "", ""
    for n, (title, text) in enumerate(slides):
        show = ' show="0"' if n in hidden else ""
        shapes = shape("title", title) + shape("body", text) + shape("sldNum", str(n + 1))
        members[f"ppt/slides/slide{n}.xml"] = f"<p:sld {p}{show}><p:cSld><p:spTree>{shapes}</p:spTree></p:cSld></p:sld>"
        links += f'<Relationship Id="r{n}" Type="{_OFFICE}/slide" Target="slides/slide{n}.xml"/>'
        entries += f'<p:sldId id="{256 + n}" r:id="r{n}"/>'
        if notes and n in notes:
            spoken = shape("body", notes[n])
            members[f"ppt/notesSlides/n{n}.xml"] = f"<p:notes {p}><p:cSld><p:spTree>{spoken}</p:spTree></p:cSld></p:notes>"
            link = f'<Relationship Id="x" Type="{_OFFICE}/notesSlide" Target="../notesSlides/n{n}.xml"/>'
            members[f"ppt/slides/_rels/slide{n}.xml.rels"] = f"<Relationships {_RELS}>{link}</Relationships>"
    members["ppt/presentation.xml"] = f"<p:presentation {p}><p:sldIdLst>{entries}</p:sldIdLst></p:presentation>"
    members["ppt/_rels/presentation.xml.rels"] = f"<Relationships {_RELS}>{links}</Relationships>"
    return zip_of(members)


def epub_of(*chapters: str, title: str = "A book", locked: bool = False) -> bytes:
    """A book: the HTML bodies of its chapters."""
    manifest = "".join(
        f'<item id="c{n}" href="text%20{n}.xhtml" media-type="application/xhtml+xml"/>' for n in range(len(chapters))
    )
    spine = "".join(f'<itemref idref="c{n}"/>' for n in range(len(chapters)))
    facts = f"<dc:title>{title}</dc:title><dc:creator>C. Author</dc:creator><dc:language>en</dc:language><dc:date>1999-07</dc:date>"
    members = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        '<rootfile full-path="book/package.opf"/></rootfiles></container>',
        "book/package.opf": '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f"<metadata>{facts}</metadata><manifest>{manifest}</manifest><spine>{spine}</spine></package>",
        **{f"book/text {n}.xhtml": f"<html><body>{body}</body></html>" for n, body in enumerate(chapters)},
    }
    if locked:
        uris = "".join(
            f'<EncryptedData><CipherData><CipherReference URI="book/text%20{n}.xhtml"/></CipherData></EncryptedData>'
            for n in range(len(chapters))
        )
        members["META-INF/encryption.xml"] = f'<encryption xmlns="http://www.w3.org/2001/04/xmlenc#">{uris}</encryption>'
    return zip_of(members)
