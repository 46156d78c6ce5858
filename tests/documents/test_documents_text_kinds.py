"""Text, Markdown, CSV, JSON, notebooks: what a reader reads stays, the markup goes."""

import json

import pytest

from research_crew.documents.document import Document, Page, clean, line
from research_crew.documents.outcome import FileTrouble
from research_crew.documents.parsers import parse


def text(kind: str, data: bytes | str) -> str:
    [page] = parse(kind, data.encode() if isinstance(data, str) else data, "name").pages
    return page.text


# -- text -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "codec"),
    [
        ("Größe und Höhe: übliche Maße für Türen.", "cp1252"),
        ("Größe und Höhe", "utf-8-sig"),
        ("Größe 猫", "utf-16"),
        ("Привет, мир. Это простой текст о погоде и природе.", "cp1251"),
        ("Привет, мир. Это простой текст о погоде и природе.", "koi8_r"),
        ("猫は魚を食べる。犬は肉が好きである。", "cp932"),
        ("猫は魚を食べる。犬は肉が好きである。", "euc_jp"),
        ("中国的首都是北京，这是一个很大的城市。", "gb18030"),
        ("Příliš žluťoučký kůň úpěl ďábelské ódy", "cp1250"),
    ],
)
def test_legacy_encodings_are_read_without_mojibake(words: str, codec: str) -> None:
    assert text("txt", words.encode(codec)) == words


def test_controls_and_line_ends_are_brought_to_one_form() -> None:
    # The NUL stands far from the beginning: there it would make the text UTF-16.
    got = text("txt", b"a" * 300 + b"\0b\r\n\r\n\r\n\r\nc  \rd\f" + b"e" + b" " * 500 + b"f")
    assert got == "a" * 300 + "b\n\nc\nd\ne" + " " * 8 + "f"


def test_lone_surrogates_never_reach_a_store() -> None:
    assert clean("a\ud800b") == "a\ufffdb"
    assert line("a\udc00\n\tb\x07 c\u202e") == "a\ufffd b c"
    assert text("json", '{"a": "x\\ud800y"}') == "a: x\ufffdy"


def test_facts_that_programs_write_by_themselves_are_none() -> None:
    made = Document("pdf", (Page("x"), Page("\n")), "Untitled", "2020-05-06T07:08", "anonymous", "de-AT")
    tidy = made.tidied("the file")
    assert (tidy.title, tidy.author, tidy.published, tidy.language) == ("the file", None, "2020-05-06", "de")
    assert len(tidy.pages) == 1


# -- Markdown ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("**bold** *it* __b__ _i_ ***both*** ~~gone~~", "bold it b i both gone"),
        ("[words](http://a.example/b_(c) 'title') ![alt](x.png)", "words alt"),
        ("[a [nested] label](x) and [ref][r] and <https://a.example/x>", "a [nested] label and ref and https://a.example/x"),
        ("snake_case_name, 2 * 3 * 4, 5*6, a_b", "snake_case_name, 2 * 3 * 4, 5*6, a_b"),
        ("`co_de *x*` and ``two ` ticks``", "co_de *x* and two ` ticks"),
        ("\\*no emphasis\\* and \\# no heading", "*no emphasis* and # no heading"),
        ("a <!-- hidden\nwords --> b <b>c</b>", "a  b c"),
        ("a <!-- never ends", "a <!-- never ends"),
        ("Title\n=====\ntext\n\nSub\n---\nmore", "# Title\ntext\n\n## Sub\nmore"),
        ("## Closed ##\ntext", "## Closed\ntext"),
        ("- item\n- other\n---", "- item\n- other"),
        ("```py\n# no heading\nx = **k\n```\nafter", "# no heading\nx = **k\nafter"),
        ("| a | b |\n|---|---|\n| 1 | 2 |", "a | b\n\n1 | 2"),
        ("text\n\n[r]: http://a.example", "text"),
    ],
)
def test_markup_goes_and_text_stays(source: str, shown: str) -> None:
    assert text("md", source) == shown


def test_the_front_matter_gives_the_facts() -> None:
    front = '---\ntitle: "Reed beds"\nauthor: A. Brock\ndate: 2024-03-05\nlang: en-GB\ntags: [a]\n---\n# Other\ntext'
    document = parse("md", front.encode(), "name")
    assert (document.title, document.author, document.published, document.language) == (
        "Reed beds", "A. Brock", "2024-03-05", "en",
    )  # fmt: skip
    assert document.pages[0].text == "# Other\ntext"
    assert parse("md", b"text\n\n## First\n\nmore\n# Second", "name").title == "First"
    assert parse("md", b"no heading", "name").title == "name"


@pytest.mark.parametrize("piece", ["[a", "*a ", "_a ", "`a", "<a ", "[a](", "**a*", "<!--a", "[[a]", "|a", "[a](a 'b", "\\"])
def test_no_markdown_takes_long(piece: str) -> None:
    # A pattern that looks at the rest of the text for every mark would need minutes for these.
    source = piece * 60_000
    assert len(text("md", source + " end")) <= len(source) + 4


# -- tables -----------------------------------------------------------------------------------------------------


