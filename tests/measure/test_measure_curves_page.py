"""The page of tables and curves is what its command prints today."""

import runpy
from pathlib import Path


def test_every_table_and_curve_of_the_page_is_what_the_command_prints(root: Path) -> None:
    files = runpy.run_path(str(root / "scripts" / "curves_page.py"))["files"]()
    stale = [name for name, text in files.items() if (root / "docs" / name).read_text(encoding="utf-8") != text]
    assert stale == [], "run: python scripts/curves_page.py docs"
    assert len([name for name in files if name.endswith(".svg")]) == 8
