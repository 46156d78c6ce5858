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
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
        site = next(Path(folder).glob("lib/python3*/site-packages"))
        pip = [sys.executable, "-m", "pip"]
        quiet = ["--quiet", "--disable-pip-version-check", "--no-compile"]
        subprocess.run([*pip, "install", *quiet, "--target", str(site), *what], check=True)
        count = len(list(site.glob("*.dist-info")))
        size = sum(file.stat().st_size for file in site.rglob("*") if file.is_file())
    print(f"{name:<28} {count:>13} {size / 1e6:>5.1f}", flush=True)


if __name__ == "__main__":
    main()
