#!/usr/bin/env bash
# The one entry: makes the environment where there is none, then runs the command.
#   bash run.sh --help
set -euo pipefail

# The folder of this file, also where it is started through a symbolic link.
script=${BASH_SOURCE[0]}
while [ -L "$script" ]; do
  here=$(cd -- "$(dirname -- "$script")" && pwd -P)
  script=$(readlink -- "$script")
  [[ $script = /* ]] || script=$here/$script
done
here=$(cd -- "$(dirname -- "$script")" && pwd -P)
requirements=$here/requirements.txt
venv=$here/.venv
stamp=$venv/requirements.cksum

fail() { printf 'run.sh: %s\n' "$*" >&2; exit 2; }

# Whether the packages of interpreter $1 are just those of requirements.txt.
satisfies() {
  "$1" -I - "$requirements" <<'PYTHON' 2>/dev/null
import sys
from importlib import metadata
for line in open(sys.argv[1], encoding="utf-8"):
    name, _, version = line.split("#")[0].strip().partition("==")
    if name and metadata.version(name) != version:
        sys.exit(1)
PYTHON
}

stamped() { [ -x "$venv/bin/python" ] && [ "$(cat "$stamp" 2>/dev/null)" = "$(cksum <"$requirements")" ]; }

# The first interpreter that TensorFlow has packages for.
find_python() {
  local candidate
  for candidate in python3 python3.13 python3.12 python3.11 python; do
    if "$candidate" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' 2>/dev/null; then
      command -v "$candidate"
      return
    fi
  done
  fail "found no Python 3.11, 3.12 or 3.13 on PATH; install one, e.g. apt-get install python3 python3-venv"
}

install() {
  local python
  python=$(find_python)
  printf 'run.sh: installing requirements.txt into .venv, once (about 2 GB, some minutes) …\n' >&2
  "$python" -m venv "$venv" ||
    fail "could not make $venv with $python -m venv; on Debian: apt-get install python3-venv"
  "$venv/bin/python" -m pip install --quiet --quiet --disable-pip-version-check --requirement "$requirements" ||
    fail "pip could not install requirements.txt (see above); with a network connection, run this again"
  cksum <"$requirements" >"$stamp"
}

# Sets $python: the active environment if it fits, else .venv, made where it is missing.
set_up() {
  if [ -n "${VIRTUAL_ENV:-}${CONDA_PREFIX:-}" ] && satisfies python; then
    python=python
    return
  fi
  if ! stamped; then
    if [ ! -e "$venv" ] && satisfies python3; then
      python=python3
      return
    fi
    # One at a time: a second start waits here, then finds the stamp.
    exec 9>"$here/.venv.lock"
    if command -v flock >/dev/null; then flock 9; fi
    stamped || install
    exec 9>&-
  fi
  python=$venv/bin/python
}

set_up
export PYTHONPATH="$here${PYTHONPATH:+:$PYTHONPATH}"
export CANE_DATASETS=${CANE_DATASETS-$here/../shared/datasets}
export TF_CPP_MIN_LOG_LEVEL=${TF_CPP_MIN_LOG_LEVEL-2}
# Without oneDNN, which compiles a kernel for each of the many shapes of texts.
export TF_ENABLE_ONEDNN_OPTS=${TF_ENABLE_ONEDNN_OPTS-0}

if [ "${1:-}" = test ]; then
  shift
  cd -- "$here"
  "$python" -m ruff check .
  "$python" -m ruff format --check .
  "$python" -m mypy
  # All tests on all cores; those of files that are named in one process, where they
  # start at once. A later --numprocesses has the last word.
  named=
  for word; do [ ! -e "${word%%::*}" ] || named=yes; done
  [ -n "$named" ] || set -- --numprocesses=auto --dist=loadfile "$@"
  exec "$python" -m pytest "$@"
fi
if [ "${1:-}" = docs ]; then
  shift
  cd -- "$here"
  if ! "$python" -m mkdocs --version >/dev/null 2>&1; then
    "$python" -m pip install --quiet --quiet --disable-pip-version-check \
      --requirement "$requirements" --requirement tools/requirements.txt ||
      fail "pip could not install tools/requirements.txt (see above); with a network connection, run this again"
  fi
  exec "$python" -m tools.docs "$@"
fi
if [ "${1:-}" = benchmark ]; then
  name=${2:-}
  [ -f "$here/benchmarks/$name.py" ] ||
    fail "found no benchmark '$name'; expected one of: $(cd "$here/benchmarks" && ls -m [a-z]*.py | sed 's/\.py//g')"
  shift 2
  exec "$python" -m "benchmarks.$name" "$@"
fi
exec "$python" -m cane_gane "$@"
