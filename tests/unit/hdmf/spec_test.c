/* Names of axes: the core types of the built-in schema, and small namespaces made for one rule each. */
#include "support/test.h"

#include "hdmf/schema.h"
#include "hdmf/spec.h"

#include <stdio.h>
#include <string.h>

/* Add a group with a type; both texts may be NULL. */
static nz_node *group(nz_node *parent, const char *name, const char *ns, const char *type)
{
    nz_node *node = NULL;
    nwbz_error err = NWBZ_ERROR_INIT;
    assert_ok(nz_node_add_group(parent, name, &node, &err), &err);
    if (ns)
        assert_ok(nz_node_add_text(node, "namespace", ns, &err), &err);
    if (type)
        assert_ok(nz_node_add_text(node, "neurodata_type", type, &err), &err);
    return node;
}

static nz_node *root_of(const char *ns, const char *type)
{
    nz_node *root = NULL;
    nwbz_error err = NWBZ_ERROR_INIT;
    assert_ok(nz_node_new_root(&root, &err), &err);
    assert_ok(nz_node_add_text(root, "namespace", ns, &err), &err);
    assert_ok(nz_node_add_text(root, "neurodata_type", type, &err), &err);
    return root;
}

/* Join the names of the axes of a new dataset with ";": "" where there are none. */
static const char *dims(const nz_specs *specs, nz_node *parent, const char *name, const char *ns, const char *type,
                        unsigned n_dims, const uint64_t *shape)
{
    static char text[256];
    const char *names[NWBZ_MAX_DIMS];
    unsigned n = 99;
    nz_node *node = NULL;
    nwbz_error err = NWBZ_ERROR_INIT;
    assert_ok(nz_node_add_samples(parent, name, NWBZ_INT16, n_dims, shape, &node, &err), &err);
    if (ns)
        assert_ok(nz_node_add_text(node, "namespace", ns, &err), &err);
    if (type)
        assert_ok(nz_node_add_text(node, "neurodata_type", type, &err), &err);
    nz_specs_find_dims(specs, node, n_dims, shape, names, &n);
    text[0] = 0;
    for (unsigned d = 0; d < n; d++) {
        strcat(text, d ? ";" : "");
        strcat(text, names[d]);
    }
    return text;
}

static nz_specs *builtin(void)
{
    nz_specs *specs = NULL;
    nwbz_error err = NWBZ_ERROR_INIT;
    assert_ok(nz_specs_new(&specs, &err), &err);
    assert_ok(nz_specs_add_builtin(specs, &err), &err);
    return specs;
}

static const uint64_t five[] = { 5, 5, 5, 5, 5 };
static const uint64_t one_two[] = { 1, 2 };

static void core_types_have_the_names_that_hdmf_zarr_writes(void **state)
{
    (void)state;
    nz_specs *specs = builtin();
    nz_node *root = root_of("core", "NWBFile");
    nz_node *acquisition = group(root, "acquisition", NULL, NULL), *general = group(root, "general", NULL, NULL);
    nz_node *ts = group(acquisition, "ts", "core", "TimeSeries"),
            *es = group(acquisition, "es", "core", "ElectricalSeries");
    assert_string_equal(dims(specs, root, "file_create_date", NULL, NULL, 1, five), "num_modifications");
    assert_string_equal(dims(specs, root, "identifier", NULL, NULL, 0, five), "");
    assert_string_equal(dims(specs, general, "experimenter", NULL, NULL, 1, five), "num_experimenters");
    assert_string_equal(dims(specs, general, "was_generated_by", NULL, NULL, 2, one_two), "num_sources;name, version");
    assert_string_equal(dims(specs, ts, "data", NULL, NULL, 2, five), "num_times;num_DIM2");
    assert_string_equal(dims(specs, ts, "timestamps", NULL, NULL, 1, five), "num_times");
    assert_string_equal(dims(specs, es, "data", NULL, NULL, 2, five), "num_times;num_channels");
    assert_string_equal(dims(specs, es, "timestamps", NULL, NULL, 1, five), "num_times");
    assert_string_equal(dims(specs, es, "channel_conversion", NULL, NULL, 1, five), "num_channels");
    assert_string_equal(dims(specs, es, "electrodes", "hdmf-common", "DynamicTableRegion", 1, five), "num_rows");
    nz_node_free(root);
    nz_specs_free(specs);
}

