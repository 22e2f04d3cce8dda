#!/bin/bash
# The Python package:  scripts/python.sh PYTHON test|demo
#
# PYTHON is one of 3.12 or later.  The package is built and installed into an environment of its own under build/python;
# then `test` runs python/tests with what was installed, `demo` the founding script with 1 and 2 jobs.
set -euo pipefail
cd "$(dirname "$0")/.."

python=$1
purpose=$2
key=$({ "$python" -VV && cat pyproject.toml tests/interop/requirements*.txt; } | sha256sum | cut -c 1-12)
environment=build/python/package-$key
pip=("$environment/bin/python" -m pip install --quiet --disable-pip-version-check)

if [[ ! -e $environment/whole ]]; then
    rm -rf "$environment"
    "$python" -m venv "$environment"
    # The versions that everything was tried with.
    "${pip[@]}" -c tests/interop/requirements.txt scikit-build-core pyyaml hdmf-zarr==0.14.0 pynwb hdf5plugin \
        pytest hypothesis nbclient ipykernel tqdm
    "${pip[@]}" --no-deps neuroconv==0.10.2
    touch "$environment/whole"
fi
"${pip[@]}" --no-deps --no-build-isolation --force-reinstall -Cbuild-dir=build/python/wheel .

if [[ $purpose == demo ]]; then
    folder=build/demo
    mkdir -p "$folder"
    echo "The founding script, with one import changed: from nwbz import NWBZarrIO"
    if [[ ! -e $folder/founding.dat ]]; then
        "$environment/bin/python" -c "from nwbz.bench import make_recording; import pathlib; \
make_recording(pathlib.Path('$folder/founding.dat'), 20, 384)"
    fi
    for jobs in 1 2; do
        "$environment/bin/python" -W ignore scripts/founding_script.py "$folder/founding.dat" \
            "$folder/founding.nwb.zarr" --jobs "$jobs" --iterator neuroconv
    done
    exit
fi
cd python/tests
exec "../../$environment/bin/python" -m pytest -c ../../pyproject.toml -p no:cacheprovider .
