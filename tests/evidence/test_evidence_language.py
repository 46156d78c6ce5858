import pytest

from research_crew.evidence.language import detect_language, stop_words


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("What did the treaty say about the border?", "en"),
        ("Welche Länder haben den Vertrag unterzeichnet und warum?", "de"),
        ("Quels pays ont signé le traité et pourquoi ?", "fr"),
        ("¿Qué países firmaron el tratado y por qué?", "es"),
        ("Quali paesi hanno firmato il trattato e perché?", "it"),
        ("Quais países assinaram o tratado e por quê?", "pt"),
        ("Welke landen hebben het verdrag ondertekend en waarom?", "nl"),
        ("Những nước nào đã ký hiệp ước và vì sao?", "vi"),
        ("哪些国家签署了条约？", "zh"),
        ("どの国が条約に署名しましたか。", "ja"),
        ("어떤 나라들이 조약에 서명했습니까?", "ko"),
        ("Какие страны подписали договор и почему?", "ru"),
        ("Які країни підписали договір?", "uk"),
        ("ما هي الدول التي وقعت المعاهدة؟", "ar"),
        ("ประเทศใดลงนามในสนธิสัญญา", "th"),
        ("Ποιες χώρες υπέγραψαν τη συνθήκη;", "el"),
    ],
)
def test_a_question_is_recognised(text: str, language: str) -> None:
    assert detect_language(text) == language


def test_without_evidence_it_is_english() -> None:
    assert detect_language("") == "en"
    assert detect_language("NATO 1949") == "en"


def test_a_foreign_name_does_not_decide() -> None:
    assert detect_language("The city of Tokyo (東京) is the capital of Japan and its largest city.") == "en"


def test_latin_abbreviations_do_not_hide_chinese() -> None:
    assert detect_language("CO2排放量与GDP增长的关系") == "zh"


def test_stop_words_are_given_with_and_without_accents() -> None:
    assert {"über", "uber", "und"} <= stop_words("de")
    assert "und" not in stop_words("en")
    assert stop_words("xx") == frozenset()
