#include "support/test.h"

#include "base/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void make_tree(const char *root)
{
    assert_int_equal(mkdir(root, 0777), 0);
    assert_int_equal(mkdir(test_path(root, "a"), 0777), 0);
    assert_int_equal(mkdir(test_path(root, "a/b"), 0777), 0);
    test_file_write(test_path(root, "a/b/f"), "x", 1);
    test_file_write(test_path(root, "g"), "x", 1);
}

static void a_folder_is_made_and_an_existing_one_is_fine(void **state)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    const char *path = test_path(*state, "d"), *file = test_path(*state, "f");
    assert_ok(nz_folder_make(path, &err), &err);
    assert_ok(nz_folder_make(path, &err), &err);
    assert_true(test_exists(path));
    test_file_write(file, "x", 1);
    assert_code(nz_folder_make(file, &err), NWBZ_EIO, file, &err);
    assert_code(nz_folder_make(test_path(*state, "no/d"), &err), NWBZ_EIO, "no/d", &err);
}

static void the_parents_of_a_file_are_made_below_the_root(void **state)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    assert_ok(nz_folder_make_parents(*state, test_path(*state, "a/b/c/f"), &err), &err);
    assert_true(test_exists(test_path(*state, "a/b/c")));
    assert_false(test_exists(test_path(*state, "a/b/c/f")));
    assert_ok(nz_folder_make_parents(*state, test_path(*state, "a/b/c/f"), &err), &err);
    assert_ok(nz_folder_make_parents(*state, test_path(*state, "a/x//y/f"), &err), &err);
    assert_true(test_exists(test_path(*state, "a/x/y")));
    assert_ok(nz_folder_make_parents(*state, test_path(*state, "f"), &err), &err);
    test_file_write(test_path(*state, "file"), "x", 1);
    assert_code(nz_folder_make_parents(*state, test_path(*state, "file/d/f"), &err), NWBZ_EIO, "file/d", &err);
    assert_code(nz_folder_make_parents(*state, test_path(*state, "file/f"), &err), NWBZ_EIO, "file", &err);
}

static void parents_outside_of_the_root_are_never_made(void **state)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    const char *root = test_path(*state, "root");
    assert_code(nz_folder_make_parents(root, test_path(*state, "other/x/f"), &err), NWBZ_EINVAL, "other", &err);
    assert_code(nz_folder_make_parents(root, test_path(*state, "rooted/x/f"), &err), NWBZ_EINVAL, "rooted", &err);
    assert_code(nz_folder_make_parents(root, test_path(*state, "root/x/f"), &err), NWBZ_EIO, "root", &err);
    assert_int_equal(test_folder_count(*state), 0);
}

static nwbz_code note(const char *name, bool is_folder, void *user, nwbz_error *err)
{
    int *seen = user;
    if (strcmp(name, "stop") == 0)
        return nz_fail(err, NWBZ_ECANCELED, "stopped");
    seen[0] += strcmp(name, "d") == 0 && is_folder;
    seen[1] += strcmp(name, "f") == 0 && !is_folder;
    seen[2] += strcmp(name, "l") == 0 && !is_folder;
    seen[3]++;
    return NWBZ_OK;
}

static void each_entry_is_seen_once_and_a_link_to_a_folder_is_none(void **state)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    int seen[4] = { 0 };
    assert_int_equal(mkdir(test_path(*state, "d"), 0777), 0);
    test_file_write(test_path(*state, "f"), "x", 1);
    assert_int_equal(symlink("d", test_path(*state, "l")), 0);
    assert_ok(nz_folder_each(*state, note, seen, &err), &err);
    for (int i = 0; i < 3; i++)
        assert_int_equal(seen[i], 1);
    assert_int_equal(seen[3], 3);
    test_file_write(test_path(*state, "stop"), "x", 1);
    assert_code(nz_folder_each(*state, note, seen, &err), NWBZ_ECANCELED, "stopped", &err);
    assert_code(nz_folder_each(test_path(*state, "no"), note, seen, &err), NWBZ_ENOTFOUND, "no", &err);
    assert_code(nz_folder_each(test_path(*state, "f"), note, seen, &err), NWBZ_EIO, "f", &err);
}

