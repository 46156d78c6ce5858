import pytest

from research_crew.evidence.names import NameIndex, find_names
from research_crew.evidence.negation import differs
from research_crew.evidence.support import check_support, examine, missing_figures, missing_names

QUOTE = "In 2021 there were 247 million cases of malaria, and 619,000 people died of it, most of them in Africa."


@pytest.mark.parametrize(
    "claim",
    [
        "There were 247 million malaria cases in 2021.",
        "In 2021, 619 000 people died of malaria.",
        "Malaria killed about 620,000 people in 2021.",
        QUOTE,
        "Most of the people who died of malaria in 2021 were in Africa [3].",
    ],
)
def test_what_the_quote_says_is_supported(claim: str) -> None:
    assert check_support(claim, QUOTE).verdict == "supported"


@pytest.mark.parametrize(
    ("claim", "code"),
    [
        ("There were 274 million malaria cases in 2021.", "number-not-in-quote"),
        ("There were 247 million malaria cases in 2012.", "number-not-in-quote"),
        ("There were 247 thousand malaria cases in 2021.", "number-not-in-quote"),
        ("There were 619,000 million cases of malaria in 2021.", "number-not-in-quote"),
        ("On 3 March 2021 there were 247 million cases of malaria.", "date-not-in-quote"),
        ("In 2021, 619,000 percent died of malaria.", "unit-differs"),
    ],
)
def test_a_figure_that_the_quote_does_not_state(claim: str, code: str) -> None:
    check = check_support(claim, QUOTE)
    assert (check.verdict, check.stage, check.code) == ("unsupported", "numbers", code)


def test_a_number_that_stands_in_another_place() -> None:
    text = "He was styled Lord Howard from 1889 to 1898 and had 3 sons and 2 daughters."
    assert [m.text for m in missing_figures("He was styled Lord Howard from 1898 to 1898.", text)] == ["1898"]
    assert [m.text for m in missing_figures("He had 2 sons.", text)] == ["2"]
    assert missing_figures("He had 3 sons, styled Lord Howard until 1898.", text) == []


def test_figures_in_other_languages() -> None:
    assert missing_figures("2020年有3万5千人。", "2020年约有35000人。") == []
    assert missing_figures("二酸化炭素は30％減った。", "二酸化炭素の排出量は三〇%減少した。") == []
    assert [m.text for m in missing_figures("二酸化炭素は40％減った。", "二酸化炭素の排出量は30%減少した。")] == ["40"]
    assert (
        missing_figures("Der Umsatz stieg auf 1,2 Milliarden Euro.", "Der Umsatz lag bei 1.200 Millionen Euro.") == []
    )
    assert [m.kind for m in missing_figures("Am 3. Mai 1990 geschah es.", "Am 3. Juni 1990 geschah es.")] == ["date"]


def test_a_name_may_stand_beside_the_quote() -> None:
    quote = "She was born in Warsaw in 1867 and moved to Paris."
    claim = "Marie Curie was born in Warsaw in 1867 and moved to Paris."
    alone = check_support(claim, quote)
    assert (alone.verdict, alone.code) == ("partly", "name-not-in-quote")
    assert check_support(claim, quote, context="Marie Curie, physicist").verdict == "supported"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("WHO", "The World Health Organization said so."),
        ("U.S.", "The U.S. government"),
        ("UK", "in the United Kingdom"),
        ("France", "a French town"),
        ("Newton's", "by Newton"),
        ("TiO2", "of TiO 2 crystals"),
        ("Müller", "von Mueller und Muller"),
        ("アインシュタイン", "アインシュタインは言った"),
        ("RecQ-class", "a helicase of the RecQ family"),
        ("GPUs", "graphics processing units"),
        ("CFA", "complete Freund's adjuvant"),
        ("II", "type 2 diabetes"),
    ],
)
def test_a_name_is_found_in_another_form(name: str, text: str) -> None:
    assert NameIndex(text).has(name)


def test_a_compound_name_needs_each_of_its_names() -> None:
    assert NameIndex("The summit of Paris and Bonn").has("Paris-Bonn")
    assert not NameIndex("The summit of Paris").has("Paris-Bonn")


def test_a_surname_may_stand_alone_but_not_with_another_first_name() -> None:
    claim = "The song was sung by Takahiro Sakurai in 2005."
    assert missing_names(claim, "As Sakurai said of the song, it was hard.") == []
    assert missing_names(claim, "The song by Hideo Sakurai was hard.") == ["Takahiro"]


