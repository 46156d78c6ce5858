"""Whether a report is in the language it should be in, for many languages, with names and quotes of others in it."""

import pytest

from research_crew.evidence.written import language_code, written_in

TEXTS = {
    "en": "The grey heron eats fish and frogs, and it is one of the birds that stand still at the edge of the water for a long time before they strike. Their nests are in high trees.",
    "de": "Der Graureiher frisst Fische und Frösche, und er gehört zu den Vögeln, die lange still am Ufer stehen, bevor sie zustoßen. Ihre Nester sind in hohen Bäumen, und sie kehren jedes Jahr dorthin zurück.",
    "fr": "Le héron cendré mange des poissons et des grenouilles, et il fait partie des oiseaux qui restent longtemps immobiles au bord de l'eau avant de frapper. Leurs nids sont dans les grands arbres.",
    "es": "La garza real come peces y ranas, y es una de las aves que se quedan quietas mucho tiempo a la orilla del agua antes de atacar. Sus nidos están en los árboles altos de la zona.",
    "it": "L'airone cenerino mangia pesci e rane, ed è uno degli uccelli che restano a lungo immobili sulla riva prima di colpire. I loro nidi sono negli alberi alti della zona.",
    "pt": "A garça-real come peixes e rãs, e é uma das aves que ficam muito tempo paradas na margem da água antes de atacar. Os seus ninhos estão nas árvores altas da região.",
    "nl": "De blauwe reiger eet vissen en kikkers, en hij is een van de vogels die lang stil aan de rand van het water staan voordat ze toeslaan. Hun nesten zijn in hoge bomen.",
    "vi": "Diệc xám ăn cá và ếch, và nó là một trong những loài chim đứng yên rất lâu ở mép nước trước khi tấn công. Tổ của chúng ở trên những cây cao trong vùng này.",
    "zh": "苍鹭吃鱼和青蛙，它是一种在水边长时间站立不动然后才出击的鸟。它们的巢筑在高大的树上。",
    "ja": "アオサギは魚やカエルを食べる鳥で、水辺で長い間じっと立ってから獲物を捕らえる。巣は高い木の上にある。",
    "ko": "왜가리는 물고기와 개구리를 먹으며 물가에서 오랫동안 가만히 서 있다가 먹이를 잡는 새이다. 둥지는 높은 나무 위에 있다.",
    "ru": "Серая цапля ест рыбу и лягушек, и это одна из птиц, которые долго стоят неподвижно у воды, прежде чем схватить добычу. Их гнёзда на высоких деревьях.",
    "ar": "يأكل مالك الحزين الأسماك والضفادع، وهو من الطيور التي تقف ساكنة عند حافة الماء وقتا طويلا قبل أن تهاجم.",
    "el": "Ο σταχτοτσικνιάς τρώει ψάρια και βατράχους και στέκεται ακίνητος στην άκρη του νερού για πολλή ώρα.",
    "he": "האנפה האפורה אוכלת דגים וצפרדעים, והיא עומדת ללא תנועה בשפת המים זמן רב לפני שהיא תוקפת.",
    "hi": "धूसर बगुला मछली और मेंढक खाता है और हमला करने से पहले पानी के किनारे बहुत देर तक चुपचाप खड़ा रहता है।",
    "th": "นกกระสานวลกินปลาและกบ และยืนนิ่งที่ริมน้ำเป็นเวลานานก่อนที่จะจับเหยื่อ",
}  # fmt: skip


@pytest.mark.parametrize("language", TEXTS)
def test_a_text_is_in_its_language_and_in_no_other(language: str) -> None:
    assert written_in(TEXTS[language], language)
    assert [other for other in TEXTS if other != language and written_in(TEXTS[language], other)] == []


@pytest.mark.parametrize("language", TEXTS)
def test_names_quotes_and_addresses_of_another_script_change_nothing(language: str) -> None:
    foreign = "Ardea cinerea (Linnaeus, 1758) [12] https://example.org/what-the-grey-heron-eats-and-where"
    quoted = f'{TEXTS[language]} {foreign} "{TEXTS["en"]}" 《{TEXTS["zh"]}》'.replace("《", "「").replace("》", "」")
    assert written_in(f"{quoted}\n\n{TEXTS[language]}", language)


def test_what_cannot_be_told_gets_the_benefit_of_the_doubt() -> None:
    assert written_in("Berlin, 1990.", "fr")
    assert written_in("42", "ja")
    assert written_in("Kia ora koutou katoa", "mi")
    assert not written_in("Berlin ist die Hauptstadt.", "zh")


@pytest.mark.parametrize(
    ("said", "code"), [("de", "de"), ("German", "de"), ("de-AT", "de"), ("pt_BR", "pt"), (" Chinese ", "zh"), ("tlh", "tlh")]
)  # fmt: skip
def test_a_language_by_its_code_or_its_name(said: str, code: str) -> None:
    assert language_code(said) == code
