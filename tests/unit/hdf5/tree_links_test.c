/* The tree: primary paths, links of every kind, what is left out, names. */
#include "unit/hdf5/tree_fixture.h"

/* ---- primary paths ------------------------------------------------------------------------ */

static void check_primary_paths(bool newer)
{
    hid_t file = create_file("hard.h5", newer);
    make_group(file, "b");
    make_group(file, "b/deep");
    make_data(file, "b/deep/first", 4);
    make_hard(file, "b/deep/first", "c");
    make_hard(file, "b/deep", "a");
    make_hard(file, "b/deep/first", "b/also");
    assert_hdf5(H5Fclose(file));
    reading r = read_file("hard.h5");
    assert_node(&r, "/a", "group");
    assert_node(&r, "/a/first", "-> /c");
    assert_node(&r, "/b/deep", "-> /a");
    assert_node(&r, "/b/also", "-> /c");
    assert_node(&r, "/c", "dataset");
    assert_int_equal(r.report.n_conversions, 0);
    close_tree(&r);
}

static void the_shortest_name_is_the_primary_path_and_of_those_the_first(void **state)
{
    (void)state;
    check_primary_paths(false);
    check_primary_paths(true);
}

static void a_group_that_holds_itself_or_one_above_is_a_note(void **state)
{
    (void)state;
    hid_t file = create_file("up.h5", true);
    make_group(file, "g");
    make_group(file, "g/h");
    make_hard(file, "g", "g/h/up");
    make_hard(file, "g/h", "g/h/self");
    make_hard(file, "/", "g/root");
    assert_hdf5(H5Fclose(file));
    reading r = read_file("up.h5");
    assert_node(&r, "/g/h/up", NULL);
    assert_note(&r, "/g/h",
                "{\"links\": [{\"name\": \"self\", \"kind\": \"hard\", \"target\": \"/g/h\"}, "
                "{\"name\": \"up\", \"kind\": \"hard\", \"target\": \"/g\"}]}");
    assert_note(&r, "/g", "{\"links\": [{\"name\": \"root\", \"kind\": \"hard\", \"target\": \"/\"}]}");
    assert_note(&r, "/", NULL);
    assert_int_equal(r.report.n_conversions, 3);
    assert_string_equal(conversion_of(&r, "/g/h", NULL)->kind, "link");
    close_tree(&r);
}

static void many_links_come_in_byte_order(void **state)
{
    (void)state;
    enum { N = 300 };
    char name[32];
    hid_t file = create_file("many.h5", true);
    make_group(file, "target");
    for (int i = N; i-- > 0;) {
        snprintf(name, sizeof name, "n%d", i);
        if (i % 2)
            make_hard(file, "target", name);
        else
            make_group(file, name);
    }
    assert_hdf5(H5Fclose(file));
    reading r = read_file("many.h5");
    assert_int_equal(r.root->n_children, N + 1);
    assert_node(&r, "/n1", "group");
    assert_node(&r, "/target", "-> /n1");
    for (size_t i = 1; i < r.root->n_children; i++)
        if (r.root->children[i]->kind == r.root->children[i - 1]->kind)
            assert_true(strcmp(r.root->children[i - 1]->name, r.root->children[i]->name) < 0);
    close_tree(&r);
}

/* ---- soft links ------------------------------------------------------------------------------ */

static void soft_links_are_followed_to_the_end(void **state)
{
    (void)state;
    hid_t file = create_file("soft.h5", false);
    make_group(file, "box");
    make_group(file, "box/inner");
    make_data(file, "box/inner/x", 2);
    make_soft(file, "/box/inner/x", "absolute");
    make_soft(file, "inner/x", "box/relative");
    make_soft(file, "./inner//x/", "box/dotted");
    make_soft(file, "/chain_b", "chain_a");
    make_soft(file, "chain_c", "chain_b");
    make_soft(file, "box", "chain_c");
    make_soft(file, "/chain_a/inner/./x", "through");
    make_soft(file, "/box/..", "not_above"); /* HDF5 has no names for the group above */
    assert_hdf5(H5Fclose(file));
    reading r = read_file("soft.h5");
    const char *to_x[] = { "/absolute", "/box/relative", "/box/dotted", "/through" };
    for (size_t i = 0; i < 4; i++)
        assert_node(&r, to_x[i], "-> /box/inner/x");
    assert_node(&r, "/chain_a", "-> /box");
    assert_node(&r, "/chain_b", "-> /box");
    assert_node(&r, "/chain_c", "-> /box");
    assert_note(&r, "/", "{\"links\": [{\"name\": \"not_above\", \"kind\": \"soft\", \"target\": \"/box/..\"}]}");
    close_tree(&r);
}

