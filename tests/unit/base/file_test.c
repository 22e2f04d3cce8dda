#define _GNU_SOURCE
#include "support/test.h"

#include "base/file.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void check_content(const char *path, const char *want)
{
    char *text = test_file_read(path, NULL);
    assert_non_null(text);
    assert_string_equal(text, want);
    free(text);
}

/* ---- Reading ----------------------------------------------------------------------- */

static void a_missing_file_is_named_with_the_code_of_its_role(void **state)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    int fd = 7;
    const char *path = test_path(*state, "absent");
    assert_code(nz_file_open_read(path, NWBZ_ESOURCE, &fd, &err), NWBZ_ESOURCE, "absent: No such file", &err);
    assert_int_equal(err.os_errno, ENOENT);
    assert_int_equal(fd, -1);
    assert_code(nz_file_open_read(path, NWBZ_EIO, &fd, &err), NWBZ_ENOTFOUND, "absent", &err);
    test_file_write(path, "x", 1);
    assert_code(nz_file_open_read(test_path(path, "below"), NWBZ_EIO, &fd, &err), NWBZ_ENOTFOUND, "below", &err);
}

static void reading_stops_at_the_end_of_the_file(void **state)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    const char *path = test_path(*state, "f");
    char bytes[16] = "";
    int fd;
    size_t n;
    test_file_write(path, "0123456789", 10);
    assert_ok(nz_file_open_read(path, NWBZ_ESOURCE, &fd, &err), &err);
    assert_ok(nz_file_read_at(fd, bytes, 4, 3, &n, NWBZ_ESOURCE, path, &err), &err);
    assert_int_equal(n, 4);
    assert_memory_equal(bytes, "3456", 4);
    assert_ok(nz_file_read_at(fd, bytes, 16, 8, &n, NWBZ_ESOURCE, path, &err), &err);
    assert_int_equal(n, 2);
    assert_ok(nz_file_read_at(fd, bytes, 16, 10, &n, NWBZ_ESOURCE, path, &err), &err);
    assert_int_equal(n, 0);
    assert_code(nz_file_read_at(fd, bytes, 16, UINT64_MAX - 3, &n, NWBZ_ESOURCE, path, &err), NWBZ_ESOURCE, "offset",
                &err);
    nz_file_drop(fd);
    nz_file_drop(-1);
}

static void reading_a_folder_is_an_error_that_names_it(void **state)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    char *bytes;
    size_t n;
    assert_code(nz_file_read_all(*state, 100, &bytes, &n, NWBZ_ESOURCE, &err), NWBZ_ESOURCE, *state, &err);
    assert_null(bytes);
}

static void a_whole_file_comes_with_a_nul_behind(void **state)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    const char *path = test_path(*state, "f");
    char *bytes = NULL;
    size_t n = 9;
    test_file_write(path, "a\0b", 3);
    assert_ok(nz_file_read_all(path, 3, &bytes, &n, NWBZ_EIO, &err), &err);
    assert_int_equal(n, 3);
    assert_memory_equal(bytes, "a\0b", 4);
    nz_free(bytes);
    assert_code(nz_file_read_all(path, 2, &bytes, &n, NWBZ_EIO, &err), NWBZ_ELIMIT, "3 bytes", &err);
    assert_null(bytes);
    test_file_write(path, "", 0);
    assert_ok(nz_file_read_all(path, 0, &bytes, &n, NWBZ_EIO, &err), &err);
    assert_int_equal(n, 0);
    assert_string_equal(bytes, "");
    nz_free(bytes);
}

static void files_without_a_size_are_read_to_their_end(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    char *bytes = NULL;
    size_t n = 0;
    assert_ok(nz_file_read_all("/proc/self/maps", 1 << 20, &bytes, &n, NWBZ_EIO, &err), &err);
    assert_true(n > 100); /* some lines; how many depends on the build */
    assert_int_equal(bytes[n - 1], '\n');
    nz_free(bytes);
    assert_code(nz_file_read_all("/proc/self/maps", 100, &bytes, &n, NWBZ_EIO, &err), NWBZ_ELIMIT, "100", &err);
    assert_code(nz_file_read_all("/dev/zero", 100000, &bytes, &n, NWBZ_EIO, &err), NWBZ_ELIMIT, "100000", &err);
}

