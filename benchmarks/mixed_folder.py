"""A folder of 1,000 files of every kind, 50 of them broken in many ways: what is read, what is not, and how fast.

    python benchmarks/mixed_folder.py [--files 1000] [--keep DIR]

Marks: every good file is read and found by a word that only it holds; every broken one ends in its own state; a second
run parses nothing. Ends with 1 when one of them is missed. Progress stands on standard error.
"""

import argparse
import json
import os
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent / "tests"
sys.path.insert(0, str(TESTS))

from documents_made import docx_of, epub_of, pdf_of, pptx_of, xlsx_of, zip_of  # noqa: E402
from research_crew.documents.index import DocumentIndex  # noqa: E402
from research_crew.documents.outcome import FileOutcome  # noqa: E402

BROKEN = 50
_WORDS = (
    "heron", "otter", "badger", "lynx", "vole", "shrew", "marten", "pike", "wren", "sleeps", "hunts", "digs", "eats",
    "winter", "river", "meadow",
)  # fmt: skip

Maker = Callable[[str, str], bytes]


def main() -> None:
    """Make the folder, index it twice, print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=1000, help="how many, the broken ones among them")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="make the folder here, and leave it there")
    options = parser.parse_args()
    if options.files <= BROKEN:
        parser.error(f"--files: more than {BROKEN}")
    with tempfile.TemporaryDirectory() as place:
        folder = options.keep or Path(place) / "mixed"
        good, bad = make(folder, options.files)
        sys.exit(measure(folder, Path(place) / "index.sqlite", good, bad))


def measure(folder: Path, file: Path, good: dict[str, str], bad: dict[str, str]) -> int:
    """Index the folder twice; returns how many marks were missed, at most 1."""
    index = DocumentIndex(file)
    began = time.perf_counter()
    first = index.update(folder, Shown(len(good) + len(bad)))
    seconds = time.perf_counter() - began
    states = {o.path: o.state for o in first.outcomes}
    kinds = Counter(o.kind for o in first.outcomes if o.state == "read")
    unread = {path: states.get(path, "not listed") for path in good if states.get(path) != "read"}
    lost = [path for path, word in good.items() if path not in {hit.path for hit in index.search(word, 5)}]
    wrong = {path: (states.get(path, "not listed"), state) for path, state in bad.items() if states.get(path) != state}
    print(f"first run: {len(states):,} files in {seconds:.1f} s, {first.read:,} parsed, {len(index):,} passages")
    print(f"good: {len(good) - len(unread):,} of {len(good):,} read, {len(good) - len(lost):,} found by their own word")
    print("  " + ", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items())))
    listed = Counter(states.get(path, "not listed") for path in bad)
    print(f"broken: {len(bad) - len(wrong)} of {len(bad)} in the state expected")
    print("  " + ", ".join(f"{state} {count}" for state, count in sorted(listed.items())))
    index.close()
    index = DocumentIndex(file)
    began = time.perf_counter()
    second = index.update(folder, Shown(len(good) + len(bad)))
    print(f"second run: {second.read} parsed, {second.removed} removed, {time.perf_counter() - began:.2f} s")
    same = {o.path: o.state for o in second.outcomes} == states
    index.close()
    for path, got in sorted({**unread, **wrong}.items()):
        print(f"MISSED {path}: {got}")
    for path in lost:
        print(f"MISSED {path}: not found by {good[path]}")
    missed = bool(unread or wrong or lost or second.read or not same or set(states) != {*good, *bad})
    print("every mark met" if not missed else "MARKS MISSED")
    return int(missed)


class Shown:
    """A count on standard error: in place on a terminal, every hundred files elsewhere."""

    def __init__(self, total: int) -> None:
        self._total, self._seen, self._bad = total, 0, 0

    def __call__(self, outcome: FileOutcome, fresh: bool) -> None:  # noqa: ARG002 - the shape of `OnFile`
        """Take one file."""
        self._seen, self._bad = self._seen + 1, self._bad + (outcome.state != "read")
        live = sys.stderr.isatty()
        if live or self._seen % 100 == 0 or self._seen == self._total:
            end = "\n" if not live or self._seen == self._total else ""
            print(f"{chr(13) if live else ''}{self._seen:,} of {self._total:,}, {self._bad} not read", end=end, file=sys.stderr)


def make(folder: Path, count: int) -> tuple[dict[str, str], dict[str, str]]:
    """Fill a folder; returns path → own word of the good files, and path → expected state of the broken ones."""
    chance = random.Random(7)
    good: dict[str, str] = {}
    endings = list(_GOOD)
    for n in range(count - BROKEN):
        ending = endings[n % len(endings)]
        # Letters only, and no ending that a stem would cut: found by exactly this.
        word = "q" + "".join(chr(97 + int(digit)) for digit in f"{n:05}") + "x"
        text = " ".join(chance.choice(_WORDS) for _ in range(chance.randint(30, 200)))
        path = f"{chance.choice(('', 'a/', 'a/b/', 'Größe 猫/'))}{n:04}.{ending}"
        write(folder / path, _GOOD[ending](word, text))
        good[path] = word
    bad = {}
    for n in range(BROKEN - 2):
        ending, state, data = _BAD[n % len(_BAD)]
        path = f"bad/{n:02}.{ending}"
        write(folder / path, data)
        bad[path] = state
    os.mkfifo(folder / "bad" / "pipe.txt")
    (folder / "bad" / "round.txt").symlink_to(folder / "bad" / "round.txt")
    return good, {**bad, "bad/pipe.txt": "wrong-type", "bad/round.txt": "unreadable"}


def write(file: Path, data: bytes) -> None:
    """One file, with the folders above it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)


