# The NWB schema as compact JSON texts in a generated C file; src/hdmf/schema.h declares its contents.
# make_schema.py needs a Python with PyYAML: the first Python found may be another than the system's, which has it.
set(NZ_SCHEMA_SOURCE "")
if(EXISTS ${PROJECT_SOURCE_DIR}/src/hdmf/schema.h)
    set(NWBZ_CACHE_DIR "" CACHE PATH "Folder that keeps the downloaded schema; empty: nwbz in the user's cache folder")

    find_package(Python3 COMPONENTS Interpreter)
    foreach(python IN ITEMS ${NWBZ_SCHEMA_PYTHON} ${Python3_EXECUTABLE} /usr/bin/python3)
        execute_process(COMMAND ${python} -c "import yaml" RESULT_VARIABLE result OUTPUT_QUIET ERROR_QUIET)
        if(result EQUAL 0)
            set(NWBZ_SCHEMA_PYTHON ${python} CACHE FILEPATH "Python with PyYAML, for building the schema")
            break()
        endif()
    endforeach()
    if(NOT NWBZ_SCHEMA_PYTHON)
        message(FATAL_ERROR "The NWB schema is built with PyYAML: install python3-yaml (scripts/install.sh does)")
    endif()

    set(from "")
    set(yaml_files "")
    if(NWBZ_CACHE_DIR)
        set(from --cache ${NWBZ_CACHE_DIR})
    endif()
    if(NWBZ_SCHEMA_DIR)
        set(from --schema-dir ${NWBZ_SCHEMA_DIR})
        file(GLOB_RECURSE yaml_files CONFIGURE_DEPENDS ${NWBZ_SCHEMA_DIR}/*.yaml)
    endif()
    set(NZ_SCHEMA_SOURCE ${PROJECT_BINARY_DIR}/schema/schema_texts.c)
    add_custom_command(OUTPUT ${NZ_SCHEMA_SOURCE}
        COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/schema
        COMMAND ${NWBZ_SCHEMA_PYTHON} ${PROJECT_SOURCE_DIR}/cmake/make_schema.py ${from} --out ${NZ_SCHEMA_SOURCE}
        DEPENDS ${PROJECT_SOURCE_DIR}/cmake/make_schema.py ${yaml_files}
        COMMENT "Making the NWB schema's texts" VERBATIM)
endif()
