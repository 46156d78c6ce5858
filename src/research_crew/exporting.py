"""The record of a run as a file, for other programs."""

from pathlib import Path

from research_crew.core.errors import UserError
from research_crew.result import CrewResult


def export(result: CrewResult, folder: Path) -> Path:
    """Write the record to `folder/RUN.json`, whole or not at all, readable by this user alone.

    Raises `UserError` for a folder that cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        target = folder / f"{result.id}.json"
        part = target.with_suffix(".part")
        part.write_text(result.json() + "\n", encoding="utf-8")
        part.chmod(0o600)
        part.replace(target)
    except OSError as error:
        raise UserError(f"--export {folder}: {error.strerror or error}; name a folder that can be written") from None
    return target
