#!/bin/bash
# Install the packages that are missing:  scripts/install.sh build|test
#
# Each line of packages.txt says how to see that a package is there, whoever put it there; when all are, nothing is
# called that needs a network or rights.
set -euo pipefail
cd "$(dirname "$0")"

purpose=${1:-build}
case $purpose in
build | test) ;;
*)
    echo "usage: $0 build|test" >&2
    exit 2
    ;;
esac

# Say whether what CHECK (kind:name) names is there.
is_there() {
    local kind=${1%%:*} name=${1#*:}
    case $kind in
    command) command -v "$name" >/dev/null ;;
    pc) pkg-config --exists "$name" 2>/dev/null ;;
    header) printf '#include <%s>\n' "$name" | gcc -E -x c - >/dev/null 2>&1 ;;
    python) /usr/bin/python3 -c "import $name" >/dev/null 2>&1 ;;
    file) test -e "$name" ;;
    *)
        echo "packages.txt: unknown check $1" >&2
        exit 2
        ;;
    esac
}

# Print the packages whose check fails.
missing_packages() {
    local package needed check
    while read -r package needed check; do
        case $package in '' | '#'*) continue ;; esac
        if [[ $needed == build || $needed == "$purpose" ]] && ! is_there "$check"; then
            echo "$package"
        fi
    done <packages.txt
}

as_root() {
    if [[ $(id -u) -eq 0 ]]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        echo "install.sh: needs root or sudo for: $*" >&2
        exit 1
    fi
}

mapfile -t missing < <(missing_packages)
if [[ ${#missing[@]} -eq 0 ]]; then
    echo "All packages for '$purpose' are there."
    exit 0
fi
echo "Missing: ${missing[*]}"
if ! command -v apt-get >/dev/null; then
    echo "install.sh: no apt-get here; install these by hand (names are Debian's): ${missing[*]}" >&2
    exit 1
fi
apt_get=(env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300)
as_root "${apt_get[@]}" update
as_root "${apt_get[@]}" install -y --no-install-recommends "${missing[@]}"

mapfile -t missing < <(missing_packages)
if [[ ${#missing[@]} -gt 0 ]]; then
    echo "install.sh: still missing after installing: ${missing[*]}" >&2
    exit 1
fi
