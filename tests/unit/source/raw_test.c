/* The raw file: what it refuses, what it says then, and the ways of reading that the contract test does not come to. */
#include "unit/source/fixture.h"

#include <fcntl.h>
#include <sys/stat.h>

static nwbz_raw_options options_of(nwbz_type type, unsigned n_dims, const uint64_t *shape)
{
    nwbz_raw_options options = NWBZ_RAW_OPTIONS_INIT;
    options.type = type;
    options.n_dims = n_dims;
    options.shape = shape;
    return options;
}

/* A file of `n` known samples and `n_more` bytes. */
static const char *known_file(const char *name, uint64_t n, size_t n_more)
{
    const char *path = in_folder(name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    for (uint64_t i = 0; i < n; i++) {
        int16_t sample = sample_at(i);
        fwrite(&sample, sizeof sample, 1, file);
    }
    for (size_t i = 0; i < n_more; i++)
        fputc('x', file);
    assert_int_equal(fclose(file), 0);
    return path;
}

/* ---- sizes ----------------------------------------------------------------------------- */

static void the_length_is_found_from_the_size(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_source *source = NULL;
    const uint64_t shape[2] = { NWBZ_UNKNOWN_LENGTH, 5 };
    nwbz_raw_options options = options_of(NWBZ_INT16, 2, shape);
    assert_ok(nwbz_source_open_raw(known_file("a", 35, 0), &options, &source, &err), &err);
    assert_int_equal(nwbz_source_shape(source, NULL)[0], 7);
    nwbz_source_close(source);
    assert_ok(nwbz_source_open_raw(known_file("empty", 0, 0), &options, &source, &err), &err);
    assert_int_equal(nwbz_source_shape(source, NULL)[0], 0);
    nwbz_source_close(source);
}

static void a_size_that_is_no_whole_number_of_frames_is_refused_with_the_numbers(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_source *source = NULL;
    const uint64_t shape[2] = { NWBZ_UNKNOWN_LENGTH, 5 };
    nwbz_raw_options options = options_of(NWBZ_INT16, 2, shape);
    assert_fails(nwbz_source_open_raw(known_file("a", 35, 3), &options, &source, &err), NWBZ_ESOURCE, "73 bytes",
                 "7 frames of 10 bytes", "3 are left over");
    assert_null(source);
    assert_non_null(strstr(err.where, "/a"));
    options.offset_bytes = 100;
    assert_fails(nwbz_source_open_raw(in_folder("a"), &options, &source, &err), NWBZ_ESOURCE, "73 bytes", "offset 100");
}

static void a_size_that_does_not_match_the_shape_is_refused_with_both_numbers(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_source *source = NULL;
    const uint64_t shape[2] = { 8, 5 }, none[2] = { 8, 0 };
    nwbz_raw_options options = options_of(NWBZ_INT16, 2, shape);
    assert_fails(nwbz_source_open_raw(known_file("a", 35, 0), &options, &source, &err), NWBZ_ESOURCE, "70 bytes",
                 "8,5 of int16", "needs 80", "7 frames of 10 bytes would fit");
    assert_fails(nwbz_source_open_raw(known_file("a", 40, 1), &options, &source, &err), NWBZ_ESOURCE, "81 bytes",
                 "needs 80", "8 frames of 10 bytes would fit, and 1 be left over");
    options.offset_bytes = 200;
    assert_fails(nwbz_source_open_raw(in_folder("a"), &options, &source, &err), NWBZ_ESOURCE, "81 bytes", "offset 200",
                 "needs 280", "0 frames");
    options = options_of(NWBZ_INT16, 2, none);
    assert_fails(nwbz_source_open_raw(in_folder("a"), &options, &source, &err), NWBZ_ESOURCE, "81 bytes", "needs 0");
}

static void a_longer_file_is_fine_where_it_is_said_so_and_a_shorter_one_is_not(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_source *source = NULL;
    const uint64_t shape[2] = { 7, 5 };
    nwbz_raw_options options = options_of(NWBZ_INT16, 2, shape);
    assert_fails(nwbz_source_open_raw(known_file("a", 40, 3), &options, &source, &err), NWBZ_ESOURCE, "83 bytes");
    options.longer_is_fine = true;
    assert_ok(nwbz_source_open_raw(in_folder("a"), &options, &source, &err), &err);
    assert_int_equal(nwbz_source_shape(source, NULL)[0], 7);
    nwbz_source_close(source);
    assert_fails(nwbz_source_open_raw(known_file("a", 34, 0), &options, &source, &err), NWBZ_ESOURCE, "68 bytes", "needs 70");
}

static void shapes_that_overflow_are_refused(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_source *source = NULL;
    const uint64_t wide[2] = { 1, UINT64_MAX / 2 }, many[3] = { 1u << 31, 1u << 31, 1u << 31 },
                   two_exp_62[1] = { (uint64_t)1 << 62 }, unknown_inside[2] = { 3, NWBZ_UNKNOWN_LENGTH },
                   no_frame[2] = { NWBZ_UNKNOWN_LENGTH, 0 };
    nwbz_raw_options options = options_of(NWBZ_INT16, 2, wide);
    const char *path = known_file("a", 4, 0);
    assert_fails(nwbz_source_open_raw(path, &options, &source, &err), NWBZ_EINVAL, "more bytes than a file can have");
    options = options_of(NWBZ_INT16, 3, many);
    assert_fails(nwbz_source_open_raw(path, &options, &source, &err), NWBZ_EINVAL, "more bytes than a file can have");
    options = options_of(NWBZ_INT16, 1, two_exp_62);
    assert_fails(nwbz_source_open_raw(path, &options, &source, &err), NWBZ_EINVAL, "more bytes than a file can have");
    options = options_of(NWBZ_INT16, 2, unknown_inside);
    assert_fails(nwbz_source_open_raw(path, &options, &source, &err), NWBZ_EINVAL, "axis 1");
    options = options_of(NWBZ_INT16, 2, no_frame);
    assert_fails(nwbz_source_open_raw(path, &options, &source, &err), NWBZ_EINVAL, "0 bytes");
    const uint64_t four[1] = { 4 };
    options = options_of(NWBZ_INT16, 1, four);
    options.offset_bytes = UINT64_MAX;
    assert_fails(nwbz_source_open_raw(path, &options, &source, &err), NWBZ_EINVAL, "18446744073709551615");
}

/* ---- arguments --------------------------------------------------------------------------- */

static void options_that_cannot_be_right_are_refused(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_source *source = NULL;
    const uint64_t shape[2] = { 2, 4 }, three_axes[3] = { 2, 2, 2 }, past[2] = { 0, 4 }, twice[3] = { 3, 0, 3 };
    const char *path = known_file("a", 8, 0);
    nwbz_raw_options options = options_of(NWBZ_TYPE_NONE, 2, shape), unset = { 0 };
    assert_fails(nwbz_source_open_raw(path, &options, &source, &err), NWBZ_EINVAL, "'none'");
    options.type = NWBZ_STRING;
    assert_fails(nwbz_source_open_raw(path, &options, &source, &err), NWBZ_EINVAL, "'string'");
    options = options_of(NWBZ_INT16, 0, shape);
    assert_fails(nwbz_source_open_raw(path, &options, &source, &err), NWBZ_EINVAL, "0 axes");
    options = options_of(NWBZ_INT16, 33, shape);
    assert_fails(nwbz_source_open_raw(path, &options, &source, &err), NWBZ_EINVAL, "33 axes");
    options = options_of(NWBZ_INT16, 2, NULL);
    assert_fails(nwbz_source_open_raw(path, &options, &source, &err), NWBZ_EINVAL, "no shape");
    assert_fails(nwbz_source_open_raw(path, &unset, &source, &err), NWBZ_EINVAL, "struct_size");
    assert_fails(nwbz_source_open_raw(path, NULL, &source, &err), NWBZ_EINVAL, "'none'");
    options = options_of(NWBZ_INT16, 2, shape);
    options.channels = past;
    options.n_channels = 2;
    assert_fails(nwbz_source_open_raw(path, &options, &source, &err), NWBZ_EINVAL, "channel 4", "there are 4");
    options.channels = twice;
    options.n_channels = 3;
    assert_fails(nwbz_source_open_raw(path, &options, &source, &err), NWBZ_EINVAL, "channel 3", "twice");
    options.n_channels = 0;
    assert_fails(nwbz_source_open_raw(path, &options, &source, &err), NWBZ_EINVAL, "empty");
    options = options_of(NWBZ_INT16, 3, three_axes);
    options.channels = past;
    options.n_channels = 1;
    assert_fails(nwbz_source_open_raw(path, &options, &source, &err), NWBZ_EINVAL, "3 axes");
    assert_null(source);
}

/* ---- files ----------------------------------------------------------------------------------- */

static void what_is_no_readable_file_is_refused(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_source *source = NULL;
    const uint64_t shape[1] = { NWBZ_UNKNOWN_LENGTH };
    nwbz_raw_options options = options_of(NWBZ_INT16, 1, shape);
    assert_fails(nwbz_source_open_raw(in_folder("missing"), &options, &source, &err), NWBZ_ESOURCE, "No such file");
    assert_int_not_equal(err.os_errno, 0);
    assert_non_null(strstr(err.where, "missing"));
    assert_fails(nwbz_source_open_raw(folder, &options, &source, &err), NWBZ_ESOURCE, "folder");
    assert_int_equal(mkfifo(in_folder("fifo"), 0666), 0);
    assert_fails(nwbz_source_open_raw(in_folder("fifo"), &options, &source, &err), NWBZ_ESOURCE, "no regular file");
    assert_fails(nwbz_source_open_raw("/dev/null", &options, &source, &err), NWBZ_ESOURCE, "no regular file");
    assert_null(source);
}

static void a_file_without_permission_is_refused(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_source *source = NULL;
    const uint64_t shape[1] = { 4 };
    nwbz_raw_options options = options_of(NWBZ_INT16, 1, shape);
    const char *path = known_file("locked", 4, 0);
    bool is_root = geteuid() == 0;
    assert_int_equal(chmod(path, 0), 0);
    if (is_root)
        assert_int_equal(chmod(folder, 0755) || seteuid(65534), 0);
    nwbz_code code = nwbz_source_open_raw(path, &options, &source, &err);
    if (is_root)
        assert_int_equal(seteuid(0), 0);
    assert_int_equal(code, NWBZ_ESOURCE);
    assert_non_null(strstr(err.message, "Permission denied"));
}

static void a_file_that_shrinks_is_an_error_with_both_numbers(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_source *source = NULL;
    const uint64_t shape[2] = { 100, 4 }, channels[1] = { 2 };
    nz_box whole = { 2, { 0, 0 }, { 100, 4 } }, part = { 2, { 10, 1 }, { 90, 2 } }, before = { 2, { 0, 0 }, { 30, 4 } },
           picked = { 2, { 0, 0 }, { 100, 1 } };
    int16_t elements[400];
    uint64_t n_rows;
    nwbz_raw_options options = options_of(NWBZ_INT16, 2, shape);
    const char *path = known_file("shrinks", 400, 0);
    assert_ok(nwbz_source_open_raw(path, &options, &source, &err), &err);
    assert_int_equal(truncate(path, 250), 0);
    assert_fails(read_once(source, &whole, elements, &n_rows, &err), NWBZ_ESOURCE, "shrank",
                 "250 of 800 bytes at offset 0");
    assert_non_null(strstr(err.where, "shrinks"));
    assert_fails(read_once(source, &part, elements, &n_rows, &err), NWBZ_ESOURCE, "shrank",
                 "168 of 716 bytes at offset 82");
    assert_ok(read_once(source, &before, elements, &n_rows, &err), &err);
    assert_true(is_known(&before, shape, elements));
    nwbz_source_close(source);

    path = known_file("shrinks", 400, 0);
    options.channels = channels;
    options.n_channels = 1;
    assert_ok(nwbz_source_open_raw(path, &options, &source, &err), &err);
    assert_int_equal(truncate(path, 0), 0);
    assert_fails(read_once(source, &picked, elements, &n_rows, &err), NWBZ_ESOURCE, "shrank",
                 "0 of 794 bytes at offset 4");
    nwbz_source_close(source);
}

/* ---- types -------------------------------------------------------------------------------------- */

static void every_type_is_read_in_both_byte_orders(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    const nwbz_type types[] = { NWBZ_INT8,    NWBZ_INT16,     NWBZ_INT32,     NWBZ_INT64,   NWBZ_UINT8,
                                NWBZ_UINT16,  NWBZ_UINT32,    NWBZ_UINT64,    NWBZ_FLOAT16, NWBZ_FLOAT32,
                                NWBZ_FLOAT64, NWBZ_COMPLEX64, NWBZ_COMPLEX128 };
    unsigned char bytes[3 * 16], got[3 * 16];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(i * 7 + 1);
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        size_t size = nwbz_type_size(types[t]), unit = types[t] >= NWBZ_COMPLEX64 ? size / 2 : size;
        const uint64_t shape[1] = { 3 };
        nz_box whole = { 1, { 0 }, { 3 } };
        uint64_t n_rows;
        nwbz_source *source = NULL;
        nwbz_raw_options options = options_of(types[t], 1, shape);
        test_file_write(in_folder("types"), bytes, 3 * size);
        for (int big = 0; big < 2; big++) {
            options.big_endian = big;
            assert_ok(nwbz_source_open_raw(in_folder("types"), &options, &source, &err), &err);
            assert_ok(read_once(source, &whole, got, &n_rows, &err), &err);
            for (size_t i = 0; i < 3 * size; i++)
                assert_int_equal(got[i], bytes[big ? i / unit * unit + (unit - 1 - i % unit) : i]);
            nwbz_source_close(source);
        }
    }
}

