# One ctest test per file, found by its place:
#
#   tests/unit/<folder>/<x>_test.c  -->  unit.<folder>.<x>     cmocka, sees all of src/
#   tests/fault/<x>_test.c          -->  fault.<x>             the same, with calls that fail (wrapped.cmake)
#   tests/stress/<x>_test.c         -->  stress.<x>            the same, for many threads
#   tests/cli/<x>_test.sh           -->  cli.<x>               run with NWBZ=<the program>
#   tests/stress/<x>_test.py        -->  stress.<x>            run with NWBZ=<the program>
#   tests/rules/<x>_test.py         -->  rules.<x>             the rules of the source tree
#   examples/<x>.c                  -->  example.<x>           public headers only
#   fuzz/<x>.c                      -->  fuzz.<x>              its corpus, and changed copies; with NWBZ_FUZZ a fuzzer
#   bench/<x>.c                     -->  no test: built, run by hand
#
# tests/interop needs Python packages and is run by `make test` with a Python of its own.
find_package(Python3 COMPONENTS Interpreter)
pkg_check_modules(NZ_CMOCKA IMPORTED_TARGET cmocka)
if(NOT NZ_CMOCKA_FOUND)
    message(STATUS "cmocka not found: the C tests are not built")
endif()

set(NZ_TEST_ENVIRONMENT
    "ASAN_OPTIONS=detect_leaks=1:strict_string_checks=1:allocator_may_return_null=1"
    "UBSAN_OPTIONS=print_stacktrace=1"
    "TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1")

