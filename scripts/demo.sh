#!/bin/bash
# make demo: install what is missing, build, and show on a recording made here what number_of_jobs does.
set -euo pipefail
cd "$(dirname "$0")/.."

bash scripts/install.sh build
# The demo needs the program alone: the tests' libraries may not be there.
cmake --preset release
cmake --build --preset release --target nwbz
python3 scripts/demo.py --program build/release/nwbz --folder build/demo "$@"

echo
if python=$(bash scripts/find_python.sh); then
    bash scripts/python.sh "$python" demo
else
    echo "The founding script, from Python, needs a Python >= 3.12 on PATH or under pyenv; there is none."
fi
