"""Questions in six languages over documents in that language, through the whole crew and through one agent alone."""

import pytest

from research_crew import Crew, Solo
from research_crew.agents.wording import wording
from research_crew.documents.index import DocumentIndex
from research_crew.library import Library

TEXTS = {
    "en": [
        ("lighthouse", "Skerry Light", "The Skerry Light was designed by Agnes Holt. It stands on a rock in the north."),
        ("holt", "Agnes Holt", "Agnes Holt was an engineer, born in Bergen in 1846. She built nine bridges."),
    ],
    "de": [
        ("leuchtturm", "Leuchtturm Skerry", "Der Leuchtturm Skerry wurde von Agnes Holt gebaut. Er steht auf einem Felsen."),
        ("holt", "Agnes Holt", "Agnes Holt war eine Ingenieurin und wurde 1846 in Bergen geboren. Sie baute neun Brücken."),
    ],
    "fr": [
        ("phare", "Phare de Skerry", "Le phare de Skerry fut construit par Agnes Holt. Il se dresse sur un rocher."),
        ("holt", "Agnes Holt", "Agnes Holt était une ingénieure née à Bergen en 1846. Elle construisit neuf ponts."),
    ],
    "es": [
        ("faro", "Faro de Skerry", "El faro de Skerry fue construido por Agnes Holt. Está sobre una roca."),
        ("holt", "Agnes Holt", "Agnes Holt fue una ingeniera nacida en Bergen en 1846. Construyó nueve puentes."),
    ],
    "zh": [
        ("dengta", "北岩灯塔", "北岩灯塔建于1868年，由工程师设计。灯塔位于北方的岩石上。"),
        ("qiao", "石桥", "石桥全长三百米，横跨大河。石桥由九个桥拱组成。"),
    ],
    "ja": [
        ("todai", "北岩灯台", "北岩灯台は1868年に建てられた。灯台は北の岩の上に立っている。"),
        ("hashi", "石橋", "石橋の長さは三百メートルである。九つのアーチからなる橋だ。"),
    ],
}  # fmt: skip
ASKED = {
    "en": ("When was the designer of the Skerry Light born?", ["lighthouse", "holt"], "1846"),
    "de": ("Wann wurde die Erbauerin des Leuchtturms Skerry geboren?", ["leuchtturm", "holt"], "1846"),
    "fr": ("Quand est née la personne qui a construit le phare de Skerry ?", ["phare", "holt"], "1846"),
    "es": ("¿Cuándo nació la persona que construyó el faro de Skerry?", ["faro", "holt"], "1846"),
    "zh": ("北岩灯塔是哪一年建造的？", ["dengta"], "1868"),
    "ja": ("北岩灯台はいつ建てられましたか？", ["todai"], "1868"),
}  # fmt: skip


def library(language: str) -> Library:
    index = DocumentIndex()
    index.add_texts(TEXTS[language])
    return Library(index)


@pytest.mark.parametrize("maker", [Crew, Solo])
@pytest.mark.parametrize("language", TEXTS)
def test_the_answer_is_found_in_the_language_of_the_question(language: str, maker: type[Crew]) -> None:
    asked, documents, figure = ASKED[language]
    result = maker(library=library(language)).run(asked)
    assert result.report is not None
    assert f"> {wording(language).verbatim}" in result.report.markdown
    answers = [line for line in result.report.markdown.splitlines() if figure in line]
    assert answers
    assert all(line.rstrip().endswith("]") for line in answers)
    assert set(documents) <= {source.path for source in result.cited}
    assert not result.report.unbacked


@pytest.mark.parametrize("language", TEXTS)
def test_every_claim_stands_word_for_word_in_its_source(language: str) -> None:
    texts = {name: text for name, _, text in TEXTS[language]}
    result = Crew(library=library(language)).run(ASKED[language][0])
    paths = {source.number: source.path for source in result.sources}
    assert result.claims
    for claim in result.claims:
        assert claim.text == claim.quote
        assert claim.quote in texts[paths[claim.source] or ""]


@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_same_question_gives_the_same_report(language: str) -> None:
    first, again = (Crew(library=library(language)).run(ASKED[language][0]) for _ in range(2))
    assert first.report == again.report
    assert [(e.task, e.step, e.amount) for e in first.ledger] == [(e.task, e.step, e.amount) for e in again.ledger]
