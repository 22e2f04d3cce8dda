# How every C file of the project is compiled: warnings, sanitizers, coverage, the POSIX level.
find_package(Threads REQUIRED)

add_library(nz_compiler INTERFACE)
target_compile_options(nz_compiler INTERFACE
    -Wall -Wextra -Wshadow -Wpointer-arith -Wwrite-strings -Wstrict-prototypes
    -Wmissing-prototypes -Wold-style-definition -Wvla -Wundef -Wformat=2 -Wno-format-truncation -Wpedantic)
# Not for tests: their literals would need casts that say nothing.
add_library(nz_strict INTERFACE)
target_compile_options(nz_strict INTERFACE -Wconversion -Wno-sign-conversion)
target_link_libraries(nz_strict INTERFACE nz_compiler)
# C11 without extensions hides POSIX; files that need more than POSIX define _GNU_SOURCE themselves.
target_compile_definitions(nz_compiler INTERFACE _XOPEN_SOURCE=700 _FILE_OFFSET_BITS=64)
if(NWBZ_WERROR)
    target_compile_options(nz_compiler INTERFACE -Werror)
endif()
if(NWBZ_SANITIZE)
    # Set for the whole tree: libraries and programs must agree.
    add_compile_options(-fsanitize=${NWBZ_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    add_link_options(-fsanitize=${NWBZ_SANITIZE})
endif()
if(NWBZ_FUZZ)
    add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(NWBZ_COVERAGE)
    add_compile_options(--coverage -fprofile-update=atomic)
    add_link_options(--coverage)
endif()
