/* Which folders hold nothing but Zarr keys: what may be replaced, and what never is. */
#include "fixture.h"

#include <time.h>
#include "store/staging.h"

static const char array[] = "{\"zarr_format\": 3, \"node_type\": \"array\"}";
static const char group[] = "{\"zarr_format\": 3, \"node_type\": \"group\", \"attributes\": {\"array\": \"array\"}}";

static nwbz_error err;

static void check(const char *name, const char *foreign_expected)
{
    bool zarr_only;
    char *foreign;
    assert_ok(nz_staging_is_zarr_only(test_path(name), &zarr_only, &foreign, &err));
    if (!foreign_expected) {
        if (!zarr_only)
            fail_msg("%s holds nothing but keys, but %s is called foreign", name, foreign);
        assert_null(foreign);
    } else {
        assert_false(zarr_only);
        assert_non_null(foreign);
        assert_string_equal(foreign, foreign_expected);
    }
    nz_free(foreign);
}

/* A v3 store with nested groups, arrays of 0 to 3 dimensions and a folder that only leads to others. */
static void put_store(const char *name)
{
    static const char *const files[] = { "acquisition/ts/data/c/0/0", "acquisition/ts/data/c/0/10",
                                         "acquisition/ts/data/c/12/3", "acquisition/ts/starting_time/c",
                                         "general/parent/below/ids/c/0" };
    static const char *const groups[] = { "", "acquisition/", "acquisition/ts/", "general/", "general/c/" };
    static const char *const arrays[] = { "acquisition/ts/data/", "acquisition/ts/starting_time/",
                                          "general/parent/below/ids/" };
    char path[256];
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        snprintf(path, sizeof path, "%s/%s", name, files[i]), put_file(path, "samples");
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        snprintf(path, sizeof path, "%s/%szarr.json", name, groups[i]), put_file(path, group);
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        snprintf(path, sizeof path, "%s/%szarr.json", name, arrays[i]), put_file(path, array);
    mkdir(test_path(name), 0777);
    snprintf(path, sizeof path, "%s/general/empty", name);
    assert_int_equal(mkdir(test_path(path), 0777), 0);
}

static void a_store_of_version_3_is_nothing_but_keys(void **state)
{
    (void)state;
    put_store("a");
    check("a", NULL);
}

static void other_chunk_key_encodings_are_keys_too(void **state)
{
    (void)state;
    static const char *const files[] = { "dots/c.0.1", "dots/c.10.0", "v2/0.0",   "v2/1.12",
                                         "nested/0/1", "nested/11/0", "scalar/0", "scalar3/c" };
    static const char *const arrays[] = { "dots", "v2", "nested", "scalar", "scalar3" };
    char path[64];
    put_file("a/zarr.json", group);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        snprintf(path, sizeof path, "a/%s", files[i]), put_file(path, "x");
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        snprintf(path, sizeof path, "a/%s/zarr.json", arrays[i]), put_file(path, array);
    check("a", NULL);
}

static void a_store_of_version_2_is_nothing_but_keys(void **state)
{
    (void)state;
    static const char *const files[] = { ".zgroup",     ".zattrs",          ".zmetadata",     "g/.zgroup",
                                         "g/.zattrs",   "g/data/.zarray",   "g/data/.zattrs", "g/data/0.0",
                                         "g/data/3.14", "g/nested/.zarray", "g/nested/0/0",   "g/scalar/.zarray",
                                         "g/scalar/0" };
    char path[64];
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        snprintf(path, sizeof path, "a/%s", files[i]), put_file(path, "{}");
    check("a", NULL);
}

static void an_array_as_root_and_an_empty_folder_are_nothing_but_keys(void **state)
{
    (void)state;
    put_file("a/zarr.json", array);
    put_file("a/c/0/1", "x");
    check("a", NULL);
    assert_int_equal(mkdir(test_path("empty"), 0777), 0);
    check("empty", NULL);
}

static void what_a_killed_write_left_is_ours(void **state)
{
    (void)state;
    put_store("a");
    put_file("a/acquisition/ts/data/c/0/.nwbz-tmp-01ab89ef", "half");
    put_file("a/general/.nwbz-tmp-00000000", "half");
    check("a", NULL);
}

static void one_foreign_file_anywhere_is_named(void **state)
{
    (void)state;
    static const char *const foreign[] = { "notes.txt",
                                           "acquisition/notes.txt",
                                           "acquisition/ts/data/c/notes",
                                           "acquisition/ts/data/c/0/1.bak",
                                           "acquisition/ts/data/c/0/01",
                                           "acquisition/ts/data/c/0/-1",
                                           "acquisition/ts/data/c/0/0.0",
                                           "acquisition/ts/data/c/0/zarr.json",
                                           "acquisition/ts/data/d",
                                           "acquisition/ts/data/c.",
                                           "acquisition/ts/data/0.",
                                           "acquisition/ts/data/.0",
                                           "acquisition/ts/data/1.02",
                                           "acquisition/ts/data/cc",
                                           "acquisition/ts/data/zarr.json~",
                                           "general/2024",
                                           "general/0.1",
                                           "general/c.0",
                                           "general/parent/zarr",
                                           "general/parent/below/.zattrs",
                                           "general/empty/x",
                                           "ZARR.JSON",
                                           ".DS_Store",
                                           ".nwbz-tmp-",
                                           ".nwbz-tmp-0123456",
                                           ".nwbz-tmp-0123456g",
                                           ".nwbz-tmp-012345678" };
    char path[128];
    put_store("a");
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) {
        snprintf(path, sizeof path, "a/%s", foreign[i]);
        put_file(path, "mine");
        check("a", foreign[i]);
        assert_int_equal(unlink(test_path(path)), 0);
        check("a", NULL);
    }
}

