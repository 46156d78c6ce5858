"""The documents of a stored run: opened again when it is resumed, not needed when it is replayed."""

from collections.abc import Sequence

from research_crew.documents.index import DocumentIndex
from research_crew.library import Library, OnFile, open_library
from research_crew.session import Setup
from research_crew.settings import index_file
from research_crew.stores.store import Store


class PastLibrary(Library):
    """A library that says of its documents what the run knew of them."""

    def __init__(self, index: DocumentIndex, bundled: bool, warnings: Sequence[str]) -> None:
        super().__init__(index, (), bundled)
        self._said = list(warnings)

    @property
    def warnings(self) -> list[str]:
        """Those of the first time."""
        return self._said


async def past_library(store: Store, setup: Setup, replay: bool, on_file: OnFile | None) -> Library | None:  # noqa: ARG001
    """The documents that a run had; None when it had none. Empty for a replay, which searches nothing.

    Raises `InvalidInput` or `NoReadableFile` when they are gone.
    """
    known = setup.library
    if known is None:
        return None
    if replay:
        return PastLibrary(DocumentIndex(), known["bundled"], known["warnings"])
    folder = None if known["bundled"] else setup.folder
    opened = await open_library(folder, index_file(folder), on_file)
    return PastLibrary(opened.index, known["bundled"], known["warnings"])
