"""Text as the numbers that BERT's embedding models read: word pieces of the uncased vocabulary.

The procedure is that of BERT's own tokenizer (Devlin et al. 2019; google-research/bert, tokenization.py): controls out,
CJK characters apart, accents and case off, punctuation apart, then the longest piece that the vocabulary has, again and
again. Sixty lines here spare a package that brings a client for a model hub with it; a test holds them against that
package's tokenizer. The vocabulary lies beside this file with its licence.
"""

import gzip
import unicodedata
from functools import lru_cache
from importlib.resources import files

UNKNOWN, BEGIN, END = 100, 101, 102
MOST_TOKENS = 256
"""Longest text of the model, the marks at its ends among them; the rest is cut off."""
_LONGEST_WORD = 100
_CJK = (
    (0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F), (0x2B920, 0x2CEAF),
    (0xF900, 0xFAFF), (0x2F800, 0x2FA1F),
)  # fmt: skip
"""Blocks whose characters are words of their own."""


@lru_cache(maxsize=1)
def vocabulary() -> dict[str, int]:
    """Piece → number."""
    packed = (files("research_crew") / "documents" / "minilm" / "vocab.txt.gz").read_bytes()
    return {piece: number for number, piece in enumerate(gzip.decompress(packed).decode().splitlines())}


def token_ids(text: str, most: int = MOST_TOKENS) -> list[int]:
    """The numbers of a text, between the marks of its beginning and its end, at most `most`."""
    found = [BEGIN]
    # A piece has at least one character, but blanks and marks have none: no need to look at a whole book.
    for word in _words(text[: most * 40]):
        found += _pieces(word)
        if len(found) >= most - 1:
            break
    return [*found[: most - 1], END]


def _words(text: str) -> list[str]:
    """Words, and signs of punctuation each on its own, in lower case without accents."""
    plain = "".join(_cleaned(c) for c in text)
    bare = "".join(c for c in unicodedata.normalize("NFD", plain) if unicodedata.category(c) != "Mn").lower()
    return "".join(f" {c} " if _is_punctuation(c) else c for c in bare).split()


@lru_cache(maxsize=4_096)
def _cleaned(c: str) -> str:
    if c.isspace() or c in "\t\n\r":
        return " "
    code = ord(c)
    if code in (0, 0xFFFD) or unicodedata.category(c).startswith("C"):
        return ""
    return f" {c} " if any(low <= code <= high for low, high in _CJK) else c


@lru_cache(maxsize=4_096)
def _is_punctuation(c: str) -> bool:
    # BERT counts every ASCII sign that is neither letter, digit nor blank.
    return (c.isascii() and not c.isalnum() and not c.isspace()) or unicodedata.category(c).startswith("P")


@lru_cache(maxsize=50_000)
def _pieces(word: str) -> tuple[int, ...]:
    """The longest known piece from the left, and so on; one unknown for a word that cannot be cut so."""
    if len(word) > _LONGEST_WORD:
        return (UNKNOWN,)
    known = vocabulary()
    found: list[int] = []
    start = 0
    while start < len(word):
        mark = "##" if start else ""
        end = next((end for end in range(len(word), start, -1) if mark + word[start:end] in known), 0)
        if not end:
            return (UNKNOWN,)
        found.append(known[mark + word[start:end]])
        start = end
    return tuple(found)