static void a_fifo_without_writer_does_not_block(void **state)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    const char *path = test_path(*state, "fifo");
    nz_file_info info;
    int fd;
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_ok(nz_file_open_read(path, NWBZ_ESOURCE, &fd, &err), &err);
    assert_ok(nz_file_look_fd(fd, path, &info, &err), &err);
    assert_int_equal(info.kind, NZ_FILE_OTHER);
    nz_file_drop(fd);
}

static void do_nothing(int number)
{
    (void)number;
}

static void *interrupt_then_write(void *user)
{
    const struct timespec moment = { 0, 20 * 1000 * 1000 };
    int *ends = user;
    pthread_t reader;
    memcpy(&reader, ends + 2, sizeof reader);
    for (int i = 0; i < 3; i++) {
        nanosleep(&moment, NULL);
        pthread_kill(reader, SIGUSR1);
    }
    nanosleep(&moment, NULL);
    (void)!write(ends[1], "data", 4);
    close(ends[1]);
    return NULL;
}

static void a_stream_says_when_a_signal_interrupted_it_and_when_it_ends(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    int ends[2 + sizeof(pthread_t) / sizeof(int)];
    char bytes[8];
    int64_t n = 0, n_interrupts = 0;
    struct sigaction action = { .sa_handler = do_nothing }, before;
    pthread_t self = pthread_self(), writer;
    assert_int_equal(pipe(ends), 0);
    memcpy(ends + 2, &self, sizeof self);
    sigaction(SIGUSR1, &action, &before);
    assert_int_equal(pthread_create(&writer, NULL, interrupt_then_write, ends), 0);
    for (;;) {
        assert_ok(nz_file_read_stream(ends[0], bytes, sizeof bytes, &n, &err), &err);
        if (n >= 0)
            break;
        n_interrupts++;
    }
    pthread_join(writer, NULL);
    assert_int_equal(n, 4);
    assert_true(n_interrupts >= 1);
    assert_ok(nz_file_read_stream(ends[0], bytes, sizeof bytes, &n, &err), &err);
    assert_int_equal(n, 0);
    close(ends[0]);
    assert_code(nz_file_read_stream(ends[0], bytes, 1, &n, &err), NWBZ_ESOURCE, "stream", &err);
    sigaction(SIGUSR1, &before, NULL);
}

/* ---- Writing ----------------------------------------------------------------------- */

static void writing_empties_and_appending_keeps(void **state)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    const char *path = test_path(*state, "f");
    int fd;
    test_file_write(path, "old content", 11);
    assert_ok(nz_file_open_write(path, false, &fd, &err), &err);
    assert_ok(nz_file_write(fd, "new", 3, path, &err), &err);
    assert_ok(nz_file_close(fd, path, &err), &err);
    check_content(path, "new");
    assert_ok(nz_file_open_write(path, true, &fd, &err), &err);
    assert_ok(nz_file_write(fd, "er", 2, path, &err), &err);
    assert_ok(nz_file_write(fd, NULL, 0, path, &err), &err);
    assert_ok(nz_file_close(fd, path, &err), &err);
    check_content(path, "newer");
    assert_code(nz_file_open_write(test_path(*state, "no/f"), false, &fd, &err), NWBZ_EIO, "no/f", &err);
    assert_int_equal(fd, -1);
}

static void a_full_disk_and_a_bad_descriptor_are_told_apart(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_code(nz_file_write(fd, "x", 1, "the disk", &err), NWBZ_ENOSPACE, "the disk", &err);
    assert_ok(nz_file_close(fd, "the disk", &err), &err);
    assert_code(nz_file_write(fd, "x", 1, "the disk", &err), NWBZ_EIO, "Bad file descriptor", &err);
    assert_code(nz_file_close(fd, "the disk", &err), NWBZ_EIO, "the disk", &err);
}

static void a_file_over_the_size_limit_is_enospace_and_leaves_nothing(void **state)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    struct rlimit before, small;
    static char bytes[10000];
    const char *path = test_path(*state, "f");
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 4096;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    nwbz_code code = nz_file_write_all(path, bytes, sizeof bytes, &err);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, handler);
    assert_code(code, NWBZ_ENOSPACE, path, &err);
    assert_int_equal(test_folder_count(*state), 0);
}

static void a_file_is_replaced_whole_and_nothing_else_stays(void **state)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    const char *path = test_path(*state, "zarr.json");
    mode_t mask = umask(027);
    assert_ok(nz_file_write_all(path, "first", 5, &err), &err);
    assert_ok(nz_file_write_all(path, "2nd", 3, &err), &err);
    umask(mask);
    check_content(path, "2nd");
    assert_int_equal(test_folder_count(*state), 1);
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0640);
}

