"""Take a body piece by piece, decompressing it ourselves, and stop at the first byte over a cap.

A library that inflates a whole piece before it looks at the size can be made to fill the memory by a few kilobytes;
`zlib` with a maximum length cannot. Brotli and zstd have no such bound in the libraries at hand, so they are neither
asked for nor accepted.
"""

import zlib
from collections.abc import AsyncIterable

from research_crew.net.caps import Caps

ACCEPT_ENCODING = "gzip, deflate"


class TooLarge(Exception):
    """A body is over a cap; the message says which."""


class Unreadable(Exception):
    """A body cannot be decompressed."""


class Inflater:
    """Decompresses one stream (`gzip` or `deflate`) up to `limit` bytes in all."""

    def __init__(self, encoding: str, limit: int) -> None:
        self._gzip, self._limit = encoding == "gzip", limit
        self._out = bytearray()
        self._stream: zlib._Decompress | None = None
        self._whole = False
        """At least one member was read to its end."""

    def feed(self, data: bytes) -> None:
        """Add compressed bytes; raises `TooLarge` or `Unreadable`."""
        while data:
            if self._stream is None:
                # RFC 1952 allows several gzip members one after the other; anything else after the end is ignored.
                if self._whole and not (self._gzip and data.lstrip(b"\0").startswith(b"\x1f")):
                    return
                data = data.lstrip(b"\0") if self._whole else data
                self._stream = zlib.decompressobj(self._window(data))
            try:
                # One byte more than allowed is asked for, so that reaching the limit and passing it differ.
                self._out += self._stream.decompress(data, self._limit - len(self._out) + 1)
            except zlib.error as error:
                raise Unreadable(f"the body cannot be decompressed: {error}") from None
            if len(self._out) > self._limit:
                raise TooLarge(f"more than {self._limit} bytes after decompression")
            data = self._stream.unconsumed_tail
            if self._stream.eof:
                data, self._stream, self._whole = self._stream.unused_data, None, True

    def finish(self) -> bytes:
        """The whole body; raises `Unreadable` when the stream stopped in the middle."""
        if self._stream is not None:
            raise Unreadable("the compressed body ends in the middle")
        return bytes(self._out)

    def _window(self, data: bytes) -> int:
        if self._gzip:
            return 31
        # Deflate is zlib by the standard and raw from some servers; the first byte tells.
        return 15 if data[0] & 0x0F == 8 else -15


async def read_body(pieces: AsyncIterable[bytes], encoding: str, caps: Caps) -> bytes:
    """The body after decompression; raises `TooLarge` at the first byte over a cap, `Unreadable` when it is broken."""
    names = [name for part in encoding.lower().split(",") if (name := part.strip()) not in ("", "identity")]
    if len(names) > 1:
        raise Unreadable("the body is compressed more than once")
    name = names[0].removeprefix("x-") if names else ""
    if name not in ("", "gzip", "deflate"):
        raise Unreadable(f"the body is compressed with {name[:20]!r}, which was not asked for")
    received, plain = 0, bytearray()
    inflater = Inflater(name, caps.inflated) if name else None
    async for piece in pieces:
        received += len(piece)
        if received > caps.received:
            raise TooLarge(f"more than {caps.received} bytes received")
        if inflater is None:
            plain += piece
        else:
            inflater.feed(piece)
    return bytes(plain) if inflater is None else inflater.finish()
