"""Which language a text is in, by script first and function words second; and the function words themselves.

No model and no table of n-grams: a question or a paragraph carries enough function words to tell the eight Latin-script
languages below apart, and every other language here is told by its script. A wrong guess costs little (stop words of
the wrong language stay in a query), so the default for Latin text without evidence is English.
"""

import re
import unicodedata
from functools import cache, lru_cache

_WORDS = {
    "en": """
        a about above after again against all also am an and any are as at be because been before being below
        between both but by can could did do does doing down during each few for from further had has have
        having he her here hers him his how i if in into is it its itself just me more most my no nor not of off
        on once only or other our ours out over own same she should so some such than that the their theirs them
        then there these they this those through to too under until up upon us very was we were what when where
        which while who whom whose why will with would you your s t d ll re ve m don didn doesn isn wasn aren
    """,
    "de": """
        aber alle allem allen aller alles als also am an andere anderen auch auf aus bei beim bin bis bist da
        damit dann das dass dein dem den denn der des dich die dies diese diesem diesen dieser dieses doch dort
        du durch ein eine einem einen einer eines er es etwas euch für gegen gewesen hab habe haben hat hatte
        hatten hier hin hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im in indem ins ist ja jede jedem
        jeden jeder jedes jener kann kein keine können könnte machen man manche mein mich mir mit muss nach
        nicht nichts noch nun nur ob oder ohne sehr sein seine seinem seinen seiner selbst sich sie sind so
        solche soll sondern sonst über um und uns unser unter viel vom von vor war waren warum was weil welche
        welchem welchen welcher welches wenn wer werde werden wie wieder will wir wird wo wollen worden wurde
        wurden zu zum zur zwar zwischen
    """,
    "fr": """
        à ai ainsi alors après as au aucun aussi autre aux avec avoir avait avant c ce ceci cela celle celles
        celui ces cet cette ceux chaque chez comme comment d dans de depuis des donc dont du elle elles en
        encore entre est et était étaient été être eu eux faire fait fut furent il ils j je jusque l la laquelle
        le lequel les lesquels leur leurs lors lui m ma mais me même mes moi mon n ne ni nos notre nous on ont
        où ou par parce pas pendant peu peut plus pour pourquoi qu quand que quel quelle quelles quels qui quoi
        s sa sans se sera ses si son sont sous sur ta te tes ton tous tout toute toutes très tu un une vers vos
        votre vous y
    """,
    "es": """
        a al algo algunas algunos ante antes aquel aquella aquellos así aún aunque bajo bien cada casi como cómo
        con contra cual cuál cuales cuándo cuando cuanto de del desde donde dónde dos durante e el él ella ellas
        ellos en entre era eran es esa esas ese eso esos esta está estaba están estas este esto estos fue fueron
        ha había han hasta hay la las le les lo los más me mi mientras mis mucho muy nada ni no nos nosotros o
        os otra otro otros para pero poco por porque pues que qué quien quién quienes se sea según ser si sí
        sido sin sobre son su sus también tan tanto te tiene tienen todo todos tras tu tus un una uno unos usted
        y ya yo
    """,
    "it": """
        a abbiamo ad agli ai al alcuni alla alle allo anche ancora avere aveva c che chi ci cioè come con contro
        cosa cosi così cui d da dagli dai dal dalla dalle dallo degli dei del della delle dello dentro di dopo
        dove due e è ed era erano essere fa fino fra fu furono gli ha hanno i il in io l la le lei li lo loro
        lui ma me mentre mi mio molto ne negli nei nel nella nelle nello noi non nostro o ogni oltre per perché
        però più poi prima proprio qual quale quali quando quanto quella quelle quelli quello questa queste
        questi questo qui se sei senza si sia sono sopra sotto stata stati stato su sua sue sugli sui sul sulla
        sulle suo suoi tra tu tutti tutto un una uno verso vi voi
    """,
    "pt": """
        a ao aos aquela aquele aqueles as às até com como cada contra da das de dela dele deles depois desde do
        dos durante e é ela elas ele eles em entre era eram essa essas esse esses esta está estão estas este
        estes eu foi foram há isso isto já lhe lhes mais mas me mesmo meu minha muito na não nas nem no nos nós
        nossa nosso num numa o onde os ou outra outro para pela pelas pelo pelos pode por porque qual quais
        quando quanto que quê quem são se sem ser será seu seus si sido sob sobre só sua suas também te tem têm
        teve tinha toda todas todo todos tu um uma umas uns você
    """,
    "nl": """
        aan al alle als altijd andere ben bij binnen daar dan dat de deze die dit doch doen door dus een eens en
        er ge geen geweest haar had hadden heb hebben heeft hem het hier hij hoe hun iemand iets ik in is ja je
        kan kon kunnen maar me meer men met mij mijn moet na naar niet niets nog nu of om omdat onder ons ook op
        over reeds te tegen toch toen tot tussen u uit uw van veel vanaf voor want waar waarom waren was wat we
        wel welke werd werden wie wij wil worden wordt zal ze zei zelf zich zij zijn zo zonder zou
    """,
    "vi": """
        là và của các có được cho trong không một những với người đã này khi đến từ về như để ra vào cũng năm
        tại hay nhiều theo bị nào gì sao thế trên sau trước nhưng vì nếu thì mà do đó đang sẽ rất ở bởi ai đâu
        bao nhiêu bằng
    """,
    "ru": """
        а бы был была были было быть в вам вас весь во вот все всё вы где да для до его ее её если есть еще ещё
        же за и из или им их к как какая какие какой ко когда кто ли мы на над не него нее неё нет ни но о об
        однако он она они оно от очень по под при с со так также такой там то тоже только тот ты у уже чего чем
        что чтобы эта эти это этот я
    """,
    "zh": """
        的 了 和 是 在 有 也 就 都 而 及 与 着 或 一个 没有 我们 你们 他们 它们 这个 那个 这些 那些 什么 怎么
        为什么 哪些 哪个 因为 所以 但是 如果 以及 之间 关于 对于 可以 如何 多少 是否 还是 已经
    """,
    "ja": """
        何 の は が を に へ と で も や か から まで より これ それ あれ この その どの
    """,
    "ko": """
        이 그 저 것 수 등 및 또는 그리고 그러나 무엇 어떤 어느 언제 어디 누구 왜 어떻게 있다 하다 이다 있는 하는
    """,
}

