/* Keys of nodes and objects. */
#include "fixture.h"

#include "zarr/key.h"

static void check_key(const char *path, const char *expected)
{
    char *key = NULL;
    OK(nz_node_key(path, &key, &failed));
    assert_string_equal(key, expected);
    nz_free(key);
}

static void a_path_gives_a_key(void **state)
{
    (void)state;
    check_key("/", "");
    check_key("/acquisition/ts/data", "acquisition/ts/data");
    check_key("acquisition", "acquisition");
    check_key("/c/0/c.0/a b:*?#%\t/\xc3\xa4", "c/0/c.0/a b:*?#%\t/\xc3\xa4");
}

static void names_that_zarr_cannot_hold_are_refused(void **state)
{
    char *key = NULL;
    char long_name[300] = "/";
    (void)state;
    memset(long_name + 1, 'x', 256);
    REFUSED(NWBZ_EINVAL, "zarr.json", nz_node_key("/a/zarr.json/b", &key, &failed));
    REFUSED(NWBZ_EINVAL, ".zarray", nz_node_key("/.zarray", &key, &failed));
    REFUSED(NWBZ_EINVAL, "backslash", nz_node_key("/a\\b", &key, &failed));
    REFUSED(NWBZ_EINVAL, "256 bytes", nz_node_key(long_name, &key, &failed));
    REFUSED(NWBZ_EINVAL, "UTF-8", nz_node_key("/a\xff", &key, &failed));
    REFUSED(NWBZ_EINVAL, "..", nz_node_key("/a/../b", &key, &failed));
    REFUSED(NWBZ_EINVAL, "empty", nz_node_key("/a//b", &key, &failed));
    assert_null(key);
}

static void check_object_key(unsigned n_dims, bool v2_keys, char separator, const char *node, const char *expected)
{
    const uint64_t index[] = { 0, 12, UINT64_MAX };
    nz_array_meta meta = NZ_ARRAY_META_INIT;
    meta.n_dims = n_dims;
    meta.v2_keys = v2_keys;
    meta.separator = separator;
    char *key = nz_object_key_of(node, &meta, index);
    assert_string_equal(key, expected);
    nz_free(key);
}

static void an_object_lies_where_the_key_encoding_says(void **state)
{
    (void)state;
    check_object_key(3, false, '/', "a/b", "a/b/c/0/12/18446744073709551615");
    check_object_key(2, false, '.', "a", "a/c.0.12");
    check_object_key(2, true, '.', "a", "a/0.12");
    check_object_key(2, true, '/', "", "0/12");
    check_object_key(0, false, '/', "a", "a/c");
    check_object_key(0, false, '.', "", "c");
    check_object_key(0, true, '.', "a", "a/0");
}

static void paths_come_in_the_order_of_a_tree(void **state)
{
    static const char *const sorted[] = { "", "a", "a/b", "a/b/c", "a/\x01", "a!", "a-b", "aa", "b" };
    (void)state;
    /* "a/\x01" before "a/b": a name of a smaller byte */
    assert_true(nz_key_compare("a/\x01", "a/b") < 0);
    for (size_t i = 0; i < 9; i++)
        assert_int_equal(nz_key_compare(sorted[i], sorted[i]), 0);
    for (size_t i = 0; i + 1 < 9; i++)
        if (i != 3)
            assert_true(nz_key_compare(sorted[i], sorted[i + 1]) < 0 && nz_key_compare(sorted[i + 1], sorted[i]) > 0);
    assert_int_equal(nz_key_depth(""), 0);
    assert_int_equal(nz_key_depth("a/b/c"), 3);
}

static void keys_that_lead_out_of_the_store_are_not_safe(void **state)
{
    static const char *const bad[] = { "/a", "a/", "a//b", "..", "../a", "a/..", "a/./b", "." };
    static const char *const good[] = { "", "a", "a/b", "...", "..a", "a/.b" };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(nz_key_is_safe(bad[i]));
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_true(nz_key_is_safe(good[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_path_gives_a_key),
        cmocka_unit_test(names_that_zarr_cannot_hold_are_refused),
        cmocka_unit_test(an_object_lies_where_the_key_encoding_says),
        cmocka_unit_test(paths_come_in_the_order_of_a_tree),
        cmocka_unit_test(keys_that_lead_out_of_the_store_are_not_safe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
