/* References: what they lead to, by the identity of objects. */
#include "unit/hdf5/tree_fixture.h"

#include "hdf5/tree_parts.h"

typedef struct resolving {
    const reading *r;
    bool is_region;
    const void *reference;
    nz_hdf5_target target;
} resolving;

static nwbz_code resolve(void *argument, nwbz_error *err)
{
    resolving *s = argument;
    return nz_hdf5_reference(s->r->tree->places[0].file->id, s->is_region, s->reference, s->r->tree, &s->target, err);
}

/* Check the path and the region that a reference gives; NULL: none. */
static void check(reading *r, bool is_region, const void *reference, const char *path, const char *region)
{
    resolving s = { r, is_region, reference, { NULL, NULL } };
    assert_ok(nz_hdf5_run(resolve, &s, &r->err), &r->err);
    const char *got[] = { s.target.path, s.target.region }, *want[] = { path, region };
    for (int i = 0; i < 2; i++)
        if (got[i] != want[i] && (!got[i] || !want[i] || strcmp(got[i], want[i]) != 0))
            fail_msg("%s, not %s", got[i] ? got[i] : "none", want[i] ? want[i] : "none");
    nz_free(s.target.path);
    nz_free(s.target.region);
}

static hobj_ref_t refer(hid_t file, const char *path)
{
    hobj_ref_t reference;
    assert_hdf5(H5Rcreate(&reference, file, path, H5R_OBJECT, H5I_INVALID_HID));
    return reference;
}

static bool wants_not_out(const char *path, bool is_group, void *user)
{
    (void)is_group;
    (void)user;
    return strcmp(path, "/out") != 0;
}

static void check_objects(hsize_t user_block)
{
    hid_t properties = H5Pcreate(H5P_FILE_CREATE);
    assert_hdf5(H5Pset_userblock(properties, user_block));
    hid_t file = H5Fcreate(in_folder("objects.h5"), H5F_ACC_TRUNC, properties, H5P_DEFAULT);
    assert_hdf5(H5Pclose(properties));
    make_group(file, "g");
    make_data(file, "g/d", 3);
    make_hard(file, "g/d", "first");
    make_group(file, "deleted");
    make_group(file, "out");
    hobj_ref_t to[] = { refer(file, "/"),       refer(file, "g"),   refer(file, "g/d"),
                        refer(file, "deleted"), refer(file, "out"), 0 };
    assert_hdf5(H5Ldelete(file, "deleted", H5P_DEFAULT));
    assert_hdf5(H5Fclose(file));
    static const char *const paths[] = { "/", "/g", "/first", NULL, NULL, NULL };
    reading r = open_tree("objects.h5");
    r.options.wants = wants_not_out;
    assert_ok(read_tree(&r), &r.err);
    for (size_t i = 0; i < 6; i++)
        check(&r, false, &to[i], paths[i], NULL);
    close_tree(&r);
}

static void a_reference_gives_the_primary_path_or_none(void **state)
{
    (void)state;
    check_objects(0);
    check_objects(512);
}

static void a_region_gives_its_boxes(void **state)
{
    (void)state;
    enum { N = 8 };
    static const hsize_t shape[2] = { 6, 4 }, start[2] = { 2, 1 }, count[2] = { 3, 2 }, one[2] = { 1, 1 },
                         step[2] = { 3, 2 };
    static const hsize_t points[6] = { 5, 3, 0, 0, 2, 1 };
    static const char *const regions[N] = { "[[[2, 5], [1, 3]]]",
                                            "[[[5, 6], [3, 4]], [[0, 1], [0, 1]], [[2, 3], [1, 2]]]",
                                            "[[[0, 6], [0, 4]]]",
                                            "[]",
                                            "[[[0, 1], [0, 1]], [[0, 1], [2, 3]], [[3, 4], [0, 1]], [[3, 4], [2, 3]]]",
                                            NULL,
                                            NULL,
                                            NULL };
    hdset_reg_ref_t to[N];
    memset(to, 0, sizeof to);
    hid_t file = create_file("regions.h5", true), space = H5Screate_simple(2, shape, NULL);
    const char *names[] = { "m", "deleted" };
    for (int i = 0; i < 2; i++) {
        hid_t data = H5Dcreate2(file, names[i], H5T_STD_I16LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        assert_hdf5(H5Dclose(data));
    }
    for (int i = 0; i < N - 1; i++) {
        if (i == 0 || i >= 5)
            assert_hdf5(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL));
        if (i == 1)
            assert_hdf5(H5Sselect_elements(space, H5S_SELECT_SET, 3, points));
        if (i == 2)
            assert_hdf5(H5Sselect_all(space));
        if (i == 3)
            assert_hdf5(H5Sselect_none(space));
        if (i == 4)
            assert_hdf5(
                H5Sselect_hyperslab(space, H5S_SELECT_SET, (hsize_t[2]){ 0, 0 }, step, (hsize_t[2]){ 2, 2 }, one));
        if (i < 6)
            assert_hdf5(H5Rcreate(&to[i], file, i == 5 ? "deleted" : "m", H5R_DATASET_REGION, space));
    }
    assert_hdf5(H5Ldelete(file, "deleted", H5P_DEFAULT));
    assert_hdf5(H5Sclose(space));
    assert_hdf5(H5Fclose(file));
    reading r = read_file("regions.h5");
    for (size_t i = 0; i < N; i++)
        check(&r, true, &to[i], i < 5 ? "/m" : NULL, regions[i]);
    close_tree(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reference_gives_the_primary_path_or_none),
        cmocka_unit_test(a_region_gives_its_boxes),
    };
    return cmocka_run_group_tests(tests, make_folder, test_folder_teardown);
}