static void table_columns_are_found_by_name_by_type_and_by_their_own(void **state)
{
    (void)state;
    nz_specs *specs = builtin();
    nz_node *root = root_of("core", "NWBFile"),
            *ephys = group(group(root, "general", NULL, NULL), "extracellular_ephys", NULL, NULL);
    nz_node *table = group(ephys, "electrodes", "core", "ElectrodesTable"),
            *units = group(root, "units", "core", "Units");
    assert_string_equal(dims(specs, table, "location", "hdmf-common", "VectorData", 1, five), "dim0");
    assert_string_equal(dims(specs, table, "mine", "hdmf-common", "VectorData", 2, five), "dim0;dim1");
    assert_string_equal(dims(specs, table, "id", "hdmf-common", "ElementIdentifiers", 1, five), "num_rows");
    assert_string_equal(dims(specs, units, "waveform_mean", "hdmf-common", "VectorData", 2, five),
                        "num_units;num_samples");
    assert_string_equal(dims(specs, units, "spike_times_index", "hdmf-common", "VectorIndex", 1, five), "num_rows");
    assert_string_equal(dims(specs, root, "stray", "hdmf-common", "ElementIdentifiers", 1, five), "num_elements");
    nz_node_free(root);
    nz_specs_free(specs);
}

static void nothing_is_said_where_shape_name_or_type_do_not_fit(void **state)
{
    (void)state;
    nz_specs *specs = builtin();
    nz_node *root = root_of("core", "NWBFile"), *acquisition = group(root, "acquisition", NULL, NULL);
    nz_node *ts = group(acquisition, "ts", "core", "TimeSeries"),
            *other = group(acquisition, "other", "core", "NoSuchType");
    nz_node *strange = group(acquisition, "strange", "no-such-namespace", "TimeSeries");
    assert_string_equal(dims(specs, ts, "data", NULL, NULL, 5, five), "");
    assert_string_equal(dims(specs, ts, "no_such_member", NULL, NULL, 1, five), "");
    assert_string_equal(dims(specs, other, "data", NULL, NULL, 1, five), "");
    assert_string_equal(dims(specs, strange, "data", NULL, NULL, 1, five), "");
    assert_string_equal(dims(specs, ts, "timestamps", "hdmf-common", "NoSuchType", 1, five), "");
    assert_string_equal(dims(specs, root, "general", NULL, NULL, 1, five), "");
    nz_node_free(root);
    nz_specs_free(specs);
}

/* ---- One namespace per rule ------------------------------------------------------------------------- */

static void add(nz_specs *specs, const char *ns, const char *version, const char *source, const char *text)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    assert_ok(nz_specs_add(specs, ns, version, source, text, strlen(text), &err), &err);
}

static void add_namespace(nz_specs *specs, const char *ns, const char *version, const char *schema, const char *types)
{
    char text[512] = "{\"namespaces\":[{\"schema\":[";
    strcat(text, schema);
    strcat(text, "]}]}");
    add(specs, ns, version, "namespace", text);
    add(specs, ns, version, "types", types);
}

#define OWN "{\"source\":\"types\"}"

static nz_specs *made(const char *types)
{
    nz_specs *specs = NULL;
    nwbz_error err = NWBZ_ERROR_INIT;
    assert_ok(nz_specs_new(&specs, &err), &err);
    add_namespace(specs, "x", "1", OWN, types);
    return specs;
}

static void check_made(const char *types, const char *type, unsigned n_dims, const uint64_t *shape,
                       const char *expected)
{
    nz_specs *specs = made(types);
    nz_node *root = root_of("x", type);
    assert_string_equal(dims(specs, root, "d", NULL, NULL, n_dims, shape), expected);
    nz_node_free(root);
    nz_specs_free(specs);
}

static void of_several_versions_the_last_name_in_byte_order_counts(void **state)
{
    (void)state;
    nz_specs *specs = NULL;
    nwbz_error err = NWBZ_ERROR_INIT;
    assert_ok(nz_specs_new(&specs, &err), &err);
    add_namespace(specs, "x", "2.9.0", OWN,
                  "{\"groups\":[{\"data_type_def\":\"G\",\"datasets\":[{\"name\":\"d\",\"shape\":[null],\"dims\":["
                  "\"nine\"]}]}]}");
    add_namespace(specs, "x", "2.11.0", OWN,
                  "{\"groups\":[{\"data_type_def\":\"G\",\"datasets\":[{\"name\":\"d\",\"shape\":[null],\"dims\":["
                  "\"eleven\"]}]}]}");
    nz_node *root = root_of("x", "G");
    assert_string_equal(dims(specs, root, "d", NULL, NULL, 1, five), "nine");
    nz_node_free(root);
    nz_specs_free(specs);
}

