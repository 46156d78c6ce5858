# Sourced by ./crew, ./check and .ci/run: makes .venv from a lock file, once, and again when the lock or the project changes.
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

# One set-up at a time. What an interrupted one left behind cannot be trusted, so it is taken away.
take_turn() {
    if [ ! -w . ]; then
        say "This folder cannot be written to: $PWD"
        return 2
    fi
    waited=0
    until (set -C && printf '%s' "$$" >"$turn") 2>/dev/null; do
        holder=$(cat "$turn" 2>/dev/null)
        if [ -n "$holder" ] && ! kill -0 "$holder" 2>/dev/null && [ "$(cat "$turn" 2>/dev/null)" = "$holder" ]; then
            rm -rf "$venv" "$turn"
        elif [ "$waited" -ge 900 ]; then
            say "Another set-up has been running for 15 minutes. If there is none, remove $PWD/$turn and run this again."
            return 2
        else
            [ "$waited" -gt 0 ] || say "waiting for another set-up (process ${holder:-unknown}) ..."
            sleep 1
            waited=$((waited + 1))
        fi
    done
}

up_to_date() { [ -x "$venv/bin/python" ] && [ "$(cat "$stamp" 2>/dev/null)" = "$sum $PWD" ]; }

# set_up LOCK STAMP: afterwards $venv/bin/python has everything that LOCK lists, and this package.
set_up() {
    lock=$1 stamp="$venv/$2"
    sum=$(cat "$lock" pyproject.toml | cksum)
    up_to_date && return 0
    python=$(find_python) || return 2
    take_turn || return 2
    if up_to_date; then
        rm -f "$turn"
        return 0
    fi
    say "setting up .venv from $lock (once) ..."
    # An environment whose interpreter is gone (upgraded, moved) is made anew.
    "$venv/bin/python" -c '' 2>/dev/null || rm -rf "$venv"
    if command -v uv >/dev/null 2>&1; then how=with_uv; else how=with_pip; fi
    if "$how"; then
        # Written last: a set-up that failed is done again.
        printf '%s' "$sum $PWD" >"$stamp"
        rm -f "$turn"
    else
        rm -f "$turn"
        return 2
    fi
}

with_uv() {
    # Without a home that can be written to there is no cache to use.
    cache=$(uv cache dir 2>/dev/null)
    if ! mkdir -p "$cache" 2>/dev/null || [ ! -w "$cache" ]; then
        export UV_NO_CACHE=1
    fi
    [ -x "$venv/bin/python" ] || uv venv --quiet --python "$python" "$venv" >&2 || return 2
    uv pip install --quiet --python "$venv/bin/python" --require-hashes -r "$lock" >&2 || return 2
    uv pip install --quiet --python "$venv/bin/python" --no-deps -e . >&2
}

with_pip() {
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
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps -e . >&2
}

venv=.venv
turn=.setting-up
# Behind a company's proxy the certificates of the system are the ones that count; old and new name of the same switch.
export UV_NATIVE_TLS="${UV_NATIVE_TLS:-1}" UV_SYSTEM_CERTS="${UV_SYSTEM_CERTS:-1}"
