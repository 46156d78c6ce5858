"""How much a source is worth before a word of it is read: strong, ordinary or weak.

Decided in code, from the kind of domain, the kind of document, whether it names a date and an author. A language model
may lower a tier (`lowered`), never raise it, since a page could otherwise talk its way up.

strong    official bodies, universities, peer-reviewed journals and their indexes, standards, courts, statistics
          offices, and primary documents (a person's own folder of files counts as that)
ordinary  newspapers with an imprint, encyclopedias, reference works, firms and societies writing about their own work
weak      content farms, question-and-answer and social sites, anonymous aggregators, shops, link lists, pages without
          date and author on hosts of which nothing is known
"""

import re
from typing import Literal
from urllib.parse import urlsplit

from research_crew.evidence.tier_domains import ORDINARY, STRONG, STRONG_SUFFIX, WEAK, WEAK_SUFFIX

Tier = Literal["strong", "ordinary", "weak"]
_ORDER: tuple[Tier, ...] = ("strong", "ordinary", "weak")

_ACADEMIC_HOST = re.compile(
    r"(?:^|\.)(?:edu|ac|uni|univ|edu\.[a-z]{2}|ac\.[a-z]{2})$|(?:^|\.)(?:uni|univ|tu|eth|hu|fh)-[a-z-]+\.|(?:^|\.)uni[a-z]{2,6}\.it$"
)
_ACADEMIC_NAME = re.compile(r"(?:^|\.)[a-z-]*univ(?:ersit[a-zé]*)?[a-z-]*\.[a-z.]{2,6}$")
_JOURNAL = re.compile(r"(?:^|\.)(?:journals?|proceedings|repositor(?:y|io|ium)|eprints|dspace|hal|arxiv|pubs)\.")
_PRIMARY_PATH = re.compile(
    r"/(?:doi|pmc|legislation|statutes?|eli|official-journal|rfc\d+|standards?|proceedings|treat(?:y|ies))(?:/|$)", re.I
)
_PERSONAL = re.compile(
    r"^/(?:forums?|threads?|viewtopic|questions|answers|users?|blogs?/user)(?:/|$)|(?:^|[-/])(?:coupons?|promo-codes?|top-\d+|best-\d+)",
    re.I,
)
_SHOP = re.compile(r"/(?:dp|gp/product|itm|cart|checkout)(?:/|$)")
"""An offer, whoever's name is above the shop."""
_FARM_HOST = re.compile(
    r"(?:^|[.-])(?:seo|coupon|cheap|essay|homework|casino|click|top10|bestof|buzz|viral|gossip)[a-z0-9-]*\.|\d{4,}\."
)
_FORUM_HOST = re.compile(r"^(?:forums?|community|answers|ask|boards?|groups?|wiki|blog|shop|store|coupons?)\.")


def _matches(host: str, names: frozenset[str]) -> bool:
    """Whether `host` is one of `names` or lies below one."""
    parts = host.split(".")
    return any(".".join(parts[i:]) in names for i in range(len(parts)))


def _suffixed(host: str, suffixes: frozenset[str]) -> bool:
    parts = host.split(".")
    return any(".".join(parts[-n:]) in suffixes for n in (1, 2, 3) if len(parts) > n) or host in suffixes


def tier_of(
    url: str | None = None,
    *,
    path: str | None = None,
    author: str | None = None,
    published: str | None = None,
    content_type: str | None = None,
) -> Tier:
    """The tier of a page (`url`) or of a file of the person's own folder (`path`, which is strong: they chose it).

    `author`, `published` and `content_type` are what is known of the document; each may be missing. Of a host of which
    nothing is known a page is ordinary if it is dated or signed, or is a paged document (PDF), and weak otherwise.
    """
    if url is None:
        return "strong" if path else "weak"
    try:
        parts = urlsplit(url if "://" in url else "https://" + url)
        host = (parts.hostname or "").removeprefix("www.")
    except ValueError:  # no address at all, such as half an IPv6 one
        return "weak"
    if not host:
        return "weak"
    # A home page below a university is its owner's own word, not the university's.
    if _matches(host, WEAK) or parts.path.startswith("/~") or _SHOP.search(parts.path):
        return "weak"
    if _matches(host, STRONG):
        return "strong"
    if _matches(host, ORDINARY):
        return "ordinary"
    if _FARM_HOST.search(host) or _suffixed(host, WEAK_SUFFIX):
        return "weak"
    if (
        _suffixed(host, STRONG_SUFFIX)
        or _ACADEMIC_HOST.search(host)
        or _ACADEMIC_NAME.search(host)
        or _JOURNAL.search(host)
    ):
        return "ordinary" if _PERSONAL.search(parts.path) or _FORUM_HOST.match(host) else "strong"
    if _PRIMARY_PATH.search(parts.path):
        return "strong"
    if _PERSONAL.search(parts.path) or _FORUM_HOST.match(host):
        return "weak"
    paged = parts.path.lower().endswith(".pdf") or (content_type or "").split(";")[0].strip() == "application/pdf"
    return "ordinary" if author or published or paged else "weak"


def lowered(current: Tier, proposed: str) -> Tier:
    """The lower of the two tiers; what is no tier changes nothing. This is all that a model may do."""
    if proposed not in _ORDER:
        return current
    return _ORDER[max(_ORDER.index(current), _ORDER.index(proposed))]
