/* The attributes of nodes, to the last character. */
#include "support/test.h"

#include "base/memory.h"
#include "hdmf/conventions.h"

#include <string.h>

static nz_node *new_root(void)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_node *root = NULL;
    assert_ok(nz_node_new_root(&root, &err), &err);
    return root;
}

static nz_json *json_of(const char *text)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_json *json = NULL;
    assert_ok(nz_json_parse(text, strlen(text), &json, &err), &err);
    return json;
}

static void check_json(nz_json *json, const char *expected)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    char *text = NULL;
    assert_ok(nz_json_text_of(json, &text, &err), &err);
    assert_string_equal(text, expected);
    nz_free(text);
    nz_json_free(json);
}

static void check_group(const nz_node *group, const char *expected)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_json *json = NULL;
    assert_ok(nz_hdmf_group_attributes(group, &json, &err), &err);
    check_json(json, expected);
}

/* Check the attributes of a dataset stored with this type and shape. */
static void check_array(const nz_node *node, nwbz_type type, unsigned n_dims, const char *expected)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_array_meta meta = NZ_ARRAY_META_INIT;
    nz_specs *specs = NULL;
    nz_json *json = NULL;
    meta.dtype.type = type;
    meta.n_dims = n_dims;
    memcpy(meta.shape, node->shape, sizeof meta.shape);
    assert_ok(nz_specs_new(&specs, &err), &err);
    assert_ok(nz_hdmf_array_attributes(node, &meta, specs, &json, &err), &err);
    check_json(json, expected);
    nz_specs_free(specs);
}

static nz_node *add_samples(nz_node *group, const char *name, unsigned n_dims)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_node *node = NULL;
    assert_ok(nz_node_add_samples(group, name, NWBZ_INT16, n_dims, (uint64_t[]){ 7, 2 }, &node, &err), &err);
    return node;
}

static nz_node *add_value(nz_node *group, const char *name, nz_value *value)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_node *node = NULL;
    assert_ok(nz_node_add_dataset(group, name, value, &node, &err), &err);
    return node;
}

/* ---- Groups ------------------------------------------------------------------------- */

static void the_note_of_a_group_comes_last(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_node *root = new_root();
    assert_ok(nz_node_add_link(root, "b", "/x", &err), &err);
    assert_ok(nz_node_add_text(root, "help", "me", &err), &err);
    root->note = json_of("{\"links\": [{\"name\": \"ghost\", \"kind\": \"soft\", \"target\": \"/scratch\"}], "
                         "\"attributes\": {\"a\": {\"class\": \"enum\", \"members\": {\"idle\": 0}}}}");
    check_group(root, "{\"_LINKS\": [{\"source\": \".\", \"path\": \"/x\", \"name\": \"b\"}], \"help\": \"me\", "
                      "\"_HDF5\": {\"links\": [{\"name\": \"ghost\", \"kind\": \"soft\", \"target\": \"/scratch\"}], "
                      "\"attributes\": {\"a\": {\"class\": \"enum\", \"members\": {\"idle\": 0}}}}}");
    check_group(root, /* the note is still the node's */
                "{\"_LINKS\": [{\"source\": \".\", \"path\": \"/x\", \"name\": \"b\"}], \"help\": \"me\", "
                "\"_HDF5\": {\"links\": [{\"name\": \"ghost\", \"kind\": \"soft\", \"target\": \"/scratch\"}], "
                "\"attributes\": {\"a\": {\"class\": \"enum\", \"members\": {\"idle\": 0}}}}}");
    nz_node_free(root);
}

static void specloc_of_the_root_is_a_path_without_slash_and_elsewhere_a_reference(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_node *root = new_root(), *group = NULL;
    nz_value value;
    assert_ok(nz_value_set_reference(&value, "/specifications", &err), &err);
    assert_ok(nz_node_add_attribute(root, ".specloc", &value, &err), &err);
    check_group(root, "{\".specloc\": \"specifications\"}");
    assert_ok(nz_node_add_group(root, "g", &group, &err), &err);
    assert_ok(nz_value_set_reference(&value, "/specifications", &err), &err);
    assert_ok(nz_node_add_attribute(group, ".specloc", &value, &err), &err);
    check_group(group, "{\".specloc\": {\"_REFERENCE\": {\"source\": \".\", \"path\": \"/specifications\"}}}");
    nz_node_free(root);
}

