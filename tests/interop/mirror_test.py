"""nwbz_ctypes.py says what the public headers say: sizes and places of every struct, the names of types and codes.

A C compiler reads the headers.  A program that it makes prints sizes and places; where a member, type or code is missing
it refuses to make one.
"""

import ctypes
import os
import re
import shutil
import subprocess

import nwbz_ctypes as nwbz
import pytest

CC = os.environ.get("CC", "cc")
FLAGS = ["-x", "c", "-std=c11", f"-I{nwbz.ROOT / 'include'}", "-Werror=switch", "-Werror=missing-field-initializers"]
INCLUDES = "#include <nwbz/nwbz.h>\n#include <stddef.h>\n#include <stdio.h>\n"
STRUCTS = {
    f"nwbz{re.sub('([A-Z])', r'_\1', name[1:]).lower()}": mirror  # CArrayInfo: nwbz_array_info
    for name, mirror in vars(nwbz).items()
    if isinstance(mirror, type) and issubclass(mirror, ctypes.Structure)
}
pytestmark = pytest.mark.skipif(not shutil.which(CC), reason=f"no C compiler: {CC} is not here")


def compiled(folder, text):
    """What the C program prints; AssertionError with the compiler's words where it refuses."""
    program = folder / "mirror"
    done = subprocess.run(
        [CC, *FLAGS, "-", "-o", str(program)], input=INCLUDES + text, check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return subprocess.run([program], check=True, capture_output=True, text=True).stdout


def check_struct(folder, name, mirror):
    """Assert that a mirror has the members of the struct, at their places, and no others."""
    members = [field[0] for field in mirror._fields_]
    lines = "".join(
        f'    printf("{m} %zu %zu\\n", offsetof({name}, {m}), sizeof(((const {name} *)0)->{m}));\n' for m in members
    )
    # An initializer for each member of the mirror: the compiler refuses one too few (the flag) and one too many.
    text = f"""
    int main(void)
    {{
        static const {name} whole = {{ {", ".join("{0}" for _ in members)} }};
        printf("%zu\\n", sizeof whole);
    {lines}
        return 0;
    }}
    """
    ours = [f"{m} {getattr(mirror, m).offset} {getattr(mirror, m).size}" for m in members]
    assert compiled(folder, text).splitlines() == [str(ctypes.sizeof(mirror)), *ours]


def check_enum(folder, name, constants):
    """Assert that an enum has these constants, counted from 0, and no others."""
    values = "".join(f"    _Static_assert({c} == {i}, \"{c}\");\n" for i, c in enumerate(constants))
    cases = "\n".join(f"    case {c}: return 0;" for c in constants)
    switch = f"    switch (({name})n) {{\n{cases}\n    }}\n"
    compiled(folder, f"{values}int main(int n, char **texts)\n{{\n    (void)texts;\n{switch}    return 0;\n}}\n")


def type_constants(names):
    others = {"none": "NWBZ_TYPE_NONE", "fixed_length_utf32": "NWBZ_UTF32", "raw_bytes": "NWBZ_RAW"}
    return [others.get(name, f"NWBZ_{name.upper()}") for name in names]


@pytest.mark.parametrize("name", STRUCTS)
def test_a_struct_is_that_of_the_header(tmp_path, name):
    check_struct(tmp_path, name, STRUCTS[name])


def test_types_are_those_of_the_header(tmp_path):
    check_enum(tmp_path, "nwbz_type", type_constants(nwbz.NAMES))


def test_codes_are_those_of_the_header(tmp_path):
    check_enum(tmp_path, "nwbz_code", nwbz.CODES)


def test_the_most_axes_are_those_of_the_header(tmp_path):
    assert compiled(tmp_path, 'int main(void)\n{\n    printf("%d", NWBZ_MAX_DIMS);\n    return 0;\n}\n') == str(
        nwbz.MAX_DIMS
    )


def fields_without(mirror, left_out):
    return type("Wrong", (ctypes.Structure,), {"_fields_": [f for f in mirror._fields_ if f[0] not in left_out]})


@pytest.mark.parametrize("left_out", [["fill_value_json"], ["zarr_format"], ["type", "n_dims"]])
def test_a_mirror_that_lacks_members_is_found(tmp_path, left_out):
    with pytest.raises(AssertionError):
        check_struct(tmp_path, "nwbz_array_info", fields_without(nwbz.CArrayInfo, left_out))


def test_the_compiler_itself_refuses_a_member_too_few(tmp_path):
    """Where the size does not tell: a member that lies in what was padding."""
    with pytest.raises(AssertionError, match="initializer"):
        check_struct(tmp_path, "nwbz_fill_options", fields_without(nwbz.CFillOptions, ["user"]))


def test_names_that_are_missing_or_out_of_order_are_found(tmp_path):
    with pytest.raises(AssertionError, match="NWBZ_RAW"):
        check_enum(tmp_path, "nwbz_type", type_constants(nwbz.NAMES[:-1]))
    with pytest.raises(AssertionError, match="NWBZ_EIO"):
        check_enum(tmp_path, "nwbz_code", [c for c in nwbz.CODES if c != "NWBZ_EIO"])
    with pytest.raises(AssertionError):
        check_enum(tmp_path, "nwbz_code", nwbz.CODES[::-1])
