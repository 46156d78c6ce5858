"""The process that parses. Reads requests from standard input, answers on standard output, one JSON line each.

A request is a JSON line (`name`, `kind` or null, `size`, `prepare`, `seconds`) followed by `size` bytes of the file:
this process opens no file of its own. Run as `python -P -m research_crew.documents.child BYTES`: it limits its own
memory first. A parser that crashes, hangs or wants too much takes this process with it, and nothing else.
"""

import json
import os
import signal
import sys
from pathlib import PurePosixPath
from typing import Any

from research_crew.documents.kinds import kind_of
from research_crew.documents.outcome import FileTrouble
from research_crew.documents.parsers import parse


def limit(memory: int) -> None:
    """Cap the address space, and leave no memory image behind, where the system can."""
    try:
        import resource
    except ImportError:  # not a POSIX system: the time limit still holds
        return
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def answer(request: dict[str, Any], data: bytes) -> dict[str, Any]:
    """What one file gives: a document, or the state it ends in."""
    name, kind, note = request["name"], request["kind"], ""
    try:
        if kind is None:
            kind, note = kind_of(name, data)
        document = parse(kind, data, PurePosixPath(name).stem)
        if request["prepare"]:
            from research_crew.documents.prepared import prepare

            return {"prepared": prepare(document).to_json(), "note": note}
        return {"document": document.to_json(), "note": note}
    except FileTrouble as trouble:
        return {"state": trouble.state, "reason": trouble.reason, "kind": trouble.kind or kind or ""}
    except MemoryError:
        return {"state": "too-large", "reason": "reading it needs too much memory", "kind": kind or ""}
    except Exception as error:  # noqa: BLE001 - a hostile file may raise anything; it becomes that file's outcome
        return {"state": "broken", "reason": f"{type(error).__name__}: {error}"[:200], "kind": kind or ""}


def serve() -> None:
    """Answer requests until standard input ends."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever a parser prints must not stand among the answers
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a person's Ctrl-C is for the parent to answer
    requests = sys.stdin.buffer
    while line := requests.readline():
        request = json.loads(line)
        data = requests.read(request["size"])
        if len(data) < request["size"]:
            return
        # The parent ends a parser that takes too long; when the parent is gone, this does.
        signal.alarm(int(request["seconds"]) + 5)
        answers.write(json.dumps(answer(request, data)) + "\n")
        answers.flush()
        signal.alarm(0)


if __name__ == "__main__":
    limit(int(sys.argv[1]))
    serve()
