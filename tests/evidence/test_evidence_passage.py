from hypothesis import given
from hypothesis import strategies as st

from research_crew.evidence.folding import content_terms
from research_crew.evidence.passage import Passage, best_passages, heading_at, passage_at, split_passages

SENTENCE = "The river carries water from the mountains to the sea, and people have lived beside it for long. "


def test_positions_point_into_the_text() -> None:
    text = "# Rivers\n\n" + SENTENCE * 30 + "\n\n## Lakes\n\n" + SENTENCE * 3
    for p in split_passages(text, source=4, page=2):
        assert p.text == text[p.start : p.end] and (p.source, p.page) == (4, 2)


def test_passages_are_about_the_size_asked_for_and_end_with_a_sentence() -> None:
    passages = split_passages(SENTENCE * 60)
    assert all(600 <= len(p.text) <= 1100 for p in passages[:-1])
    assert all(p.text.endswith(".") for p in passages)


def test_headings_begin_passages_and_name_those_below() -> None:
    passages = split_passages("Intro.\n\n# First\n\nOne.\n\nTwo.\n\n# Second\n\nThree.")
    assert [(p.heading, p.text) for p in passages] == [
        ("", "Intro."),
        ("First", "# First\n\nOne.\n\nTwo."),
        ("Second", "# Second\n\nThree."),
    ]


def test_small_paragraphs_share_a_passage() -> None:
    assert len(split_passages("\n\n".join(f"Paragraph number {i} is short." for i in range(20)))) == 1


def test_a_sentence_without_end_is_cut() -> None:
    passages = split_passages("word " * 1000)
    assert len(passages) > 4 and all(len(p.text) <= 1100 for p in passages)
    assert all(len(p.text) <= 1100 for p in split_passages("文" * 4000))


def test_a_page_is_cut_to_what_serves_the_query() -> None:
    filler = "\n\n".join(SENTENCE * 8 for _ in range(6))
    text = f"{filler}\n\nThe bridge of Avignon was built in 1177 by the shepherd Bénézet.\n\n{filler}"
    chosen = best_passages(text, content_terms("Who built the bridge of Avignon?"), 2000)
    assert any("Bénézet" in p.text for p in chosen)
    assert sum(len(p.text) for p in chosen) <= 2000
    assert [p.start for p in chosen] == sorted(p.start for p in chosen)


def test_a_page_that_fits_is_given_whole() -> None:
    text = "One.\n\nTwo."
    assert "".join(p.text for p in best_passages(text, ["one"], 100)) == text


def test_a_limit_below_the_smallest_passage_is_kept() -> None:
    assert sum(len(p.text) for p in best_passages(SENTENCE * 50, ["river"], 120)) == 120


def test_passage_at_a_position() -> None:
    passages = [Passage("ab", 0, 2), Passage("cd", 5, 7)]
    assert passage_at(passages, 6) == passages[1]
    assert passage_at(passages, 3) is None and passage_at([], 0) is None


@given(st.text(alphabet="ab .\n#。", max_size=300))
def test_no_word_is_lost(text: str) -> None:
    kept = "".join(p.text for p in split_passages(text, size=40))
    assert "".join(kept.split()) == "".join(text.split())


def test_the_heading_above_a_position() -> None:
    text = "Before.\n\n# One\n\nText of one.\n\n## Two ##\n\nText of two."
    assert [heading_at(text, text.index(word)) for word in ("Before", "Text of one", "Text of two")] == ["", "One", "Two"]
    assert heading_at(text, text.index("# One")) == "One" and heading_at("", 0) == ""
