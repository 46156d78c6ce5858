"""DOCX, PPTX, XLSX and EPUB: their text in its order and place, with what the file says of itself."""

import pytest

from documents_made import core, docx_of, epub_of, pptx_of, word_of, xlsx_of, zip_of
from research_crew.documents.outcome import FileTrouble
from research_crew.documents.parsers import parse


def words(body: str, **parts: str) -> str:
    return parse("docx", word_of(body, **parts), "name").pages[0].text


def run(text: str, properties: str = "") -> str:
    return f"<w:r><w:rPr>{properties}</w:rPr><w:t>{text}</w:t></w:r>"


def paragraph(*runs: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr>{''.join(runs)}</w:p>"


# -- docx -------------------------------------------------------------------------------------------------------


def test_a_document_of_a_word_processor() -> None:
    data = docx_of("A vole weighs 30 grams.", heading="Voles", table=[["animal", "grams"], ["shrew", "8"]], title="Mice")
    document = parse("docx", data, "name")
    assert document.pages[0].text == "# Voles\n\nA vole weighs 30 grams.\n\nanimal | grams\n\nanimal: shrew | grams: 8"
    assert document.title == "Mice"
    assert parse("docx", docx_of("x y", heading="Voles"), "name").title == "Voles"


def test_text_under_review_in_controls_boxes_and_notes_is_text() -> None:
    body = (
        paragraph(run("Plain "), f"<w:ins>{run('inserted ')}</w:ins><w:del>{run('deleted ')}</w:del>", run("end."))
        + f"<w:sdt><w:sdtContent>{paragraph(run('In a control.'))}</w:sdtContent></w:sdt>"
        + paragraph(run("Host."), f"<w:r><w:pict><w:txbxContent>{paragraph(run('In a box.'))}</w:txbxContent></w:pict></w:r>")
        + paragraph("<w:hyperlink>" + run("A link") + "</w:hyperlink>", run(" here"), "<w:r><w:br/><w:t>below</w:t></w:r>")
    )
    w = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    notes = f'<w:footnotes {w}><w:footnote w:type="separator">{paragraph(run("skip"))}</w:footnote><w:footnote w:id="2">{paragraph(run("A note."))}</w:footnote></w:footnotes>'
    assert words(body, footnotes=notes) == (
        "Plain inserted end.\n\nIn a control.\n\nHost.\n\nIn a box.\n\nA link here\nbelow\n\nA note."
    )


def test_hidden_text_is_not() -> None:
    assert words(paragraph(run("seen "), run("weasel", "<w:vanish/>"), run("too", '<w:vanish w:val="0"/>'))) == "seen too"


def test_headings_by_style_by_parent_and_by_level() -> None:
    w = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    styles = f"""<w:styles {w}><w:style w:styleId="berschrift2"><w:name w:val="heading 2"/></w:style>
        <w:style w:styleId="Own"><w:name w:val="Own"/><w:basedOn w:val="berschrift2"/></w:style>
        <w:style w:styleId="Loop"><w:name w:val="Loop"/><w:basedOn w:val="Loop"/></w:style></w:styles>"""
    body = (
        paragraph(run("By style"), properties='<w:pStyle w:val="berschrift2"/>')
        + paragraph(run("By parent"), properties='<w:pStyle w:val="Own"/>')
        + paragraph(run("By level"), properties='<w:outlineLvl w:val="0"/>')
        + paragraph(run("Text"), properties='<w:pStyle w:val="Loop"/>')
        + paragraph(run("Item"), properties="<w:numPr/>")
    )
    assert words(body, styles=styles) == "## By style\n\n## By parent\n\n# By level\n\nText\n\n- Item"


def test_a_table_that_only_lays_out_the_page_is_its_content() -> None:
    cell = f"<w:tc>{paragraph(run('Alone.'))}{paragraph(run('In a cell.'))}</w:tc>"
    assert words(f"<w:tbl><w:tr>{cell}</w:tr></w:tbl>") == "Alone.\n\nIn a cell."


# -- pptx -------------------------------------------------------------------------------------------------------


def test_a_slide_is_a_page_with_its_title_as_heading() -> None:
    data = pptx_of(("Otters", "They hold hands\nThey eat urchins"), ("Secret", "weasel"), ("End", "Bye"), hidden=[1], notes={0: "Say it slowly."})
    document = parse("pptx", data, "name")
    assert [(p.number, p.headings, p.text) for p in document.pages] == [
        (1, ("Otters",), "# Otters\n\n- They hold hands\n\n- They eat urchins\n\nNotes: Say it slowly."),
        (3, ("End",), "# End\n\nBye"),
    ]
    assert (document.title, document.author, document.published) == ("Otters", "Bo", "2021-03-04")
    assert document.notes == ("1 hidden slide(s) left out",)


def test_slides_come_in_the_order_of_the_presentation() -> None:
    data = pptx_of(*((f"Slide {n}", "x") for n in range(12)))
    assert [p.headings[0] for p in parse("pptx", data, "name").pages] == [f"Slide {n}" for n in range(12)]


# -- xlsx -------------------------------------------------------------------------------------------------------


def test_a_sheet_is_a_page_and_cells_read_as_they_look() -> None:
    header = '<row><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="D1" t="inlineStr"><is><t>Share</t></is></c></row>'
    row = (
        '<row><c r="A2" t="inlineStr"><is><r><t>Hero</t></r><r><t>n</t></r></is></c><c r="B2" s="1"><v>44197</v></c>'
        '<c r="C2"><v>1234567.5</v></c><c r="D2" s="2"><v>0.255</v></c></row>'
    )
    other = '<row><c t="b"><v>1</v></c><c t="e"><v>#DIV/0!</v></c><c t="str"><v>sum</v></c><c><v>42.0</v></c><c s="1"><v>44197.5</v></c></row>'
    data = xlsx_of(
        {"Birds": header + row, "Secret": "<row><c><v>666</v></c></row>", "More": other}, ["Bird", "Seen"], ["Secret"]
    )
    document = parse("xlsx", data, "name")
    assert [(p.number, p.heading, p.text) for p in document.pages] == [
        (1, "Birds", "Bird | Seen | Share\n\nBird: Heron | Seen: 2021-01-01 | 1234567.5 | Share: 25.5%"),
        (3, "More", "yes | sum | 42 | 2021-01-01 12:00:00"),
    ]
    assert (document.title, document.author) == ("A workbook", "Ann")
    assert document.notes == ("1 hidden sheet(s) left out",)


def test_odd_cells_do_no_harm() -> None:
    odd = (
        '<row><c r="ZZZZ1"><v>1</v></c><c r="A1" t="s"><v>99</v></c><c r="??" t="s"><v>x</v></c>'
        '<c s="77"><v>nan</v></c><c s="1"><v>1e300</v></c><c r="XFD1"><v>5</v></c></row>'
    )
    assert "1e300" in parse("xlsx", xlsx_of({"s": odd}), "name").pages[0].text


# -- epub -------------------------------------------------------------------------------------------------------


def test_a_chapter_is_a_page() -> None:
    document = parse("epub", epub_of("<h1>One</h1><p>Badgers dig.</p>", "<p>They sleep.</p>", "", title="Setts"), "name")
    assert [(p.number, p.text) for p in document.pages] == [(1, "# One\n\nBadgers dig."), (2, "They sleep.")]
    assert (document.title, document.author, document.language, document.published) == ("Setts", "C. Author", "en", "1999-07")


# -- what is no document ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "data", "state"),
    [
        ("docx", zip_of({"word/document.xml": "<w:document"}), "broken"),
        ("docx", zip_of({"word/document.xml": "<a/>"}), "broken"),
        ("docx", docx_of("some words")[:2000], "broken"),
        ("docx", word_of(""), "empty"),
        ("docx", word_of("", **{"media/a": ""}), "no-text"),
        ("pptx", zip_of({"a": "b"}), "broken"),
        ("pptx", pptx_of(("", "")), "empty"),
        ("xlsx", xlsx_of({"s": ""}), "empty"),
        ("xlsx", xlsx_of({"s": "<row><c>"}), "broken"),
        ("epub", zip_of({"META-INF/container.xml": "<a/>"}), "broken"),
        ("epub", epub_of(""), "empty"),
        ("epub", epub_of("<p>x</p>", locked=True), "encrypted"),
    ],
)
def test_damaged_locked_and_empty_files_say_so(kind: str, data: bytes, state: str) -> None:
    with pytest.raises(FileTrouble) as caught:
        parse(kind, data, "name")
    assert caught.value.state == state


def test_properties_are_read_from_any_office_file() -> None:
    data = zip_of({"docProps/core.xml": core("T", "A"), "word/document.xml":
                   '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>'
                   f"{paragraph(run('x'))}</w:body></w:document>"})  # fmt: skip
    document = parse("docx", data, "name")
    assert (document.title, document.author, document.published) == ("T", "A", "2021-03-04")
