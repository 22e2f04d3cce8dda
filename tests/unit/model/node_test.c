/* Values and the tree that holds them. */
#include "support/test.h"

#include "base/memory.h"
#include "model/node.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* ---- Values ------------------------------------------------------------------------ */

static void a_value_owns_copies_of_its_elements(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_value value;
    int16_t elements[] = { 1, -2, 3, 4, 5, 6 };
    const uint64_t shape[] = { 2, 3 };
    assert_ok(nz_value_set(&value, NWBZ_INT16, 2, shape, elements, &err), &err);
    elements[1] = 0;
    assert_int_equal(((int16_t *)value.elements)[1], -2);
    assert_int_equal(nz_value_count(&value), 6);
    nz_value_done(&value);
    assert_int_equal(value.type, NWBZ_TYPE_NONE);
    assert_null(value.elements);
    nz_value_done(&value);
}

static void texts_are_copied_with_what_they_point_to(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_value value;
    char text[] = "a\0b";
    nwbz_string strings[] = { { text, 3 }, { NULL, 0 }, { "tail", 2 } };
    const uint64_t shape[] = { 3 };
    assert_ok(nz_value_set(&value, NWBZ_STRING, 1, shape, strings, &err), &err);
    text[0] = 'X';
    const nwbz_string *got = value.elements;
    assert_int_equal(got[0].n_bytes, 3);
    assert_memory_equal(got[0].bytes, "a\0b", 4); /* a NUL behind */
    assert_int_equal(got[1].n_bytes, 0);
    assert_string_equal(got[1].bytes, "");
    assert_string_equal(got[2].bytes, "ta");
    nz_value_done(&value);
}

static void the_usual_values_are_scalars_and_lists(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_value value;
    const char *const texts[] = { "x", "", "yz" };
    assert_ok(nz_value_set_text(&value, "volts", &err), &err);
    assert_true(value.n_dims == 0 && value.type == NWBZ_STRING && !value.is_reference && nz_value_count(&value) == 1);
    nz_value_done(&value);
    assert_ok(nz_value_set_double(&value, -1.0, &err), &err);
    assert_true(value.type == NWBZ_FLOAT64 && *(double *)value.elements == -1.0);
    nz_value_done(&value);
    assert_ok(nz_value_set_int(&value, INT64_MIN, &err), &err);
    assert_true(value.type == NWBZ_INT64 && *(int64_t *)value.elements == INT64_MIN);
    nz_value_done(&value);
    assert_ok(nz_value_set_reference(&value, "/general/devices/probe", &err), &err);
    assert_true(value.is_reference && value.type == NWBZ_STRING);
    assert_string_equal(((nwbz_string *)value.elements)->bytes, "/general/devices/probe");
    nz_value_done(&value);
    assert_ok(nz_value_set_texts(&value, texts, 3, &err), &err);
    assert_true(value.n_dims == 1 && value.shape[0] == 3);
    assert_string_equal(((nwbz_string *)value.elements)[2].bytes, "yz");
    nz_value_done(&value);
    assert_ok(nz_value_set_texts(&value, NULL, 0, &err), &err);
    assert_int_equal(nz_value_count(&value), 0);
    nz_value_done(&value);
}

static void shapes_that_cannot_be_are_refused_and_empty_ones_are_fine(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_value value;
    const uint64_t huge[] = { UINT64_MAX, UINT64_MAX }, empty[] = { UINT64_MAX, 0 };
    assert_code(nz_value_set(&value, NWBZ_INT16, 2, huge, NULL, &err), NWBZ_ELIMIT, "large", &err);
    assert_null(value.elements);
    assert_code(nz_value_set(&value, NWBZ_TYPE_NONE, 0, NULL, "", &err), NWBZ_EINVAL, "type", &err);
    assert_code(nz_value_set(&value, NWBZ_INT8, NWBZ_MAX_DIMS + 1, huge, "", &err), NWBZ_EINVAL, "33", &err);
    nwbz_string endless[] = { { "", UINT64_MAX } };
    assert_code(nz_value_set(&value, NWBZ_STRING, 0, NULL, endless, &err), NWBZ_ELIMIT, "large", &err);
    assert_ok(nz_value_set(&value, NWBZ_INT16, 2, empty, NULL, &err), &err);
    assert_int_equal(nz_value_count(&value), 0);
    nz_value_done(&value);
}