def _sheet(word: str, text: str) -> bytes:
    cell = '<c t="inlineStr"><is><t>{}</t></is></c>'
    return xlsx_of({"One": f"<row>{cell.format('name')}{cell.format('text')}</row><row>{cell.format(word)}{cell.format(text)}</row>"})


def _notebook(word: str, text: str) -> bytes:
    code = {"cell_type": "code", "source": "1 + 1", "outputs": [{"output_type": "stream", "text": text}]}
    return json.dumps({"cells": [{"cell_type": "markdown", "source": f"## About {word}"}, code], "nbformat": 4}).encode()


_GOOD: dict[str, Maker] = {
    "txt": lambda w, t: f"{w} {t}".encode(),
    "md": lambda w, t: f"# About {w}\n\n{t}\n".encode(),
    "html": lambda w, t: f"<html><title>{w}</title><body><h1>{w}</h1><p>{t}</p></body></html>".encode(),
    "pdf": lambda w, t: pdf_of(f"{w} {t[:80]}", t[80:160] or "end"),
    "docx": lambda w, t: docx_of(t, heading=w),
    "pptx": lambda w, t: pptx_of((w, t), ("End", "Bye")),
    "xlsx": _sheet,
    "epub": lambda w, t: epub_of(f"<h1>{w}</h1><p>{t}</p>"),
    "csv": lambda w, t: f"name,text\n{w},{t}\n".encode(),
    "tsv": lambda w, t: f"name\ttext\n{w}\t{t}\n".encode(),
    "json": lambda w, t: json.dumps([{"name": w, "text": t}]).encode(),
    "jsonl": lambda w, t: f"{json.dumps({'name': w, 'text': t})}\n".encode(),
    "ipynb": _notebook,
}
_BAD: tuple[tuple[str, str, bytes], ...] = (
    ("txt", "empty", b""), ("md", "empty", b" \n\n"), ("txt", "wrong-type", b"abc\0\1\2" * 40),
    ("pdf", "broken", pdf_of("lost")[:300]), ("pdf", "encrypted", pdf_of("lost", password="x")),
    ("pdf", "no-text", pdf_of("")), ("pdf", "wrong-type", b"just words"), ("docx", "broken", docx_of("lost")[:2000]),
    ("docx", "broken", b"PK\x03\x04 no zip"), ("docx", "wrong-type", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)),
    ("docx", "too-large", zip_of({"word/document.xml": bytes(20_000_000)})),
    ("xlsx", "broken", xlsx_of({"s": "<row><c>"})), ("xlsx", "empty", xlsx_of({"s": ""})),
    ("pptx", "broken", zip_of({"ppt/presentation.xml": "<p"})), ("pptx", "empty", pptx_of(("", ""))),
    ("epub", "encrypted", epub_of("<p>x</p>", locked=True)), ("epub", "broken", epub_of("<p>x</p>")[:-30]),
    ("json", "broken", b'{"a": '), ("json", "broken", b'{"a":' * 100_000), ("jsonl", "broken", b'{"a": 1}\n{"b"\n{"c": 1}\n'),
    ("ipynb", "broken", b"[1, 2]"),
    ("ipynb", "empty", b'{"cells": []}'), ("csv", "empty", b",,\n,,\n"), ("txt", "no-text", b"\x89PNG\r\n\x1a\n" + bytes(100)),
    ("zip", "wrong-type", zip_of({"inside.txt": "words"})),
)  # fmt: skip


if __name__ == "__main__":
    main()
