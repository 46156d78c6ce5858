"""Files of every kind to passages: what is read, what is not and why, and that nothing is read twice."""

import os
from pathlib import Path

import pytest

from documents_made import docx_of, epub_of, pdf_of, pptx_of, xlsx_of, zip_of
from research_crew.documents.index import DocumentIndex, IndexedDocument
from research_crew.documents.outcome import FileOutcome
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


def counts(index: DocumentIndex, folder: Path) -> tuple[int, int, int]:
    report = index.update(folder)
    return report.read, report.unchanged, report.removed


# -- what is read -----------------------------------------------------------------------------------------------


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
    assert "animal: shrew | grams: 8" in found["shrew"].text
    assert index.search("weasel") == []


def test_every_further_kind_is_read_and_found_with_its_place(tmp_path: Path) -> None:
    rows = '<row><c t="inlineStr"><is><t>Heron</t></is></c><c><v>7</v></c></row>'
    files = {
        "a.pptx": pptx_of(("Otters", "x"), ("Food", "They eat urchins.")), "b.xlsx": xlsx_of({"Cover": "", "Birds": rows}),
        "c.epub": epub_of("<p>x</p>", "<h1>Setts</h1><p>Badgers dig.</p>"), "d.csv": b"animal,grams\nvole,30\n",
        "e.json": b'[{"fish": "pike", "teeth": 700}]', "f.jsonl": b'{"bird": "wren"}\n',
        "g.ipynb": b'{"cells": [{"cell_type": "markdown", "source": "## Lynx\\n\\nIt *hunts*."}]}',
    }  # fmt: skip
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    index = DocumentIndex()
    assert set(states(index, tmp_path).values()) == {"read"}
    places = {
        (hit.path, hit.page, hit.heading, hit.text)
        for word in ("urchins", "heron", "badgers", "vole", "pike", "wren", "hunts")
        for hit in index.search(word)
    }
    assert places == {
        ("a.pptx", 2, "Food", "# Food\n\nThey eat urchins."), ("b.xlsx", 2, "Birds", "Heron | 7"),
        ("c.epub", 2, "Setts", "# Setts\n\nBadgers dig."), ("d.csv", None, "", "animal | grams\n\nanimal: vole | grams: 30"),
        ("e.json", None, "", "fish: pike | teeth: 700"), ("f.jsonl", None, "", "bird: wren"),
        ("g.ipynb", None, "Lynx", "## Lynx\n\nIt hunts."),
    }  # fmt: skip


def test_a_snippet_stands_where_it_says(folder: Path) -> None:
    index = DocumentIndex()
    index.update(folder)
    for word in ("heron", "badger", "lynxes", "shrew"):
        hit = index.search(word)[0]
        stored = index.text(hit.path, hit.page)
        assert stored is not None
        assert stored[hit.start : hit.end] == hit.text


def test_texts_passages_and_documents_can_be_had(folder: Path) -> None:
    index = DocumentIndex()
    index.update(folder)
    assert index.text("d.pdf", 2) == "Page two speaks of pine martens."
    assert index.text("d.pdf") == "Page one speaks of lynxes.\n\nPage two speaks of pine martens."
    assert index.text("d.pdf", 3) is index.text("gone.txt") is None
    assert [(p.page, p.text) for p in index.passages("d.pdf")] == [
        (1, "Page one speaks of lynxes."), (2, "Page two speaks of pine martens."),
    ]  # fmt: skip
    assert [p.page for p in index.passages("d.pdf", 2)] == [2]
    assert index.documents()[0] == IndexedDocument("a.txt", "a", "txt", 1, 48)
    assert [d.path for d in index.documents()] == ["a.txt", "b.md", "d.pdf", "deep/c.html", "e.docx"]
    assert len(index) == 6


# -- what is not ------------------------------------------------------------------------------------------------


def test_what_cannot_be_read_says_why_and_stops_nothing(folder: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("outside")
    bad = {
        "empty.txt": (b"", "empty"),
        "blank.md": (b"\n \n", "empty"),
        "cut.pdf": (pdf_of("lost")[:300], "broken"),
        "locked.pdf": (pdf_of("lost", password="x"), "encrypted"),
        "fake.docx": (b"PK\x03\x04 no zip", "broken"),
        "fake.pdf": (b"just words", "wrong-type"),
        "picture.txt": (b"\x89PNG\r\n\x1a\n" + bytes(100), "no-text"),
        "scan.pdf": (pdf_of(""), "no-text"),
        "old.docx": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "wrong-type"),
        "pack.zip": (zip_of({"inside.txt": "weasel"}), "wrong-type"),
        "program": (b"\x7fELF" + bytes(50), "wrong-type"),
        "binary.txt": (b"abc\0\1\2" * 40, "wrong-type"),
        "code.py": (b"weasel = 1", "wrong-type"),
        ".hidden.txt": (b"weasel", "skipped"),
    }
    for name, (data, _) in bad.items():
        (folder / name).write_bytes(data)
    (folder / "out.txt").symlink_to(secret)
    (folder / "dangling.txt").symlink_to(folder / "gone")
    index = DocumentIndex()
    report = index.update(folder)
    got = {o.path: o.state for o in report.outcomes}
    assert {name: got[name] for name in bad} == {name: state for name, (_, state) in bad.items()}
    assert (got["out.txt"], got["dangling.txt"]) == ("link-outside", "unreadable")
    assert sum(state == "read" for state in got.values()) == 5
    assert all(o.reason for o in report.outcomes if o.state != "read")
    assert index.search("outside weasel") == []
    assert list(index.outcomes()) == sorted(report.outcomes, key=lambda o: o.path)


