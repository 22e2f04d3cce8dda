/* Specifications that a tree carries. */
#include "support/test.h"

#include "base/memory.h"
#include "hdmf/write.h"

#include <string.h>

#define NAMESPACE  "{\"namespaces\": [{\"name\": \"n\", \"schema\": [{\"source\": \"types\"}]}]}"
#define TYPES(dim) "{\"datasets\": [{\"neurodata_type_def\": \"T\", \"shape\": [null], \"dims\": [\"" dim "\"]}]}"

typedef struct nz_fixture {
    nz_node *root, *specifications, *ns, *dataset;
    nz_specs *specs;
    unsigned n_fetched;
    nwbz_code fetch_code;
} nz_fixture;

static nz_node *add_group(nz_node *parent, const char *name)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_node *group = NULL;
    assert_ok(nz_node_add_group(parent, name, &group, &err), &err);
    return group;
}

static nz_fixture begin(void)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_fixture f = { .root = NULL };
    assert_ok(nz_node_new_root(&f.root, &err), &err);
    assert_ok(nz_specs_new(&f.specs, &err), &err);
    f.specifications = add_group(f.root, "specifications");
    f.ns = add_group(f.specifications, "n");
    assert_ok(nz_node_add_samples(f.root, "d", NWBZ_INT8, 1, (uint64_t[]){ 3 }, &f.dataset, &err), &err);
    assert_ok(nz_node_add_text(f.dataset, "namespace", "n", &err), &err);
    assert_ok(nz_node_add_text(f.dataset, "neurodata_type", "T", &err), &err);
    return f;
}

static void done(nz_fixture *f)
{
    nz_specs_free(f->specs);
    nz_node_free(f->root);
}

static void add_text(nz_node *group, const char *name, const char *text)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_value value;
    assert_ok(nz_value_set_text(&value, text, &err), &err);
    assert_ok(nz_node_add_dataset(group, name, &value, NULL, &err), &err);
}

/* The name that the specifications give to the dataset's axis; NULL: none. */
static const char *axis(const nz_fixture *f)
{
    const char *names[NWBZ_MAX_DIMS];
    unsigned n = 0;
    nz_specs_find_dims(f->specs, f->dataset, 1, (uint64_t[]){ 3 }, names, &n);
    return n > 0 ? names[0] : NULL;
}

static void of_several_versions_the_last_name_counts(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_fixture f = begin();
    const char *const versions[] = { "2.10.0", "2.9.0", "2.11.0" };
    for (size_t i = 0; i < 3; i++) {
        nz_node *version = add_group(f.ns, versions[i]);
        add_text(version, "namespace", NAMESPACE);
        add_text(version, "types", i == 1 ? TYPES("of_2.9") : TYPES("of_another"));
    }
    assert_ok(nz_hdmf_specs_of_tree(f.specifications, NULL, NULL, f.specs, &err), &err);
    assert_string_equal(axis(&f), "of_2.9");
    done(&f);
}

static nwbz_code fetch(const nz_node *dataset, void *user, char **text, size_t *n_bytes, nwbz_error *err)
{
    nz_fixture *f = user;
    f->n_fetched++;
    assert_string_equal(dataset->name, "types");
    if (f->fetch_code != NWBZ_OK)
        return nz_fail(err, f->fetch_code, "cannot be read");
    *text = nz_strdup(TYPES("fetched"));
    *n_bytes = strlen(*text);
    return NWBZ_OK;
}

static void add_large(nz_node *group)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    assert_ok(nz_node_add_samples(group, "types", NWBZ_STRING, 0, NULL, NULL, &err), &err);
}

static void texts_that_the_tree_does_not_hold_are_fetched_of_the_version_that_counts(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_fixture f = begin();
    add_large(add_group(f.ns, "1.0.0"));
    nz_node *version = add_group(f.ns, "2.0.0");
    add_text(version, "namespace", NAMESPACE);
    add_large(version);
    assert_ok(nz_hdmf_specs_of_tree(f.specifications, fetch, &f, f.specs, &err), &err);
    assert_int_equal(f.n_fetched, 1);
    assert_string_equal(axis(&f), "fetched");
    f.fetch_code = NWBZ_ESOURCE;
    assert_code(nz_hdmf_specs_of_tree(f.specifications, fetch, &f, f.specs, &err), NWBZ_ESOURCE, "cannot be read",
                &err);
    assert_code(nz_hdmf_specs_of_tree(f.specifications, NULL, NULL, f.specs, &err), NWBZ_EINVAL, "'types' of n 2.0.0",
                &err);
    done(&f);
}

static void links_are_followed_and_those_to_nothing_say_nothing(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_fixture f = begin();
    nz_node *elsewhere = add_group(add_group(f.root, "old"), "v");
    add_text(elsewhere, "namespace", NAMESPACE);
    add_text(f.root, "t", TYPES("linked"));
    assert_ok(nz_node_add_link(elsewhere, "types", "/t", &err), &err);
    assert_ok(nz_node_add_link(elsewhere, "ghost", "/t/below/a/dataset", &err), &err);
    assert_ok(nz_node_add_link(f.ns, "1.0.0", "/old/v", &err), &err);
    assert_ok(nz_node_add_link(f.specifications, "gone", "/nowhere", &err), &err);
    assert_ok(nz_hdmf_specs_of_tree(f.specifications, NULL, NULL, f.specs, &err), &err);
    assert_string_equal(axis(&f), "linked");
    done(&f);
}

static void what_is_no_text_says_nothing(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_fixture f = begin();
    nz_value value;
    nz_node *version = add_group(f.ns, "1.0.0");
    add_text(version, "namespace", "no JSON");
    add_group(version, "group");
    assert_ok(nz_value_set_double(&value, 1.0, &err), &err);
    assert_ok(nz_node_add_dataset(version, "number", &value, NULL, &err), &err);
    assert_ok(nz_value_set_texts(&value, (const char *const[]){ "a", "b" }, 2, &err), &err);
    assert_ok(nz_node_add_dataset(version, "list", &value, NULL, &err), &err);
    add_text(f.specifications, "stray", TYPES("stray"));
    add_group(f.specifications, "empty");
    assert_ok(nz_hdmf_specs_of_tree(f.specifications, NULL, NULL, f.specs, &err), &err);
    assert_null(axis(&f));
    assert_ok(nz_hdmf_specs_of_tree(f.dataset, NULL, NULL, f.specs, &err), &err); /* no group: nothing below it */
    done(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_several_versions_the_last_name_counts),
        cmocka_unit_test(texts_that_the_tree_does_not_hold_are_fetched_of_the_version_that_counts),
        cmocka_unit_test(links_are_followed_and_those_to_nothing_say_nothing),
        cmocka_unit_test(what_is_no_text_says_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
