"""A guard for formats that are zip files: nothing is unpacked that would grow beyond its cap."""

import zipfile
from io import BytesIO

from research_crew.documents.outcome import FileTrouble

MOST_BYTES = 300_000_000
MOST_RATIO = 200
MOST_MEMBERS = 20_000


def check_zip(data: bytes) -> None:
    """Raises `FileTrouble` for an archive that is damaged, locked, or would unpack to far more than it is."""
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            members = archive.infolist()
    except (zipfile.BadZipFile, OSError, ValueError) as error:
        raise FileTrouble("broken", f"damaged: {error}") from None
    if any(member.flag_bits & 1 for member in members):
        raise FileTrouble("encrypted", "protected by a password")
    total = sum(member.file_size for member in members)
    if len(members) > MOST_MEMBERS or total > MOST_BYTES or total > MOST_RATIO * max(len(data), 10_000):
        raise FileTrouble("too-large", f"would unpack to {total:,} bytes")