LATIN = ("en", "de", "fr", "es", "it", "pt", "nl", "vi")

_SCRIPTS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("kana", re.compile("[\u3041-\u30ff\u31f0-\u31ff\uff66-\uff9f]")),
    ("han", re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002fa1f]")),
    ("ko", re.compile("[\u1100-\u11ff\u3130-\u318f\uac00-\ud7af]")),
    ("cyrillic", re.compile("[\u0400-\u052f]")),
    ("arabic", re.compile("[\u0620-\u064a\u0671-\u06d3\u0750-\u077f\ufb50-\ufdff\ufe70-\ufeff]")),
    ("th", re.compile("[\u0e01-\u0e3a\u0e40-\u0e4e]")),
    ("el", re.compile("[\u0370-\u03ff\u1f00-\u1fff]")),
    ("he", re.compile("[\u05d0-\u05ea]")),
    ("hi", re.compile("[\u0904-\u0939]")),
    ("latin", re.compile("[A-Za-z\u00c0-\u024f\u1e00-\u1eff]")),
)

_DENSE = frozenset({"kana", "han", "ko"})
"""Scripts in which one character says about as much as three Latin letters."""

_SAMPLE = 4000
"""Characters looked at; a page's first screens settle it."""

_VIETNAMESE = re.compile("[ăđơưạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ]")


def _without_accents(word: str) -> str:
    decomposed = unicodedata.normalize("NFKD", word.casefold())
    return unicodedata.normalize("NFC", "".join(c for c in decomposed if not "\u0300" <= c <= "\u036f"))


@cache
def stop_words(language: str) -> frozenset[str]:
    """Function words of a language (ISO 639-1), with accents and folded; empty for a language that is not listed."""
    words = _WORDS.get(language, "").split()
    return frozenset(words) | frozenset(_without_accents(w) for w in words)


@cache
def _rarity() -> dict[str, dict[str, float]]:
    """For each Latin-script language, word -> weight; a word that three languages share counts a third."""
    shared: dict[str, int] = {}
    lists = {code: frozenset(_WORDS[code].split()) for code in LATIN}
    for words in lists.values():
        for word in words:
            shared[word] = shared.get(word, 0) + 1
    return {code: {word: 1 / shared[word] for word in words} for code, words in lists.items()}


@cache
def _weights() -> dict[str, tuple[tuple[str, float], ...]]:
    """Word → its weight for each language that has it: most words of a text are in no list at all."""
    found: dict[str, list[tuple[str, float]]] = {}
    for code, weights in _rarity().items():
        for word, weight in weights.items():
            found.setdefault(word, []).append((code, weight))
    return {word: tuple(pairs) for word, pairs in found.items()}


def latin_scores(text: str) -> dict[str, float]:
    """How much the function words of a text speak for each Latin-script language."""
    words = re.findall(r"[^\W\d_]+", text.lower())
    scores = dict.fromkeys(LATIN, 0.0)
    known = _weights()
    for word in words:
        for code, weight in known.get(word, ()):
            scores[code] += weight
    scores["vi"] += 0.7 * len(_VIETNAMESE.findall(text.lower()))
    return scores


def script_counts(text: str) -> dict[str, int]:
    """How many letters of each script a text has; a dense script counts three for each."""
    return {name: len(pattern.findall(text)) * (3 if name in _DENSE else 1) for name, pattern in _SCRIPTS}


@lru_cache(maxsize=512)
def _latin_language(sample: str) -> str:
    """Remembered for the texts asked about last: each of several checks wants to know it of the same page."""
    scores = latin_scores(sample)
    best = max(scores.values(), default=0.0)
    if best <= 0 or scores["en"] == best:
        return "en"
    return next(code for code in LATIN if scores[code] == best)


def detect_language(text: str) -> str:
    """The language of `text` as an ISO 639-1 code; "en" when nothing tells.

    Script decides first (kana is Japanese, Han without kana Chinese, Hangul Korean, Cyrillic Russian or, with its own
    letters, Ukrainian, …); Latin script goes by function words, each weighted by how few of the languages share it.
    """
    sample = text[:_SAMPLE]
    if not sample.isascii():
        counts = script_counts(sample)
        counts["cjk"] = counts["kana"] + counts["han"]
        kana, han = counts.pop("kana"), counts.pop("han")
        script = max(counts, key=lambda name: counts[name])
        if counts[script] and script != "latin":
            match script:
                case "cjk":
                    return "ja" if kana and kana * 20 >= han else "zh"
                case "cyrillic":
                    return "uk" if re.search("[іїєґІЇЄҐ]", sample) else "ru"
                case "arabic":
                    return "fa" if re.search("[پچژگ]", sample) else "ar"
                case _:
                    return script
    return _latin_language(sample)