static void a_bool_that_is_neither_0_nor_1_is_refused(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_source *source = NULL;
    const uint64_t shape[2] = { 2, 3 };
    nz_box good = { 2, { 0, 0 }, { 1, 3 } }, bad = { 2, { 0, 0 }, { 2, 3 } }, beside = { 2, { 0, 1 }, { 2, 2 } };
    unsigned char got[6];
    uint64_t n_rows;
    nwbz_raw_options options = options_of(NWBZ_BOOL, 2, shape);
    test_file_write(in_folder("bools"), "\0\1\1\2\0\1", 6);
    assert_ok(nwbz_source_open_raw(in_folder("bools"), &options, &source, &err), &err);
    assert_ok(read_once(source, &good, got, &n_rows, &err), &err);
    assert_memory_equal(got, "\0\1\1", 3);
    assert_ok(read_once(source, &beside, got, &n_rows, &err), &err);
    assert_memory_equal(got, "\1\1\0\1", 4);
    assert_fails(read_once(source, &bad, got, &n_rows, &err), NWBZ_ESOURCE, "a byte is 2");
    nwbz_source_close(source);
}

/* ---- ways of reading ------------------------------------------------------------------------------ */

/* Check random boxes of a file of known samples; the shapes make rows longer than the scratch, and gaps of all sizes.
 */
