"""Reads files: plain text here, everything else in a process of its own with limits on time and memory."""

import json
import os
import select
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Self

from research_crew.documents.document import Document
from research_crew.documents.kinds import IN_CHILD
from research_crew.documents.outcome import FileTrouble
from research_crew.documents.parsers import parse

SECONDS = 60.0
MEMORY = 2_000_000_000
MOST_BYTES = 100_000_000


class ParsingProcess:
    """One child process, started when first needed, replaced after a crash or a time-out."""

    def __init__(self, seconds: float = SECONDS, memory: int = MEMORY) -> None:
        """`seconds` for one file; `memory` in bytes of address space."""
        self._seconds, self._memory = seconds, memory
        self._child: subprocess.Popen[bytes] | None = None
        self._rest = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def read(self, kind: str, file: Path, name: str) -> Document:
        """The document in a file of a known kind; raises `FileTrouble` when there is none."""
        if kind not in IN_CHILD:
            # Decoding text in this process is safe: no native parser, and the size of the file is capped.
            return parse(kind, file.read_bytes(), name)
        child = self._started()
        request = json.dumps({"kind": kind, "file": str(file.resolve()), "name": name}) + "\n"
        try:
            assert child.stdin is not None
            child.stdin.write(request.encode())
            child.stdin.flush()
            answer = json.loads(self._line(child))
        except (BrokenPipeError, EOFError):
            code = child.wait()
            self.close()
            raise FileTrouble("broken", f"the parser crashed on it (status {code})") from None
        except TimeoutError:
            self.close()
            raise FileTrouble("timed-out", f"not read within {self._seconds:g} s") from None
        if "document" in answer:
            return Document.from_json(answer["document"])
        raise FileTrouble(answer["state"], answer["reason"])

    def close(self) -> None:
        """End the process; leaves none behind."""
        child, self._child, self._rest = self._child, None, b""
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

    def _started(self) -> "subprocess.Popen[bytes]":
        if self._child is None or self._child.poll() is not None:
            self.close()
            command = [sys.executable, "-m", "research_crew.documents.child", str(self._memory)]
            self._child = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=_environment()
            )
        return self._child

    def _line(self, child: "subprocess.Popen[bytes]") -> bytes:
        """One line of the child's answer, within the time limit."""
        assert child.stdout is not None
        end = time.monotonic() + self._seconds
        parts = [self._rest]
        while b"\n" not in parts[-1]:
            left = end - time.monotonic()
            if left <= 0 or not select.select([child.stdout], [], [], left)[0]:
                raise TimeoutError
            block = os.read(child.stdout.fileno(), 1 << 16)
            if not block:
                raise EOFError
            parts.append(block)
        line, _, self._rest = b"".join(parts).partition(b"\n")
        return line


def _environment() -> dict[str, str]:
    """What the child needs to find this package, and no more: no key of the person's reaches a parser."""
    return {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path), "PYTHONIOENCODING": "utf-8"}
