# The functions that fault tests stand in front of (ld --wrap): a reference to X becomes one to __wrap_X, which fault.c or kill.c defines.
#
# fault.c: the library's own doors to memory and files, each of which can be made to fail.
set(NZ_FAULT_WRAPPED
    nz_malloc nz_calloc nz_realloc nz_strdup nz_strndup nz_memdup nz_malloc_large nz_free nwbz_free
    nz_file_open_read nz_file_read_at nz_file_read_stream nz_file_read_all nz_file_look nz_file_look_fd nz_folder_each nz_path_resolve
    nz_file_open_write nz_file_write nz_file_close nz_file_write_all nz_file_rename nz_file_remove nz_file_lock
    nz_folder_make nz_folder_make_parents nz_folder_remove nz_folder_sync nz_tree_remove nz_tree_sync)
# kill.c: the C library's calls that change the file system, before each of which the process can be killed.
list(APPEND NZ_FAULT_WRAPPED
    open open64 openat openat64 write rename renameat2 unlink unlinkat mkdir rmdir fsync syncfs)
list(TRANSFORM NZ_FAULT_WRAPPED PREPEND "-Wl,--wrap=" OUTPUT_VARIABLE NZ_FAULT_LINK_OPTIONS)
set(NZ_FAULT_SOURCES ${CMAKE_CURRENT_LIST_DIR}/fault.c ${CMAKE_CURRENT_LIST_DIR}/kill.c)
