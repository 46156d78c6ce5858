"""Words that are numbers, and words that multiply one, in the languages this package reads.

Folded forms (see `folding.fold`). Ordinals stand for their number. "One" and its relatives are left out on purpose:
they are articles far more often than figures.
"""

from functools import cache

_UNITS = {
    "en": """
        zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
        seventeen eighteen nineteen
    """,
    "de": """
        null eins zwei drei vier funf sechs sieben acht neun zehn elf zwolf dreizehn vierzehn funfzehn sechzehn
        siebzehn achtzehn neunzehn
    """,
    "fr": """
        zero un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept
        dix-huit dix-neuf
    """,
    "es": """
        cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciseis
        diecisiete dieciocho diecinueve
    """,
    "it": """
        zero uno due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici
        sedici diciassette diciotto diciannove
    """,
    "pt": """
        zero um dois tres quatro cinco seis sete oito nove dez onze doze treze catorze quinze dezesseis
        dezessete dezoito dezenove
    """,
    "nl": """
        nul een twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien vijftien zestien
        zeventien achttien negentien
    """,
}
_TENS = {
    "en": """
        twenty thirty forty fifty sixty seventy eighty ninety
    """,
    "de": """
        zwanzig dreissig vierzig funfzig sechzig siebzig achtzig neunzig
    """,
    "fr": """
        vingt trente quarante cinquante soixante soixante-dix quatre-vingt quatre-vingt-dix
    """,
    "es": """
        veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa
    """,
    "it": """
        venti trenta quaranta cinquanta sessanta settanta ottanta novanta
    """,
    "pt": """
        vinte trinta quarenta cinquenta sessenta setenta oitenta noventa
    """,
    "nl": """
        twintig dertig veertig vijftig zestig zeventig tachtig negentig
    """,
}
_ORDINALS = {
    "en": """
        first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth
        fifteenth sixteenth seventeenth eighteenth nineteenth twentieth
    """,
    "de": """
        erste zweite dritte vierte funfte sechste siebte achte neunte zehnte
    """,
    "fr": """
        premier deuxieme troisieme quatrieme cinquieme sixieme septieme huitieme neuvieme dixieme
    """,
    "es": """
        primero segundo tercero cuarto quinto sexto septimo octavo noveno decimo
    """,
    "it": """
        primo secondo terzo quarto quinto sesto settimo ottavo nono decimo
    """,
    "nl": """
        eerste tweede derde vierde vijfde zesde zevende achtste negende tiende
    """,
}
_EXTRA = {
    "en": {"twice": 2, "dozen": 12},
    "de": {"dutzend": 12, "hundert": 100},
    "fr": {"douzaine": 12},
    "es": {"docena": 12, "cien": 100, "ciento": 100},
    "it": {"dozzina": 12, "cento": 100},
    "nl": {"dozijn": 12, "honderd": 100},
}
_JOINTS = {"de": "und", "nl": "en"}
"""What joins unit and ten in one word: fünf-und-zwanzig."""
_BEFORE_TEN = {"eins": "ein"}
_ARTICLES = ("one", "un", "uno", "um", "een")
"""Number words that are articles far more often."""

_FACTORS = {
    100: "hundred hundreds",
    1000: "thousand k thousands tausend mille mil duizend nghin",
    100000: "lakh",
    1e06: """
        million m mn mln millions millionen mio millon millones milione milioni milhao milhoes miljoen trieu
    """,
    1e07: "crore",
    1e09: """
        billion bn b billions milliarde milliarden mrd milliard milliards miliardo miliardi bilhao bilhoes
        miljard
    """,
    1e12: "trillion tn trillions billionen",
}
MULTIPLIERS = {word: float(factor) for factor, words in _FACTORS.items() for word in words.split()}
"""Folded word -> factor. "Billion" is read as 1e9 (English) except in its German plural."""

CJK_DIGITS = {
    "〇": 0,
    "零": 0,
    "一": 1,
    "二": 2,
    "两": 2,
    "兩": 2,
    "三": 3,
    "四": 4,
    "五": 5,
    "六": 6,
    "七": 7,
    "八": 8,
    "九": 9,
}
CJK_SMALL = {"十": 10, "百": 100, "千": 1000}
CJK_LARGE = {"万": 10**4, "萬": 10**4, "億": 10**8, "亿": 10**8, "兆": 10**12, "만": 10**4, "억": 10**8}


@cache
def number_words(language: str) -> dict[str, float]:
    """Folded cardinal -> value in one language; English for a language without a list."""
    code = language if language in _UNITS else "en"
    values = {word: float(value) for word, value in _EXTRA.get(code, {}).items()}
    units, tens = _UNITS[code].split(), _TENS[code].split()
    values.update({word: float(i) for i, word in enumerate(units)})
    values.update({word: float(20 + 10 * i) for i, word in enumerate(tens)})
    if joint := _JOINTS.get(code):
        for t, ten in enumerate(tens):
            for u, unit in enumerate(units[1:10], 1):
                values[f"{_BEFORE_TEN.get(unit, unit)}{joint}{ten}"] = float(20 + 10 * t + u)
    for word in _ARTICLES:
        values.pop(word, None)
    return values


@cache
def ordinal_words(language: str) -> dict[str, float]:
    """Folded ordinal -> its number."""
    return {word: float(i + 1) for i, word in enumerate(_ORDINALS.get(language, "").split())}


def is_number_word(term: str, language: str) -> bool:
    """Whether a folded term is a number, an ordinal or a multiplier in this language."""
    return term in number_words(language) or term in ordinal_words(language) or (term in MULTIPLIERS and len(term) > 3)