static void a_file_that_cannot_be_replaced_stays_and_no_temporary_does(void **state)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    const char *folder = test_path(*state, "folder");
    assert_int_equal(mkdir(folder, 0777), 0);
    assert_int_equal(nz_file_write_all(folder, "x", 1, &err), NWBZ_EIO);
    assert_int_equal(test_folder_count(*state), 1);
    assert_code(nz_file_write_all(test_path(*state, "no/f"), "x", 1, &err), NWBZ_EIO, "no/", &err);
}

static void a_name_of_255_bytes_can_be_written(void **state)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    char name[256];
    memset(name, 'n', 255);
    name[255] = 0;
    assert_ok(nz_file_write_all(test_path(*state, name), "x", 1, &err), &err);
    check_content(test_path(*state, name), "x");
}

static void descriptors_are_closed_on_exec(void **state)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    const char *path = test_path(*state, "f");
    int fds[4];
    assert_ok(nz_file_open_write(path, false, &fds[0], &err), &err);
    assert_ok(nz_file_open_write(path, true, &fds[1], &err), &err);
    assert_ok(nz_file_open_read(path, NWBZ_EIO, &fds[2], &err), &err);
    assert_ok(nz_file_lock(test_path(*state, "lock"), &fds[3], &err), &err);
    for (int i = 0; i < 4; i++) {
        assert_true(fcntl(fds[i], F_GETFD) & FD_CLOEXEC);
        nz_file_drop(fds[i]);
    }
}

/* ---- Looking ----------------------------------------------------------------------- */

static void looking_tells_files_folders_links_and_absence_apart(void **state)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_file_info info, same;
    const char *file = test_path(*state, "f"), *link = test_path(*state, "l"), *loose = test_path(*state, "loose");
    test_file_write(file, "12345", 5);
    assert_int_equal(symlink("f", link), 0);
    assert_int_equal(symlink("nowhere", loose), 0);
    assert_ok(nz_file_look(file, false, &info, &err), &err);
    assert_int_equal(info.kind, NZ_FILE_REGULAR);
    assert_int_equal(info.size_bytes, 5);
    struct stat st;
    assert_int_equal(stat(file, &st), 0);
    assert_true(info.mtime_ns == (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec);
    assert_ok(nz_file_look(link, false, &same, &err), &err);
    assert_int_equal(same.kind, NZ_FILE_OTHER);
    assert_ok(nz_file_look(link, true, &same, &err), &err);
    assert_int_equal(same.kind, NZ_FILE_REGULAR);
    assert_true(same.inode == info.inode && same.device == info.device);
    assert_ok(nz_file_look(loose, true, &same, &err), &err);
    assert_int_equal(same.kind, NZ_FILE_ABSENT);
    assert_ok(nz_file_look(test_path(file, "below"), false, &same, &err), &err);
    assert_int_equal(same.kind, NZ_FILE_ABSENT);
    assert_ok(nz_file_look(*state, false, &same, &err), &err);
    assert_int_equal(same.kind, NZ_FILE_FOLDER);
}

/* ---- Renaming, locking, resolving ------------------------------------------------------- */

static void two_names_change_places_or_the_file_system_says_that_it_cannot(void **state)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    const char *a = test_path(*state, "a"), *b = test_path(*state, "b");
    test_file_write(a, "A", 1);
    assert_int_equal(mkdir(b, 0777), 0);
    nwbz_code code = nz_file_rename(a, b, true, &err);
    if (code == NWBZ_EUNSUPPORTED) {
        check_content(a, "A");
    } else {
        assert_ok(code, &err);
        check_content(b, "A");
        assert_code(nz_file_rename(a, test_path(*state, "absent"), true, &err), NWBZ_EIO, "absent", &err);
    }
}

static void renaming_replaces_a_file_and_names_both_when_it_fails(void **state)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    const char *a = test_path(*state, "a"), *b = test_path(*state, "b");
    test_file_write(a, "A", 1);
    test_file_write(b, "B", 1);
    assert_ok(nz_file_rename(a, b, false, &err), &err);
    check_content(b, "A");
    assert_code(nz_file_rename(a, b, false, &err), NWBZ_EIO, a, &err);
    assert_non_null(strstr(err.message, b));
    assert_ok(nz_file_remove(b, &err), &err);
    assert_ok(nz_file_remove(b, &err), &err);
    assert_code(nz_file_remove(*state, &err), NWBZ_EIO, *state, &err);
}

