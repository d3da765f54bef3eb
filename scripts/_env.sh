# Sourced by the other scripts: finds the project, prepares `.venv` when its recipe has changed.
# Sets `root` and `bin`; needs nothing but a shell and either uv or Python 3.11+ with pip and venv.
# shellcheck shell=sh

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
bin=$root/.venv/bin
stamp=$root/.venv/.prepared

# Another project's modules must not stand in for ours, here or in the processes started from here.
unset PYTHONPATH PYTHONHOME
# A hook is started for every event: its bytecode has to lie ready on disk.
unset PYTHONDONTWRITEBYTECODE

say() {
    printf '%s\n' "$*" >&2
}

# Prints the first interpreter that can make an environment, or says what is missing and fails.
find_python() {
    seen=
    for candidate in ${PYTHON:+"$PYTHON"} python3 python3.14 python3.13 python3.12 python3.11 python; do
        version=$("$candidate" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null) ||
            continue
        if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
            if "$candidate" -c 'import ensurepip, venv' 2>/dev/null; then
                printf '%s\n' "$candidate"
                return 0
            fi
            version="$version without venv and pip (Debian and Ubuntu: install python3-venv)"
        fi
        seen="$seen; $candidate is $version"
    done
    say "scripts: no Python 3.11 or newer with venv and pip on PATH${seen:-; no Python at all}."
    say "Install one, or uv, then run this again; PYTHON=/path/to/python names one outside PATH."
    return 1
}

# What `.venv` was made from. The folder belongs to it: an environment cannot be moved.
recipe() {
    printf '%s\n' "$root"
    cat -- "$root/pyproject.toml" "$root/uv.lock" | cksum
}

# Prints `name==version` for what the lock file pins once, for pip, which cannot read it.
pins() {
    "$bin/python" - "$root/uv.lock" <<'PY'
import collections, sys, tomllib

with open(sys.argv[1], "rb") as file:
    packages = [p for p in tomllib.load(file)["package"] if "registry" in p["source"]]
times = collections.Counter(p["name"] for p in packages)
print(*(f"{p['name']}=={p['version']}" for p in packages if times[p["name"]] == 1), sep="\n")
PY
}

install_with_uv() {
    (cd -- "$root" && UV_PROJECT_ENVIRONMENT=.venv uv sync --locked --compile-bytecode >&2)
}

install_with_pip() {
    python=$(find_python) || return 1
    "$python" -m venv --clear "$root/.venv"
    # The pip that Python 3.11 brings cannot read dependency groups.
    "$bin/python" -m pip install --quiet --quiet --upgrade 'pip>=25.1' >&2
    pins >"$root/.venv/pins.txt"
    (
        cd -- "$root"
        "$bin/python" -m pip install --quiet --quiet --constraint .venv/pins.txt --editable . --group dev >&2
    )
    # Some packages ship templates that are no valid Python: what fails to compile is not ours.
    "$bin/python" -m compileall -q -q -j 2 "$root/.venv/lib" >&2 || true
}

compile_own() {
    (cd -- "$root" && "$bin/python" -m compileall -q runtime handlers schemas)
}

# Makes `.venv` match pyproject.toml and uv.lock; does nothing when it does already.
prepare() {
    if [ -f "$stamp" ] && [ "$(cat -- "$stamp")" = "$(recipe)" ] &&
        "$bin/python" -c '' 2>/dev/null; then
        return 0
    fi
    say "preparing $root/.venv (about a minute, once)"
    rm -f -- "$stamp"
    if command -v uv >/dev/null 2>&1; then
        install_with_uv
    else
        install_with_pip
    fi
    compile_own
    recipe >"$stamp"
}