static void boxes_of_long_and_short_rows_are_right(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    const uint64_t shapes[][3] = {
        { 6, 300000, 1 }, { 2000, 400, 1 }, { 60, 10000, 1 }, { 4, 300, 700 }, { 3, 2, 200000 }
    };
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        nwbz_source *source = NULL;
        uint64_t n = shapes[s][0] * shapes[s][1] * shapes[s][2], seed = s, n_rows;
        nwbz_raw_options options = options_of(NWBZ_INT16, shapes[s][2] > 1 ? 3 : 2, shapes[s]);
        assert_ok(nwbz_source_open_raw(known_file("long", n, 0), &options, &source, &err), &err);
        for (unsigned i = 0; i < 25; i++) {
            nz_box box;
            random_box(&box, options.n_dims, shapes[s], &seed);
            int16_t *elements = nz_malloc(count_of(&box) * sizeof *elements);
            assert_ok(read_once(source, &box, elements, &n_rows, &err), &err);
            assert_true(is_known(&box, shapes[s], elements));
            nz_free(elements);
        }
        nwbz_source_close(source);
    }
}

/* Pick channels from rows of `width` and compare with what the file holds. */
static void check_channels(uint64_t n_frames, uint64_t width, const uint64_t *channels, size_t n_channels)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_source *source = NULL;
    const uint64_t shape[2] = { n_frames, width }, picked_shape[2] = { n_frames, n_channels };
    uint64_t seed = width, n_rows;
    nwbz_raw_options options = options_of(NWBZ_INT16, 2, shape);
    options.channels = channels;
    options.n_channels = n_channels;
    assert_ok(nwbz_source_open_raw(known_file("picked", n_frames * width, 0), &options, &source, &err), &err);
    assert_int_equal(source->info.shape[1], n_channels);
    assert_int_equal(source->info.natural[1], n_channels);
    for (unsigned i = 0; i < 20; i++) {
        nz_box box;
        random_box(&box, 2, picked_shape, &seed);
        int16_t *elements = nz_malloc(count_of(&box) * sizeof *elements);
        assert_ok(read_once(source, &box, elements, &n_rows, &err), &err);
        for (uint64_t e = 0; e < count_of(&box); e++) {
            uint64_t frame = box.start[0] + e / box.shape[1], channel = channels[box.start[1] + e % box.shape[1]];
            assert_int_equal(elements[e], sample_at(frame * width + channel));
        }
        nz_free(elements);
    }
    nwbz_source_close(source);
}

