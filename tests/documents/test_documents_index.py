"""Files of every kind to passages: what is read, what is not and why, and that nothing is read twice."""

import sqlite3
from pathlib import Path

import pytest

from documents_made import docx_of, pdf_of
from research_crew.documents.index import DocumentIndex
from research_crew.documents.reading import ParsingProcess


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "papers"
    (place / "deep").mkdir(parents=True)
    (place / "a.txt").write_text("The heron eats frogs. It stands still for hours.")
    (place / "b.md").write_text("# Otters\n\nAn **otter** holds [hands](http://x.example) while it sleeps.")
    (place / "deep" / "c.html").write_text(
        "<html lang=en><head><title>Badgers</title><meta name=author content='A. Brock'><meta name=date content=2020-05-01>"
        "<script>var x='weasel'</script></head><body><nav>Home | weasel</nav><main><h1>Badgers</h1><p>A badger digs a sett."
        "</p><p style='display:none'>weasel</p></main><footer>weasel</footer></body></html>"
    )
    (place / "d.pdf").write_bytes(pdf_of("Page one speaks of lynxes.", "Page two speaks of pine martens.", title="Cats"))
    (place / "e.docx").write_bytes(
        docx_of("A vole weighs 30 grams.", heading="Voles", table=[["animal", "grams"], ["shrew", "8"]])
    )
    return place


def states(index: DocumentIndex, folder: Path) -> dict[str, str]:
    return {o.path: o.state for o in index.update(folder).outcomes}


def test_every_kind_is_read_and_found_with_its_place(folder: Path) -> None:
    index = DocumentIndex()
    assert set(states(index, folder).values()) == {"read"}
    found = {word: index.search(word)[0] for word in ("heron", "otter", "badger", "pine martens", "vole", "shrew")}
    assert (found["heron"].path, found["heron"].page) == ("a.txt", None)
    assert (found["otter"].path, found["otter"].title, found["otter"].heading) == ("b.md", "Otters", "Otters")
    assert "An otter holds hands while it sleeps." in found["otter"].text
    badger = found["badger"]
    assert (badger.path, badger.title, badger.author, badger.published) == (
        "deep/c.html", "Badgers", "A. Brock", "2020-05-01",
    )  # fmt: skip
    assert (found["pine martens"].path, found["pine martens"].page, found["pine martens"].title) == ("d.pdf", 2, "Cats")
    assert found["vole"].heading == "Voles"
    assert "shrew | 8" in found["shrew"].text
    assert index.search("weasel") == []


def test_a_snippet_stands_where_it_says(folder: Path) -> None:
    index = DocumentIndex()
    index.update(folder)
    for word in ("heron", "badger", "lynxes"):
        hit = index.search(word)[0]
        stored = index.text(hit.path, hit.page)
        assert stored is not None
        assert stored[hit.start : hit.end] == hit.text


