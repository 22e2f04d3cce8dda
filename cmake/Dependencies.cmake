# The outside libraries, all found by pkg-config.  docs/DEPENDENCIES.md says why each was chosen.
find_package(PkgConfig REQUIRED)
pkg_check_modules(NZ_ZSTD REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(NZ_LZ4 REQUIRED IMPORTED_TARGET liblz4)
pkg_check_modules(NZ_BLOSC REQUIRED IMPORTED_TARGET blosc)
pkg_check_modules(NZ_JSON REQUIRED IMPORTED_TARGET json-c)
pkg_check_modules(NZ_ISAL REQUIRED IMPORTED_TARGET libisal)
pkg_check_modules(NZ_DEFLATE REQUIRED IMPORTED_TARGET libdeflate)
pkg_check_modules(NZ_UUID REQUIRED IMPORTED_TARGET uuid)
pkg_check_modules(NZ_HDF5 REQUIRED IMPORTED_TARGET hdf5)

add_library(nz_dependencies INTERFACE)
target_link_libraries(nz_dependencies INTERFACE PkgConfig::NZ_ZSTD PkgConfig::NZ_LZ4 PkgConfig::NZ_BLOSC
    PkgConfig::NZ_JSON PkgConfig::NZ_ISAL PkgConfig::NZ_DEFLATE PkgConfig::NZ_UUID PkgConfig::NZ_HDF5 Threads::Threads m)
