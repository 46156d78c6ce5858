"""The process that parses: reads requests from standard input, answers on standard output, one JSON line each.

Run as `python -m research_crew.documents.child BYTES`: it limits its own memory first. A parser that crashes, hangs or
wants too much takes this process with it, and nothing else.
"""

import json
import os
import sys
from pathlib import Path

from research_crew.documents.outcome import FileTrouble
from research_crew.documents.parsers import parse


def limit_memory(most: int) -> None:
    """Cap the address space of this process, where the system can."""
    try:
        import resource
    except ImportError:  # not a POSIX system: the time limit still holds
        return
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def serve() -> None:
    """Answer requests until standard input ends."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever a parser prints must not stand among the answers
    for line in sys.stdin:
        request = json.loads(line)
        try:
            document = parse(request["kind"], Path(request["file"]).read_bytes(), request["name"])
            answer: dict[str, object] = {"document": document.to_json()}
        except FileTrouble as trouble:
            answer = {"state": trouble.state, "reason": trouble.reason}
        except MemoryError:
            answer = {"state": "too-large", "reason": "reading it needs too much memory"}
        except Exception as error:  # noqa: BLE001 - a hostile file may raise anything; it becomes that file's outcome
            answer = {"state": "broken", "reason": f"{type(error).__name__}: {error}"[:200]}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    limit_memory(int(sys.argv[1]))
    serve()