def test_what_cannot_be_read_says_why_and_stops_nothing(folder: Path, tmp_path: Path) -> None:
    whole = pdf_of("lost")
    secret = tmp_path / "secret.txt"
    secret.write_text("outside")
    bad = {
        "empty.txt": (b"", "empty"),
        "blank.md": (b"\n \n", "empty"),
        "cut.pdf": (whole[: len(whole) // 3], "broken"),
        "fake.docx": (b"PK\x03\x04 no zip", "broken"),
        "fake.pdf": (b"just words", "broken"),
        "picture.txt": (b"\x89PNG\r\n\x1a\n" + bytes(100), "no-text"),
        "scan.pdf": (pdf_of(""), "no-text"),
        "old.docx": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "encrypted"),
        "pack.zip": (b"PK\x05\x06" + bytes(18), "wrong-type"),
        "program": (b"\x7fELF" + bytes(50), "wrong-type"),
        "binary.txt": (b"abc\0\1\2" * 40, "wrong-type"),
        "noend": (b"words", "wrong-type"),
    }
    for name, (data, _) in bad.items():
        (folder / name).write_bytes(data)
    (folder / "out.txt").symlink_to(secret)
    (folder / "dangling.txt").symlink_to(folder / "gone")
    index = DocumentIndex()
    got = states(index, folder)
    assert {name: got[name] for name in bad} == {name: state for name, (_, state) in bad.items()}
    assert (got["out.txt"], got["dangling.txt"]) == ("link-outside", "unreadable")
    assert sum(state == "read" for state in got.values()) == 5
    assert index.search("outside") == []


def test_a_file_above_the_cap_is_not_read(folder: Path) -> None:
    report = DocumentIndex().update(folder, most_bytes=100)
    assert {o.path: o.state for o in report.outcomes}["e.docx"] == "too-large"


def test_unchanged_files_are_not_read_again(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "index.sqlite"
    first = DocumentIndex(file)
    report = first.update(folder)
    assert (report.read, report.unchanged, report.removed) == (5, 0, 0)
    first.close()
    index = DocumentIndex(file)
    report = index.update(folder)
    assert (report.read, report.unchanged, report.removed) == (0, 5, 0)
    (folder / "a.txt").write_text("The crane dances, and it dances well.")
    (folder / "b.md").unlink()
    report = index.update(folder)
    assert (report.read, report.unchanged, report.removed) == (1, 3, 1)
    assert index.search("heron") == []
    assert index.search("otter") == []
    assert index.search("crane")[0].path == "a.txt"
    assert file.stat().st_mode & 0o077 == 0


def test_a_damaged_index_is_made_anew(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "index.sqlite"
    file.write_bytes(b"this is no database" * 100)
    index = DocumentIndex(file)
    assert index.update(folder).read == 5
    index.close()
    with sqlite3.connect(file) as db:
        db.execute("pragma user_version = 99")
    again = DocumentIndex(file)
    assert again.update(folder).read == 5


@pytest.mark.parametrize(
    "typed", ['"', "AND OR NOT", "a* (b", "NEAR(", "''; drop table term", "^x", "{a b}:c", "-", "", "\0", "é" * 5000]
)
def test_nothing_that_is_typed_raises(folder: Path, typed: str) -> None:
    index = DocumentIndex()
    index.update(folder)
    assert isinstance(index.search(typed), list)


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Der Straßenbau in München dauert länger.", "strassenbau munchen"),
        ("La reducción de emisiones cuesta dinero.", "reduccion"),
        ("Le café où l'été commença.", "ETE cafe"),
        ("减排成本很高，因此许多国家推迟了行动。", "减排成本"),
        ("メタン削減の費用は高い。", "メタンの削減"),
        ("東京都の人口は約千四百万人である。", "東京の人口はどれくらいですか"),
    ],
)
def test_accents_case_and_scripts_without_spaces(text: str, query: str) -> None:
    index = DocumentIndex()
    index.add_texts([("right", "", text), ("wrong", "", "Nothing of the kind. 別の話。其他内容。")])
    assert [hit.path for hit in index.search(query)] == ["right"]


def test_a_title_weighs_more_than_a_mention() -> None:
    index = DocumentIndex()
    index.add_texts([("mention", "Birds", "The heron is one of many birds."), ("title", "Heron", "It eats frogs and fish.")])
    assert index.search("heron")[0].path == "title"


def test_the_parsing_process_leaves_nothing_behind(tmp_path: Path) -> None:
    file = tmp_path / "a.pdf"
    file.write_bytes(pdf_of("words"))
    process = ParsingProcess()
    assert process.read("pdf", file, "a").pages[0].text == "words"
    child = process._child
    assert child is not None
    process.close()
    assert child.poll() is not None


def test_a_parser_that_takes_too_long_is_given_up(tmp_path: Path) -> None:
    file = tmp_path / "a.pdf"
    file.write_bytes(pdf_of("words"))
    index = DocumentIndex()
    with ParsingProcess(seconds=0.0) as process:
        report = index.update(tmp_path, parsing=process)
    assert [(o.path, o.state) for o in report.outcomes] == [("a.pdf", "timed-out")]


def test_legacy_encodings_are_read_without_mojibake(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes("Größe und Höhe: übliche Maße für Türen.".encode("cp1252"))
    (tmp_path / "b.html").write_bytes(
        "<html><head><meta charset=shift_jis><title>猫</title></head><body><p>猫は魚を食べる。</p></body></html>".encode("shift_jis")
    )
    index = DocumentIndex()
    index.update(tmp_path)
    assert index.text("a.txt") == "Größe und Höhe: übliche Maße für Türen."
    assert index.text("b.html") == "猫は魚を食べる。"