static void channels_come_in_the_order_asked_for(void **state)
{
    (void)state;
    const uint64_t few[] = { 5, 6, 7 }, mixed[] = { 383, 0, 1, 2, 200, 100, 101, 382 }, one[] = { 17 };
    check_channels(3000, 384, few, 3);
    check_channels(1000, 384, mixed, 8);
    check_channels(1000, 384, one, 1);
    uint64_t reversed[384];
    for (uint64_t c = 0; c < 384; c++)
        reversed[c] = 383 - c;
    check_channels(500, 384, reversed, 384);
}

static void channels_of_rows_longer_than_the_scratch_are_right(void **state)
{
    (void)state;
    const uint64_t wide[] = { 0, 299999, 150000, 1, 2, 140000 }, near[] = { 250000, 250002 }, sparse[] = { 3, 9000 };
    check_channels(5, 300000, wide, 6);
    check_channels(5, 300000, near, 2);
    check_channels(40, 10000, sparse, 2);
}

/* ---- identity --------------------------------------------------------------------------------------- */

static char *identity_of(nwbz_source *source)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_json *json = NULL;
    char *text = NULL;
    assert_ok(source->class->identity(source, &json, &err), &err);
    assert_ok(nz_json_text_of(json, &text, &err), &err);
    nz_json_free(json);
    return text;
}

