"""Encodings that nobody declared, or declared wrongly."""

import pytest

from research_crew.evidence.charset import decode, detect, python_codec

TEXTS = {
    "cp1252": "Über die Größe der Städte im Mittelalter weiß man wenig, schrieb der Bürgermeister von Köln.",
    "cp932": "東京は日本の首都であり、世界最大の都市圏の一つです。人口は約1400万人で、多くの大学があります。",
    "euc_jp": "東京は日本の首都であり、世界最大の都市圏の一つです。人口は約1400万人で、多くの大学があります。",
    "gb18030": "北京是中国的首都，也是全国的政治和文化中心。这座城市有三千多年的历史，人口超过两千万。",
    "big5hkscs": "臺北是臺灣的首都，也是政治和文化的中心。這座城市的人口超過兩百萬，有很多大學和博物館。",
    "cp949": "서울은 대한민국의 수도이자 최대 도시이다. 인구는 약 천만 명이며 많은 대학과 박물관이 있다.",
    "cp1251": "Москва является столицей России и крупнейшим городом страны. Население растёт.",
    "koi8_r": "Москва является столицей России и крупнейшим городом страны. Население растёт.",
    "cp1253": "Η Αθήνα είναι η πρωτεύουσα της Ελλάδας και η μεγαλύτερη πόλη της χώρας με πλούσια ιστορία.",
    "cp1255": "ירושלים היא עיר הבירה של מדינת ישראל והעיר הגדולה ביותר בה מבחינת מספר התושבים.",
    "cp1256": "القاهرة هي عاصمة جمهورية مصر العربية وأكبر مدنها من حيث عدد السكان.",
    "cp874": "กรุงเทพมหานครเป็นเมืองหลวงและนครที่มีประชากรมากที่สุดของประเทศไทย",
}


@pytest.mark.parametrize("codec", TEXTS)
def test_an_undeclared_encoding_is_found_by_its_letters(codec: str) -> None:
    text, found, notes = decode(TEXTS[codec].encode(codec), None, markup=False)
    assert text == TEXTS[codec]
    assert found == codec
    assert notes == (f"encoding detected as {codec}",)


def test_french_and_spanish_are_western() -> None:
    for text in ("L'élève a été reçu à l'école où il étudie le français.", "El niño comió la piña mañana en España."):
        assert detect(text.encode("cp1252")) == "cp1252"


def test_utf8_wins_over_a_wrong_header_and_a_wrong_meta() -> None:
    body = '<meta charset="shift_jis"><p>Größe – 東京</p>'.encode()
    assert decode(body, "gb2312", markup=True)[0].endswith("<p>Größe – 東京</p>")
    assert decode(body, "gb2312", markup=True)[2] == ("declared as gb18030, read as utf-8",)


def test_the_header_wins_over_the_meta() -> None:
    body = '<meta charset="koi8-r"><p>Привет</p>'.encode("cp1251")
    assert "Привет" in decode(body, "windows-1251", markup=True)[0]


def test_a_meta_that_cannot_be_right_is_passed_over() -> None:
    body = b'<meta charset="euc-jp"><p>' + TEXTS["cp932"].encode("cp932")
    assert TEXTS["cp932"] in decode(body, None, markup=True)[0]


def test_a_cut_character_does_not_change_the_encoding() -> None:
    body = ("Größe und Maß " * 50).encode()[:-1] + "ß".encode()[:1]
    text, codec, notes = decode(body, "utf-8", markup=False)
    assert codec == "utf-8" and text.startswith("Größe und Maß") and notes == ("some bytes could not be read",)


@pytest.mark.parametrize("label", ["utf-7", "rot13", "base64", "unicode_escape", "nonsense", "", "idna", "\0", None])
def test_labels_that_are_no_encoding_of_a_page(label: str | None) -> None:
    assert python_codec(label) is None


def test_nothing_raises_on_random_bytes() -> None:
    for n in range(64):
        body = bytes((i * i * 7 + n * 31) % 256 for i in range(500))
        text, _, _ = decode(body, "x-unknown", markup=True)
        assert text
