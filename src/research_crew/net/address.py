"""Which addresses and URLs a page may be read from.

The lists follow the IANA special-purpose address registries (RFC 6890 and its updates) and are written out here, so
that the answer does not depend on the Python version (`ipaddress.is_global` of 3.11 calls `fec0::/10` and
`64:ff9b:1::/48` global). Pure: nothing is looked up here.
"""

import re
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

type_of_network = IPv4Network | IPv6Network
LONGEST_URL = 8_000

_REFUSED_4 = {
    IPv4Network(block): name
    for block, name in {
        "0.0.0.0/8": "unspecified",
        "10.0.0.0/8": "private",
        "100.64.0.0/10": "carrier-grade NAT",
        "127.0.0.0/8": "loopback",
        "168.63.129.16/32": "cloud metadata",
        "169.254.0.0/16": "link-local or cloud metadata",
        "172.16.0.0/12": "private",
        "192.0.0.0/24": "protocol assignments",
        "192.0.2.0/24": "documentation",
        "192.88.99.0/24": "6to4 relay",
        "192.168.0.0/16": "private",
        "198.18.0.0/15": "benchmarking",
        "198.51.100.0/24": "documentation",
        "203.0.113.0/24": "documentation",
        "224.0.0.0/4": "multicast",
        "240.0.0.0/4": "reserved or broadcast",
    }.items()
}
_REFUSED_6 = {
    IPv6Network(block): name
    for block, name in {
        "::/128": "unspecified",
        "::1/128": "loopback",
        "::ffff:0:0/96": "IPv4-mapped",
        "::/96": "IPv4-compatible",
        "64:ff9b:1::/48": "private NAT64",
        "2001::/32": "Teredo",
        "2001::/23": "protocol assignments",
        "2001:db8::/32": "documentation",
        "2002::/16": "6to4",
        "3fff::/20": "documentation",
        "fc00::/7": "private",
        "fe80::/10": "link-local",
        "fec0::/10": "site-local",
        "ff00::/8": "multicast",
    }.items()
}
_GLOBAL_6 = IPv6Network("2000::/3")
_NAT64 = IPv6Network("64:ff9b::/96")
_ISATAP = (0x00005EFE, 0x02005EFE)
_NUMBER = re.compile(r"(?:0x[0-9a-f]*|[0-9]+)\Z", re.IGNORECASE)
_FORBIDDEN = re.compile(r"[\x00-\x20\x7f\\]")


class Refused(OSError):
    """The guard will not go there; `reason` says why. An `OSError`, because it is raised where sockets are made."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


@dataclass(frozen=True, slots=True)
class AddressPolicy:
    """Ports that may be used and addresses that may be reached although they are not public.

    `allow` is for tests and for a person who names an own network; it is empty by default.
    """

    ports: frozenset[int] = frozenset({80, 443})
    allow: tuple[type_of_network, ...] = ()

    @classmethod
    def of(cls, *, ports: tuple[int, ...] = (80, 443), allow: tuple[str, ...] = ()) -> "AddressPolicy":
        """A policy from plain values, for example `AddressPolicy.of(ports=(8080,), allow=("127.0.0.0/8",))`."""
        return cls(frozenset(ports), tuple(ip_network(block) for block in allow))

    def refusal(self, address: str) -> str | None:
        """Why this address may not be connected to; None when it may."""
        try:
            parsed = ip_address(address.partition("%")[0])
        except ValueError:
            return f"{address!r} is not an address"
        if any(parsed.version == block.version and parsed in block for block in self.allow):
            return None
        kind = _kind(parsed)
        return f"{address} is a {kind} address" if kind else None

    def check(self, url: str) -> "CheckedUrl":
        """Parse a URL once, for everything that follows; raises `Refused` when it may not be fetched.

        Names are not looked up here: their addresses are checked where the connection is made.
        """
        from yarl import URL

        if len(url) > LONGEST_URL:
            raise Refused(f"the URL is longer than {LONGEST_URL} characters")
        if _FORBIDDEN.search(url):
            raise Refused("the URL contains a space, a control character or a backslash")
        try:
            parsed = URL(url)
            host, port = parsed.raw_host, parsed.port
        except ValueError as error:
            raise Refused(f"the URL cannot be read: {error}") from None
        if parsed.scheme not in ("http", "https"):
            raise Refused(f"only http and https are fetched, not {parsed.scheme or 'a relative address'}")
        if not host or port is None:
            raise Refused("the URL names no host")
        if parsed.user is not None or parsed.password is not None:
            raise Refused("the URL carries a user name or a password")
        if port not in self.ports:
            raise Refused(f"port {port} is not allowed")
        reason = self._host_refusal(host)
        if reason:
            raise Refused(reason)
        clean = str(parsed.with_fragment(None))
        return CheckedUrl(clean, parsed.scheme, host.lower(), port)

    def _host_refusal(self, host: str) -> str | None:
        if ":" in host:
            return self.refusal(host)
        labels = host.rstrip(".").split(".")
        if not _NUMBER.match(labels[-1]):
            return None
        # A host whose last label is a number is an IPv4 address (URL standard, "ends in a number"). Only the usual
        # four decimal parts are taken; 2130706433, 0x7f.1, 0177.0.0.1 and 127.1 are how a filter is got around.
        try:
            IPv4Address(host)
        except ValueError:
            return f"{host!r} is an unusual spelling of an address"
        return self.refusal(host)


@dataclass(frozen=True, slots=True)
class CheckedUrl:
    """A URL that passed `AddressPolicy.check`: without fragment, its host in ASCII and lower case."""

    url: str
    scheme: str
    host: str
    port: int

    @property
    def origin(self) -> str:
        """Scheme, host and port: what a robots.txt speaks for."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}"


def _kind(address: IPv4Address | IPv6Address) -> str | None:
    if isinstance(address, IPv4Address):
        return next((name for block, name in _REFUSED_4.items() if address in block), None)
    for block, name in _REFUSED_6.items():
        if address in block:
            return name
    if address in _NAT64:
        # RFC 6052: a resolver of an IPv6-only network writes public IPv4 addresses this way, so the address inside
        # is what counts.
        inner = _kind(IPv4Address(int(address) & 0xFFFFFFFF))
        return f"NAT64 of a {inner}" if inner else None
    if address not in _GLOBAL_6:
        return "reserved"
    if (int(address) >> 32) & 0xFFFFFFFF in _ISATAP:
        return "ISATAP"
    return None
