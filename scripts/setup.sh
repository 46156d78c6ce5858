# Sourced by ./crew and ./check: makes .venv from a lock file, once, and again when the lock or the project changes.
# Needs git and Python 3.11 or later, nothing else; uses uv where it is installed. Progress goes to standard error.

say() { printf '%s\n' "$*" >&2; }

find_python() {
    for name in python3.11 python3.12 python3.13 python3.14 python3 python; do
        if command -v "$name" >/dev/null 2>&1 &&
            "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then
            command -v "$name"
            return 0
        fi
    done
    found=$(python3 --version 2>/dev/null || echo 'no python3 at all')
    say "research-crew needs Python 3.11 or later; this machine has $found."
    say "Install one (Debian, Ubuntu: apt-get install python3.11 python3.11-venv) and run this again."
    return 2
}

# set_up LOCK STAMP: afterwards $venv/bin/python has everything that LOCK lists, and this package.
set_up() {
    lock=$1 stamp="$venv/$2"
    sum=$(cat "$lock" pyproject.toml | cksum)
    if [ -x "$venv/bin/python" ] && [ "$(cat "$stamp" 2>/dev/null)" = "$sum $PWD" ]; then
        return 0
    fi
    python=$(find_python) || return 2
    say "setting up .venv from $lock (once) ..."
    if command -v uv >/dev/null 2>&1; then
        [ -x "$venv/bin/python" ] || uv venv --quiet --python "$python" "$venv" >&2 || return 2
        uv pip install --quiet --python "$venv/bin/python" --require-hashes -r "$lock" >&2 || return 2
        uv pip install --quiet --python "$venv/bin/python" --no-deps -e . >&2 || return 2
    else
        if ! "$venv/bin/python" -m pip --version >/dev/null 2>&1; then
            rm -rf "$venv"
            if ! "$python" -c 'import ensurepip' >/dev/null 2>&1; then
                version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
                say "This Python comes without ensurepip, which makes virtual environments."
                say "Install it (Debian, Ubuntu: apt-get install python$version-venv), or uv, and run this again."
                return 2
            fi
            "$python" -m venv "$venv" >&2 || return 2
        fi
        "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes -r "$lock" >&2 || return 2
        "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps -e . >&2 || return 2
    fi
    # Written last: an interrupted set-up is done again.
    printf '%s' "$sum $PWD" >"$stamp"
}

venv=.venv
# Behind a company's proxy the certificates of the system are the ones that count; old and new name of the same switch.
export UV_NATIVE_TLS="${UV_NATIVE_TLS:-1}" UV_SYSTEM_CERTS="${UV_SYSTEM_CERTS:-1}"
