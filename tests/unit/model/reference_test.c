/* The text of references, to the last blank: readers compare it as text. */
#include "support/test.h"

#include "model/reference.h"

#include <string.h>

static void check(const char *path, const char *region, const char *want)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_buffer out = NZ_BUFFER_INIT(4096);
    assert_ok(nz_buffer_add_text(&out, ">", &err), &err);
    assert_ok(nz_reference_text(path, region, &out, &err), &err);
    assert_string_equal(out.bytes + 1, want); /* appended */
    nz_buffer_done(&out);
}

static void an_object_is_its_path(void **state)
{
    (void)state;
    check("/acquisition/ts", NULL, "/acquisition/ts");
    check("/a \"b\"", NULL, "/a \"b\"");
}

static void none_is_empty_text(void **state)
{
    (void)state;
    check("", NULL, "");
    check(NULL, NULL, "");
    check("", "[[[0, 1]]]", "");
}

static void the_root_is_an_object_without_path(void **state)
{
    (void)state;
    check("/", NULL, "{\"source\": \".\"}");
}

static void a_part_is_an_object_with_its_boxes(void **state)
{
    (void)state;
    check("/m", "[[[2, 5], [1, 3]]]", "{\"source\": \".\", \"path\": \"/m\", \"region\": [[[2, 5], [1, 3]]]}");
    check("/m", "[[[2,5],[1,3]]]", "{\"source\": \".\", \"path\": \"/m\", \"region\": [[[2, 5], [1, 3]]]}");
    check("/q\"", "[]", "{\"source\": \".\", \"path\": \"/q\\\"\", \"region\": []}");
}

static void what_is_no_region_is_an_error(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_buffer out = NZ_BUFFER_INIT(4096), small = NZ_BUFFER_INIT(4);
    assert_code(nz_reference_text("/m", "[[[2, 5]", &out, &err), NWBZ_EFORMAT, "byte 8", &err);
    assert_code(nz_reference_text("/acquisition", NULL, &small, &err), NWBZ_ELIMIT, "4", &err);
    nz_buffer_done(&out);
    nz_buffer_done(&small);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_object_is_its_path),
        cmocka_unit_test(none_is_empty_text),
        cmocka_unit_test(the_root_is_an_object_without_path),
        cmocka_unit_test(a_part_is_an_object_with_its_boxes),
        cmocka_unit_test(what_is_no_region_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