static void a_list_has_items_that_begin_empty(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_value value;
    assert_false(nz_value_is_set(&(nz_value)NZ_VALUE_INIT));
    assert_ok(nz_value_set_list(&value, 2, &err), &err);
    assert_true(nz_value_is_set(&value) && value.type == NWBZ_TYPE_NONE && value.names == NULL);
    assert_int_equal(value.n_items, 2);
    assert_false(nz_value_is_set(&value.items[1]));
    assert_ok(nz_value_set_text(&value.items[0], "x", &err), &err);
    assert_ok(nz_value_set_list(&value.items[1], 0, &err), &err);
    assert_true(nz_value_is_set(&value.items[1])); /* a list of nothing is a value */
    nz_value_done(&value);
    assert_true(!nz_value_is_set(&value) && value.n_items == 0);
}

static void a_record_has_a_copy_of_each_name(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_value value;
    char first[] = "idx_start";
    const char *names[] = { first, "count" };
    assert_ok(nz_value_set_record(&value, names, 2, &err), &err);
    first[0] = 'X';
    assert_string_equal(value.names[0], "idx_start");
    assert_string_equal(value.names[1], "count");
    assert_ok(nz_value_set_int(&value.items[1], 7, &err), &err);
    assert_ok(nz_value_set_reference(&value.items[0], "/m", &err), &err);
    value.items[0].region = nz_strdup("[[[2, 5]]]");
    nz_value_done(&value);
    assert_null(value.names);
    assert_ok(nz_value_set_record(&value, NULL, 0, &err), &err);
    assert_true(nz_value_is_set(&value) && value.n_items == 0);
    nz_value_done(&value);
}

/* ---- The tree ---------------------------------------------------------------------- */

static nz_node *new_root(void)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_node *root = NULL;
    assert_ok(nz_node_new_root(&root, &err), &err);
    return root;
}

static void check_path(const nz_node *node, const char *want)
{
    char *path = nz_node_path(node);
    assert_non_null(path);
    assert_string_equal(path, want);
    nz_free(path);
}

static void a_tree_keeps_groups_datasets_samples_and_links_in_order(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_node *root = new_root(), *group, *dataset, *samples;
    nz_value value;
    const uint64_t shape[] = { 100, 384 };
    assert_ok(nz_node_add_group(root, "acquisition", &group, &err), &err);
    assert_ok(nz_value_set_text(&value, "hello", &err), &err);
    assert_ok(nz_node_add_dataset(root, "identifier", &value, &dataset, &err), &err);
    assert_int_equal(value.type, NWBZ_TYPE_NONE); /* moved */
    assert_null(value.elements);
    assert_ok(nz_node_add_samples(group, "data", NWBZ_INT16, 2, shape, &samples, &err), &err);
    assert_ok(nz_node_add_link(root, "link", "/acquisition/data", &err), &err);
    assert_int_equal(root->n_children, 3);
    assert_string_equal(root->children[0]->name, "acquisition");
    assert_string_equal(root->children[2]->target, "/acquisition/data");
    assert_int_equal(root->children[2]->kind, NZ_SOFT_LINK);
    assert_true(dataset->kind == NZ_DATASET && dataset->type == NWBZ_STRING && dataset->n_dims == 0);
    assert_true(samples->type == NWBZ_INT16 && samples->shape[1] == 384 && samples->value.type == NWBZ_TYPE_NONE);
    assert_ptr_equal(nz_node_child(group, "data"), samples);
    assert_null(nz_node_child(group, "dat"));
    check_path(root, "/");
    check_path(group, "/acquisition");
    check_path(samples, "/acquisition/data");
    nz_node_free(root);
    nz_node_free(NULL);
}

static void a_name_is_given_once_in_a_group(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_node *root = new_root(), *child = root;
    nz_value value;
    assert_ok(nz_node_add_group(root, "a", NULL, &err), &err);
    assert_code(nz_node_add_group(root, "a", &child, &err), NWBZ_EEXIST, "a", &err);
    assert_null(child);
    assert_ok(nz_value_set_text(&value, "freed also on failure", &err), &err);
    assert_code(nz_node_add_dataset(root, "a", &value, NULL, &err), NWBZ_EEXIST, "a", &err);
    assert_null(value.elements);
    assert_code(nz_node_add_samples(root, "a", NWBZ_INT8, 0, NULL, NULL, &err), NWBZ_EEXIST, "a", &err);
    assert_code(nz_node_add_link(root, "a", "/a", &err), NWBZ_EEXIST, "a", &err);
    assert_int_equal(root->n_children, 1);
    nz_node_free(root);
}

