#!/bin/bash
# make test: install what is missing, build four ways, run every test.
#
#   release   what users run: command line, examples, rules of the source tree
#   dev       everything in C, warnings are errors
#   asan      memory and undefined behaviour
#   tsan      what runs threads
#   interop   what others read: needs a Python >= 3.12, which is found and given the pinned packages
#   python    the Python package, installed by pip: needs the same
#
# A step that fails does not keep the others from running; the last lines say which failed.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

threaded='^(unit\.(base\.thread|engine\.|store\.|source\.|target\.)|stress\.)'
passed=0
failures=()

# Run a step by name and remember how it ended.
step() {
    local name=$1 start=$SECONDS
    shift
    printf '\n== %s\n' "$name"
    if "$@"; then
        passed=$((passed + 1))
        printf '== %s: passed, %d s\n' "$name" $((SECONDS - start))
    else
        failures+=("$name")
        printf '== %s: FAILED, %d s\n' "$name" $((SECONDS - start))
        return 1
    fi
}

build() {
    cmake --preset "$1" && cmake --build --preset "$1"
}

# Build PRESET, then run those of its tests that the remaining arguments choose.
build_and_test() {
    local preset=$1
    shift
    if step "build $preset" build "$preset"; then
        step "test $preset" ctest --preset "$preset" -j "$(nproc)" "$@"
    fi
}

# Make the environment of tests/interop with this Python, unless it is there; its name tells what is in it.
make_environment() {
    local python=$1 key requirements=tests/interop/requirements pip
    key=$({ "$python" -VV && cat $requirements*.txt; } | sha256sum | cut -c 1-12)
    environment=build/python/$key
    pip=("$environment/bin/python" -m pip install --quiet --disable-pip-version-check)
    if [[ ! -e $environment/whole ]]; then
        rm -rf "$environment"
        "$python" -m venv "$environment" &&
            "${pip[@]}" -r $requirements.txt &&
            "${pip[@]}" --no-deps -r $requirements-no-deps.txt &&
            touch "$environment/whole"
    fi
}

interop() {
    NWBZ=$PWD/build/release/nwbz "$environment/bin/python" -m pytest -rs -p no:cacheprovider tests/interop
}

bash scripts/install.sh test || exit 1
build_and_test release -L 'cli|example|rules'
build_and_test dev -LE 'rules|fuzz'
build_and_test asan -L 'unit|fault|fuzz|cli'
build_and_test tsan -R "$threaded"

not_run=
if python=$(bash scripts/find_python.sh); then
    step "Python packages ($python)" make_environment "$python" && step interop interop
    step "Python package" bash scripts/python.sh "$python" test
else
    not_run="Not run: tests/interop and python/tests, as there is no Python >= 3.12 on PATH or under pyenv."
fi

echo
for name in ${failures[@]+"${failures[@]}"}; do
    echo "FAILED: $name"
done
echo "steps: $passed passed, ${#failures[@]} failed${not_run:+, 1 skipped}"
if [[ -n $not_run ]]; then
    echo "$not_run"
fi
[[ ${#failures[@]} -eq 0 ]]