static void a_specloc_that_leads_nowhere_is_left_out_and_text_stays(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_node *root = new_root();
    nz_value value;
    assert_ok(nz_value_set_reference(&value, "", &err), &err);
    assert_ok(nz_node_add_attribute(root, ".specloc", &value, &err), &err);
    check_group(root, "{}");
    nz_node_free(root);
    root = new_root();
    assert_ok(nz_node_add_text(root, ".specloc", "cached/specs", &err), &err);
    check_group(root, "{\".specloc\": \"cached/specs\"}");
    nz_node_free(root);
}

static void names_of_the_convention_are_refused(void **state)
{
    (void)state;
    const char *const names[] = { "_DTYPE", "_LINKS", "_REFERENCE_FIELDS", "_HDF5", "zarr_dtype", "zarr_link" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        nwbz_error err = NWBZ_ERROR_INIT;
        nz_node *root = new_root();
        nz_json *json = NULL;
        assert_ok(nz_node_add_text(root, names[i], "x", &err), &err);
        assert_code(nz_hdmf_group_attributes(root, &json, &err), NWBZ_EINVAL, names[i], &err);
        assert_null(json);
        nz_node_free(root);
    }
}

/* ---- Marks -------------------------------------------------------------------------- */

static void numbers_are_marked_with_their_type(void **state)
{
    (void)state;
    nz_node *root = new_root(), *node = add_samples(root, "d", 2);
    check_array(node, NWBZ_INT16, 2, "{\"_DTYPE\": \"int16\"}");
    check_array(node, NWBZ_BOOL, 2, "{\"_DTYPE\": \"bool\"}");
    check_array(node, NWBZ_FLOAT16, 2, "{\"_DTYPE\": \"float16\"}");
    check_array(node, NWBZ_COMPLEX128, 0, "{\"_DTYPE\": \"complex128\"}");
    check_array(node, NWBZ_STRING, 1, "{\"_DTYPE\": \"str\"}");
    check_array(node, NWBZ_UTF32, 1, "{\"_DTYPE\": \"str\"}");
    check_array(node, NWBZ_RAW, 1, "{}");
    nz_node_free(root);
}

static void samples_that_are_references_say_so(void **state)
{
    (void)state;
    nz_node *root = new_root(), *node = add_samples(root, "d", 1);
    node->is_reference = true;
    check_array(node, NWBZ_STRING, 1, "{\"_DTYPE\": \"object_reference\"}");
    check_array(node, NWBZ_STRING, 0, "{\"_DTYPE\": \"object_reference\"}");
    node->note = json_of("{\"class\": \"region_reference\"}");
    check_array(node, NWBZ_STRING, 1,
                "{\"_DTYPE\": \"object_reference\", \"_HDF5\": {\"class\": \"region_reference\"}}");
    nz_node_free(root);
}

static void scalar_references_that_cannot_be_looked_up_are_text(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_node *root = new_root();
    nz_value value;
    assert_ok(nz_value_set_reference(&value, "/a", &err), &err);
    check_array(add_value(root, "object", &value), NWBZ_STRING, 0, "{\"_DTYPE\": \"object_reference\"}");
    assert_ok(nz_value_set_reference(&value, "", &err), &err);
    check_array(add_value(root, "none", &value), NWBZ_STRING, 0, "{\"_DTYPE\": \"str\"}");
    assert_ok(nz_value_set_reference(&value, "/a", &err), &err);
    value.region = nz_strdup("[[[0, 1]]]");
    check_array(add_value(root, "region", &value), NWBZ_STRING, 0, "{\"_DTYPE\": \"str\"}");
    nz_node *node = add_samples(root, "samples", 0);
    node->is_reference = true;
    node->note = json_of("{\"class\": \"object_reference\", \"target\": \"none\"}");
    check_array(node, NWBZ_STRING, 0,
                "{\"_DTYPE\": \"str\", \"_HDF5\": {\"class\": \"object_reference\", \"target\": \"none\"}}");
    nz_json_free(node->note);
    node->note = json_of("{\"class\": \"region_reference\"}");
    check_array(node, NWBZ_STRING, 0, "{\"_DTYPE\": \"str\", \"_HDF5\": {\"class\": \"region_reference\"}}");
    nz_node_free(root);
}