static void a_lock_is_held_once_and_given_back_at_close(void **state)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    const char *path = test_path(*state, "lock");
    int first = -1, second = 5;
    assert_ok(nz_file_lock(path, &first, &err), &err);
    assert_true(first >= 0);
    assert_ok(nz_file_lock(path, &second, &err), &err); /* flock belongs to the open file: as good as another process */
    assert_int_equal(second, -1);
    nz_file_drop(first);
    assert_ok(nz_file_lock(path, &second, &err), &err);
    assert_true(second >= 0);
    nz_file_drop(second);
    assert_code(nz_file_lock(test_path(*state, "no/lock"), &second, &err), NWBZ_EIO, "no/lock", &err);
    assert_int_equal(second, -1);
}

static void a_lock_of_a_killed_process_is_free(void **state)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    const char *path = test_path(*state, "lock");
    int ends[2], fd = -1, status;
    char ready;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        (void)!nz_file_lock(path, &fd, NULL);
        (void)!write(ends[1], "x", 1);
        for (;;)
            pause();
    }
    assert_int_equal(read(ends[0], &ready, 1), 1);
    assert_ok(nz_file_lock(path, &fd, &err), &err);
    assert_int_equal(fd, -1);
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_ok(nz_file_lock(path, &fd, &err), &err);
    assert_true(fd >= 0);
    nz_file_drop(fd);
    close(ends[0]);
    close(ends[1]);
}

static void a_path_is_resolved_also_where_its_last_part_is_absent(void **state)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    char *resolved = NULL, want[4096], *real = realpath(*state, NULL);
    assert_int_equal(mkdir(test_path(*state, "d"), 0777), 0);
    assert_int_equal(symlink("d", test_path(*state, "l")), 0);
    assert_ok(nz_path_resolve(test_path(*state, "l/../l/new.zarr/"), &resolved, &err), &err);
    snprintf(want, sizeof want, "%s/d/new.zarr", real);
    assert_string_equal(resolved, want);
    nz_free(resolved);
    assert_ok(nz_path_resolve(test_path(*state, "l"), &resolved, &err), &err);
    snprintf(want, sizeof want, "%s/d", real);
    assert_string_equal(resolved, want);
    nz_free(resolved);
    assert_code(nz_path_resolve(test_path(*state, "no/new.zarr"), &resolved, &err), NWBZ_EIO, "no/new.zarr", &err);
    assert_null(resolved);
    free(real);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, test_folder_setup, test_folder_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(a_missing_file_is_named_with_the_code_of_its_role),
        IN_FOLDER(reading_stops_at_the_end_of_the_file),
        IN_FOLDER(reading_a_folder_is_an_error_that_names_it),
        IN_FOLDER(a_whole_file_comes_with_a_nul_behind),
        cmocka_unit_test(files_without_a_size_are_read_to_their_end),
        IN_FOLDER(a_fifo_without_writer_does_not_block),
        cmocka_unit_test(a_stream_says_when_a_signal_interrupted_it_and_when_it_ends),
        IN_FOLDER(writing_empties_and_appending_keeps),
        cmocka_unit_test(a_full_disk_and_a_bad_descriptor_are_told_apart),
        IN_FOLDER(a_file_over_the_size_limit_is_enospace_and_leaves_nothing),
        IN_FOLDER(a_file_is_replaced_whole_and_nothing_else_stays),
        IN_FOLDER(a_file_that_cannot_be_replaced_stays_and_no_temporary_does),
        IN_FOLDER(a_name_of_255_bytes_can_be_written),
        IN_FOLDER(descriptors_are_closed_on_exec),
        IN_FOLDER(looking_tells_files_folders_links_and_absence_apart),
        IN_FOLDER(two_names_change_places_or_the_file_system_says_that_it_cannot),
        IN_FOLDER(renaming_replaces_a_file_and_names_both_when_it_fails),
        IN_FOLDER(a_lock_is_held_once_and_given_back_at_close),
        IN_FOLDER(a_lock_of_a_killed_process_is_free),
        IN_FOLDER(a_path_is_resolved_also_where_its_last_part_is_absent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