#define TYPE(dim) "{\"datasets\":[{\"data_type_def\":\"T\",\"shape\":[null],\"dims\":[\"" dim "\"]}]}"

/* Check the name of the axis of a T, with texts added in an order that `order` gives: N is the namespace's own. */
static void check_order(const char *order, const char *schema, const char *expected)
{
    nz_specs *specs = NULL;
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_node *root = root_of("x", "none");
    assert_ok(nz_specs_new(&specs, &err), &err);
    for (; *order; order++) {
        char text[256];
        snprintf(text, sizeof text, "{\"namespaces\":[{\"schema\":[%s]}]}", schema);
        add(specs, "x", "1",
            *order == 'N'   ? "namespace"
            : *order == 'a' ? "a"
                            : "b",
            *order == 'N'   ? text
            : *order == 'a' ? TYPE("of_a")
                            : TYPE("of_b"));
    }
    assert_string_equal(dims(specs, root, "d", "x", "T", 1, five), expected);
    nz_node_free(root);
    nz_specs_free(specs);
}

static void of_sources_that_define_a_type_the_last_in_the_list_counts_whatever_came_first(void **state)
{
    (void)state;
    const char *const orders[] = { "Nab", "Nba", "aNb", "bNa", "abN", "baN", "NabN" };
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        check_order(orders[i], "{\"source\":\"a\"},{\"source\":\"b\"}", "of_b");
        check_order(orders[i], "{\"source\":\"b\"},{\"source\":\"a\"}", "of_a");
        check_order(orders[i], "{\"source\":\"b\"},{\"source\":\"a\"},{\"source\":\"b\"}", "of_b");
        check_order(orders[i], "{\"source\":\"a\"}", "of_a"); /* b is not listed */
        check_order(orders[i], "{\"source\":\"c\"}", "");
    }
}

static void shape_and_dims_are_inherited_each_by_itself(void **state)
{
    (void)state;
    check_made(
        "{\"groups\":[{\"data_type_def\":\"A\",\"datasets\":[{\"name\":\"d\",\"shape\":[null],\"dims\":[\"a\"]}]},"
        "{\"data_type_def\":\"B\",\"data_type_inc\":\"A\",\"datasets\":[{\"name\":\"d\",\"dims\":[\"b\"]}]}]}",
        "B", 1, five, "b");
    check_made(
        "{\"groups\":[{\"data_type_def\":\"A\",\"datasets\":[{\"name\":\"d\",\"shape\":[null],\"dims\":[\"a\"]}]},"
        "{\"data_type_def\":\"B\",\"data_type_inc\":\"A\"}]}",
        "B", 1, five, "a");
}

static void of_allowed_shapes_the_one_with_the_fewest_free_axes_counts(void **state)
{
    (void)state;
    static const uint64_t seven_three[] = { 7, 3 };
    const char *types =
        "{\"groups\":[{\"data_type_def\":\"A\",\"datasets\":[{\"name\":\"d\","
        "\"shape\":[[null,null],[null,3],[null,4]],\"dims\":[[\"y\",\"x\"],[\"y\",\"rgb\"],[\"y\",\"rgba\"]]}]}]}";
    check_made(types, "A", 2, seven_three, "y;rgb");
    check_made(types, "A", 2, five, "y;x");
    check_made(types, "A", 1, five, "");
}

static void a_name_that_is_null_leaves_all_out(void **state)
{
    (void)state;
    check_made("{\"groups\":[{\"data_type_def\":\"A\",\"datasets\":[{\"name\":\"d\",\"shape\":[null,null],\"dims\":["
               "\"a\",null]}]}]}",
               "A", 2, five, "");
    check_made("{\"groups\":[{\"data_type_def\":\"A\",\"datasets\":[{\"name\":\"d\",\"shape\":[null,null],\"dims\":["
               "\"a\"]}]}]}",
               "A", 2, five, "");
    check_made("{\"groups\":[{\"data_type_def\":\"A\",\"datasets\":[{\"name\":\"d\",\"shape\":[],\"dims\":[]}]}]}", "A",
               0, five, "");
}

