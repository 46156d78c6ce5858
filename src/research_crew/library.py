"""An opened folder of documents: what a run searches and reads when it has no network."""

import asyncio
from collections.abc import Callable
from importlib.resources import as_file, files
from pathlib import Path

from research_crew.agents.toolbox import Reader, ReadText
from research_crew.core.errors import InvalidInput, NoReadableFile
from research_crew.documents.index import DocumentIndex
from research_crew.documents.outcome import FileOutcome
from research_crew.documents.semantic import OnCount, Retrieval, SemanticIndex, check_installed, open_semantic
from research_crew.evidence.language import detect_language
from research_crew.evidence.source import Source
from research_crew.search.local import LocalSearch
from research_crew.search.protocol import SearchEngine

OnFile = Callable[[FileOutcome, bool], None]
"""Told of every file while a folder is indexed, and whether it had to be read."""


class Library:
    """An index with its engine and its reader. Close it when done."""

    def __init__(
        self, index: DocumentIndex, outcomes: tuple[FileOutcome, ...] = (), bundled: bool = False, *,
        semantic: SemanticIndex | None = None, retrieval: Retrieval = "lexical",
    ) -> None:  # fmt: skip
        """`outcomes` says what became of every file of the folder; `bundled` that it is the sample. `semantic` is
        closed with it."""
        self.index, self.outcomes, self.bundled = index, outcomes, bundled
        self.semantic, self.retrieval = semantic, retrieval
        self._local = LocalSearch(index, semantic=semantic, retrieval=retrieval)
        self.engine: SearchEngine = self._local
        self.reader: Reader = _IndexReader(index)

    @property
    def warnings(self) -> list[str]:
        """One line for every file that could not be read, was read in part only, is not what its name says, or hides
        instructions to an assistant."""
        told = [outcome for outcome in self.outcomes if not outcome.whole]
        return [f"{o.path}: {o.state}{f' ({o.reason})' if o.reason else ''}" for o in told]

    def language_of(self, question: str) -> str:
        """The language to answer in: that of the question."""
        return detect_language(question)

    def close(self) -> None:
        """Close the index, and the vectors beside it."""
        self._local.close()
        if self.semantic is not None:
            self.semantic.close()
        self.index.close()


class _IndexReader:
    def __init__(self, index: DocumentIndex) -> None:
        self._index = index

    async def read(self, source: Source) -> ReadText:
        """The stored text of a file or of one of its pages."""
        if source.path is None:
            return ReadText("", "refused", "not a file of this folder")
        text = self._index.text(source.path, source.page)
        return ReadText(text or "", "read" if text else "empty")


async def open_library(
    docs: str | None, index_file: Path | None, on_file: OnFile | None = None, *, retrieval: Retrieval = "lexical",
    on_count: OnCount | None = None,
) -> Library:  # fmt: skip
    """Index a folder (only what changed since the last time) and open it; the bundled sample when none is named.

    `index_file` keeps the index between runs; None keeps it in memory. A retrieval by meaning embeds what is new at
    once and tells `on_count` of it. Raises `MissingExtra` for a retrieval whose packages are not there (before anything is
    read), `InvalidInput` for a folder that is not there, `NoReadableFile` when no file in it could be read.
    """
    if retrieval != "lexical":
        check_installed()
    if docs is None:
        with as_file(files("research_crew") / "samples" / "documents") as folder:
            return await asyncio.to_thread(
                _index, folder, "the bundled sample", index_file, on_file, True, retrieval, on_count
            )
    folder = Path(docs).expanduser()
    if not folder.is_dir():
        what = "it is a file; name the folder it is in" if folder.exists() else "there is no such folder"
        raise InvalidInput("--docs", docs, what)
    return await asyncio.to_thread(_index, folder, docs, index_file, on_file, False, retrieval, on_count)


def _index(
    folder: Path, shown: str, index_file: Path | None, on_file: OnFile | None, bundled: bool, retrieval: Retrieval,
    on_count: OnCount | None,
) -> Library:  # fmt: skip
    semantic: SemanticIndex | None = None
    index = DocumentIndex(index_file or ":memory:")
    try:
        report = index.update(folder, on_file)
        if not any(outcome.state == "read" for outcome in report.outcomes):
            bad = [f"{o.path}: {o.state}" for o in report.outcomes]
            raise NoReadableFile(shown, len(report.outcomes), bad)
        if retrieval != "lexical":
            semantic = open_semantic(index, index_file)
            semantic.prepare(retrieval, on_count)
    except BaseException:
        if semantic is not None:
            semantic.close()
        index.close()
        raise
    return Library(index, report.outcomes, bundled, semantic=semantic, retrieval=retrieval)
