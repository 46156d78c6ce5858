"""The set-up of `./crew` and `./check`, as far as it goes without a network: what it says when something is missing,
and that one set-up waits for another and takes away what an interrupted one left."""

import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

NEEDED = ("cat", "cksum", "dirname", "rm", "sleep", "sh")
"""The only programs, beside Python, that the set-up may count on."""


@pytest.fixture
def clone(root: Path, tmp_path: Path) -> Path:
    """The files of a clone that the set-up touches, in a folder with a blank in its name."""
    folder = tmp_path / "a clone"
    for name in ("crew", "check", "pyproject.toml", "requirements.lock", "requirements-dev.lock", "scripts/setup.sh"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(root / name, folder / name)
    return folder


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """A folder for PATH with the needed programs and no Python yet."""
    folder = tmp_path / "programs"
    folder.mkdir()
    for name in NEEDED:
        found = shutil.which(name)
        assert found is not None
        (folder / name).symlink_to(found)
    return folder


def script(file: Path, *lines: str) -> None:
    file.write_text("\n".join(("#!/bin/sh", *lines)) + "\n")
    file.chmod(file.stat().st_mode | stat.S_IXUSR)


def start(program: Path, path: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a program of the clone from elsewhere, with nothing but `path`."""
    return subprocess.run(
        [str(program)], env={"PATH": str(path)}, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        check=False, timeout=50,
    )  # fmt: skip


@pytest.mark.parametrize("program", ["crew", "check"])
def test_a_python_that_is_too_old_is_named(clone: Path, programs: Path, tmp_path: Path, program: str) -> None:
    script(programs / "python3", 'case "$1" in --version) echo "Python 3.9.2";; *) exit 1;; esac')
    done = start(clone / program, programs, tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "needs Python 3.11 or later; this machine has Python 3.9.2" in done.stderr
    assert not (clone / ".venv").exists()


def test_no_python_at_all_is_said(clone: Path, programs: Path, tmp_path: Path) -> None:
    done = start(clone / "crew", programs, tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "this machine has no python3 at all" in done.stderr
    assert "apt-get install python3.11 python3.11-venv" in done.stderr


def test_without_ensurepip_the_package_to_install_is_named(clone: Path, programs: Path, tmp_path: Path) -> None:
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    script(programs / "python3", 'case "$*" in *ensurepip*) exit 1;; esac', f'exec "{sys.executable}" "$@"')
    done = start(clone / "check", programs, tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"apt-get install python{version}-venv" in done.stderr
    assert not (clone / ".setting-up").exists()


def shell(clone: Path, words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", "-uc", f". ./scripts/setup.sh; {words}"], cwd=clone, capture_output=True, text=True, check=False, timeout=50,
    )  # fmt: skip


def test_what_an_interrupted_set_up_left_is_taken_away(clone: Path) -> None:
    (clone / ".venv").mkdir()
    (clone / ".venv" / "half").touch()
    gone = subprocess.run(["sh", "-c", "echo $$"], capture_output=True, text=True, check=True).stdout.strip()
    (clone / ".setting-up").write_text(gone)
    done = shell(clone, 'take_turn && cat "$turn" && echo " $$"')
    assert done.returncode == 0, done.stderr
    assert not (clone / ".venv").exists()
    holder, shell_id = done.stdout.split()
    assert holder == shell_id


def test_a_set_up_waits_for_one_that_runs(clone: Path, programs: Path) -> None:
    (clone / ".venv").mkdir()
    (clone / ".setting-up").write_text(str(os.getpid()))
    (programs / "sleep").unlink()
    script(programs / "sleep", f'rm "{clone}/.setting-up"')  # a second later the other one is done
    done = shell(clone, f'PATH="{programs}:$PATH"; take_turn')
    assert done.returncode == 0
    assert f"waiting for another set-up (process {os.getpid()})" in done.stderr
    assert (clone / ".venv").is_dir()


def test_a_change_of_the_lock_or_of_the_place_makes_the_environment_out_of_date(clone: Path) -> None:
    (clone / ".venv" / "bin").mkdir(parents=True)
    (clone / ".venv" / "bin" / "python").symlink_to(sys.executable)
    made = 'with_pip() { echo made; }; with_uv() { echo made; }; set_up requirements.lock .stamp'
    assert shell(clone, made).stdout == "made\n"
    assert shell(clone, made).stdout == ""
    with (clone / "requirements.lock").open("a") as lock:
        lock.write("# changed\n")
    assert shell(clone, made).stdout == "made\n"
    moved = clone.rename(clone.parent / "moved")
    assert shell(moved, made).stdout == "made\n"


def test_a_set_up_that_failed_is_done_again(clone: Path) -> None:
    failed = 'with_pip() { return 1; }; with_uv() { return 1; }; set_up requirements.lock .stamp'
    assert shell(clone, failed).returncode == 2
    assert shell(clone, failed).returncode == 2
    assert not (clone / ".setting-up").exists()