static void a_member_of_a_type_is_completed_from_the_type_it_includes_and_one_of_a_plain_group_is_not(void **state)
{
    (void)state;
    nz_specs *specs =
        made("{\"datasets\":[{\"data_type_def\":\"D\",\"shape\":[null],\"dims\":[\"own\"]}],"
             "\"groups\":[{\"data_type_def\":\"A\",\"datasets\":[{\"name\":\"d\",\"data_type_inc\":\"D\"}],"
             "\"groups\":[{\"name\":\"plain\",\"datasets\":[{\"name\":\"d\",\"data_type_inc\":\"D\"},"
             "{\"name\":\"e\",\"shape\":[null],\"dims\":[\"e\"]}]}]}]}");
    nz_node *root = root_of("x", "A"), *plain = group(root, "plain", NULL, NULL);
    assert_string_equal(dims(specs, root, "d", "x", "D", 1, five), "own");
    assert_string_equal(dims(specs, plain, "d", "x", "D", 1, five), "");
    assert_string_equal(dims(specs, plain, "e", NULL, NULL, 1, five), "e");
    nz_node_free(root);
    nz_specs_free(specs);
}

static void a_type_is_looked_for_in_included_namespaces_even_in_a_circle(void **state)
{
    (void)state;
    nz_specs *specs = made("{}");
    add_namespace(specs, "y", "1", OWN ",{\"namespace\":\"z\"},{\"namespace\":\"absent\"}", "{}");
    add_namespace(specs, "z", "1", OWN ",{\"namespace\":\"y\"}",
                  "{\"groups\":[{\"data_type_def\":\"A\",\"data_type_inc\":\"A\","
                  "\"datasets\":[{\"name\":\"d\",\"shape\":[null],\"dims\":[\"found\"]}]}]}");
    nz_node *root = root_of("y", "A"), *absent = group(root, "g", "y", "B");
    assert_string_equal(dims(specs, root, "d", NULL, NULL, 1, five), "found");
    assert_string_equal(dims(specs, absent, "d", NULL, NULL, 1, five), "");
    nz_node_free(root);
    nz_specs_free(specs);
}

static void text_that_is_no_json_or_no_specification_says_nothing(void **state)
{
    (void)state;
    check_made("{\"groups\": [", "A", 1, five, "");
    check_made("{\"groups\": 5, \"datasets\": [1, null, {\"data_type_def\": 3}]}", "A", 1, five, "");
    check_made("{\"groups\":[{\"data_type_def\":\"A\",\"datasets\":[{\"name\":\"d\",\"shape\":\"no\",\"dims\":7}]}]}",
               "A", 1, five, "");
}

static void the_built_in_schema_says_its_version(void **state)
{
    (void)state;
    assert_string_equal(nz_schema_version("core"), "2.11.0");
    assert_string_equal(nz_schema_version("hdmf-common"), "1.10.0");
    assert_null(nz_schema_version("none"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(core_types_have_the_names_that_hdmf_zarr_writes),
        cmocka_unit_test(table_columns_are_found_by_name_by_type_and_by_their_own),
        cmocka_unit_test(nothing_is_said_where_shape_name_or_type_do_not_fit),
        cmocka_unit_test(of_several_versions_the_last_name_in_byte_order_counts),
        cmocka_unit_test(of_sources_that_define_a_type_the_last_in_the_list_counts_whatever_came_first),
        cmocka_unit_test(shape_and_dims_are_inherited_each_by_itself),
        cmocka_unit_test(of_allowed_shapes_the_one_with_the_fewest_free_axes_counts),
        cmocka_unit_test(a_name_that_is_null_leaves_all_out),
        cmocka_unit_test(a_member_of_a_type_is_completed_from_the_type_it_includes_and_one_of_a_plain_group_is_not),
        cmocka_unit_test(a_type_is_looked_for_in_included_namespaces_even_in_a_circle),
        cmocka_unit_test(text_that_is_no_json_or_no_specification_says_nothing),
        cmocka_unit_test(the_built_in_schema_says_its_version),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
