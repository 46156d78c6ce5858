"""One key per page: what makes two addresses the same page, and the key of a file.

The key serves for comparing only; requests go to the address as it was given. Rules of "Sources" in the design:
tracking parameters, fragment, `www.`, trailing slash, default port and case of the host go; every other parameter
stays, sorted by name, since an order means nothing. Percent-encoding and dot segments are brought to the normal form
of RFC 3986, section 6.2.2, host names to their ASCII form (RFC 3490).
"""

import re
import unicodedata
from functools import lru_cache
from urllib.parse import quote, unquote, urlsplit

from research_crew.core.errors import InvalidInput

_TRACKING = re.compile(
    r"(?:utm|pk|piwik|mtm|matomo|hsa|ga)_[a-z_]+|at_(?:medium|campaign|custom\d)|(?:fb|g|d|y|tw|tt|msclk|li_fat_|rb_|irc|k)?clid"
    r"|msclkid|gclsrc|[gw]braid|gad_source|igsh(?:id)?|mc_[ce]id|_hs(?:enc|mi)|__hs(?:sc|tc|fp)|hsctatracking|mkt_tok"
    r"|oly_(?:anon|enc)_id|vero_(?:conv|id)|s_cid|sc_cid|cmpid|ref_(?:src|url)|_openstat|_g[al]|trk(?:campaign|info)?"
    r"|spm|scm|epik|srsltid|wt\.mc_id|ocid|cvid|guccounter|guce_[a-z_]+|wickedid|xtor",
    re.IGNORECASE,
)
_DEFAULT_PORTS = {"http": 80, "https": 443}
_UNRESERVED = "-._~"
_SAFE_PATH = "/!$&'()*+,;=:@%"


def _normal_percent(text: str, safe: str) -> str:
    """Decode what need not be encoded, encode the rest, in capitals."""
    kept = re.sub(
        "%([0-9A-Fa-f]{2})",
        lambda m: c if (c := chr(int(m[1], 16))).isascii() and (c.isalnum() or c in _UNRESERVED) else m[0].upper(),
        text,
    )
    return quote(kept, safe=safe)


def _without_dots(path: str) -> str:
    kept: list[str] = []
    for part in path.split("/"):
        if part == "..":
            if len(kept) > 1:
                kept.pop()
        elif part != ".":
            kept.append(part)
    return "/".join(kept)


def _host(name: str) -> str:
    host = unicodedata.normalize("NFKC", name).lower().rstrip(".")
    if not host.isascii():
        try:
            host = host.encode("idna").decode("ascii")
        except UnicodeError as error:
            raise InvalidInput("url", name, "its host name is not valid") from error
    if host.startswith("www.") and host.count(".") >= 2:
        host = host[4:]
    return f"[{host}]" if ":" in host else host


@lru_cache(maxsize=4096)
def canonical_url(url: str) -> str:
    """The key under which a page is known: equal for all addresses of one page that differ in nothing that matters.

    Raises InvalidInput for text that is no http or https address. An address without a scheme is read as https.
    """
    text = re.sub(r"[\t\r\n]", "", url.strip())
    if not re.match(r"[a-zA-Z][a-zA-Z0-9+.-]*:(?!\d)", text):
        text = "https://" + text.removeprefix("//")
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError as error:
        raise InvalidInput("url", url, "give a full address such as https://example.org/page") from error
    scheme = parts.scheme.lower()
    if scheme not in _DEFAULT_PORTS or not parts.hostname or " " in parts.hostname:
        raise InvalidInput("url", url, "give a full http or https address such as https://example.org/page")
    where = _host(parts.hostname)
    if port is not None and port != _DEFAULT_PORTS[scheme]:
        where += f":{port}"
    path = _without_dots(_normal_percent(parts.path, _SAFE_PATH)).rstrip("/")
    kept = sorted(
        (p for p in parts.query.split("&") if p and not _TRACKING.fullmatch(unquote(p.partition("=")[0]))),
        key=lambda p: p.partition("=")[0],
    )
    query = "&".join(_normal_percent(p, "/?!$'()*+,;=:@%[]") for p in kept)
    return f"{scheme}://{where}{path}" + (f"?{query}" if query else "")


def document_key(path: str, page: int | None = None) -> str:
    """The key of a file of the documents folder, or of one page of it: `file:reports/a.pdf#page=3`.

    `path` is relative to the folder; either kind of slash gives the same key. Raises InvalidInput when it is empty,
    absolute, or climbs out of the folder.
    """
    parts = [p for p in unicodedata.normalize("NFC", path).replace("\\", "/").split("/") if p not in ("", ".")]
    if not parts or path.startswith(("/", "\\")) or ".." in parts or re.match("[A-Za-z]:$", parts[0]):
        raise InvalidInput("path", path, "give it relative to the documents folder")
    return "file:" + "/".join(parts) + (f"#page={page}" if page is not None else "")
