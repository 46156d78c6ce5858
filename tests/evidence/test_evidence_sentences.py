from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_crew.evidence.sentences import split_sentences


def cut(text: str) -> list[str]:
    return [s.of(text) for s in split_sentences(text)]


@pytest.mark.parametrize(
    "sentences",
    [
        ["Dr. Smith met Prof. Jones.", "They talked."],
        ["He moved to the U.S. in 1990.", "She stayed."],
        ["He left the U.S.", "The others stayed."],
        ["J. R. R. Tolkien wrote it.", "It sold well."],
        ["It costs 3.5 dollars, e.g. for tea.", "Really?", "Yes!"],
        ["See Fig. 3 and No. 5 for details.", "They differ."],
        ["He said no.", "The end came."],
        ["Das gilt z. B. für den 3. Oktober 1990.", "Danach war Ruhe."],
        ["Der Anteil stieg um ca. 12,5 % auf 1.200 Mio. Euro.", "Das ist viel."],
        ["M. Dupont est arrivé.", "Il est reparti."],
        ["「はい。」と言った。", "次の文です！", "終わり"],
        ["这是第一句。", "这是第二句？", "第三句！"],
        ["Wait... what happened?", "Nothing."],
        ["It rained.[3]", "Then it stopped.[4][5]"],
        ['She said "Stop."', "He stopped."],
        ["Acme Inc. sold it.", "Nobody knew."],
    ],
)
def test_sentences_are_cut_where_a_reader_would(sentences: list[str]) -> None:
    joiner = "" if sentences[0][-1] in "。？！" else " "
    assert cut(joiner.join(sentences)) == sentences


def test_punctuation_that_stands_apart() -> None:
    text = "The song was a hit . It was written by A. B. Smith , and others . '' Yes . '' Then ?"
    assert cut(text)[:2] == ["The song was a hit .", "It was written by A. B. Smith , and others . ''"]


def test_a_page_that_lost_its_spaces() -> None:
    assert cut("This is how it ended.Then it began (again).Next came 3.5 at example.com.") == [
        "This is how it ended.",
        "Then it began (again).",
        "Next came 3.5 at example.com.",
    ]


def test_headings_lists_and_wrapped_lines() -> None:
    text = (
        "# The title\n\n"
        "This paragraph is wrapped by a program at some width, and the line goes\n"
        "on in London without any mark before the break. A second sentence\n"
        "follows it.\n\n"
        "- first item\n- second item\n1. One step. Another.\n"
    )
    assert [" ".join(s.split()) for s in cut(text)] == [
        "# The title",
        "This paragraph is wrapped by a program at some width, and the line goes on in London without any mark "
        "before the break.",
        "A second sentence follows it.",
        "- first item",
        "- second item",
        "1. One step.",
        "Another.",
    ]


def test_lines_of_a_page_are_paragraphs() -> None:
    long = "A line of a web page that is much longer than any program would wrap it at; " * 3 + "end"
    assert len(cut(f"Home\nAbout us\n{long}\nContact")) == 4


def test_no_text_no_sentences() -> None:
    assert split_sentences("") == [] == split_sentences(" \n \n")


@given(st.text(alphabet="aB .!?\n。(\"'1-", max_size=80))
def test_spans_are_in_order_and_lose_nothing(text: str) -> None:
    spans = split_sentences(text)
    kept = "".join(s.of(text) for s in spans)
    assert "".join(kept.split()) == "".join(text.split())
    assert all(a.end <= b.start for a, b in pairwise(spans))
    assert all(s.of(text) == s.of(text).strip() != "" for s in spans)
