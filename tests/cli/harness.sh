# What the command line's tests share: run a command, then say what must be true of it.
#
#   begin "a_test_name"        a fresh folder $dir, empty at first; the source files of make_* lie beside it in $work
#   run nwbz ...               keeps stdout in $out, stderr in $err (files) and the exit code in $code
#   expect_code 3; expect_err PATTERN; expect_out PATTERN; expect_nothing_left ...
#   finish                     prints the count; the script's exit code says whether all held
#
# A pattern is an extended regular expression.  NWBZ names the program.
set -u
: "${NWBZ:?names the program under test}"
unset NWBZ_JOBS
export LC_ALL=C
work=$(mktemp -d "${TMPDIR:-/tmp}/nwbz-cli.XXXXXX")
dir=$work/dir out=$work/out err=$work/err code=0
current=none n_tests=0 n_failed=0
trap 'rm -rf "$work"' EXIT

# The command is typed as its name.  In the background say "$NWBZ": $! would be the function's shell.
nwbz() { "$NWBZ" "$@"; }

begin() {
    current=$1
    n_tests=$((n_tests + 1))
    rm -rf "$dir"
    mkdir "$dir"
}

fail() {
    n_failed=$((n_failed + 1))
    printf 'FAILED %s: %s\n' "$current" "$1"
    printf '  exit code %s\n' "$code"
    sed 's/^/  stdout: /' "$out" | head -5
    sed 's/^/  stderr: /' "$err" | head -5
}

run() {
    "$@" > "$out" 2> "$err" < /dev/null
    code=$?
}

expect_code() { [ "$code" -eq "$1" ] || fail "exit code $1 was expected"; }
expect_out() { grep -qE -- "$1" "$out" || fail "stdout has no line like: $1"; }
expect_err() { grep -qE -- "$1" "$err" || fail "stderr has no line like: $1"; }
expect_no_out() { [ ! -s "$out" ] || fail "stdout should be empty"; }
expect_no_err() { [ ! -s "$err" ] || fail "stderr should be empty"; }
expect_lines() { [ "$(wc -l < "$1")" -eq "$2" ] || fail "$1 should have $2 lines"; }

# An error is one line that begins with the program's name.
expect_one_error() {
    expect_lines "$err" 1
    expect_err "^nwbz: $1"
}

# Nothing in $dir: no destination, no staging folder, nothing forgotten.
expect_nothing_left() {
    [ -z "$(ls -A "$dir")" ] || fail "left behind: $(ls -A "$dir" | tr '\n' ' ')"
}

# $1 must hold: a test's own condition, with a text.
expect() {
    local text=$1
    shift
    "$@" || fail "$text"
}

expect_json() {
    python3 -c 'import json,sys; json.loads(open(sys.argv[1]).read())' "$1" 2> /dev/null || fail "$1 is not one JSON value"
}

# The value of an expression over the JSON in a file: json_value FILE 'j["seconds"]'.
json_value() { python3 -c 'import json,sys; j=json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$1" "$2"; }

# Noise of 4 bits in each byte, so that codecs have something to do: make_noise FILE BYTES.
make_noise() {
    python3 - "$1" "$2" << 'END'
import os, sys
low = bytes(i & 15 for i in range(256))
with open(sys.argv[1], "wb") as file:
    left = int(sys.argv[2])
    while left:
        n = min(left, 1 << 24)
        file.write(os.urandom(n).translate(low))
        left -= n
END
}

# A .npy file of a type and shape with a raw file's bytes: make_npy FILE '<i2' '(100, 4)' RAW.
make_npy() {
    python3 - "$@" << 'END'
import sys
path, dtype, shape, raw = sys.argv[1:5]
header = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (dtype, shape)
header += " " * (-(len(header) + 11) % 64) + "\n"
with open(path, "wb") as file:
    file.write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + open(raw, "rb").read())
END
}

# Wait until a command holds, 20 s at most.
wait_until() {
    local i
    for i in $(seq 2000); do
        "$@" && return 0
        sleep 0.01
    done
    fail "never came: $*"
    return 1
}

# A run of $dir/out.nwb.zarr has stored its first chunk of samples.
has_chunk() { compgen -G "$dir/.out.nwb.zarr.nwbz/tree/acquisition/*/data/c/*" > /dev/null; }

# All files of a tree with their bytes, to compare two.
tree_sum() { (cd "$1" && find . -type f | sort | xargs -d '\n' sha256sum | sha256sum); }

finish() {
    printf '%s tests, %s failed\n' "$n_tests" "$n_failed"
    [ "$n_failed" -eq 0 ]
    exit
}
