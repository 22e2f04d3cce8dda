/* What the formats allow beyond what we write: frames and members in a row, without sizes, with things between and
 * behind them. */
#define _GNU_SOURCE
#include "data.h"

#include <blosc.h>
#include <stdlib.h>
#include <zstd.h>

/* Decode with a codec of default configuration; *n_out bytes of *out (new memory of `room` bytes). */
static nwbz_code decode(const char *codec, const void *in, size_t n, size_t room, unsigned char **out, size_t *n_out,
                        nwbz_error *err)
{
    const nz_codec_class *class = nz_codec_find(codec);
    void *self = NULL, *worker = NULL;
    assert_int_equal(class->open(NULL, NZ_DTYPE(NWBZ_UINT8), &self, err), NWBZ_OK);
    if (class->worker_new)
        assert_int_equal(class->worker_new(self, &worker, err), NWBZ_OK);
    *out = nz_malloc(room);
    nwbz_code code = class->decode(self, worker, in, n, *out, room, n_out, err);
    if (worker)
        class->worker_free(worker);
    class->close(self);
    return code;
}

static void assert_decodes(const char *codec, const void *in, size_t n, const void *want, size_t n_want)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    unsigned char *out = NULL, *exact = nz_memdup(in, n);
    size_t n_out = 0;
    if (decode(codec, exact, n, n_want, &out, &n_out, &err) != NWBZ_OK)
        fail_msg("%s", err.message);
    assert_int_equal(n_out, n_want);
    if (n_want)
        assert_memory_equal(out, want, n_want);
    nz_free(out), nz_free(exact);
}

static void assert_fails(const char *codec, const void *in, size_t n, size_t room, nwbz_code code, const char *words)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    unsigned char *out = NULL, *exact = nz_memdup(in, n);
    size_t n_out = 0;
    nwbz_code got = decode(codec, exact, n, room, &out, &n_out, &err);
    if (got != code || !strstr(err.message, words))
        fail_msg("%s of %zu bytes gives %d \"%s\", not \"%s\"", codec, n, got, err.message, words);
    nz_free(out), nz_free(exact);
}

/* Append a zstd frame of `data` at out + at; return the new end. */
static size_t add_frame(unsigned char *out, size_t at, const char *data, bool has_size)
{
    ZSTD_CCtx *context = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, has_size);
    size_t n = ZSTD_compress2(context, out + at, 1000, data, strlen(data));
    assert_false(ZSTD_isError(n));
    ZSTD_freeCCtx(context);
    return at + n;
}

static void zstd_frames_in_a_row_with_and_without_sizes_decode(void **state)
{
    static const unsigned char skippable[] = { 0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 'x', 'y', 'z' };
    unsigned char in[4000];
    size_t n = 0;
    (void)state;
    n = add_frame(in, n, "first ", false);
    assert_decodes("zstd", in, n, "first ", 6);
    memcpy(in + n, skippable, sizeof skippable);
    n += sizeof skippable;
    assert_decodes("zstd", in, n, "first ", 6);
    n = add_frame(in, n, "", true);
    n = add_frame(in, n, "second", true);
    assert_decodes("zstd", in, n, "first second", 12);
    assert_fails("zstd", in, n, 11, NWBZ_ELIMIT, "11");
    assert_fails("zstd", in, n, 5, NWBZ_ELIMIT, "5");
    assert_decodes("zstd", skippable, sizeof skippable, "", 0);
    in[n] = 0;
    assert_fails("zstd", in, n + 1, 12, NWBZ_EFORMAT, "no zstd frame begins");
}

static void zstd_bytes_that_are_no_frame_of_today_are_named(void **state)
{
    static const unsigned char old_format[] = { 0x27, 0xb5, 0x2f, 0xfd, 0, 0, 0, 0, 0, 0, 0, 0 };
    (void)state;
    assert_fails("zstd", "", 0, 10, NWBZ_EFORMAT, "0 bytes");
    assert_fails("zstd", "abc", 3, 10, NWBZ_EFORMAT, "byte 0 of 3");
    assert_fails("zstd", old_format, sizeof old_format, 10, NWBZ_EFORMAT, "no zstd frame begins at byte 0");
    assert_fails("zstd", "\x28\xb5\x2f\xfd", 4, 10, NWBZ_EFORMAT, "cut or damaged");
    /* a skippable frame that claims more than there is */
    assert_fails("zstd", "\x50\x2a\x4d\x18\xff\xff\xff\xff", 8, 10, NWBZ_EFORMAT, "cut or damaged");
}

static void zstd_claims_of_huge_content_take_no_memory(void **state)
{
    /* a frame header with a content size of 2^62 and one empty last block */
    static const unsigned char claim[] = { 0x28, 0xb5, 0x2f, 0xfd, 0xe0, 0, 0, 0, 0, 0, 0, 0, 0x40, 1, 0, 0 };
    (void)state;
    assert_fails("zstd", claim, sizeof claim, 100, NWBZ_ELIMIT, "4611686018427387904");
}

/* gzip members as their format says, made by hand: a stored block each. */
static size_t add_member(unsigned char *out, size_t at, const char *data, unsigned flags, const char *extra,
                         size_t n_extra, uint32_t crc)
{
    size_t n = strlen(data);
    const unsigned char head[] = { 0x1f, 0x8b, 8, (unsigned char)flags, 1, 2, 3, 4, 0, 3 };
    const unsigned char block[] = { 1, (unsigned char)n, 0, (unsigned char)~n, 0xff };
    const unsigned char tail[] = { (unsigned char)crc,
                                   (unsigned char)(crc >> 8),
                                   (unsigned char)(crc >> 16),
                                   (unsigned char)(crc >> 24),
                                   (unsigned char)n,
                                   0,
                                   0,
                                   0 };
    memcpy(out + at, head, sizeof head), at += sizeof head;
    memcpy(out + at, extra, n_extra), at += n_extra;
    memcpy(out + at, block, sizeof block), at += sizeof block;
    memcpy(out + at, data, n), at += n;
    memcpy(out + at, tail, sizeof tail);
    return at + sizeof tail;
}