static void the_identity_tells_files_and_layouts_apart(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    const uint64_t shape[2] = { 20, 4 }, other[2] = { 40, 2 }, channels[2] = { 1, 0 };
    const char *path = known_file("id", 80, 0);
    nwbz_raw_options options[4];
    char *texts[5];
    for (int i = 0; i < 4; i++)
        options[i] = options_of(NWBZ_INT16, 2, shape);
    options[1].shape = other;
    options[2].big_endian = true;
    options[3].channels = channels;
    options[3].n_channels = 2;
    for (int i = 0; i < 5; i++) {
        nwbz_source *source = NULL;
        if (i == 4) { /* the last byte of the file is another */
            FILE *file = fopen(path, "r+b");
            assert_non_null(file);
            fseek(file, -1, SEEK_END);
            fputc('!', file);
            assert_int_equal(fclose(file), 0);
        }
        assert_ok(nwbz_source_open_raw(path, &options[i % 4], &source, &err), &err);
        texts[i] = identity_of(source);
        nwbz_source_close(source);
    }
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < i; k++)
            assert_string_not_equal(texts[i], texts[k]);
    assert_non_null(strstr(texts[0], "\"size_bytes\": 160"));
    assert_non_null(strstr(texts[0], "\"path\": \"/"));
    for (int i = 0; i < 5; i++)
        nz_free(texts[i]);
}

/* Put a byte into the file and set its time back. */
static void change_byte(const char *path, long at, const struct stat *before)
{
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, at, SEEK_SET), 0);
    fputc('!', file);
    assert_int_equal(fclose(file), 0);
    const struct timespec times[2] = { before->st_atim, before->st_mtim };
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void the_identity_sees_both_ends_of_a_large_file(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_source *source = NULL;
    const uint64_t shape[1] = { 100000 };
    struct stat before;
    nwbz_raw_options options = options_of(NWBZ_INT16, 1, shape);
    const char *path = known_file("ends", 100000, 0);
    assert_int_equal(stat(path, &before), 0);
    assert_ok(nwbz_source_open_raw(path, &options, &source, &err), &err);
    const long at[4] = { 0, 65535, 200000 - 65536, 199999 };
    char *texts[5] = { identity_of(source) };
    for (int i = 0; i < 4; i++) {
        change_byte(path, at[i], &before);
        texts[i + 1] = identity_of(source);
        assert_string_not_equal(texts[i + 1], texts[i]);
    }
    for (int i = 0; i < 5; i++)
        nz_free(texts[i]);
    nwbz_source_close(source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_length_is_found_from_the_size),
        cmocka_unit_test(a_size_that_is_no_whole_number_of_frames_is_refused_with_the_numbers),
        cmocka_unit_test(a_size_that_does_not_match_the_shape_is_refused_with_both_numbers),
        cmocka_unit_test(a_longer_file_is_fine_where_it_is_said_so_and_a_shorter_one_is_not),
        cmocka_unit_test(shapes_that_overflow_are_refused),
        cmocka_unit_test(options_that_cannot_be_right_are_refused),
        cmocka_unit_test(what_is_no_readable_file_is_refused),
        cmocka_unit_test(a_file_without_permission_is_refused),
        cmocka_unit_test(a_file_that_shrinks_is_an_error_with_both_numbers),
        cmocka_unit_test(every_type_is_read_in_both_byte_orders),
        cmocka_unit_test(a_bool_that_is_neither_0_nor_1_is_refused),
        cmocka_unit_test(boxes_of_long_and_short_rows_are_right),
        cmocka_unit_test(channels_come_in_the_order_asked_for),
        cmocka_unit_test(channels_of_rows_longer_than_the_scratch_are_right),
        cmocka_unit_test(the_identity_tells_files_and_layouts_apart),
        cmocka_unit_test(the_identity_sees_both_ends_of_a_large_file),
    };
    return cmocka_run_group_tests(tests, make_folder, test_folder_teardown);
}
