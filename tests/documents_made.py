"""Files made by hand for tests: a PDF written byte by byte, a DOCX by its library."""

from io import BytesIO

import docx


def pdf_of(*pages: str, title: str = "") -> bytes:
    """A small PDF, written by hand (ISO 32000-1): one line of Helvetica for each line of text."""
    objects: list[bytes] = [b"", b"", b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    kids = []
    for text in pages:
        lines = "".join(f"({line}) Tj 0 -16 Td " for line in text.split("\n"))
        stream = f"BT /F1 12 Tf 60 760 Td {lines} ET".encode("latin-1")
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream))
        page = f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 842] /Contents {len(objects)} 0 R"
        objects.append(f"{page} /Resources << /Font << /F1 3 0 R >> >> >>".encode())
        kids.append(f"{len(objects)} 0 R")
    objects[0] = b"<< /Type /Catalog /Pages 2 0 R >>"
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>".encode()
    info = f"<< /Title ({title}) >>".encode()
    objects.append(info)
    out = BytesIO(b"%PDF-1.4\n")
    out.seek(0, 2)
    places = []
    for number, body in enumerate(objects, 1):
        places.append(out.tell())
        out.write(b"%d 0 obj\n%s\nendobj\n" % (number, body))
    start = out.tell()
    out.write(b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1))
    out.write(b"".join(b"%010d 00000 n \n" % place for place in places))
    trailer = b"trailer\n<< /Size %d /Root 1 0 R /Info %d 0 R >>\nstartxref\n%d\n%%%%EOF"
    out.write(trailer % (len(objects) + 1, len(objects), start))
    return out.getvalue()


def docx_of(*paragraphs: str, heading: str = "", table: list[list[str]] | None = None) -> bytes:
    file = docx.Document()
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
