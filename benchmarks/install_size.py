"""How much the base install brings: distributions and megabytes, in an environment made for this.

    python benchmarks/install_size.py [--extra models ...]

Marks: at most 35 distributions and 60 MB, without the model library.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--extra", action="append", default=[])
    extras = parser.parse_args().extra
    print(f"{'install':<28} distributions    MB")
    measure("base", ["--require-hashes", "-r", str(ROOT / "requirements.lock")])
    for extra in extras:
        measure(f"with [{extra}]", [f"{ROOT}[{extra}]"])


def measure(name: str, what: list[str]) -> None:
    """Install into a new environment and print one row."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        quiet = ["--quiet", "--disable-pip-version-check", "--no-compile"]
        site = next(Path(folder).glob("lib/python3*/site-packages"))
        before = contents(site)
        subprocess.run([f"{folder}/bin/python", "-m", "pip", "install", *quiet, *what], check=True)
        after = contents(site)
    count, size = after[0] - before[0], after[1] - before[1]
    print(f"{name:<28} {count:>13} {size / 1e6:>5.1f}", flush=True)


def contents(site: Path) -> tuple[int, int]:
    """Distributions and bytes in an environment; pip itself is there before and does not count."""
    size = sum(file.stat().st_size for file in site.rglob("*") if file.is_file())
    return len(list(site.glob("*.dist-info"))), size


if __name__ == "__main__":
    main()