static void names_without_sense_and_parents_that_are_no_groups_are_refused(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_node *root = new_root(), *dataset;
    const uint64_t shape[NWBZ_MAX_DIMS + 1] = { 0 };
    assert_code(nz_node_add_group(root, "", NULL, &err), NWBZ_EINVAL, "empty", &err);
    assert_code(nz_node_add_group(root, "a/b", NULL, &err), NWBZ_EINVAL, "a/b", &err);
    assert_ok(nz_node_add_samples(root, "d", NWBZ_INT8, 0, NULL, &dataset, &err), &err);
    assert_code(nz_node_add_group(dataset, "x", NULL, &err), NWBZ_EINVAL, "no group", &err);
    assert_code(nz_node_add_samples(root, "e", NWBZ_TYPE_NONE, 0, NULL, NULL, &err), NWBZ_EINVAL, "type", &err);
    assert_code(nz_node_add_samples(root, "e", NWBZ_INT8, NWBZ_MAX_DIMS + 1, shape, NULL, &err), NWBZ_EINVAL, "33",
                &err);
    assert_int_equal(root->n_children, 1);
    nz_node_free(root);
}

static void attributes_are_kept_in_order_and_once(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_node *root = new_root();
    assert_ok(nz_node_add_text(root, "namespace", "core", &err), &err);
    assert_ok(nz_node_add_double(root, "rate", 30000.0, &err), &err);
    assert_ok(nz_node_add_int(root, "interval", 1, &err), &err);
    assert_code(nz_node_add_text(root, "rate", "again", &err), NWBZ_EEXIST, "rate", &err);
    assert_int_equal(root->n_attributes, 3);
    assert_string_equal(root->attributes[0].name, "namespace");
    assert_true(*(double *)nz_node_attribute(root, "rate")->value.elements == 30000.0);
    assert_null(nz_node_attribute(root, "unit"));
    nz_node_free(root);
}

static void large_groups_find_each_name_in_constant_time(void **state)
{
    (void)state;
    enum { N = 100000 };
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_node *root = new_root(), *child;
    char name[32];
    clock_t start = clock();
    for (int i = 0; i < N; i++) {
        snprintf(name, sizeof name, "series_%d", i);
        assert_int_equal(nz_node_add_group(root, name, &child, &err), NWBZ_OK);
    }
    for (int i = 0; i < N; i += 7) {
        snprintf(name, sizeof name, "series_%d", i);
        assert_string_equal(nz_node_child(root, name)->name, name);
        assert_ptr_equal(nz_node_child(root, name), root->children[i]);
    }
    assert_null(nz_node_child(root, "series_100000"));
    assert_int_equal(nz_node_add_group(root, "series_99999", NULL, &err), NWBZ_EEXIST);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    assert_true(seconds < 10.0); /* 0.1 s; looking at each child takes minutes */
    nz_node_free(root);
}

static void groups_around_the_size_where_the_index_begins_are_right(void **state)
{
    (void)state;
    for (int n = 1; n < 140; n++) {
        nz_node *root = new_root();
        char name[16];
        for (int i = 0; i < n; i++) {
            snprintf(name, sizeof name, "%d", i);
            assert_int_equal(nz_node_add_group(root, name, NULL, NULL), NWBZ_OK);
            assert_int_equal(nz_node_add_group(root, name, NULL, NULL), NWBZ_EEXIST);
        }
        for (int i = 0; i < n; i++) {
            snprintf(name, sizeof name, "%d", i);
            assert_ptr_equal(nz_node_child(root, name), root->children[i]);
        }
        assert_null(nz_node_child(root, "x"));
        nz_node_free(root);
    }
}

static void very_deep_trees_have_paths_and_are_freed(void **state)
{
    (void)state;
    enum { DEPTH = 200000 }; /* recursion would need more stack than there is */
    nz_node *root = new_root(), *node = root;
    for (int i = 0; i < DEPTH; i++)
        assert_int_equal(nz_node_add_group(node, "g", &node, NULL), NWBZ_OK);
    char *path = nz_node_path(node);
    assert_int_equal(strlen(path), 2 * DEPTH);
    nz_free(path);
    nz_node_free(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_value_owns_copies_of_its_elements),
        cmocka_unit_test(texts_are_copied_with_what_they_point_to),
        cmocka_unit_test(the_usual_values_are_scalars_and_lists),
        cmocka_unit_test(shapes_that_cannot_be_are_refused_and_empty_ones_are_fine),
        cmocka_unit_test(a_list_has_items_that_begin_empty),
        cmocka_unit_test(a_record_has_a_copy_of_each_name),
        cmocka_unit_test(a_tree_keeps_groups_datasets_samples_and_links_in_order),
        cmocka_unit_test(a_name_is_given_once_in_a_group),
        cmocka_unit_test(names_without_sense_and_parents_that_are_no_groups_are_refused),
        cmocka_unit_test(attributes_are_kept_in_order_and_once),
        cmocka_unit_test(large_groups_find_each_name_in_constant_time),
        cmocka_unit_test(groups_around_the_size_where_the_index_begins_are_right),
        cmocka_unit_test(very_deep_trees_have_paths_and_are_freed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
