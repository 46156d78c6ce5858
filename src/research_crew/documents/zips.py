"""Formats that are zip files of XML: opened with a guard, so that nothing is unpacked that would grow beyond its cap,
and parsed without entities, network or a DTD.

A member never gives more bytes than its entry in the table of contents says (the library stops there), so checking
the table is enough.
"""

import posixpath
import zipfile
from collections.abc import Iterator
from io import BytesIO
from typing import Any, TypeAlias
from urllib.parse import unquote

from lxml import etree

from research_crew.documents.outcome import FileTrouble

MOST_BYTES = 300_000_000
MOST_RATIO = 200
MOST_MEMBERS = 20_000
_SMALL = 10_000
"""Below this size a ratio means nothing."""

Element: TypeAlias = Any
"""An lxml element; the library comes without types."""
CORE = {
    "title": "{http://purl.org/dc/elements/1.1/}title",
    "creator": "{http://purl.org/dc/elements/1.1/}creator",
    "language": "{http://purl.org/dc/elements/1.1/}language",
    "created": "{http://purl.org/dc/terms/}created",
}
"""Dublin Core, as ECMA-376 part 2 and OPF use it."""


class ZipOfXml:
    """An opened file. Every method raises `FileTrouble` for a damaged, locked or exploding one."""

    def __init__(self, data: bytes, kind: str) -> None:
        try:
            self._archive = zipfile.ZipFile(BytesIO(data))
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
            raise FileTrouble("broken", f"damaged: {error}", kind) from None
        members = self._archive.infolist()
        if any(member.flag_bits & 1 for member in members):
            raise FileTrouble("encrypted", "protected by a password", kind)
        total = sum(member.file_size for member in members)
        if len(members) > MOST_MEMBERS or total > MOST_BYTES or total > MOST_RATIO * max(len(data), _SMALL):
            raise FileTrouble("too-large", f"would unpack to {total:,} bytes in {len(members):,} parts", kind)
        self._kind = kind
        self.names = frozenset(member.filename for member in members)

    def bytes(self, name: str) -> bytes:
        """One member; empty when it is not there."""
        if name not in self.names:
            return b""
        try:
            return self._archive.read(name)
        except MemoryError:
            raise
        except Exception as error:  # noqa: BLE001 - zlib.error and its like have no base of their own
            raise FileTrouble("broken", f"damaged: {error}", self._kind) from None

    def xml(self, name: str) -> Element | None:
        """The root of one member; None when it is not there."""
        data = self.bytes(name)
        if not data:
            return None
        try:
            return etree.fromstring(data, safe_parser())
        except etree.XMLSyntaxError as error:
            raise FileTrouble("broken", f"damaged: {name}: {error}", self._kind) from None

    def needed(self, name: str) -> Element:
        """The root of a member without which there is no document."""
        root = self.xml(name)
        if root is None:
            raise FileTrouble("broken", f"damaged: {name} is missing", self._kind)
        return root

    def rows(self, name: str, tag: str) -> Iterator[Element]:
        """Every element of one name, parsed piece by piece and forgotten after use: sheets can be huge."""
        source = BytesIO(self.bytes(name))
        try:
            for _, element in etree.iterparse(
                source, tag=tag, resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False
            ):
                yield element
                element.clear()
                while element.getprevious() is not None:
                    del element.getparent()[0]
        except etree.XMLSyntaxError as error:
            raise FileTrouble("broken", f"damaged: {name}: {error}", self._kind) from None

    def relations(self, name: str) -> dict[str, tuple[str, str]]:
        """The parts that a part refers to: id → (last word of the type, name of the member). ECMA-376 part 2, 9.3."""
        folder, base = posixpath.split(name)
        root = self.xml(posixpath.join(folder, "_rels", f"{base}.rels"))
        found: dict[str, tuple[str, str]] = {}
        for relation in root if root is not None else ():
            if isinstance(relation.tag, str) and relation.get("TargetMode") != "External":
                kind = (relation.get("Type") or "").rpartition("/")[2]
                found[relation.get("Id") or ""] = (kind, resolved(folder, relation.get("Target") or ""))
        return found

    def core(self) -> dict[str, str]:
        """Title, creator, language and date of the file's properties, those that are there."""
        root = self.xml("docProps/core.xml")
        found = {} if root is None else {name: root.findtext(tag) or "" for name, tag in CORE.items()}
        return {name: value.strip() for name, value in found.items() if value.strip()}


def safe_parser() -> etree.XMLParser:
    """A parser that expands no entity, reads no other file and gives up on trees made to exhaust it."""
    return etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, remove_comments=True, remove_pis=True)


def resolved(folder: str, target: str) -> str:
    """The name of a member that a reference in `folder` means; an absolute one begins at the top."""
    path = unquote(target.partition("#")[0])
    return posixpath.normpath(posixpath.join("/", folder, path)).lstrip("/")