static void a_chain_may_be_of_any_length(void **state)
{
    (void)state;
    enum { N = 3000 };
    char name[32], target[32];
    hid_t file = create_file("chain.h5", true);
    make_group(file, "z");
    for (int i = 0; i < N; i++) {
        snprintf(name, sizeof name, "l%05d", i);
        snprintf(target, sizeof target, i + 1 < N ? "l%05d" : "z", i + 1);
        make_soft(file, target, name);
    }
    assert_hdf5(H5Fclose(file));
    reading r = read_file("chain.h5");
    assert_int_equal(r.root->n_children, N + 1);
    for (size_t i = 1; i <= N; i++)
        assert_string_equal(r.root->children[i]->target, "/z");
    close_tree(&r);
}

static void soft_links_to_nowhere_in_circles_and_upwards_are_notes(void **state)
{
    (void)state;
    hid_t file = create_file("odd.h5", false);
    make_group(file, "box");
    make_data(file, "d", 2);
    make_soft(file, "/box", "box/self");
    make_soft(file, "/", "box/root");
    make_soft(file, "/box/loop_b", "box/loop_a");
    make_soft(file, "loop_a", "box/loop_b");
    make_soft(file, "/box/loop_a/x", "box/into_loop");
    make_soft(file, "/not/there", "ghost");
    make_soft(file, "/d/below", "in_data");
    make_soft(file, "/box/loop_a", "to_loop");
    make_soft(file, "ghost", "to_ghost");
    assert_hdf5(H5Fclose(file));
    reading r = read_file("odd.h5");
    assert_int_equal(r.root->n_children, 2);
    assert_int_equal(node_at(&r, "/box")->n_children, 0);
    assert_note(&r, "/",
                "{\"links\": [{\"name\": \"ghost\", \"kind\": \"soft\", \"target\": \"/not/there\"}, "
                "{\"name\": \"in_data\", \"kind\": \"soft\", \"target\": \"/d/below\"}, "
                "{\"name\": \"to_ghost\", \"kind\": \"soft\", \"target\": \"ghost\"}, "
                "{\"name\": \"to_loop\", \"kind\": \"soft\", \"target\": \"/box/loop_a\"}]}");
    assert_note(&r, "/box",
                "{\"links\": [{\"name\": \"into_loop\", \"kind\": \"soft\", \"target\": \"/box/loop_a/x\"}, "
                "{\"name\": \"loop_a\", \"kind\": \"soft\", \"target\": \"/box/loop_b\"}, "
                "{\"name\": \"loop_b\", \"kind\": \"soft\", \"target\": \"loop_a\"}, "
                "{\"name\": \"root\", \"kind\": \"soft\", \"target\": \"/\"}, "
                "{\"name\": \"self\", \"kind\": \"soft\", \"target\": \"/box\"}]}");
    assert_int_equal(r.report.n_conversions, 9);
    close_tree(&r);
}

static void with_strict_the_first_conversion_is_an_error(void **state)
{
    (void)state;
    hid_t file = create_file("strict.h5", true);
    make_group(file, "g");
    make_soft(file, "nowhere", "g/ghost");
    assert_hdf5(H5Fclose(file));
    reading r = open_tree("strict.h5");
    r.options.strict = true;
    assert_refused(&r, "/g", "'ghost'", "'nowhere'", "strict");
}

/* ---- external links ---------------------------------------------------------------------------- */