def test_a_word_in_the_place_of_a_name_is_another_name() -> None:
    text = "Ann Weber is the director of the press and lives in Bern."
    assert missing_names("Tehran is the director of the press.", text) == ["Tehran"]
    assert missing_names("Directors is what they all were in Bern.", text) == []
    assert missing_names("Weber is the director of the press.", text) == []
    assert missing_names("Active Ly49Q was found.", "The Ly49Q of mice was found to be active.") == []


def test_ranges_and_results_are_compared_as_pairs() -> None:
    text = "He served from 1951 to 1955, died in 1964, and won 27-17."
    assert missing_figures("He served from 1951 to 1955.", text) == []
    assert [m.text for m in missing_figures("He served between 1951 and 1964.", text)] == ["1964"]
    assert [m.text for m in missing_figures("He won 27-27.", text)] == ["27"]


def test_digits_of_addresses_and_names_state_nothing() -> None:
    text = "See https://example.org/2079/13/4 for the two phases that are used."
    assert [m.text for m in missing_figures("There are thirteen phases.", text)] == ["thirteen"]
    assert missing_figures("OCT3/4 binds.", "Oct-3 binds.") == []


def test_two_negations_are_told_apart() -> None:
    text = "The council, with no members left, was a court."
    assert differs("The council, with no members left, was not a court.", text, "en") == "not"
    assert not differs("The council, with no members left, was a court.", text, "en")


def test_a_short_quote_is_not_held_to_the_measure_of_a_page() -> None:
    claim = "Vitamin D supplements lower the number of falls among elderly women."
    quote = "Falls were fewer in elderly women who took vitamin D."
    page = quote + " Nothing else was found." * 60
    assert examine(claim, quote).score > examine(claim, page).score


def test_names_are_found_by_their_capitals_where_these_tell_something() -> None:
    assert [n.text for n in find_names("The plan of Anna Schmidt failed: Money was short.")] == ["Anna", "Schmidt"]
    assert [n.text for n in find_names("Der Plan der Stadt für das NATO-Treffen war gut und nicht teuer.")] == [
        "NATO-Treffen"
    ]
    assert missing_names("It was Einstein who said it.", "It was Bohr who said it.") == ["Einstein"]


@pytest.mark.parametrize(
    ("claim", "sentence", "language"),
    [
        ("The agency recommended the vaccine.", "The agency did not recommend the vaccine.", "en"),
        ("The agency didn't recommend the vaccine.", "The agency did recommend the vaccine.", "en"),
        ("Prices increased in May.", "Prices decreased in May.", "en"),
        ("Der Rat hat den Plan nicht angenommen.", "Der Rat hat den Plan angenommen.", "de"),
        ("Le conseil n'a pas accepté le plan.", "Le conseil a accepté le plan.", "fr"),
        ("该疫苗没有效果。", "该疫苗有效果。", "zh"),
        ("ワクチンは効かない。", "ワクチンは効く。", "ja"),
    ],
)
def test_the_opposite_is_noticed(claim: str, sentence: str, language: str) -> None:
    assert differs(claim, sentence, language)
    assert not differs(claim, claim, language)


def test_a_negation_elsewhere_in_the_sentence_does_not_count() -> None:
    assert not differs(
        "The town grew.", "The town grew, though nobody had planned for this, and no wall was built.", "en"
    )


def test_a_claim_about_something_else_has_little_support() -> None:
    check = check_support("Penguins cannot fly but swim very well under water.", QUOTE)
    assert (check.verdict, check.stage, check.reason) == ("unsupported", "support", "little-support")


def test_the_score_orders_claims_by_how_much_the_text_says_of_them() -> None:
    whole = examine("Most people who died of malaria were in Africa.", QUOTE).score
    half = examine("Most people who died of malaria were poor farmers without access to nets.", QUOTE).score
    none = examine("Most farmers have no access to nets.", QUOTE).score
    assert whole > half > none


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("2021年疟疾病例达2.47亿。", "2021年全球疟疾病例约为2.47亿例。"),
        ("2021年のマラリアの症例は2億4700万件だった。", "マラリアの症例は2021年に2億4700万件に達した。"),
        ("2021년 말라리아 환자는 2억 4700만 명이었다.", "2021년 전 세계 말라리아 환자는 2억 4700만 명으로 추산된다."),
    ],
)
def test_east_asian_claims(claim: str, quote: str) -> None:
    assert check_support(claim, quote).verdict != "unsupported"
    assert (
        check_support(claim.replace("247", "274").replace("2.47", "2.74").replace("4700", "7400"), quote).stage
        == "numbers"
    )