file(GLOB NZ_SUPPORT_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/support/*.c)
add_library(nz_test_support INTERFACE)
target_include_directories(nz_test_support INTERFACE ${PROJECT_SOURCE_DIR}/tests)
if(NZ_CMOCKA_FOUND)
    if(NZ_SUPPORT_SOURCES)
        add_library(nz_test_support_objects STATIC ${NZ_SUPPORT_SOURCES})
        target_include_directories(nz_test_support_objects PRIVATE ${PROJECT_SOURCE_DIR}/tests)
        target_link_libraries(nz_test_support_objects PRIVATE nz_compiler nwbz_internal PkgConfig::NZ_CMOCKA)
        target_link_libraries(nz_test_support INTERFACE nz_test_support_objects)
    endif()
    target_link_libraries(nz_test_support INTERFACE nwbz_internal PkgConfig::NZ_CMOCKA)
endif()

include(tests/fault/wrapped.cmake)

# Make one cmocka program and its test.
function(nz_add_c_test file name label timeout)
    string(REPLACE "." "_" target ${name})
    set(target test_${target})
    add_executable(${target} ${file})
    set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
    target_link_libraries(${target} PRIVATE nz_compiler nz_test_support)
    if(label STREQUAL fault)
        target_sources(${target} PRIVATE ${NZ_FAULT_SOURCES})
        target_link_options(${target} PRIVATE ${NZ_FAULT_LINK_OPTIONS})
    endif()
    add_test(NAME ${name} COMMAND ${target} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(${name} PROPERTIES LABELS ${label} TIMEOUT ${timeout} ENVIRONMENT "${NZ_TEST_ENVIRONMENT}")
endfunction()

if(NZ_CMOCKA_FOUND)
    file(GLOB unit_tests CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/tests
         ${PROJECT_SOURCE_DIR}/tests/unit/*/*_test.c)
    file(GLOB fault_tests CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/tests
         ${PROJECT_SOURCE_DIR}/tests/fault/*_test.c)
    file(GLOB stress_tests CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/tests
         ${PROJECT_SOURCE_DIR}/tests/stress/*_test.c)
    foreach(test IN LISTS unit_tests fault_tests stress_tests)
        string(REGEX REPLACE "_test\\.c$" "" name ${test})
        string(REPLACE "/" "." name ${name})
        string(REGEX REPLACE "\\..*$" "" label ${name})
        set(timeout 300)
        if(label STREQUAL fault) # one run for each step that can fail: thousands
            set(timeout 1500)
        endif()
        nz_add_c_test(${PROJECT_SOURCE_DIR}/tests/${test} ${name} ${label} ${timeout})
    endforeach()
endif()

file(GLOB examples CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/*.c)
foreach(example IN LISTS examples)
    get_filename_component(name ${example} NAME_WE)
    add_executable(example_${name} ${example})
    set_target_properties(example_${name} PROPERTIES OUTPUT_NAME ${name}
                          RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/examples)
    target_link_libraries(example_${name} PRIVATE nz_strict nwbz_shared)
    # An example runs without arguments in an empty folder.
    set(folder ${PROJECT_BINARY_DIR}/examples/${name}.run)
    add_test(NAME example.${name}.folder
             COMMAND ${CMAKE_COMMAND} -DFOLDER=${folder} -P ${PROJECT_SOURCE_DIR}/cmake/EmptyFolder.cmake)
    add_test(NAME example.${name} COMMAND example_${name} WORKING_DIRECTORY ${folder})
    set_tests_properties(example.${name}.folder PROPERTIES FIXTURES_SETUP example_${name} LABELS example)
    set_tests_properties(example.${name} PROPERTIES FIXTURES_REQUIRED example_${name} LABELS example TIMEOUT 60
                         ENVIRONMENT "${NZ_TEST_ENVIRONMENT}")
    file(MAKE_DIRECTORY ${folder})
endforeach()

file(GLOB fuzz_targets CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/fuzz/*.c)
list(FILTER fuzz_targets EXCLUDE REGEX "/replay\\.c$")
foreach(source IN LISTS fuzz_targets)
    get_filename_component(name ${source} NAME_WE)
    add_executable(fuzz_${name} ${source})
    set_target_properties(fuzz_${name} PROPERTIES OUTPUT_NAME ${name}
                          RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/fuzz)
    target_link_libraries(fuzz_${name} PRIVATE nz_compiler nwbz_internal)
    if(NWBZ_FUZZ)
        target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
    else()
        target_sources(fuzz_${name} PRIVATE ${PROJECT_SOURCE_DIR}/fuzz/replay.c)
        add_test(NAME fuzz.${name} COMMAND fuzz_${name} ${PROJECT_SOURCE_DIR}/fuzz/corpus/${name} 10000)
        set_tests_properties(fuzz.${name} PROPERTIES LABELS fuzz TIMEOUT 300 ENVIRONMENT "${NZ_TEST_ENVIRONMENT}")
    endif()
endforeach()

file(GLOB bench_programs CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/*.c)
foreach(source IN LISTS bench_programs)
    get_filename_component(name ${source} NAME_WE)
    add_executable(bench_${name} ${source})
    set_target_properties(bench_${name} PROPERTIES OUTPUT_NAME ${name}
                          RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bench)
    target_link_libraries(bench_${name} PRIVATE nz_compiler nwbz_static)
endforeach()

if(TARGET nwbz)
    file(GLOB cli_tests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/cli/*_test.sh)
    foreach(test IN LISTS cli_tests)
        get_filename_component(name ${test} NAME_WE)
        string(REGEX REPLACE "_test$" "" name ${name})
        add_test(NAME cli.${name} COMMAND bash ${test} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
        set_tests_properties(cli.${name} PROPERTIES LABELS cli TIMEOUT 300
                             ENVIRONMENT "NWBZ=$<TARGET_FILE:nwbz>;${NZ_TEST_ENVIRONMENT}")
    endforeach()
endif()

if(Python3_FOUND AND TARGET nwbz)
    file(GLOB program_tests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/stress/*_test.py)
    foreach(test IN LISTS program_tests)
        get_filename_component(name ${test} NAME_WE)
        string(REGEX REPLACE "_test$" "" name ${name})
        add_test(NAME stress.${name} COMMAND ${Python3_EXECUTABLE} ${test} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
        set_tests_properties(stress.${name} PROPERTIES LABELS stress TIMEOUT 900
                             ENVIRONMENT "NWBZ=$<TARGET_FILE:nwbz>;${NZ_TEST_ENVIRONMENT}")
    endforeach()
endif()

if(Python3_FOUND)
    set(rule_environment PYTHONDONTWRITEBYTECODE=1 CC=${CMAKE_C_COMPILER}
        NZ_LIBRARY=$<TARGET_FILE:nwbz_shared> NZ_ARCHIVE=$<TARGET_FILE:nwbz_static>)
    file(GLOB rule_tests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/rules/*_test.py)
    foreach(test IN LISTS rule_tests)
        get_filename_component(name ${test} NAME_WE)
        string(REGEX REPLACE "_test$" "" name ${name})
        add_test(NAME rules.${name} COMMAND ${Python3_EXECUTABLE} ${test} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
        set_tests_properties(rules.${name} PROPERTIES LABELS rules TIMEOUT 300
                             ENVIRONMENT "${rule_environment}")
    endforeach()
endif()
