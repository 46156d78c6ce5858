"""Whether a claim says the opposite of a sentence that is otherwise the same: a negation more or less, or an antonym.

Meant for pairs that match closely; it compares the neighbourhood of shared words, so that a "not" in another clause of
a long sentence does not count.
"""

import re

from research_crew.evidence.folding import fold, terms
from research_crew.evidence.language import stop_words
from research_crew.evidence.stems import stem

_CUES = {
    "en": """
        not no never none neither nor without cannot nobody nothing nowhere hardly barely unable fails failed fail
        lack lacks lacked lacking
    """,
    "de": "nicht kein keine keinen keinem keiner keines nie niemals ohne weder noch nichts kaum",
    "fr": "pas jamais aucun aucune sans ni rien guere nul nulle",
    "es": "no nunca jamas sin ni ningun ninguna ninguno nada tampoco",
    "it": "non mai senza ne nessun nessuna nessuno niente nulla",
    "pt": "nao nunca jamais sem nem nenhum nenhuma nada",
    "nl": "niet geen nooit zonder noch niets nauwelijks",
    "ru": "не нет ни никогда без нельзя",
    "vi": "khong chua chang",
}
_CJK_CUES = re.compile("[不没沒无無非未]|ない|なかった|ません|ず(?=[、。に])|않|없|못|아니")
_NT = re.compile(r"\b(?P<verb>ca|wo|do|does|did|is|are|was|were|has|have|had|would|could|should|must|need)n['’]?t\b")
_OPPOSITES = """
    increase/decrease increase/reduce increase/decline rise/fall rose/fell higher/lower high/low more/less more/fewer
    before/after above/below positive/negative promote/inhibit induce/inhibit enhance/impair activate/inhibit
    upregulate/downregulate gain/loss win/lose won/lost first/last largest/smallest oldest/youngest maximum/minimum
    major/minor improve/worsen support/oppose accept/reject approve/reject allow/forbid include/exclude open/close
    begin/end start/end born/died north/south east/west male/female men/women upper/lower longer/shorter
    faster/slower better/worse best/worst early/late earlier/later older/younger greater/smaller most/least
    presence/absence present/absent sufficient/insufficient common/rare true/false success/failure import/export
    buy/sell expand/shrink strengthen/weaken accelerate/slow raise/lower
    steigen/sinken hoher/niedriger mehr/weniger grosste/kleinste vor/nach
    augmenter/diminuer plus/moins aumentar/disminuir mayor/menor aumentare/diminuire
"""
_OPPOSITE_OF: dict[str, set[str]] = {}
for _pair in re.findall(r"\S+", _OPPOSITES):
    _one, _other = (stem(w) for w in _pair.split("/"))
    _OPPOSITE_OF.setdefault(_one, set()).add(_other)
    _OPPOSITE_OF.setdefault(_other, set()).add(_one)


def cue_positions(words: list[str], language: str) -> list[int]:
    """Indexes of negating words among folded words."""
    cues = _CUES.get(language, _CUES["en"]).split()
    return [i for i, w in enumerate(words) if w in cues]


def _words(text: str) -> list[str]:
    return terms(_NT.sub(lambda m: m["verb"] + " not", fold(text)))


def differs(claim: str, sentence: str, language: str) -> str:
    """What makes `claim` say the opposite of `sentence`: the word that is more, less or opposite; empty if nothing."""
    if language in ("ja", "zh", "ko"):
        marks, their_marks = _CJK_CUES.findall(claim), _CJK_CUES.findall(sentence)
        return str((marks or their_marks)[0]) if bool(marks) != bool(their_marks) else ""
    left, right = _words(claim), _words(sentence)
    ours, theirs = _near_shared(left, right, language), _near_shared(right, left, language)
    if bool(ours) != bool(theirs):
        return next(iter(ours or theirs)).partition(" ")[0]
    for mine, others in ((ours, theirs), (theirs, ours)):
        denied = {word for around in others.values() for word in around}
        for cue, around in mine.items():
            if not around & denied:
                return cue.partition(" ")[0]
    left_stems, right_stems = {stem(w) for w in left}, {stem(w) for w in right}
    for word in left:
        root = stem(word)
        for other in _OPPOSITE_OF.get(root, ()):
            if root not in right_stems and other in right_stems and other not in left_stems:
                return word
    return ""


def _near_shared(words: list[str], others: list[str], language: str) -> dict[str, frozenset[str]]:
    """Negating words (each with its place, so that two are told apart) and the shared words that they deny: the word
    before, and content words within four after them."""
    stops = stop_words(language)
    shared = {stem(w) for w in others if w not in stops}
    found: dict[str, frozenset[str]] = {}
    for i in cue_positions(words, language):
        around = words[max(i - 1, 0) : i] + words[i + 1 : i + 5]
        denied = frozenset(s for w in around if w not in stops and (s := stem(w)) in shared)
        if denied:
            found[f"{words[i]} {i}"] = denied
    return found
