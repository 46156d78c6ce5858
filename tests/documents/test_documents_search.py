"""What a query finds, in what order, and that nothing which is typed is an error."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_crew.documents.index import DocumentIndex
from research_crew.documents.words import fingerprint, query_terms


def found(query: str, *texts: str, language: str | None = None) -> list[int]:
    """Indexes of the texts that a query finds, best first."""
    index = DocumentIndex()
    index.add_texts((str(n), "", text) for n, text in enumerate(texts))
    return [int(hit.path) for hit in index.search(query, 20, language)]


OTHER = "Nothing here. 別の話。其他内容。"


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Der Straßenbau in München dauert länger.", "strassenbau munchen"),
        ("Der Straßenbau in München dauert länger.", "Wie lange dauert der Bau in Muenchen?"),
        ("Fuer Muenchen gilt das nicht.", "Was gilt für München?"),
        ("La reducción de emisiones cuesta dinero.", "reduccion"),
        ("Le café où l'été commença.", "ETE cafe"),
        ("Œuvres complètes", "oeuvres"),
        ("The rivers were flooded in 2013.", "flooding of a river"),
        ("Реки разлились весной.", "реками"),
        ("减排成本很高，因此许多国家推迟了行动。", "减排成本"),
        ("メタン削減の費用は高い。", "メタンの削減"),
        ("東京都の人口は約千四百万人である。", "東京の人口はどれくらいですか"),
        ("りんごは赤い。", "りんご"),
        ("메탄 배출량이 줄었다.", "메탄"),
        ("ภาษาไทยเป็นภาษาที่มีวรรณยุกต์", "ภาษาไทย"),
        ("ＣＯ２ emissions", "co2"),
        ("The Who played in Leeds.", "The Who"),
        ("x" * 500 + " long", "x" * 500),
    ],
)
def test_accents_case_endings_and_scripts_without_spaces(text: str, query: str) -> None:
    assert found(query, text, OTHER) == [0]


@pytest.mark.parametrize(
    "typed",
    ['"', "AND OR NOT", "a* (b", "NEAR(", "''; drop table term", "^x", "{a b}:c", "-", "", "\0", "é" * 5000, "\ud800",
     "title:x", "*", "a" * 100_000, "word " * 5000, "🦡", "\u202e"],
)  # fmt: skip
def test_nothing_that_is_typed_raises(typed: str) -> None:
    assert isinstance(found(typed, "The heron eats frogs.", "x y z"), list)


@given(st.text(), st.sampled_from([None, "de", "ja", "xx", ""]))
def test_no_text_at_all_raises(typed: str, language: str | None) -> None:
    index = DocumentIndex()
    index.add_texts([("1", typed[:20], typed)])
    hits = index.search(typed, 10, language)
    assert all(hit.path == "1" for hit in hits)
    index.close()


@given(st.text(alphabet="abcäöüß éß猫の1 ", min_size=1, max_size=40))
def test_a_text_is_found_by_its_own_words(words: str) -> None:
    index = DocumentIndex()
    index.add_texts([("1", "", words), ("2", "", "zzz")])
    if query_terms(words):
        assert index.search(words)[0].path == "1"
    index.close()


def test_a_title_weighs_more_than_a_mention() -> None:
    index = DocumentIndex()
    index.add_texts([("mention", "Birds", "The heron is one of many birds."), ("title", "Heron", "It eats frogs and fish.")])
    assert index.search("heron")[0].path == "title"


def test_a_heading_weighs_more_than_a_mention() -> None:
    mention = "# Birds\n\nThe heron is one of them, and there are more."
    assert found("heron", mention, "# Heron\n\nIt eats frogs and many more things here.") == [1, 0]


def test_a_file_whose_whole_title_is_asked_for_comes_first() -> None:
    index = DocumentIndex()
    index.add_texts([
        ("longer", "The river Thames and its many bridges", "Thames bridge. Thames tower. It crosses the Thames."),
        ("whole", "Tower Bridge", "It crosses the Thames."),
        *((f"x{n}", "", "Nothing about it at all, only filling words.") for n in range(30)),
    ])  # fmt: skip
    assert index.search("When was Tower Bridge over the Thames built?")[0].path == "whole"


def test_rare_words_tell_more_than_common_ones() -> None:
    texts = ["The common bird sings."] * 30 + ["The nightjar is rare."]
    assert found("common nightjar bird", *texts)[0] == 30


def test_more_of_the_words_is_better_and_length_is_allowed_for() -> None:
    texts = ["frogs " + "filler words of all sorts " * 30, "frogs here", "frogs and newts here"]
    assert found("frogs newts", *texts, OTHER) == [2, 1, 0]


def test_one_hit_a_page_and_never_more_than_asked_for() -> None:
    index = DocumentIndex()
    long = "\n\n".join(f"Paragraph {n} speaks of herons at length. " + "And so on it goes. " * 40 for n in range(12))
    index.add_texts([("long", "", long), *((f"{n:02}", "", f"herons {n}") for n in range(9))])
    hits = index.search("herons", 5)
    assert len(hits) == len({hit.path for hit in hits}) == 5
    assert index.search("herons", 0) == []
    assert {hit.path for hit in index.search("herons", 50)} == {"long", *(f"{n:02}" for n in range(9))}


def test_equal_hits_come_in_a_fixed_order() -> None:
    texts = ["The heron eats frogs."] * 30
    assert found("heron", *texts) == list(range(20))


def test_scores_fall_and_are_positive() -> None:
    index = DocumentIndex()
    index.add_texts([("1", "", "frogs frogs newts"), ("2", "", "frogs and more and more words"), ("3", "", "nothing")])
    scores = [hit.score for hit in index.search("frogs newts")]
    assert scores == sorted(scores, reverse=True)
    assert scores[-1] > 0


def test_what_was_added_later_is_counted_in_the_next_search() -> None:
    index = DocumentIndex()
    index.add_texts([("1", "", "frogs"), ("2", "", "newts")])
    assert [hit.path for hit in index.search("frogs newts")] == ["1", "2"]
    index.add_texts([(f"f{n}", "", "other frogs") for n in range(20)])
    assert index.search("frogs newts")[0].path == "2", "newts are the rare word now"


def test_stop_words_are_left_out_by_the_language_of_the_query() -> None:
    assert query_terms("the river") == [("riv",)]
    assert query_terms("die Liebe", "de") == query_terms("Liebe", "de")
    assert query_terms("what is the", "en") != []
    assert query_terms("frogs Frogs FROGS") == [("frog",)]


def test_the_fingerprint_tells_another_folding(monkeypatch: pytest.MonkeyPatch) -> None:
    from research_crew.documents import words

    before = fingerprint()
    assert before == fingerprint()
    monkeypatch.setattr(words, "index_term", lambda term: term[:3])
    assert fingerprint() != before
