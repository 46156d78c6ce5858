"""No test can spend money or reach a network: sockets connect to this machine only, and there is no key."""

import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

_LOOPBACK = ("127.", "::1", "localhost")


class NetworkRefused(AssertionError):
    """A test tried to reach something that is not this machine."""


def _refuse(host: object) -> None:
    name = host.decode() if isinstance(host, bytes) else str(host)
    if host not in (None, "") and not name.startswith(_LOOPBACK):
        raise NetworkRefused(f"tests may not reach {name!r}: only loopback is allowed")


@pytest.fixture(autouse=True, scope="session")
def only_loopback() -> Iterator[None]:
    """Refuse every connection and look-up that leaves this machine."""
    connect, connect_ex, getaddrinfo = socket.socket.connect, socket.socket.connect_ex, socket.getaddrinfo

    def checked(self: socket.socket, address: Any) -> None:
        if self.family != socket.AF_UNIX:
            _refuse(address[0])
        connect(self, address)

    def checked_ex(self: socket.socket, address: Any) -> int:
        if self.family != socket.AF_UNIX:
            _refuse(address[0])
        return connect_ex(self, address)

    def looked_up(host: Any, *args: Any, **kwargs: Any) -> Any:
        _refuse(host)
        return getaddrinfo(host, *args, **kwargs)

    patch = pytest.MonkeyPatch()
    patch.setattr(socket.socket, "connect", checked)
    patch.setattr(socket.socket, "connect_ex", checked_ex)
    patch.setattr(socket, "getaddrinfo", looked_up)
    yield
    patch.undo()


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """No key, no setting and no cache of the person who runs the tests; no `.env` or configuration file either."""
    for name in list(os.environ):
        if name.endswith("_API_KEY") or name.startswith("RESEARCH_CREW_"):
            monkeypatch.delenv(name)
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    for name, folder in (("XDG_CACHE_HOME", "cache"), ("XDG_DATA_HOME", "data"), ("XDG_CONFIG_HOME", "config")):
        monkeypatch.setenv(name, str(home / folder))
    monkeypatch.chdir(home)


@pytest.fixture
def root() -> Path:
    """The top of the repository."""
    return Path(__file__).parents[1]
