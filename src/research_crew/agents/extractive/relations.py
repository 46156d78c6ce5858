"""Words by which questions ask and texts answer: "director" in a question is "directed by" in a text.

A small table of common relations, the same kind in each language; a word of a row stands for all of it. It makes no
use of any question set.
"""

from functools import cache

from research_crew.agents.extractive.terms import key_terms
from research_crew.evidence.folding import fold

_ROWS = {
    "en": """
        director directed direct
        spouse wife husband married marry marriage widow
        father son daughter child children parent
        mother son daughter child children parent
        sibling brother sister
        grandfather grandmother father mother grandson granddaughter
        born birth birthplace birthday native
        died death dead dies buried killed
        performer performed singer sang sung song album band artist recorded
        author written wrote writer novel book
        actor actress starring starred played plays portrayed cast role voiced voices
        producer produced
        composer composed music
        employer employed worked works professor
        manufacturer manufactured company made built developed maker
        owner owned owns acquired bought
        founder founded established formed created creator
        located location situated lies in county state country city
        capital seat
        educated education studied school university attended graduated
        team club played player league
        publisher published
        nationality citizen citizenship country
        population inhabitants
        language spoken speaks
        winner won wins award prize
        leader led ruled ruler king queen president
        released release premiered
        older younger born age
        cost price costs
    """,
    "de": """
        regisseur regie regisseurin inszenierte gedreht
        ehefrau ehemann frau mann verheiratet heiratete gatte gattin
        vater mutter sohn tochter kind kinder eltern
        bruder schwester geschwister
        geboren geburt geburtsort geburtstag
        gestorben starb tod verstorben begraben
        sänger sängerin interpret lied album band aufgenommen
        autor autorin verfasser schrieb geschrieben roman buch
        schauspieler schauspielerin spielte gespielt rolle darsteller
        produzent produzierte produziert
        komponist komponierte komponiert musik
        gründer gegründet gründete gründung
        liegt gelegen befindet land stadt kreis
        hauptstadt sitz
        studierte studium schule universität besuchte
        einwohner bevölkerung
        erschien veröffentlicht verlag
        gewann gewinner preis
    """,
    "fr": """
        réalisateur réalisatrice réalisé réalise film
        épouse époux mari femme marié mariée épousa
        père mère fils fille enfant enfants parents
        frère sœur
        né née naissance naquit
        mort morte décédé décès mourut enterré
        chanteur chanteuse interprète chanson album groupe
        auteur autrice écrit écrivit écrivain roman livre
        acteur actrice joue joué rôle interprété
        producteur produit
        compositeur composé musique
        fondateur fondé fondée fonda créé création
        situé située trouve pays ville
        capitale siège
        étudia études école université
        habitants population
        publié sorti parution éditeur
        gagné gagnant prix lauréat
    """,
    "es": """
        director directora dirigida dirigido dirigió
        esposa esposo marido mujer casado casada casó
        padre madre hijo hija hijos padres
        hermano hermana
        nacido nacida nació nacimiento
        murió muerte fallecido falleció enterrado
        cantante intérprete canción álbum grupo banda
        autor autora escrito escribió escritor novela libro
        actor actriz interpretado interpretó papel
        productor producida produjo
        compositor compuso música
        fundador fundada fundado fundó creado creó
        situado situada ubicado ubicada país ciudad
        capital sede
        estudió estudios escuela universidad
        habitantes población
        publicado publicó estrenada editorial
        ganó ganador premio
    """,
    "zh": """
        导演 執導 执导
        妻子 丈夫 配偶 结婚 嫁给
        父亲 母亲 儿子 女儿 孩子 之子 之女
        兄弟 姐妹 哥哥 弟弟 姐姐 妹妹
        出生 生于 诞生 出生地
        去世 逝世 死于 死亡 卒于
        歌手 演唱 歌曲 专辑 乐队
        作者 作家 撰写 写作 小说 著作
        演员 主演 饰演 扮演 出演
        制片 监制 制作
        作曲 音乐 谱曲
        创始人 创立 成立 创办 建立
        位于 坐落 国家 城市
        首都 首府 省会
        毕业 学习 大学 学校
        人口 居民
        出版 发行 上映
        获奖 获得 奖项
    """,
    "ja": """
        監督
        妻 夫 配偶者 結婚
        父 母 息子 娘 子供 父親 母親
        兄弟 姉妹
        出身 生まれ 誕生 生誕
        死去 死亡 亡くな 没年
        歌手 楽曲 アルバム バンド
        作者 著者 作家 執筆 小説 著書
        俳優 女優 主演 出演
        製作 プロデューサー
        作曲 音楽
        創業 創設 設立 創立 創業者
        位置 所在 国 都市
        首都 県庁所在地
        卒業 大学 学校
        人口 住民
        出版 発売 公開
        受賞 獲得
    """,
}


@cache
def _rows(language: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(map(fold, row.split())) for row in _ROWS.get(language, "").splitlines() if row.strip())


@cache
def _stems(language: str) -> tuple[frozenset[str], ...]:
    return tuple(frozenset(t for word in row for t in key_terms(word, language)) for row in _rows(language))


def related_terms(terms: frozenset[str], language: str) -> dict[str, frozenset[str]]:
    """For each of these stems the stems of all words that ask or answer the same, itself apart."""
    found: dict[str, frozenset[str]] = {}
    for term in terms:
        others: frozenset[str] = frozenset().union(*(row for row in _stems(language) if term in row))
        if others - {term}:
            found[term] = others - {term}
    return found