static void a_foreign_folder_is_named(void **state)
{
    (void)state;
    put_store("a");
    assert_int_equal(mkdir(test_path("a/acquisition/ts/data/figures"), 0777), 0);
    check("a", "acquisition/ts/data/figures");
    rmdir(test_path("a/acquisition/ts/data/figures"));
    assert_int_equal(mkdir(test_path("a/acquisition/ts/data/c/0/x"), 0777), 0);
    check("a", "acquisition/ts/data/c/0/x");
}

static void symlinks_and_special_files_are_foreign_whatever_their_names(void **state)
{
    (void)state;
    static const char *const names[] = { "general/.zattrs", "acquisition/ts/data/c/7", "acquisition/ts/data/c/0/5",
                                         "general/linked" };
    char path[128];
    put_store("a");
    put_store("elsewhere");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "a/%s", names[i]);
        assert_int_equal(symlink(test_path("elsewhere"), test_path(path)), 0);
        check("a", names[i]);
        assert_int_equal(unlink(test_path(path)), 0);
        assert_int_equal(mkfifo(test_path(path), 0666), 0);
        check("a", names[i]);
        assert_int_equal(unlink(test_path(path)), 0);
    }
    check("a", NULL);
}

static void a_folder_of_stores_is_no_store(void **state)
{
    (void)state;
    put_store("data/one.zarr");
    check("data", "one.zarr");
    assert_int_equal(mkdir(test_path("folders"), 0777), 0);
    assert_int_equal(mkdir(test_path("folders/x"), 0777), 0);
    check("folders", "x");
}

static void chunks_without_a_sound_array_document_are_foreign(void **state)
{
    (void)state;
    put_file("a/zarr.json", group);
    put_file("a/x/zarr.json", "{\"node_type\": \"arr");
    check("a", NULL);
    put_file("a/x/0", "x");
    check("a", "x/0");
    put_file("a/x/zarr.json", array);
    check("a", NULL);
}

static void an_absent_folder_is_an_error(void **state)
{
    (void)state;
    bool zarr_only;
    char *foreign;
    assert_fails(nz_staging_is_zarr_only(test_path("a"), &zarr_only, &foreign, &err), NWBZ_ENOTFOUND, test_path("a"));
    assert_false(zarr_only);
    assert_null(foreign);
}

/* Twice the chunks may take twice the time, not four times: measured with a wide margin, on the least of three. */
static clock_t time_of_check(unsigned n_chunks)
{
    char path[64];
    put_file("a/zarr.json", array);
    assert_ok(nz_folder_make(test_path("a/c"), &err));
    for (unsigned i = 0; i < n_chunks; i++) {
        snprintf(path, sizeof path, "a/c/%u", i);
        FILE *file = fopen(test_path(path), "w");
        assert_non_null(file);
        fclose(file);
    }
    clock_t least = 0;
    for (unsigned i = 0; i < 3; i++) {
        clock_t from = clock(); /* of the processor: other programs do not count */
        check("a", NULL);
        clock_t took = clock() - from;
        least = i == 0 || took < least ? took : least;
    }
    assert_ok(nz_tree_remove(test_path("a"), &err));
    return least;
}

static void the_time_is_linear_in_the_number_of_chunks(void **state)
{
    (void)state;
    clock_t few = time_of_check(1000), many = time_of_check(8000);
    assert_true(many < few * 8 * 4); /* quadratic would be 64 times */
}

#define IN_A_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(a_store_of_version_3_is_nothing_but_keys),
        IN_A_FOLDER(other_chunk_key_encodings_are_keys_too),
        IN_A_FOLDER(a_store_of_version_2_is_nothing_but_keys),
        IN_A_FOLDER(an_array_as_root_and_an_empty_folder_are_nothing_but_keys),
        IN_A_FOLDER(what_a_killed_write_left_is_ours),
        IN_A_FOLDER(one_foreign_file_anywhere_is_named),
        IN_A_FOLDER(a_foreign_folder_is_named),
        IN_A_FOLDER(symlinks_and_special_files_are_foreign_whatever_their_names),
        IN_A_FOLDER(a_folder_of_stores_is_no_store),
        IN_A_FOLDER(chunks_without_a_sound_array_document_are_foreign),
        IN_A_FOLDER(an_absent_folder_is_an_error),
        IN_A_FOLDER(the_time_is_linear_in_the_number_of_chunks),
    };
    return cmocka_run_group_tests_name("store.zarr_only", tests, NULL, NULL);
}
