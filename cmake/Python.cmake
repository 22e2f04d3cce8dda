# The Python extension: python/src, linked with the static library, for the stable interface of Python 3.11 and later.
# pyproject.toml calls this; what it installs becomes the wheel.
find_package(Python 3.11 REQUIRED COMPONENTS Interpreter Development.Module)

file(GLOB NZ_PYTHON_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/python/src/*.c)
add_library(nwbz_python MODULE ${NZ_PYTHON_SOURCES})
target_include_directories(nwbz_python PRIVATE ${Python_INCLUDE_DIRS})
target_compile_definitions(nwbz_python PRIVATE Py_LIMITED_API=0x030B0000)
target_link_libraries(nwbz_python PRIVATE nz_compiler nwbz_static)
# Nothing but the module's entry leaves: another extension may hold other versions of the same libraries.
target_link_options(nwbz_python PRIVATE -Wl,--exclude-libs,ALL)
set_target_properties(nwbz_python PROPERTIES OUTPUT_NAME _nwbz PREFIX "" SUFFIX ".abi3.so")
install(TARGETS nwbz_python LIBRARY DESTINATION nwbz COMPONENT python)
