"""The opened stores of this process: one for each event loop and file, shared by the runs on that loop."""

import asyncio
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from weakref import WeakKeyDictionary

from research_crew.stores.opening import open_store
from research_crew.stores.store import Store

_Open = dict[tuple[Path, bool], list[Store]]
_OPEN: "WeakKeyDictionary[asyncio.AbstractEventLoop, _Open]" = WeakKeyDictionary()
"""A store stands in its list once for every run that uses it: the last one closes it."""


def shared_store(file: Path, *, durable: bool = False) -> AbstractContextManager[Store]:
    """The store in a file, opened at once; lent until the end of the block. Raises `StoreError`."""
    users = _OPEN.setdefault(asyncio.get_running_loop(), {}).setdefault((file, durable), [])
    if not users:
        users.append(open_store(file, durable=durable))
    else:
        users.append(users[0])

    @contextmanager
    def lent() -> Iterator[Store]:
        try:
            yield users[0]
        finally:
            store = users.pop()
            if not users:
                store.close()

    return lent()
