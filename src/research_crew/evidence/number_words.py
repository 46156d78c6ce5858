"""Words that are numbers, and words that multiply one, in the languages this package reads.

Folded forms (see `folding.fold`). Ordinals stand for their number. "One" and its relatives are left out on purpose:
they are articles far more often than figures.
"""

from functools import cache

_UNITS = {
    "en": "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen",
    "de": "null eins zwei drei vier funf sechs sieben acht neun zehn elf zwolf dreizehn vierzehn funfzehn sechzehn "
    "siebzehn achtzehn neunzehn",
    "fr": "zero un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept "
    "dix-huit dix-neuf",
    "es": "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciseis diecisiete "
    "dieciocho diecinueve",
    "it": "zero uno due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici "
    "diciassette diciotto diciannove",
    "pt": "zero um dois tres quatro cinco seis sete oito nove dez onze doze treze catorze quinze dezesseis dezessete "
    "dezoito dezenove",
    "nl": "nul een twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien vijftien zestien zeventien "
    "achttien negentien",
}
_TENS = {
    "en": "twenty thirty forty fifty sixty seventy eighty ninety",
    "de": "zwanzig dreissig vierzig funfzig sechzig siebzig achtzig neunzig",
    "fr": "vingt trente quarante cinquante soixante soixante-dix quatre-vingt quatre-vingt-dix",
    "es": "veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa",
    "it": "venti trenta quaranta cinquanta sessanta settanta ottanta novanta",
    "pt": "vinte trinta quarenta cinquenta sessenta setenta oitenta noventa",
    "nl": "twintig dertig veertig vijftig zestig zeventig tachtig negentig",
}
_ORDINALS = {
    "en": "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth "
    "sixteenth seventeenth eighteenth nineteenth twentieth",
    "de": "erste zweite dritte vierte funfte sechste siebte achte neunte zehnte",
    "fr": "premier deuxieme troisieme quatrieme cinquieme sixieme septieme huitieme neuvieme dixieme",
    "es": "primero segundo tercero cuarto quinto sexto septimo octavo noveno decimo",
    "it": "primo secondo terzo quarto quinto sesto settimo ottavo nono decimo",
    "nl": "eerste tweede derde vierde vijfde zesde zevende achtste negende tiende",
}
_EXTRA = {"dozen": 12.0, "dutzend": 12.0, "douzaine": 12.0, "docena": 12.0, "twice": 2.0, "thrice": 3.0, "premiere": 1.0,
          "seconde": 2.0, "primera": 1.0, "segunda": 2.0, "tercera": 3.0, "seconda": 2.0, "cent": 100.0, "mil": 1000.0,
          "cien": 100.0, "cento": 100.0, "hundert": 100.0, "honderd": 100.0, "half": 0.5}  # fmt: skip

MULTIPLIERS: dict[str, float] = {
    "hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "k": 1e3, "m": 1e6, "mn": 1e6, "mln": 1e6,
    "bn": 1e9, "b": 1e9, "tn": 1e12, "lakh": 1e5, "crore": 1e7, "hundreds": 1e2, "thousands": 1e3, "millions": 1e6, "billions": 1e9,
    "trillions": 1e12, "tausend": 1e3, "millionen": 1e6, "mio": 1e6, "milliarde": 1e9, "milliarden": 1e9, "mrd": 1e9, "billionen": 1e12,
    "mille": 1e3, "milliard": 1e9, "milliards": 1e9, "mil": 1e3, "millon": 1e6, "millones": 1e6, "milione": 1e6, "milioni": 1e6,
    "miliardo": 1e9, "miliardi": 1e9, "milhao": 1e6, "milhoes": 1e6, "bilhao": 1e9, "bilhoes": 1e9, "miljoen": 1e6, "miljard": 1e9,
    "duizend": 1e3, "nghin": 1e3, "trieu": 1e6,
}  # fmt: skip
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
def number_words() -> dict[str, float]:
    """Folded word -> value, all languages together; compounds of English with a hyphen are left to the reader."""
    values: dict[str, float] = dict(_EXTRA)
    for table, first, step in ((_UNITS, 0, 1), (_TENS, 20, 10), (_ORDINALS, 1, 1)):
        for words in table.values():
            for i, word in enumerate(words.split()):
                values.setdefault(word, float(first + step * i))
    small = {
        "de": ("und", _UNITS["de"].split(), _TENS["de"].split()),
        "nl": ("en", _UNITS["nl"].split(), _TENS["nl"].split()),
    }
    for joint, units, tens in small.values():
        for t, ten in enumerate(tens):
            for u in range(1, 10):
                unit = "ein" if units[u] == "eins" else units[u]
                values.setdefault(f"{unit}{joint}{ten}", float(20 + 10 * t + u))
    for word in ("one", "un", "uno", "um", "een", "once", "sei", "second", "cent", "mil"):
        del values[word]  # articles, and words that mean something else in a neighbouring language
    return values


def is_number_word(term: str) -> bool:
    """Whether a folded term is a number or multiplies one."""
    return term in number_words() or (term in MULTIPLIERS and len(term) > 2)
