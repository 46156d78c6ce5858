"""The documents of a stored run: opened again when it is resumed, not needed when it is replayed; and the sources of a
run as documents of their own, for a further question."""

import asyncio
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from research_crew.agents.toolbox import ReadText
from research_crew.core.errors import InvalidInput
from research_crew.documents.index import DocumentIndex
from research_crew.evidence.source import Source
from research_crew.library import Library, OnFile, open_library
from research_crew.search.local import LocalSearch
from research_crew.search.protocol import Hits, Query, Result
from research_crew.session import Setup
from research_crew.settings import index_file
from research_crew.stores.store import Store


class PastLibrary(Library):
    """A library that says of its documents what the run knew of them."""

    def __init__(self, opened: Library, bundled: bool, warnings: Sequence[str]) -> None:
        """`opened` is closed with this one."""
        super().__init__(opened.index, (), bundled, semantic=opened.semantic, retrieval=opened.retrieval)
        self._said = list(warnings)

    @property
    def warnings(self) -> list[str]:
        """Those of the first time."""
        return self._said


class SourcesLibrary(PastLibrary):
    """The stored texts of a run's sources, searched and read under their own addresses."""

    def __init__(self, index: DocumentIndex, sources: Mapping[str, tuple[Source, str]]) -> None:
        """`sources` by the name of their file in the index."""
        super().__init__(Library(index), False, ())
        self.engine = _SourcesSearch(index, sources)
        self.reader = _SourcesReader(sources)


class _SourcesSearch:
    name = "docs"

    def __init__(self, index: DocumentIndex, sources: Mapping[str, tuple[Source, str]]) -> None:
        self._local, self._sources = LocalSearch(index), sources

    async def search(self, query: Query) -> Hits:
        """The best passage of each source; a page of the web comes with its text, so that nobody fetches it."""
        hits = await self._local.search(query)
        return replace(hits, results=tuple(self._as_source(result) for result in hits.results))

    def _as_source(self, result: Result) -> Result:
        source, text = self._sources[str(result.path)]
        return replace(
            result, title=source.title or result.title, url=source.url, path=source.path, page=source.page,
            text=text if source.url else "", published=source.published, author=source.author,
        )  # fmt: skip


class _SourcesReader:
    def __init__(self, sources: Mapping[str, tuple[Source, str]]) -> None:
        self._texts = {(source.path, source.page): text for source, text in sources.values()}

    async def read(self, source: Source) -> ReadText:
        """The stored text."""
        text = self._texts.get((source.path, source.page))
        return ReadText(text, "read") if text else ReadText("", "refused", "not among the stored sources")


async def sources_library(store: Store, run: str) -> SourcesLibrary:
    """The sources of a stored run as a library. Raises `InvalidInput` for a run that has read nothing."""
    kept = {
        f"{number:05}.txt": (Source.from_json(data), text)
        for number, (data, text) in store.read.sources(run).items()
        if text
    }
    if not kept:
        raise InvalidInput("--run", run, "it has read nothing; ask without --run")
    index = await asyncio.to_thread(_index, {name: text for name, (_, text) in kept.items()})
    return SourcesLibrary(index, kept)


def _index(texts: Mapping[str, str]) -> DocumentIndex:
    """An index in memory of some texts, by the names of files."""
    index = DocumentIndex()
    with tempfile.TemporaryDirectory(prefix="research-crew-") as folder:
        for name, text in texts.items():
            (Path(folder) / name).write_text(text, encoding="utf-8", errors="replace")
        index.update(Path(folder))
    return index


async def past_library(store: Store, setup: Setup, replay: bool, on_file: OnFile | None) -> Library | None:
    """The documents that a run had; None when it had none. Empty for a replay, which searches nothing.

    Raises `InvalidInput` or `NoReadableFile` when they are gone.
    """
    known = setup.library
    if known is None:
        return None
    if replay:
        return PastLibrary(Library(DocumentIndex()), known["bundled"], known["warnings"])
    if known["run"] is not None:
        return await sources_library(store, known["run"])
    folder = None if known["bundled"] else setup.folder
    opened = await open_library(folder, index_file(folder), on_file, retrieval=setup.settings.retrieval)
    return PastLibrary(opened, known["bundled"], known["warnings"])
