#!/bin/bash
# Print the Python to use: >= 3.12, able to make environments; the oldest that will do, since the pinned packages were
# tried with it.  Fails where there is none.

# Say whether this Python is new enough for the peers and can make environments.
is_usable_python() {
    "$1" -c 'import sys, venv, ensurepip, ssl; sys.exit(sys.version_info < (3, 12))' >/dev/null 2>&1
}

for candidate in python3.12 python3.13 python3.14 python3 python \
    "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.1[2-9].*/bin/python; do
    if is_usable_python "$candidate"; then
        command -v "$candidate"
        exit
    fi
done
exit 1
