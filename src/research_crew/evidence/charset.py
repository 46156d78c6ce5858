"""Bytes to text without mojibake: byte order mark, header, meta, then detection.

Labels mean what the WHATWG Encoding standard says they mean (`iso-8859-1` is windows-1252, `gb2312` is gb18030). A
body that is valid UTF-8 with at least one character beyond ASCII is UTF-8, whatever its header says: text of another
encoding is practically never valid UTF-8 by chance, and the wrong header is the commonest fault there is.
"""

import codecs
import itertools
import re
import unicodedata

_LABELS = {
    "ascii": "cp1252", "us-ascii": "cp1252", "iso-8859-1": "cp1252", "iso8859-1": "cp1252", "latin1": "cp1252",
    "latin-1": "cp1252", "windows-1252": "cp1252", "gb2312": "gb18030", "gbk": "gb18030", "x-gbk": "gb18030",
    "shift_jis": "cp932", "shift-jis": "cp932", "sjis": "cp932", "x-sjis": "cp932", "windows-31j": "cp932",
    "ks_c_5601-1987": "cp949", "euc-kr": "cp949", "iso-8859-9": "cp1254", "latin5": "cp1254",
    "big5": "big5hkscs", "tis-620": "cp874", "iso-8859-11": "cp874", "unicode-1-1-utf-8": "utf-8", "utf8": "utf-8",
    "x-user-defined": "cp1252", "macintosh": "mac_roman",
}  # fmt: skip
_BOMS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
_META = re.compile(rb"<meta[^>]{0,500}?charset\s*=\s*[\"']?\s*([a-z0-9_:.-]{2,40})", re.I)
_XML = re.compile(rb"<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([a-z0-9_:.-]{2,40})", re.I)
# Characters that are frequent in running text, per encoding: what makes one reading of the same bytes likelier than
# another. Of the thousands of characters of the first group a few dozen make up a quarter of any text.
_WIDE = {
    "cp932": "のにはをたがでてとしれさいるなかもこすくまりけんあっ",
    "euc_jp": "のにはをたがでてとしれさいるなかもこすくまりけんあっ",
    "gb18030": "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年",
    "big5hkscs": "的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年",
    "cp949": "이다는을의에가고하지은를로한사어도기리나서그인자라있대해시스",
}
_NARROW = {
    "cp1252": "äöüßàâçéèêëîïôùûñáíóúåæøãõ",
    "cp1250": "áéíóąćęłńśżźčďěňřšťůžőűäöüß",
    "cp1254": "ığşİçöü",
    "cp1251": "оеаинтсрвлкмдпуяыьгзбчйхжшю",
    "koi8_r": "оеаинтсрвлкмдпуяыьгзбчйхжшю",
    "cp1253": "αοιετνσρηπκμλυςάέίό",
    "cp1255": "יוהלארתבשמנכדחעםקפסגטן",
    "cp1256": "اليمونرتبةعدسفهكقحأجى",
    "cp874": "านรอกเงยมลวดทส่ต้ปบคิีแพ",
}
_LEAST_COMMON = 0.12
_PAGES = re.compile(r"(cp\d+|iso8859-\d+|iso2022.*|koi8.*|gb.*|hz|big5.*|euc.*|johab|mac.*|tis-620|utf-(8|16|32).*)\Z")
_SAMPLE = 20_000