def test_csv_rows_carry_the_names_of_their_columns() -> None:
    source = 'Country;Capital;Note\n"France; the";Paris;\nJapan;"To\nkyo";big\n'
    assert text("csv", source) == "Country | Capital | Note\n\nCountry: France; the | Capital: Paris\n\nCountry: Japan | Capital: To kyo | Note: big"


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("1,2\n3,4\n", "1 | 2\n\n3 | 4"),
        ("a\tb\n1\t2\n", "a | b\n\na: 1 | b: 2"),
        ("one word\nother words\n", "one word\n\nother words"),
        ("a,b\n\n1,2,3\n", "a | b\n\na: 1 | b: 2 | 3"),
        ("name,name\nx,y", "name | name\n\nx | y"),
        ("Größe,Höhe\n1,2", "Größe | Höhe\n\nGröße: 1 | Höhe: 2"),
    ],
)
def test_csv_of_other_shapes(source: str, shown: str) -> None:
    assert text("csv", source) == shown
    assert text("csv", source.encode("cp1252")) == shown


def test_a_quote_that_never_ends_keeps_what_came_before_it() -> None:
    document = parse("csv", b'a,b\n1,2\n3,"' + b"x" * 1_100_000, "name")
    assert document.pages[0].text == "a | b\n\na: 1 | b: 2"
    assert "read up to row" in document.notes[0]


# -- JSON -------------------------------------------------------------------------------------------------------


def test_json_records_are_paragraphs_with_their_names() -> None:
    value = {
        "title": "Rivers",
        "rivers": [
            {"name": "Po", "km": 652, "navigable": True, "through": ["Turin", "Pavia"], "source": {"place": "Monviso"}},
            {"name": "Elbe", "note": None, "story": "It rises high up.\nThen it goes down."},
        ],
    }
    document = parse("json", json.dumps(value).encode(), "name")
    assert document.title == "Rivers"
    assert document.pages[0].text.split("\n\n") == [
        "title: Rivers",
        "rivers: name: Po | km: 652 | navigable: yes | through: Turin, Pavia | source.place: Monviso",
        "rivers: name: Elbe",
        "story:\nIt rises high up.\nThen it goes down.",
    ]


def test_json_lines_are_records_and_a_cut_last_line_is_left_out() -> None:
    assert text("jsonl", '{"a": 1}\n\n{"a": 2}\n{"a":') == "a: 1\n\na: 2"
    assert text("json", '{"a": 1}\n{"a": 2}\n') == "a: 1\n\na: 2"


@pytest.mark.parametrize(
    ("kind", "source", "state", "why"),
    [
        ("json", '{"a": ', "broken", "line 1"),
        ("json", "[1,\n2,\nx]", "broken", "line 3"),
        ("jsonl", '{"a": 1}\nnot json\n{"a": 2}', "broken", "line 2"),
        ("json", "[" * 100_000 + "1" + "]" * 100_000, "broken", "deeply"),
        ("jsonl", "[" * 100_000 + "1" + "]" * 100_000, "broken", "deeply"),
        ("json", '{"a": null, "b": []}', "empty", "no value"),
        ("json", "{}", "empty", ""),
        ("txt", " \n\t\n", "empty", "no letter"),
        ("md", "---\n\n***", "empty", ""),
        ("csv", ",,,\n", "empty", ""),
        ("ipynb", "[1]", "broken", "no cells"),
        ("ipynb", '{"cells": ', "broken", "no notebook"),
        ("ipynb", '{"cells": []}', "empty", "no cell"),
    ],
)
def test_texts_without_a_document_say_why(kind: str, source: str, state: str, why: str) -> None:
    with pytest.raises(FileTrouble) as caught:
        parse(kind, source.encode(), "name")
    assert caught.value.state == state
    assert why in caught.value.reason


# -- notebooks --------------------------------------------------------------------------------------------------


def test_a_notebook_keeps_prose_code_and_printed_words() -> None:
    cells = [
        {"cell_type": "markdown", "source": ["# Herons\n", "\n", "They **stand** still."]},
        {
            "cell_type": "code",
            "source": "n = a_b * 2 * 3\n# no heading",
            "outputs": [
                {"output_type": "stream", "text": ["six ", "herons"]},
                {"output_type": "execute_result", "data": {"text/plain": "6", "image/png": "AAAA"}},
                {"output_type": "error", "traceback": ["secret trace"]},
            ],
        },
        {"cell_type": "raw", "source": "raw words"},
    ]
    document = parse("ipynb", json.dumps({"cells": cells, "nbformat": 4}).encode(), "name")
    assert document.title == "Herons"
    assert document.pages[0].text == (
        "# Herons\n\nThey stand still.\n\nn = a_b * 2 * 3\n# no heading\n\nsix herons\n\n6\n\nraw words"
    )


def test_a_csv_of_one_endless_line_is_cut_and_says_so() -> None:
    [page], notes = (found := parse("csv", b",".join(b"cell%d" % n for n in range(50_000)), "name")).pages, found.notes
    assert "cell16383" in page.text and "cell16384" not in page.text
    assert notes == ("only the first 16,384 cells of 1 row(s), the first of them row 1",)
    rows = "a,b\n" + "x," * 20_000 + "\nlast,row\n"
    assert parse("csv", rows.encode(), "name").pages[0].text.endswith("a: last | b: row")