static void records_name_their_references_but_not_without_axes(void **state)
{
    (void)state;
    nz_node *root = new_root(), *node = add_samples(root, "d", 1);
    check_array(node, NWBZ_STRUCT, 1, "{}");
    node->reference_fields = nz_calloc(3, sizeof *node->reference_fields);
    check_array(node, NWBZ_STRUCT, 1, "{}");
    node->reference_fields[0] = nz_strdup("timeseries");
    node->reference_fields[1] = nz_strdup("other");
    check_array(node, NWBZ_STRUCT, 1, "{\"_REFERENCE_FIELDS\": [\"timeseries\", \"other\"]}");
    check_array(node, NWBZ_STRUCT, 0, "{}");
    nz_node_free(root);
}

/* ---- Axes --------------------------------------------------------------------------- */

static void names_of_axes_come_from_the_specifications_unless_the_source_has_them(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_node *root = new_root(), *series = NULL;
    nz_specs *specs = NULL;
    nz_array_meta meta = NZ_ARRAY_META_INIT;
    nz_json *json = NULL;
    nz_value value;
    assert_ok(nz_specs_new(&specs, &err), &err);
    assert_ok(nz_specs_add_builtin(specs, &err), &err);
    assert_ok(nz_node_add_group(root, "ts", &series, &err), &err);
    assert_ok(nz_node_add_text(series, "namespace", "core", &err), &err);
    assert_ok(nz_node_add_text(series, "neurodata_type", "TimeSeries", &err), &err);
    nz_node *node = add_samples(series, "timestamps", 1);
    node->note = json_of("{\"class\": \"float\"}");
    meta.dtype.type = NWBZ_FLOAT64;
    meta.n_dims = 1;
    meta.shape[0] = 7;
    assert_ok(nz_node_add_text(node, "unit", "seconds", &err), &err);
    assert_ok(nz_hdmf_array_attributes(node, &meta, specs, &json, &err), &err);
    check_json(json, "{\"_DTYPE\": \"float64\", \"unit\": \"seconds\", \"_ARRAY_DIMENSIONS\": [\"num_times\"], "
                     "\"_HDF5\": {\"class\": \"float\"}}");
    assert_ok(nz_value_set_texts(&value, (const char *const[]){ "mine" }, 1, &err), &err);
    assert_ok(nz_node_add_attribute(node, "_ARRAY_DIMENSIONS", &value, &err), &err);
    assert_ok(nz_hdmf_array_attributes(node, &meta, specs, &json, &err), &err);
    check_json(json, "{\"_DTYPE\": \"float64\", \"unit\": \"seconds\", \"_ARRAY_DIMENSIONS\": [\"mine\"], "
                     "\"_HDF5\": {\"class\": \"float\"}}");
    nz_specs_free(specs);
    nz_node_free(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_note_of_a_group_comes_last),
        cmocka_unit_test(specloc_of_the_root_is_a_path_without_slash_and_elsewhere_a_reference),
        cmocka_unit_test(a_specloc_that_leads_nowhere_is_left_out_and_text_stays),
        cmocka_unit_test(names_of_the_convention_are_refused),
        cmocka_unit_test(numbers_are_marked_with_their_type),
        cmocka_unit_test(samples_that_are_references_say_so),
        cmocka_unit_test(scalar_references_that_cannot_be_looked_up_are_text),
        cmocka_unit_test(records_name_their_references_but_not_without_axes),
        cmocka_unit_test(names_of_axes_come_from_the_specifications_unless_the_source_has_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