def decode(body: bytes, declared: str | None, *, markup: bool) -> tuple[str, str, tuple[str, ...]]:
    """Text, the name of the codec that read it, and what a person should know.

    `declared` is the charset of the Content-Type field; `markup` says that a meta element or an XML declaration may
    name another. Never raises: bytes that no encoding explains become U+FFFD, and a note says so.
    """
    for mark, codec in _BOMS:
        if body.startswith(mark):
            return body.decode(codec, "replace"), codec.removesuffix("-sig"), ()
    labels = (declared, *(_in_markup(body) if markup else ()))
    named = [known for label in labels if (known := python_codec(label))]
    if "utf-16" in " ".join(named) or b"\0" in body[:200]:
        wide = "utf-16-be" if body[:1] == b"\0" else "utf-16-le"
        return body.decode(wide, "replace"), wide, ()
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        pass
    else:
        # A stateful encoding (iso-2022-jp) is all ASCII on the wire, so a name that was given counts there.
        stateful = [codec for codec in named if codec.startswith("iso2022") and b"\x1b" in body]
        if stateful:
            return body.decode(stateful[0], "replace"), stateful[0], ()
        wrong = named and named[0] not in ("utf-8", "cp1252") and not text.isascii()
        return text, "utf-8", (f"declared as {named[0]}, read as utf-8",) if wrong else ()
    for name in named:
        if name != "utf-8" and (strict := _strictly(body, name)) is not None:
            return strict, name, ()
    if "utf-8" in named:
        # A few broken bytes (a text cut in the middle of a character) do not make it another encoding.
        text = body.decode("utf-8", "replace")
        if text.count("\ufffd") * 200 < max(400, sum(not c.isascii() for c in text)):
            return text, "utf-8", ("some bytes could not be read",)
    codec = detect(body)
    text = body.decode(codec, "replace")
    notes = [f"encoding detected as {codec}"]
    if "\ufffd" in text:
        notes.append("some bytes could not be read")
    return text, codec, tuple(notes)


def python_codec(label: str | None) -> str | None:
    """Python's name of the encoding that a label means; None for none or an unknown one."""
    if not label:
        return None
    name = label.strip().strip("\"'").lower()
    try:
        codec = codecs.lookup(_LABELS.get(name, name)).name
    except (LookupError, ValueError):
        return None
    # Python also knows transforms (rot13, base64) and escapes that are no encodings of pages, and utf-7, which the
    # standard forbids.
    return codec if _PAGES.match(codec) else None


def detect(body: bytes) -> str:
    """The likeliest encoding of bytes that are not UTF-8, by the share of frequent characters in each reading."""
    sample = body[:_SAMPLE]
    wide = {codec: _share(sample, codec, common) for codec, common in _WIDE.items()}
    best = max(wide, key=lambda codec: wide[codec])
    if wide[best] >= _LEAST_COMMON:
        return best
    narrow = {codec: _share(sample, codec, common) for codec, common in _NARROW.items()}
    best = max(narrow, key=lambda codec: narrow[codec])  # the first of equals: windows-1252
    return best if narrow[best] > 0 else "cp1252"


def _share(sample: bytes, codec: str, common: str) -> float:
    """The share of frequent characters among those beyond ASCII, less what speaks against this reading."""
    text = sample.decode(codec, "replace")
    letters = [c for c in text if not c.isascii()]
    if not letters or text.count("\ufffd") > max(1, len(letters) // 50):
        return 0.0
    frequent, latin = set(common), codec in ("cp1252", "cp1250", "cp1254")
    against = sum(unicodedata.category(c) in ("Cc", "Co", "Cn") for c in letters) * 3
    for one, two in itertools.pairwise(text):
        # A capital inside a word is what Cyrillic in the wrong encoding looks like; a Hebrew letter between Latin
        # ones is a French one in the wrong encoding.
        mixed = one.isalpha() and two.isalpha() and one.isascii() != two.isascii()
        against += (mixed and not latin and codec not in _WIDE) or (one.islower() and two.isupper() and not two.isascii())
    return (sum(c in frequent or c.lower() in frequent for c in letters) - against) / len(letters)


def _in_markup(body: bytes) -> tuple[str, ...]:
    head = body[:4_096]
    found = _XML.search(head) or _META.search(head)
    return (found[1].decode("ascii"),) if found else ()


def _strictly(body: bytes, codec: str) -> str | None:
    try:
        text = body.decode(codec)
    except UnicodeDecodeError:
        # Windows-1252 leaves five bytes undefined; browsers read them as controls, we as unknown.
        if codec.startswith("cp125"):
            text = body.decode(codec, "replace")
            return text if text.count("\ufffd") * 50 <= len(text) // 10 else None
        return None
    return text