/* A file with links to another in a folder below, which itself has links. */
static void make_two_files(void)
{
    assert_int_equal(nz_folder_make(in_folder("sub"), NULL), NWBZ_OK);
    hid_t other = create_file("sub/other.h5", false);
    make_group(other, "series");
    make_data(other, "series/data", 4);
    make_group(other, "outside");
    make_data(other, "raw", 5);
    make_soft(other, "data", "series/relative");
    make_soft(other, "/series/data", "series/absolute");
    make_soft(other, "/outside", "series/out");
    make_external(other, "../main.h5", "/g/own", "series/back");
    make_external(other, "third.h5", "/x", "series/further");
    make_external(other, "third.h5", "/x", "by_link");
    assert_hdf5(H5Fclose(other));
    hid_t third = create_file("sub/third.h5", true);
    make_data(third, "x", 3);
    assert_hdf5(H5Fclose(third));
    hid_t file = create_file("main.h5", true);
    make_group(file, "g");
    make_data(file, "g/own", 2);
    make_external(file, "sub/other.h5", "/raw", "raw");
    make_external(file, "sub/other.h5", "series", "g/series");
    make_external(file, "sub/other.h5", "/raw", "same_raw");
    make_external(file, "sub/other.h5", "/by_link", "z_further");
    make_external(file, "main.h5", "/g/own", "myself");
    make_soft(file, "/g/series/data", "through");
    assert_hdf5(H5Fclose(file));
}

static void external_links_are_copied_to_their_place(void **state)
{
    (void)state;
    make_two_files();
    reading r = read_file("main.h5");
    assert_node(&r, "/raw", "dataset");
    assert_node(&r, "/same_raw", "-> /raw");
    assert_node(&r, "/g/series", "group");
    assert_node(&r, "/g/series/data", "dataset");
    assert_node(&r, "/g/series/relative", "-> /g/series/data");
    assert_node(&r, "/g/series/absolute", "-> /g/series/data");
    assert_node(&r, "/g/series/back", "-> /g/own");
    assert_node(&r, "/z_further", "dataset");
    assert_node(&r, "/g/series/further", "-> /z_further");
    assert_node(&r, "/myself", "-> /g/own");
    assert_node(&r, "/through", "-> /g/series/data");
    assert_note(&r, "/g/series", "{\"links\": [{\"name\": \"out\", \"kind\": \"soft\", \"target\": \"/outside\"}]}");
    assert_int_equal(nz_hdf5_tree_n_files(r.tree), 2);
    assert_string_equal(nz_hdf5_file_path(nz_hdf5_tree_file(r.tree, 0)), in_folder("sub/other.h5"));
    close_tree(&r);
}

static void external_links_can_be_kept_as_notes_without_opening_anything(void **state)
{
    (void)state;
    hid_t file = create_file("keep.h5", true);
    make_group(file, "g");
    make_external(file, "gone.h5", "/a/b", "g/lost");
    make_external(file, "keep.h5", "/g", "myself");
    make_external(file, "keep.h5", "/not/there", "nothing");
    make_soft(file, "/g/lost/c", "through");
    assert_hdf5(H5Fclose(file));
    reading r = open_tree("keep.h5");
    r.options.keep_external = true;
    assert_ok(read_tree(&r), &r.err);
    assert_node(&r, "/myself", "-> /g");
    assert_note(
        &r, "/g",
        "{\"links\": [{\"name\": \"lost\", \"kind\": \"external\", \"file\": \"gone.h5\", \"target\": \"/a/b\"}]}");
    assert_note(&r, "/",
                "{\"links\": [{\"name\": \"nothing\", \"kind\": \"external\", \"file\": \"keep.h5\", \"target\": "
                "\"/not/there\"}, {\"name\": \"through\", \"kind\": \"soft\", \"target\": \"/g/lost/c\"}]}");
    assert_int_equal(nz_hdf5_tree_n_files(r.tree), 0);
    close_tree(&r);
}

static void an_external_link_to_what_is_missing_is_refused_by_name(void **state)
{
    (void)state;
    static const char *const links[][2] = { { "gone.h5", "/x" }, { "there.h5", "/gone" }, { "missing.h5", "/g/gone" } };
    hid_t there = create_file("there.h5", true);
    make_data(there, "x", 1);
    assert_hdf5(H5Fclose(there));
    for (size_t i = 0; i < 3; i++) {
        hid_t file = create_file("missing.h5", true);
        make_group(file, "g");
        make_external(file, links[i][0], links[i][1], "g/link");
        assert_hdf5(H5Fclose(file));
        reading r = open_tree("missing.h5");
        assert_refused(&r, i < 2 ? "/g/link" : "/g", links[i][i < 2 ? 0 : 1], links[i][1], "external keep");
    }
}