static void gzip_members_in_a_row_with_names_and_times_decode(void **state)
{
    enum { HAS_NAME = 8 };
    unsigned char in[1000];
    (void)state;
    size_t first = add_member(in, 0, "123456789", HAS_NAME, "a.dat", 6, 0xcbf43926);
    assert_decodes("gzip", in, first, "123456789", 9);
    size_t n = add_member(in, first, "a", 0, "", 0, 0xe8b7be43);
    assert_decodes("gzip", in, n, "123456789a", 10);
    assert_fails("gzip", in, n, 9, NWBZ_ELIMIT, "9");
    /* anything else behind them, a zero as well */
    in[n] = 0;
    assert_fails("gzip", in, n + 1, 100, NWBZ_EFORMAT, "no whole member");
    assert_fails("gzip", in, first + 5, 100, NWBZ_EFORMAT, "no whole member");
    in[n - 5] ^= 1;
    assert_fails("gzip", in, n, 100, NWBZ_EFORMAT, "no whole member");
    assert_fails("gzip", "", 0, 100, NWBZ_EFORMAT, "0 bytes");
}

static void gzip_has_neither_name_nor_time_in_its_header(void **state)
{
    (void)state;
    for (int level = 0; level <= 9; level++) {
        nwbz_error err = NWBZ_ERROR_INIT;
        char configuration[40];
        unsigned char out[200];
        size_t n = 0;
        void *self = NULL, *worker = NULL;
        snprintf(configuration, sizeof configuration, "{\"level\": %d}", level);
        nz_json *json = json_of(configuration);
        assert_int_equal(nz_codec_gzip.open(json, NZ_DTYPE(NWBZ_INT16), &self, &err), NWBZ_OK);
        assert_int_equal(nz_codec_gzip.worker_new(self, &worker, &err), NWBZ_OK);
        assert_int_equal(nz_codec_gzip.encode(self, worker, "aaaaaaaaaaaaaaaa", 16, out, sizeof out, &n, &err),
                         NWBZ_OK);
        assert_memory_equal(out, "\x1f\x8b\x08\0\0\0\0\0", 8);
        assert_decodes("gzip", out, n, "aaaaaaaaaaaaaaaa", 16);
        nz_codec_gzip.worker_free(worker);
        nz_codec_gzip.close(self);
        nz_json_free(json);
    }
}

static void blosc_headers_that_lie_are_named(void **state)
{
    unsigned char in[200], data[100] = { 0 };
    (void)state;
    int n = blosc_compress_ctx(5, 1, 2, sizeof data, data, in, sizeof in, "lz4", 0, 1);
    assert_true(n > 16);
    assert_decodes("blosc", in, n, data, sizeof data);
    assert_fails("blosc", in, 15, 100, NWBZ_EFORMAT, "header alone takes 16");
    assert_fails("blosc", in, n - 1, 100, NWBZ_EFORMAT, "header says");
    assert_fails("blosc", in, n, 99, NWBZ_ELIMIT, "100 bytes, room for 99");
    in[0] = 3;
    assert_fails("blosc", in, n, 100, NWBZ_EFORMAT, "version 3, not 2");
    in[0] = 2, in[4] = 101;
    assert_fails("blosc", in, n, 200, NWBZ_EFORMAT, "damaged");
    in[4] = 100, in[2] = 0xe1;
    assert_fails("blosc", in, n, 100, NWBZ_EFORMAT, "damaged");
}

static void a_blosc_chunk_of_nothing_comes_back(void **state)
{
    unsigned char in[16];
    (void)state;
    assert_int_equal(blosc_compress_ctx(5, 1, 2, 0, "", in, sizeof in, "lz4", 0, 1), 16);
    assert_decodes("blosc", in, 16, "", 0);
}

static void compressors_that_the_library_lacks_are_named(void **state)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    void *self = NULL;
    nz_json *json = json_of("{\"cname\": \"snappy\"}");
    (void)state;
    nwbz_code code = nz_codec_blosc.open(json, NZ_DTYPE(NWBZ_INT16), &self, &err);
    if (strstr(blosc_list_compressors(), "snappy")) {
        assert_int_equal(code, NWBZ_OK);
        nz_codec_blosc.close(self);
    } else {
        assert_int_equal(code, NWBZ_EUNSUPPORTED);
        assert_non_null(strstr(err.message, "snappy"));
    }
    nz_json_free(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zstd_frames_in_a_row_with_and_without_sizes_decode),
        cmocka_unit_test(zstd_bytes_that_are_no_frame_of_today_are_named),
        cmocka_unit_test(zstd_claims_of_huge_content_take_no_memory),
        cmocka_unit_test(gzip_members_in_a_row_with_names_and_times_decode),
        cmocka_unit_test(gzip_has_neither_name_nor_time_in_its_header),
        cmocka_unit_test(blosc_headers_that_lie_are_named),
        cmocka_unit_test(a_blosc_chunk_of_nothing_comes_back),
        cmocka_unit_test(compressors_that_the_library_lacks_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
