/* HDF5 files with trees, and what they are read as, for the tests of what reads trees. */
#ifndef NZ_TESTS_HDF5_TREE_FIXTURE_H
#define NZ_TESTS_HDF5_TREE_FIXTURE_H

#include "unit/hdf5/fixture.h"

#include "hdf5/tree.h"

/* ---- making files ---------------------------------------------------------------------- */

/* Create a file; with groups of the newer kind (their links in the header or dense) or of the old one (B-trees). */
static inline hid_t create_file(const char *name, bool newer)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    assert_hdf5(H5Pset_libver_bounds(access, newer ? H5F_LIBVER_LATEST : H5F_LIBVER_EARLIEST, H5F_LIBVER_LATEST));
    hid_t file = H5Fcreate(in_folder(name), H5F_ACC_TRUNC, H5P_DEFAULT, access);
    assert_hdf5(file);
    assert_hdf5(H5Pclose(access));
    return file;
}

static inline void make_group(hid_t at, const char *path)
{
    hid_t group = H5Gcreate2(at, path, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_hdf5(group);
    assert_hdf5(H5Gclose(group));
}

/* Create a dataset of `n` int16, 0 to n - 1. */
static inline void make_data(hid_t at, const char *path, hsize_t n)
{
    int16_t values[64];
    assert_true(n <= 64);
    for (hsize_t i = 0; i < n; i++)
        values[i] = (int16_t)i;
    hid_t space = H5Screate_simple(1, &n, NULL);
    hid_t data = H5Dcreate2(at, path, H5T_STD_I16LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_hdf5(H5Dwrite(data, H5T_NATIVE_INT16, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    assert_hdf5(H5Dclose(data));
    assert_hdf5(H5Sclose(space));
}

static inline void make_soft(hid_t at, const char *target, const char *path)
{
    assert_hdf5(H5Lcreate_soft(target, at, path, H5P_DEFAULT, H5P_DEFAULT));
}

static inline void make_hard(hid_t at, const char *target, const char *path)
{
    assert_hdf5(H5Lcreate_hard(at, target, at, path, H5P_DEFAULT, H5P_DEFAULT));
}

static inline void make_external(hid_t at, const char *file, const char *target, const char *path)
{
    assert_hdf5(H5Lcreate_external(file, target, at, path, H5P_DEFAULT, H5P_DEFAULT));
}

/* ---- reading them ------------------------------------------------------------------------ */

typedef struct reading {
    nz_hdf5_file *file;
    nz_hdf5_tree *tree;
    nz_node *root;
    nwbz_report report;
    nz_hdf5_tree_options options;
    nwbz_error err;
    ssize_t n_open_before;
} reading;

/* Begin with the options that most tests have; they may be changed before read_tree(). */
static inline reading open_tree(const char *name)
{
    reading r = { .report = NWBZ_REPORT_INIT,
                  .options = { .value_bytes = 1 << 20, .all_values_bytes = 1 << 26 },
                  .err = NWBZ_ERROR_INIT,
                  .n_open_before = hdf5_count_open() };
    assert_ok(nz_hdf5_file_open(in_folder(name), &r.file, &r.err), &r.err);
    return r;
}

static inline nwbz_code read_tree(reading *r)
{
    r->options.report = &r->report;
    nwbz_code code = nz_hdf5_tree_read(r->file, &r->options, &r->tree, &r->err);
    r->root = code == NWBZ_OK ? nz_hdf5_tree_root(r->tree) : NULL;
    return code;
}

/* Read it, which must succeed. */
static inline reading read_file(const char *name)
{
    reading r = open_tree(name);
    assert_ok(read_tree(&r), &r.err);
    return r;
}

/* Free it, and see that nothing of the library is left open. */
static inline void close_tree(reading *r)
{
    nz_hdf5_tree_free(r->tree);
    nz_hdf5_file_close(r->file);
    nwbz_report_done(&r->report);
    assert_int_equal(hdf5_count_open(), r->n_open_before);
}

/* Read a file that is refused: code, place and parts of the message. */
#define assert_refused(r, place, ...)                                                                                  \
    do {                                                                                                               \
        nwbz_error err = NWBZ_ERROR_INIT;                                                                              \
        nwbz_code refused_ = read_tree(r);                                                                             \
        err = (r)->err;                                                                                                \
        assert_null((r)->tree);                                                                                        \
        assert_fails(refused_, NWBZ_ESOURCE, __VA_ARGS__);                                                             \
        assert_string_equal(err.where, place);                                                                         \
        close_tree(r);                                                                                                 \
    } while (0)

/* ---- looking at them ----------------------------------------------------------------------- */

/* Find a node by its path; NULL: none. */
static inline nz_node *node_at(const reading *r, const char *path)
{
    nz_node *node = r->root;
    char name[256];
    while (node && *(path += strspn(path, "/"))) {
        size_t n = strcspn(path, "/");
        assert_true(n < sizeof name);
        memcpy(name, path, n);
        name[n] = 0;
        path += n;
        node = nz_node_child(node, name);
    }
    return node;
}

/* Check what stands at a path: "group", "dataset", "-> target" of a link, or NULL for nothing. */
static inline void assert_node(const reading *r, const char *path, const char *what)
{
    const nz_node *node = node_at(r, path);
    char text[1024] = "nothing";
    if (node)
        snprintf(text, sizeof text, "%s%s",
                 node->kind == NZ_GROUP     ? "group"
                 : node->kind == NZ_DATASET ? "dataset"
                                            : "-> ",
                 node->kind == NZ_SOFT_LINK ? node->target : "");
    if (strcmp(text, what ? what : "nothing") != 0)
        fail_msg("%s is %s, not %s", path, text, what ? what : "nothing");
}

/* Check the note of a node, as JSON; NULL: it has none. */
static inline void assert_note(const reading *r, const char *path, const char *json)
{
    const nz_node *node = node_at(r, path);
    char *text = NULL;
    assert_non_null(node);
    if (node->note)
        assert_int_equal(nz_json_text_of(node->note, &text, NULL), NWBZ_OK);
    if (!json ? text != NULL : !text || strcmp(text, json) != 0)
        fail_msg("the note of %s is %s, not %s", path, text ? text : "absent", json ? json : "absent");
    nz_free(text);
}

/* Find a conversion in the report. */
static inline const nwbz_conversion *conversion_of(const reading *r, const char *path, const char *attribute)
{
    for (size_t i = 0; i < r->report.n_conversions; i++) {
        const nwbz_conversion *c = &r->report.conversions[i];
        bool same = !attribute || !c->attribute ? attribute == c->attribute : strcmp(attribute, c->attribute) == 0;
        if (same && strcmp(c->path, path) == 0)
            return c;
    }
    return NULL;
}

static inline bool has_warning(const reading *r, const char *path, const char *text)
{
    for (size_t i = 0; i < r->report.n_warnings; i++)
        if (strcmp(r->report.warnings[i].path, path) == 0 && strstr(r->report.warnings[i].text, text))
            return true;
    return false;
}

#endif