static void an_absolute_file_that_is_gone_is_looked_for_beside(void **state)
{
    (void)state;
    hid_t there = create_file("beside.h5", true);
    make_data(there, "x", 1);
    assert_hdf5(H5Fclose(there));
    hid_t file = create_file("absolute.h5", true);
    make_external(file, in_folder("beside.h5"), "x", "whole");
    make_external(file, "/no/such/folder/beside.h5", "x", "moved");
    assert_hdf5(H5Fclose(file));
    reading r = read_file("absolute.h5");
    assert_node(&r, "/moved", "dataset");
    assert_node(&r, "/whole", "-> /moved");
    close_tree(&r);
}

/* ---- leaving out ---------------------------------------------------------------------------------- */

static bool wants_not_out(const char *path, bool is_group, void *user)
{
    int *groups = user;
    *groups += is_group;
    return strncmp(path, "/out", 4) != 0;
}

static void what_is_left_out_is_not_looked_at_and_leads_nowhere(void **state)
{
    (void)state;
    int groups = 0;
    hid_t file = create_file("wants.h5", true);
    make_group(file, "out");
    make_data(file, "out/data", 2);
    make_group(file, "in");
    make_hard(file, "out/data", "in/second"); /* a name in what is left out is none: this is the first */
    make_hard(file, "out", "in/again");
    make_soft(file, "/out", "in/soft");
    make_soft(file, "/out/data", "in/below");
    make_soft(file, "/in", "out_link");
    make_external(file, "gone.h5", "/x", "out_external");
    make_group(file, "out_bad\\name");
    assert_hdf5(H5Fclose(file));
    reading r = open_tree("wants.h5");
    r.options.wants = wants_not_out;
    r.options.user = &groups;
    assert_ok(read_tree(&r), &r.err);
    assert_int_equal(r.root->n_children, 1);
    assert_null(r.root->note);
    assert_node(&r, "/in/second", "dataset");
    assert_int_equal(node_at(&r, "/in")->n_children, 1);
    assert_note(&r, "/in",
                "{\"links\": [{\"name\": \"again\", \"kind\": \"hard\", \"target\": \"\"}, "
                "{\"name\": \"below\", \"kind\": \"soft\", \"target\": \"/out/data\"}, "
                "{\"name\": \"soft\", \"kind\": \"soft\", \"target\": \"/out\"}]}");
    assert_true(groups >= 3);
    close_tree(&r);
}

/* ---- names ------------------------------------------------------------------------------------------ */

static void check_name(const char *name, const char *shown, const char *why)
{
    for (int kind = 0; kind < 3; kind++) {
        hid_t file = create_file("name.h5", true);
        make_group(file, "g");
        hid_t group = H5Gopen2(file, "g", H5P_DEFAULT);
        if (kind == 0)
            make_group(group, name);
        else if (kind == 1)
            make_data(group, name, 1);
        else
            make_soft(group, "/g", name);
        assert_hdf5(H5Gclose(group));
        assert_hdf5(H5Fclose(file));
        reading r = open_tree("name.h5");
        char place[600];
        snprintf(place, sizeof place, "/g/%s", name);
        if (strlen(place) < sizeof r.err.where)
            assert_refused(&r, kind < 2 ? place : "/g", shown, why);
        else {
            assert_int_equal(read_tree(&r), NWBZ_ESOURCE);
            close_tree(&r);
        }
    }
}

static void names_that_no_store_can_have_are_refused(void **state)
{
    (void)state;
    static const char *const taken[] = { "..", "zarr.json", ".zgroup", ".zarray", ".zattrs", ".zmetadata" };
    char longest[257] = "";
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        check_name(taken[i], taken[i], "meaning of its own");
    check_name("a\\b", "a\\x5cb" + 6, "backslash");
    check_name("latin \xe9", "latin \\xe9", "UTF-8");
    memset(longest, 'n', 256);
    check_name(longest, "nnn...", "255 bytes");
}

