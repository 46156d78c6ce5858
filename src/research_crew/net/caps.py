"""How much of a page is taken: bytes, time, redirects, pages."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Caps:
    """Limits of one fetcher. What passes one has its own outcome; nothing is cut silently."""

    received: int = 8_000_000
    """Bytes of one body as they come over the wire."""
    inflated: int = 24_000_000
    """Bytes of one body after decompression."""
    seconds: float = 20.0
    """From the first connection to the last byte, redirects included, waiting for a turn not included."""
    redirects: int = 5
    pages: int = 40
    """Pages asked for in the life of the fetcher, that is in a run."""
    header_line: int = 8_190
    """Bytes of one header field."""
    headers: int = 128
    robots: int = 512_000
    """Bytes of a robots.txt; RFC 9309 asks for at least 500 kibibytes."""
