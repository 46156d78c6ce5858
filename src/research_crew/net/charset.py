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
# Letters that are frequent in running text, per encoding: what makes one reading of the same bytes more likely.
_COMMON = {
    "cp932": "のにはをたがでてとしれさいるなかもこすくまりけんあっ",
    "euc_jp": "のにはをたがでてとしれさいるなかもこすくまりけんあっ",
    "gb18030": "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年",
    "big5hkscs": "的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年",
    "cp949": "이다는을의에가고하지은를로한사어도기리나서그인자라있대해시스",
    "cp1251": "оеаинтсрвлкмдпуяыьгзбчйхжшю",
    "koi8_r": "оеаинтсрвлкмдпуяыьгзбчйхжшю",
    "cp1253": "αοιετνσρηπκμλυςάέίό",
    "cp1255": "יוהלארתבשמנכדחעםקפסגטן",
    "cp1256": "اليمونرتبةعدسفهكقحأجى",
    "cp874": "านรอกเงยมลวดทส่ต้ปบคิีแพ",
    "cp1250": "áéíóąćęłńśżźčďěňřšťůžőűäöüß",
    "cp1254": "ığşİçöü",
    "cp1252": "äöüßàâçéèêëîïôùûñáíóúåæøãõ",
}
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
    """The likeliest encoding of bytes that are not UTF-8, by the share of frequent letters in each reading."""
    sample = body[:_SAMPLE]
    beyond = sum(byte > 0x7F for byte in sample)
    best, best_score = "cp1252", 0.0
    for codec, common in _COMMON.items():
        text = sample.decode(codec, "replace")
        if text.count("\ufffd") > max(1, beyond // 50):
            continue
        frequent, letters = set(common), [c for c in text if not c.isascii()]
        hits = sum(c in frequent or c.lower() in frequent for c in letters)
        strange = sum(unicodedata.category(c) in ("Cc", "Co", "Cn") for c in letters)
        # A capital inside a word is what Cyrillic in the wrong one of its encodings looks like.
        inner = sum(a.islower() and b.isupper() for a, b in itertools.pairwise(text) if not b.isascii())
        score = (hits - 3 * strange - inner) / max(1, len(letters))
        if score > best_score:
            best, best_score = codec, score
    return best


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
