"""Reads files in a process of their own, with limits on time and memory.

Every kind goes there, plain text too: it needs no parser, but cutting a text that was made for it can take for ever.
"""

import json
import os
import selectors
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from research_crew.documents.document import Document
from research_crew.documents.outcome import FileTrouble
from research_crew.documents.prepared import Prepared

SECONDS = 60.0
MEMORY = 2_000_000_000
MOST_BYTES = 100_000_000


class ParsingProcess:
    """One child process, started when first needed, replaced after a crash or a time-out. For one thread at a time.

    It is a new interpreter and not a fork, and never runs the caller's main module again: it works from a script, a
    notebook, standard input or a thread alike.
    """

    def __init__(self, seconds: float = SECONDS, memory: int = MEMORY) -> None:
        """`seconds` for one file; `memory` in bytes of address space."""
        self._seconds, self._memory = seconds, memory
        self._child: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def pid(self) -> int | None:
        """Of the child, while there is one."""
        return self._child.pid if self._child is not None and self._child.poll() is None else None

    def prepare(self, data: bytes, name: str) -> tuple[Prepared, str]:
        """The bytes of a file as a document with its passages, and a note on its kind (empty as a rule).

        `name` is the file's path, for its ending and as a title of last resort. Raises `FileTrouble` when it gives no
        text.
        """
        got = self._ask(data, name, None, True)
        return Prepared.from_json(got["prepared"]), got["note"]

    def parse(self, data: bytes, name: str, kind: str | None = None) -> Document:
        """The document in the bytes of a file, of a known kind or of the one they look like; raises `FileTrouble`."""
        return Document.from_json(self._ask(data, name, kind, False)["document"])

    def read(self, kind: str, file: Path, name: str) -> Document:
        """The document in a file of a known kind; raises `FileTrouble` when there is none."""
        return self.parse(file.read_bytes(), name, kind)

    def close(self) -> None:
        """End the process; leaves none behind."""
        child, self._child = self._child, None
        if child is None:
            return
        child.kill()
        child.wait()
        for stream in (child.stdin, child.stdout):
            if stream is not None:
                try:
                    stream.close()
                except BrokenPipeError:  # what was not yet written to a dead process is of no use
                    continue

    def _ask(self, data: bytes, name: str, kind: str | None, prepare: bool) -> dict[str, Any]:
        request = {"name": name, "kind": kind, "size": len(data), "prepare": prepare, "seconds": self._seconds}
        try:
            got: dict[str, Any] = json.loads(self._exchange(json.dumps(request).encode() + b"\n", data))
        except TimeoutError:
            self.close()
            raise FileTrouble("timed-out", f"not read within {self._seconds:g} s") from None
        except (BrokenPipeError, EOFError):
            code = self._child.wait() if self._child is not None else 0
            self.close()
            raise FileTrouble("broken", f"its parser crashed (status {code})") from None
        except BaseException:
            # Half an exchange is of no use to the next one.
            self.close()
            raise
        if "state" in got:
            raise FileTrouble(got["state"], got["reason"], got["kind"])
        return got

    def _exchange(self, *pieces: bytes) -> bytes:
        """Send a request and take one line of answer, within the time limit, whichever side is slow."""
        child = self._started()
        assert child.stdin is not None
        assert child.stdout is not None
        end = time.monotonic() + self._seconds
        left = [memoryview(piece) for piece in pieces if piece]
        answer: list[bytes] = []
        with selectors.DefaultSelector() as ready:
            ready.register(child.stdout, selectors.EVENT_READ)
            ready.register(child.stdin, selectors.EVENT_WRITE)
            while not answer or b"\n" not in answer[-1]:
                wait = end - time.monotonic()
                events = ready.select(wait) if wait > 0 else []
                if not events:
                    raise TimeoutError
                for key, _ in events:
                    if key.fileobj is child.stdin:
                        left[0] = left[0][os.write(child.stdin.fileno(), left[0]) :]
                        if not left[0]:
                            del left[0]
                        if not left:
                            ready.unregister(child.stdin)
                    else:
                        block = os.read(child.stdout.fileno(), 1 << 18)
                        if not block:
                            raise EOFError
                        answer.append(block)
        return b"".join(answer)

    def _started(self) -> "subprocess.Popen[bytes]":
        if self._child is None or self._child.poll() is not None:
            self.close()
            # -P: a `json.py` in the folder that happens to be current must not be run as ours.
            command = [sys.executable, "-P", "-m", "research_crew.documents.child", str(self._memory)]
            self._child = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=_environment(),
                bufsize=0,
            )  # fmt: skip
            assert self._child.stdin is not None
            os.set_blocking(self._child.stdin.fileno(), False)
        return self._child


def _environment() -> dict[str, str]:
    """What the child needs to find this package, and no more: no key of the person's reaches a parser."""
    home = str(Path(__file__).parents[2])
    here = os.path.realpath(os.curdir)
    found = [path for path in sys.path if path and os.path.realpath(path) != here]
    return {"PYTHONPATH": os.pathsep.join(dict.fromkeys((home, *found))), "PYTHONIOENCODING": "utf-8"}
