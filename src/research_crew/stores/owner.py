"""Who drives a run: a process, named so that another one on the same machine can tell whether it still lives.

A process that died takes its runs with it at once; a lease that nobody renews ends by itself after `LEASE` seconds. A
process on another machine, or in another container, cannot be looked at: there only the lease counts.
"""

import os
import platform
from pathlib import Path

LEASE = 30.0
"""Seconds after which a run whose driver does not renew its lease may be taken over."""
_FREE = ""


def this_process() -> str:
    """`machine/namespace/pid/start`: no other process ever has the same."""
    pid = os.getpid()
    return f"{_place()}/{pid}/{_started(pid)}"


def is_dead(owner: str) -> bool:
    """Whether a driver certainly does not run any more; nobody (an empty name) does not run."""
    if owner == _FREE:
        return True
    parts = owner.rsplit("/", 2)
    if len(parts) != 3 or parts[0] != _place() or not parts[1].isdigit():
        return False
    pid = int(parts[1])
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except (PermissionError, OverflowError):
        return False
    return _started(pid) != parts[2]


def _place() -> str:
    """The machine, and which processes on it see each other."""
    try:
        space = str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        space = "-"
    return f"{platform.node()}/{space}".replace(" ", "_")


def _started(pid: int) -> str:
    """When a process began, in ticks of its machine (field 22 of /proc/PID/stat, see proc(5)); `-` where unknown."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return "-"
    fields = stat.rpartition(")")[2].split()
    return fields[19] if len(fields) > 19 and fields[0] != "Z" else "-"