def test_a_file_above_the_cap_is_not_read(folder: Path) -> None:
    index = DocumentIndex()
    report = index.update(folder, most_bytes=100)
    assert {o.path: o.state for o in report.outcomes}["e.docx"] == "too-large"
    assert report.read == 2


def test_a_mislabelled_file_is_read_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(pdf_of("words"))
    [outcome] = DocumentIndex().update(tmp_path).outcomes
    assert (outcome.state, outcome.kind, outcome.reason) == ("read", "pdf", "named .txt, is pdf")


# -- a second time ----------------------------------------------------------------------------------------------


def test_unchanged_files_are_not_read_again(folder: Path, tmp_path: Path) -> None:
    (folder / "cut.pdf").write_bytes(b"%PDF-1.4 cut")
    (folder / ".hidden").write_text("x")
    file = tmp_path / "index.sqlite"
    first = DocumentIndex(file)
    assert counts(first, folder) == (6, 0, 0)
    first.close()
    index = DocumentIndex(file)
    told: list[tuple[str, bool]] = []
    with ParsingProcess() as process:
        report = index.update(folder, lambda outcome, fresh: told.append((outcome.path, fresh)), parsing=process)
        assert process.pid is None
    assert (report.read, report.unchanged, report.removed) == (0, 6, 0)
    assert told == [(o.path, False) for o in report.outcomes]
    (folder / "a.txt").write_text("The crane dances, and it dances well.")
    (folder / "b.md").unlink()
    (folder / "cut.pdf").write_bytes(pdf_of("Whole again."))
    assert counts(index, folder) == (2, 3, 1)
    assert index.search("heron") == []
    assert index.search("otter") == []
    assert index.search("crane")[0].path == "a.txt"
    assert index.search("whole")[0].path == "cut.pdf"
    assert len(index) == 6


def test_a_file_that_was_only_touched_is_not_parsed_again(folder: Path) -> None:
    index = DocumentIndex()
    index.update(folder)
    os.utime(folder / "d.pdf", ns=(5, 5))
    assert counts(index, folder) == (0, 5, 0)
    assert {o.path: o.modified_ns for o in index.outcomes()}["d.pdf"] == 5
    assert index.search("lynxes")[0].path == "d.pdf"


def test_a_file_that_the_system_refused_is_tried_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(found: object, most: int) -> bytes:
        raise PermissionError(13, "Permission denied")

    index = DocumentIndex()
    with monkeypatch.context() as patch:
        patch.setattr("research_crew.documents.update.read_bytes", refuse)
        assert set(states(index, folder).values()) == {"unreadable"}
    assert set(states(index, folder).values()) == {"read"}


def test_a_file_that_became_a_link_is_forgotten(folder: Path, tmp_path: Path) -> None:
    index = DocumentIndex()
    index.update(folder)
    (tmp_path / "moved.txt").write_text("The heron eats frogs.")
    (folder / "a.txt").unlink()
    (folder / "a.txt").symlink_to(tmp_path / "moved.txt")
    assert states(index, folder)["a.txt"] == "link-outside"
    assert index.search("heron") == []


def test_an_update_that_is_stopped_changes_nothing(folder: Path, tmp_path: Path) -> None:
    index = DocumentIndex(tmp_path / "index.sqlite")
    index.update(folder)
    before = list(index.outcomes())
    (folder / "a.txt").write_text("cranes")
    (folder / "b.md").unlink()

    def stop(outcome: FileOutcome, fresh: bool) -> None:
        if outcome.path == "deep/c.html":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        index.update(folder, stop)
    assert list(index.outcomes()) == before
    assert index.search("heron")[0].path == "a.txt"
    assert counts(index, folder) == (1, 3, 1)


# -- texts that are no files ------------------------------------------------------------------------------------


def test_texts_of_a_corpus_are_added_and_replaced() -> None:
    index = DocumentIndex()
    assert index.add_texts([("1", "Heron", "It eats frogs."), ("2", "", "A \ud800 bad \0 text about newts.\r\nEnd")]) == 2
    assert index.search("heron")[0].text == "It eats frogs."
    assert index.text("2") == "A \ufffd bad  text about newts.\nEnd"
    index.add_texts([("1", "Heron", "It eats fish.")])
    assert index.search("frogs") == []
    assert index.search("fish")[0].path == "1"
    assert len(index) == 2


def test_a_failing_source_of_texts_adds_nothing() -> None:
    index = DocumentIndex()

    def some() -> object:
        yield ("1", "", "frogs")
        raise RuntimeError("the source ended early")

    with pytest.raises(RuntimeError):
        index.add_texts(some())  # type: ignore[arg-type]
    assert len(index) == 0
