"""Word lists by which `sentences` tells a full stop that ends something from one that does not."""


def _words(text: str) -> frozenset[str]:
    return frozenset(w for w in text.split() if w)


ABBREVIATIONS = (
    # English titles and references
    _words("""
        mr mrs ms dr prof rev hon sr jr st mt ft gen col lt sgt capt cmdr adm gov sen rep pres supt vs no nos vol fig
        figs eq eqs ch sec art pp p cf al approx dept est inc ltd co corp bros univ assn ave blvd rd jan feb mar apr
        jun jul aug sep sept oct nov dec mon tue wed thu fri sat sun e.g i.e a.m p.m ph.d etc
    """)
    # German
    | _words("""
        bzw ca bspw evtl ggf inkl exkl mio mrd nr str tel usw vgl z.b d.h u.a o.ä s.o u.ä z.t i.d.r hr fr abs aufl bd
        hrsg jh jhd geb gest zzgl sog
    """)
    # French, Spanish, Italian, Portuguese, Dutch
    | _words("""
        mme mlle mm env éd chap sra srta dra ud uds núm pág págs p.ej ee.uu av avda dott sig sigg ecc pag cap n.b dtt
        exmo ilmo vossa dhr mw mevr bijv nl blz o.a m.b.t enz
    """)
)
"""Lower case, without the last dot."""

ENDING = _words("etc usw ecc enz a.m p.m ph.d inc ltd co corp jr sr al")
"""Abbreviations that may close a sentence: they do when a capital follows."""

ALSO_WORDS = _words("no sun mar art co str sat fig gen col est nl mm cap")
"""Abbreviations that are words as well: before a word that begins sentences they end one."""

STARTERS = _words("""
    the a an in on at it he she they we this that these those but and however its his her their our there when while
    after before if as for from by with der die das ein eine er sie es wir im am le la les un une il elle el los las una
""")
"""Words that begin a sentence more often than they go on with a name."""

MONTHS_AFTER_ORDINAL = _words("""
    januar februar märz april mai juni juli august september oktober november dezember jänner januari februari maart
    mei augustus october december
""")
"""Months of the languages that write a day as "3."."""