static void a_tree_is_removed_whole_and_an_absent_one_is_fine(void **state)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    const char *root = test_path(*state, "t");
    make_tree(root);
    assert_ok(nz_tree_remove(root, &err), &err);
    assert_false(test_exists(root));
    assert_ok(nz_tree_remove(root, &err), &err);
    test_file_write(root, "a file", 6);
    assert_ok(nz_tree_remove(root, &err), &err);
    assert_int_equal(test_folder_count(*state), 0);
}

static void removing_a_tree_leaves_what_its_links_point_to(void **state)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    const char *kept = test_path(*state, "kept"), *root = test_path(*state, "t"), *link = test_path(*state, "link");
    make_tree(kept);
    make_tree(root);
    assert_int_equal(symlink(kept, test_path(root, "a/outside")), 0);
    assert_int_equal(symlink(kept, test_path(root, "outside")), 0);
    assert_int_equal(symlink("nowhere", test_path(root, "loose")), 0);
    assert_ok(nz_tree_remove(root, &err), &err);
    assert_false(test_exists(root));
    assert_int_equal(symlink(kept, link), 0);
    assert_ok(nz_tree_remove(link, &err), &err);
    assert_false(test_exists(link));
    assert_true(test_exists(test_path(kept, "a/b/f")));
    assert_true(test_exists(test_path(kept, "g")));
}

static void thousands_of_entries_are_removed(void **state)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    char name[32];
    assert_int_equal(mkdir(test_path(*state, "t"), 0777), 0);
    for (int i = 0; i < 3000; i++) {
        snprintf(name, sizeof name, "t/%d", i);
        test_file_write(test_path(*state, name), "", 0);
    }
    assert_ok(nz_tree_remove(test_path(*state, "t"), &err), &err);
    assert_int_equal(test_folder_count(*state), 0);
}

static void what_cannot_be_removed_is_named(void **state)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    const char *root = test_path(*state, "t"), *inner = test_path(*state, "t/a/b");
    assert_code(nz_tree_remove("/proc/self/status", &err), NWBZ_EIO, "/proc/self/status", &err); /* not even by root */
    make_tree(root);
    assert_int_equal(chmod(inner, 0500), 0);
    nwbz_code code = nz_tree_remove(root, &err);
    if (geteuid() != 0) { /* root may write there */
        assert_code(code, NWBZ_EIO, root, &err);
        assert_true(test_exists(test_path(inner, "f")));
        assert_int_equal(chmod(inner, 0700), 0);
    }
}

static void an_empty_folder_is_removed_and_a_full_one_stays(void **state)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    const char *root = test_path(*state, "t"), *empty = test_path(*state, "e");
    make_tree(root);
    assert_int_equal(mkdir(empty, 0777), 0);
    assert_ok(nz_folder_remove(empty, &err), &err);
    assert_ok(nz_folder_remove(empty, &err), &err);
    assert_false(test_exists(empty));
    assert_ok(nz_folder_remove(root, &err), &err);
    assert_true(test_exists(test_path(root, "a/b/f")));
    assert_code(nz_folder_remove(test_path(root, "g"), &err), NWBZ_EIO, "g", &err);
}

static void syncing_takes_trees_folders_and_files_and_names_what_is_absent(void **state)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    const char *root = test_path(*state, "t");
    make_tree(root);
    assert_ok(nz_tree_sync(root, &err), &err);
    assert_ok(nz_tree_sync(test_path(root, "g"), &err), &err);
    assert_ok(nz_folder_sync(root, &err), &err);
    assert_code(nz_tree_sync(test_path(*state, "no"), &err), NWBZ_EIO, "no", &err);
    assert_code(nz_folder_sync(test_path(root, "g"), &err), NWBZ_EIO, "g", &err);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, test_folder_setup, test_folder_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(a_folder_is_made_and_an_existing_one_is_fine),
        IN_FOLDER(the_parents_of_a_file_are_made_below_the_root),
        IN_FOLDER(parents_outside_of_the_root_are_never_made),
        IN_FOLDER(each_entry_is_seen_once_and_a_link_to_a_folder_is_none),
        IN_FOLDER(a_tree_is_removed_whole_and_an_absent_one_is_fine),
        IN_FOLDER(removing_a_tree_leaves_what_its_links_point_to),
        IN_FOLDER(thousands_of_entries_are_removed),
        IN_FOLDER(what_cannot_be_removed_is_named),
        IN_FOLDER(an_empty_folder_is_removed_and_a_full_one_stays),
        IN_FOLDER(syncing_takes_trees_folders_and_files_and_names_what_is_absent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
