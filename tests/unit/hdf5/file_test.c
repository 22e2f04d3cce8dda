/* Opening HDF5 files: each thing that can be wrong with one has a message of its own. */
#include "unit/hdf5/fixture.h"

#include "hdf5/file.h"

#include <sys/file.h>
#include <sys/wait.h>

static const hsize_t shape[] = { 1000 };

static const char *a_file(const char *name)
{
    int16_t elements[1000] = { 1, 2, 3 };
    hdf5_layout layout = { 1, shape, NULL, false };
    hdf5_file(in_folder(name), H5T_STD_I16LE, &layout, H5T_NATIVE_INT16, elements);
    return in_folder(name);
}

static void check_refused(const char *path, const char *first, const char *second)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_hdf5_file *file = NULL;
    assert_fails(nz_hdf5_file_open(path, &file, &err), NWBZ_ESOURCE, first, second);
    assert_null(file);
}

static void a_file_is_opened_and_closed(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_hdf5_file *file = NULL, *again = NULL;
    const char *path = a_file("whole.h5");
    ssize_t n_before = hdf5_count_open();
    assert_ok(nz_hdf5_file_open(path, &file, &err), &err);
    assert_ok(nz_hdf5_file_open(path, &again, &err), &err);
    assert_string_equal(nz_hdf5_file_path(file), path);
    assert_true(nz_hdf5_file_descriptor(file) >= 0);
    assert_int_equal(H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_FILE), 2);
    nz_hdf5_file_close(file);
    nz_hdf5_file_close(again);
    nz_hdf5_file_close(NULL);
    assert_int_equal(hdf5_count_open(), n_before);
}

static void a_file_behind_a_user_block_is_opened(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_hdf5_file *file = NULL;
    for (hsize_t size = 512; size <= 4096; size *= 2) {
        hid_t properties = H5Pcreate(H5P_FILE_CREATE);
        assert_hdf5(H5Pset_userblock(properties, size));
        hid_t made = H5Fcreate(in_folder("block.h5"), H5F_ACC_TRUNC, properties, H5P_DEFAULT);
        assert_hdf5(made);
        assert_hdf5(H5Fclose(made));
        assert_hdf5(H5Pclose(properties));
        assert_ok(nz_hdf5_file_open(in_folder("block.h5"), &file, &err), &err);
        nz_hdf5_file_close(file);
    }
}

static void what_is_no_hdf5_file_is_refused(void **state)
{
    (void)state;
    static const char text[2000] = "\x89HDF\r\n\x1a\r and more";
    check_refused(in_folder("missing.h5"), "No such file", "");
    check_refused(folder, "folder", "HDF5");
    test_file_write(in_folder("empty.h5"), "", 0);
    check_refused(in_folder("empty.h5"), "is empty", "no HDF5 file");
    test_file_write(in_folder("text.h5"), text, sizeof text);
    check_refused(in_folder("text.h5"), "no HDF5 file", "2000 bytes");
    test_file_write(in_folder("short.h5"), text, 3);
    check_refused(in_folder("short.h5"), "no HDF5 file", "3 bytes");
}

static void a_truncated_file_is_refused_at_every_length(void **state)
{
    (void)state;
    size_t n_bytes = 0;
    char *bytes = test_file_read(a_file("cut.h5"), &n_bytes);
    assert_true(n_bytes > 2000);
    for (size_t n = 9; n < n_bytes; n += n < 120 ? 1 : 97) {
        test_file_write(in_folder("cut.h5"), bytes, n);
        check_refused(in_folder("cut.h5"), "cannot be opened", "HDF5 ");
        if (n > 120)
            check_refused(in_folder("cut.h5"), "copy or download it again", "eof = ");
    }
    free(bytes);
}

static void a_file_of_a_newer_library_is_refused_as_such(void **state)
{
    (void)state;
    size_t n_bytes = 0;
    char *bytes = test_file_read(a_file("newer.h5"), &n_bytes);
    bytes[8] = 99; /* the version of the superblock */
    test_file_write(in_folder("newer.h5"), bytes, n_bytes);
    check_refused(in_folder("newer.h5"), "written by a newer HDF5", "version");
    free(bytes);
}

/* A writer holds an exclusive lock of the file, as this does. */
static void a_file_that_is_open_elsewhere_for_writing_is_refused(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_hdf5_file *file = NULL;
    const char *path = a_file("locked.h5");
    FILE *writer = fopen(path, "r+b");
    assert_non_null(writer);
    assert_int_equal(flock(fileno(writer), LOCK_EX), 0);
    check_refused(path, "another program has it open for writing", "unable to lock file");
    assert_int_equal(fclose(writer), 0);
    assert_ok(nz_hdf5_file_open(path, &file, &err), &err);
    nz_hdf5_file_close(file);
}

static void die_while_writing(const char *path)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    bool is_written = access >= 0 && H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST) >= 0;
    hid_t file = is_written ? H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access) : H5I_INVALID_HID;
    is_written = file >= 0 && H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0;
    _exit(is_written ? 0 : 1);
}

static void a_file_whose_writer_died_is_refused_with_the_way_out(void **state)
{
    (void)state;
    const char *path = in_folder("died.h5");
    pid_t child = fork();
    int status = -1;
    if (child == 0)
        die_while_writing(path);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    check_refused(path, "h5clear -s", "already open for");
}

/* ---- printing ------------------------------------------------------------------------- */

static unsigned n_printed;

static herr_t print(hid_t stack, void *user)
{
    (void)stack, (void)user;
    n_printed++;
    return 0;
}

static void the_hosts_printing_of_errors_is_left_as_it_was(void **state)
{
    (void)state;
    H5E_auto2_t before = NULL, after = NULL;
    void *user_before = NULL, *user_after = NULL;
    assert_hdf5(H5Eget_auto2(H5E_DEFAULT, &before, &user_before));
    assert_hdf5(H5Eset_auto2(H5E_DEFAULT, print, &n_printed));
    test_file_write(in_folder("broken.h5"), "\x89HDF\r\n\x1a\n broken", 16);
    check_refused(in_folder("broken.h5"), "cannot be opened", "");
    assert_int_equal(n_printed, 0);
    assert_hdf5(H5Eget_auto2(H5E_DEFAULT, &after, &user_after));
    assert_true(after == print && user_after == &n_printed);
    assert_true(H5Gclose(H5I_INVALID_HID) < 0);
    assert_int_equal(n_printed, 1);
    assert_hdf5(H5Eset_auto2(H5E_DEFAULT, before, user_before));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_opened_and_closed),
        cmocka_unit_test(a_file_behind_a_user_block_is_opened),
        cmocka_unit_test(what_is_no_hdf5_file_is_refused),
        cmocka_unit_test(a_truncated_file_is_refused_at_every_length),
        cmocka_unit_test(a_file_of_a_newer_library_is_refused_as_such),
        cmocka_unit_test(a_file_that_is_open_elsewhere_for_writing_is_refused),
        cmocka_unit_test(a_file_whose_writer_died_is_refused_with_the_way_out),
        cmocka_unit_test(the_hosts_printing_of_errors_is_left_as_it_was),
    };
    (void)unsetenv("HDF5_USE_FILE_LOCKING"); /* what the library reads; it is not this test's matter */
    return cmocka_run_group_tests(tests, make_folder, test_folder_teardown);
}