static void odd_names_stay_and_are_listed(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text;
    } names[] = { { "c", NULL },        { "0", NULL },        { "blank ", "ends in" }, { "tab\there", "Windows" },
                  { "a:b", "Windows" }, { "...", "periods" }, { "__x", "begin with" }, { "Aux.txt", "device" },
                  { "com1", "device" }, { "com", NULL },      { "\xc3\xa9", NULL },    { "Upper", NULL },
                  { "upper", "case" },  { "c.0", NULL },      { "100%#", NULL } };
    char path[64], longest[256] = "";
    memset(longest, 'n', 255);
    hid_t file = create_file("odd_names.h5", true);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        make_group(file, names[i].name);
    make_group(file, longest);
    make_soft(file, "upper", "UPPER"); /* links have no folder */
    assert_hdf5(H5Fclose(file));
    reading r = read_file("odd_names.h5");
    size_t n = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "/%s", names[i].name);
        assert_node(&r, path, "group");
        if (names[i].text && !has_warning(&r, path, names[i].text))
            fail_msg("no warning of '%s'", names[i].name);
        n += names[i].text != NULL;
    }
    assert_int_equal(r.report.n_warnings, n);
    close_tree(&r);
}

static void a_path_longer_than_a_file_system_takes_is_refused(void **state)
{
    (void)state;
    char name[201] = "";
    memset(name, 'd', 200);
    hid_t file = create_file("deep.h5", true), at = H5Gopen2(file, "/", H5P_DEFAULT);
    for (int i = 0; i < 21; i++) {
        make_group(at, name);
        hid_t below = H5Gopen2(at, name, H5P_DEFAULT);
        assert_hdf5(H5Gclose(at));
        at = below;
    }
    assert_hdf5(H5Gclose(at));
    assert_hdf5(H5Fclose(file));
    reading r = open_tree("deep.h5");
    assert_code(read_tree(&r), NWBZ_ESOURCE, "4221 bytes", &r.err);
    close_tree(&r);
}

/* ---- the file ------------------------------------------------------------------------------------------ */

static void a_user_block_is_skipped_and_listed(void **state)
{
    (void)state;
    hid_t properties = H5Pcreate(H5P_FILE_CREATE);
    assert_hdf5(H5Pset_userblock(properties, 1024));
    hid_t file = H5Fcreate(in_folder("block.h5"), H5F_ACC_TRUNC, properties, H5P_DEFAULT);
    make_group(file, "g");
    make_data(file, "g/d", 3);
    make_hard(file, "g/d", "g/e");
    assert_hdf5(H5Pclose(properties));
    assert_hdf5(H5Fclose(file));
    reading r = read_file("block.h5");
    assert_int_equal(nz_hdf5_tree_user_block_bytes(r.tree), 1024);
    assert_node(&r, "/g/e", "-> /g/d");
    assert_true(has_warning(&r, "/", "1024"));
    close_tree(&r);
    r = read_file("many.h5");
    assert_int_equal(nz_hdf5_tree_user_block_bytes(r.tree), 0);
    close_tree(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_shortest_name_is_the_primary_path_and_of_those_the_first),
        cmocka_unit_test(a_group_that_holds_itself_or_one_above_is_a_note),
        cmocka_unit_test(many_links_come_in_byte_order),
        cmocka_unit_test(soft_links_are_followed_to_the_end),
        cmocka_unit_test(a_chain_may_be_of_any_length),
        cmocka_unit_test(soft_links_to_nowhere_in_circles_and_upwards_are_notes),
        cmocka_unit_test(with_strict_the_first_conversion_is_an_error),
        cmocka_unit_test(external_links_are_copied_to_their_place),
        cmocka_unit_test(external_links_can_be_kept_as_notes_without_opening_anything),
        cmocka_unit_test(an_external_link_to_what_is_missing_is_refused_by_name),
        cmocka_unit_test(an_absolute_file_that_is_gone_is_looked_for_beside),
        cmocka_unit_test(what_is_left_out_is_not_looked_at_and_leads_nowhere),
        cmocka_unit_test(names_that_no_store_can_have_are_refused),
        cmocka_unit_test(odd_names_stay_and_are_listed),
        cmocka_unit_test(a_path_longer_than_a_file_system_takes_is_refused),
        cmocka_unit_test(a_user_block_is_skipped_and_listed),
    };
    return cmocka_run_group_tests(tests, make_folder, test_folder_teardown);
}
