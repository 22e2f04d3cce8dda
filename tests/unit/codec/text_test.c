/* What a person types for a codec, and back. */
#define _GNU_SOURCE
#include "data.h"

#include <nwbz/nwb.h>

static char *codecs_of(const char *text, nwbz_type type, bool big_endian)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_json *codecs = NULL;
    char *json = NULL;
    if (nz_codec_parse_text(text, NZ_DTYPE(type), big_endian, &codecs, &err) != NWBZ_OK)
        fail_msg("%s: %s", text, err.message);
    assert_int_equal(nz_json_text_of(codecs, &json, &err), NWBZ_OK);
    nz_json_free(codecs);
    return json;
}

static char *same_form(const char *json)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    char *text = NULL;
    nz_json *parsed = json_of(json);
    assert_int_equal(nz_json_text_of(parsed, &text, &err), NWBZ_OK);
    nz_json_free(parsed);
    return text;
}

#define BYTES2 "{\"name\":\"bytes\",\"configuration\":{\"endian\":\"little\"}}"
#define BLOSC(type, cname, level, shuffle)                                                                             \
    "{\"name\":\"blosc\",\"configuration\":{\"typesize\":" type ",\"cname\":\"" cname "\",\"clevel\":" level           \
    ",\"shuffle\":\"" shuffle "\",\"blocksize\":0}}"
#define NUMCODECS_BLOSC(cname, level, shuffle, blocksize)                                                              \
    "{\"name\":\"numcodecs.blosc\",\"configuration\":{\"cname\":\"" cname "\",\"clevel\":" level                \
    ",\"shuffle\":" shuffle ",\"blocksize\":" blocksize "}}"

static void text_becomes_the_codecs_of_a_document(void **state)
{
    static const struct {
        const char *text;
        nwbz_type type;
        bool big;
        const char *codecs;
    } cases[] = {
        { "none", NWBZ_INT16, false, "[" BYTES2 "]" },
        { "none", NWBZ_INT16, true, "[{\"name\":\"bytes\",\"configuration\":{\"endian\":\"big\"}}]" },
        { "none", NWBZ_BOOL, true, "[{\"name\":\"bytes\"}]" },
        { "none", NWBZ_STRING, false, "[{\"name\":\"vlen-utf8\",\"configuration\":{}}]" },
        { "zstd", NWBZ_UINT8, false,
          "[{\"name\":\"bytes\"},{\"name\":\"zstd\",\"configuration\":{\"level\":0,\"checksum\":false}}]" },
        { "zstd:-5", NWBZ_INT16, false,
          "[" BYTES2 ",{\"name\":\"zstd\",\"configuration\":{\"level\":-5,\"checksum\":false}}]" },
        { "gzip", NWBZ_INT16, false, "[" BYTES2 ",{\"name\":\"gzip\",\"configuration\":{\"level\":5}}]" },
        { "gzip:9+crc32c", NWBZ_INT16, false,
          "[" BYTES2 ",{\"name\":\"gzip\",\"configuration\":{\"level\":9}},{\"name\":\"crc32c\"}]" },
        { "none+crc32c+crc32c", NWBZ_INT16, false, "[" BYTES2 ",{\"name\":\"crc32c\"},{\"name\":\"crc32c\"}]" },
        { "blosc", NWBZ_FLOAT32, false, "[" BYTES2 "," BLOSC("4", "zstd", "1", "bitshuffle") "]" },
        { "blosc:lz4", NWBZ_INT64, false, "[" BYTES2 "," BLOSC("8", "lz4", "1", "bitshuffle") "]" },
        { "blosc:lz4hc:9", NWBZ_INT64, false, "[" BYTES2 "," BLOSC("8", "lz4hc", "9", "bitshuffle") "]" },
        { "blosc:zlib:0:noshuffle", NWBZ_COMPLEX128, false, "[" BYTES2 "," BLOSC("16", "zlib", "0", "noshuffle") "]" },
        { "zstd:1+gzip:1", NWBZ_UINT8, false,
          "[{\"name\":\"bytes\"},{\"name\":\"zstd\",\"configuration\":{\"level\":1,\"checksum\":false}},"
          "{\"name\":\"gzip\",\"configuration\":{\"level\":1}}]" },
        { "numcodecs.shuffle:2+numcodecs.zlib:4", NWBZ_INT16, false,
          "[" BYTES2 ",{\"name\":\"numcodecs.shuffle\",\"configuration\":{\"elementsize\":2}},"
          "{\"name\":\"numcodecs.zlib\",\"configuration\":{\"level\":4}}]" },
        { "numcodecs.shuffle+numcodecs.zstd+crc32c", NWBZ_COMPLEX128, false,
          "[" BYTES2 ",{\"name\":\"numcodecs.shuffle\",\"configuration\":{\"elementsize\":16}},"
          "{\"name\":\"numcodecs.zstd\",\"configuration\":{\"level\":0}},{\"name\":\"crc32c\"}]" },
        { "numcodecs.lz4+numcodecs.zlib", NWBZ_INT16, false,
          "[" BYTES2 ",{\"name\":\"numcodecs.lz4\",\"configuration\":{\"acceleration\":1}},"
          "{\"name\":\"numcodecs.zlib\",\"configuration\":{\"level\":1}}]" },
        { "numcodecs.blosc", NWBZ_INT16, false, "[" BYTES2 "," NUMCODECS_BLOSC("lz4", "5", "1", "0") "]" },
        { "numcodecs.blosc:zstd:1:autoshuffle:4096", NWBZ_INT16, false,
          "[" BYTES2 "," NUMCODECS_BLOSC("zstd", "1", "-1", "4096") "]" },
        { "blosc:zstd:5:shuffle", NWBZ_STRING, false,
          "[{\"name\":\"vlen-utf8\",\"configuration\":{}}," BLOSC("1", "zstd", "5", "shuffle") "]" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *got = codecs_of(cases[i].text, cases[i].type, cases[i].big), *want = same_form(cases[i].codecs);
        assert_string_equal(got, want);
        nz_free(got);
        nz_free(want);
    }
}

static void portable_is_the_default_of_write(void **state)
{
    char *a = codecs_of("portable", NWBZ_INT16, false), *b = codecs_of(nwbz_default_codec(), NWBZ_INT16, false);
    (void)state;
    assert_string_equal(a, b);
    nz_free(a);
    nz_free(b);
    a = codecs_of("portable+crc32c", NWBZ_INT16, false);
    assert_non_null(strstr(a, "crc32c"));
    nz_free(a);
}

static void text_that_means_nothing_is_refused_with_the_forms_that_exist(void **state)
{
    static const char *const forms[] = { "",
                                         "Zstd",
                                         "lz4",
                                         "zstd:",
                                         "zstd:x",
                                         "zstd: 3",
                                         "zstd:3:1",
                                         "zstd:3.5",
                                         "none:1",
                                         "none+",
                                         "none+zstd",
                                         "zstd+none",
                                         "none+none",
                                         "crc32c+zstd",
                                         "zstd++gzip",
                                         "zlib:1",
                                         "numcodecs.gzip",
                                         "numcodecs.shuffle:",
                                         "numcodecs.shuffle:2,numcodecs.zlib:4",
                                         "numcodecs.lz4:1:1",
                                         "numcodecs.blosc:lz4:5:1",
                                         "blosc:lz4:5:shuffle:0:2",
                                         "numcodecs.blosc:lz4:5:sideways",
                                         "+crc32c",
                                         "crc32c",
                                         "zstd+crc32c+",
                                         "blosc::1",
                                         "blosc:lz4:a",
                                         "blosc:lz4:1:bitshuffle:0:0",
                                         "blosc:lz4:1:bitshuffle:1M",
                                         "blosc:lz4:x:bitshuffle:0",
                                         "gzip:5:5",
                                         "zstd:99999999999999999999",
                                         "portable:1",
                                         ":zstd" };
    (void)state;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        nwbz_error err = NWBZ_ERROR_INIT;
        nz_json *codecs = NULL;
        nwbz_code code = nz_codec_parse_text(forms[i], NZ_DTYPE(NWBZ_INT16), false, &codecs, &err);
        if (code != NWBZ_EINVAL || !strstr(err.message, "blosc[:CNAME"))
            fail_msg("\"%s\" gives %d \"%s\"", forms[i], code, err.message);
        assert_null(codecs);
    }
    char longest[2000];
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_json *codecs = NULL;
    memset(longest, '+', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    assert_int_equal(nz_codec_parse_text(longest, NZ_DTYPE(NWBZ_INT16), false, &codecs, &err), NWBZ_EINVAL);
}

static void settings_out_of_range_are_refused_with_the_range(void **state)
{
    static const char *const cases[][2] = { { "zstd:23", "22" },
                                            { "gzip:10", "0 to 9" },
                                            { "gzip:-1", "0 to 9" },
                                            { "blosc:lz4:10", "0 to 9" },
                                            { "blosc:lz5", "lz4hc" },
                                            { "blosc:lz4:5:sideways", "bitshuffle" },
                                            { "blosc:lz4:5:shuffle:-1", "blocksize" },
                                            { "blosc:lz4:5:autoshuffle", "bitshuffle" },
                                            { "numcodecs.zlib:-2", "-1 to 9" },
                                            { "numcodecs.shuffle:2147483648", "2147483647" },
                                            { "numcodecs.blosc:lz4:10", "0 to 9" },
                                            { "numcodecs.blosc:lz5", "lz4hc" } };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        nwbz_error err = NWBZ_ERROR_INIT;
        nz_json *codecs = NULL;
        nwbz_code code = nz_codec_parse_text(cases[i][0], NZ_DTYPE(NWBZ_INT16), false, &codecs, &err);
        if (code != NWBZ_EINVAL || err.code != NWBZ_EINVAL || !strstr(err.message, cases[i][1]))
            fail_msg("\"%s\" gives %d \"%s\"", cases[i][0], code, err.message);
    }
}

static void text_elements_have_no_size_to_shuffle_by(void **state)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_json *codecs = NULL;
    (void)state;
    assert_int_equal(nz_codec_parse_text("numcodecs.shuffle+numcodecs.zlib", NZ_DTYPE(NWBZ_STRING), false, &codecs, &err),
                     NWBZ_EINVAL);
    assert_non_null(strstr(err.message, "elementsize"));
}

static void codecs_become_the_shortest_text_that_says_all(void **state)
{
    static const char *const cases[][2] = {
        { "[" BYTES2 "]", "none" },
        { "[" BYTES2 "," BLOSC("2", "zstd", "1", "bitshuffle") "]", "blosc:zstd:1:bitshuffle" },
        { "[" BYTES2 ",{\"name\":\"zstd\"},\"crc32c\"]", "zstd:0+crc32c" },
        { "[" BYTES2 ",{\"name\":\"zstd\",\"configuration\":{\"level\":3,\"checksum\":true}}]", "zstd" },
        { "[" BYTES2 ",{\"name\":\"gzip\"}]", "gzip:5" },
        { "[\"bytes\",\"crc32c\"]", "none+crc32c" },
        { "[" BYTES2
          ",{\"name\":\"blosc\",\"configuration\":{\"cname\":\"lz4\",\"shuffle\":\"shuffle\",\"blocksize\":4096}}]",
          "blosc:lz4:5:shuffle:4096" },
        { "[{\"name\":\"transpose\"}," BYTES2 ",{\"name\":\"numcodecs.lzma\",\"configuration\":{\"level\":1}}]",
          "transpose+numcodecs.lzma" },
        { "[" BYTES2 ",{\"name\":\"numcodecs.shuffle\",\"configuration\":{\"elementsize\":2}},"
          "{\"name\":\"numcodecs.zlib\",\"configuration\":{\"level\":4}}]",
          "numcodecs.shuffle:2+numcodecs.zlib:4" },
        { "[" BYTES2 ",\"numcodecs.shuffle\",\"numcodecs.zlib\"]", "numcodecs.shuffle+numcodecs.zlib:1" },
        { "[" BYTES2 ",{\"name\":\"numcodecs.shuffle\",\"configuration\":{}},\"numcodecs.lz4\"]",
          "numcodecs.shuffle+numcodecs.lz4:1" },
        { "[" BYTES2 ",{\"name\":\"numcodecs.blosc\",\"configuration\":{}}]", "numcodecs.blosc:lz4:5:shuffle" },
        { "[" BYTES2 "," NUMCODECS_BLOSC("zstd", "1", "-1", "4096") "]", "numcodecs.blosc:zstd:1:autoshuffle:4096" },
        { "[" BYTES2 ",{\"name\":\"numcodecs.zstd\",\"configuration\":{\"level\":3,\"checksum\":true}}]",
          "numcodecs.zstd" },
        { "[{\"name\":\"vlen-utf8\"},{\"name\":\"gzip\",\"configuration\":{\"level\":77}}]", "gzip" },
        { "[{\"name\":\"sharding_indexed\",\"configuration\":{}}]", "sharding_indexed" },
        { "[1]", "?" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        nwbz_error err = NWBZ_ERROR_INIT;
        char *text = NULL;
        nz_json *codecs = json_of(cases[i][0]);
        assert_int_equal(nz_codec_format_text(codecs, &text, &err), NWBZ_OK);
        assert_string_equal(text, cases[i][1]);
        nz_free(text);
        nz_json_free(codecs);
    }
}

static void what_can_be_said_comes_back_the_same(void **state)
{
    static const char *const texts[] = { "none",
                                         "zstd:0",
                                         "zstd:-7",
                                         "zstd:22",
                                         "gzip:0",
                                         "gzip:9",
                                         "blosc:lz4:5:shuffle",
                                         "blosc:zlib:9:noshuffle",
                                         "blosc:blosclz:1:bitshuffle",
                                         "blosc:zstd:1:bitshuffle+crc32c",
                                         "none+crc32c",
                                         "blosc:zstd:1:bitshuffle:1048576",
                                         "zstd:1+gzip:1+crc32c+zstd:2",
                                         "none+crc32c+zstd:1",
                                         "numcodecs.shuffle:4+numcodecs.zlib:4",
                                         "numcodecs.shuffle:0+numcodecs.zlib:-1",
                                         "numcodecs.zstd:-7+crc32c",
                                         "numcodecs.lz4:17",
                                         "numcodecs.blosc:lz4:5:shuffle",
                                         "numcodecs.blosc:zlib:9:noshuffle",
                                         "numcodecs.blosc:lz4hc:9:bitshuffle",
                                         "numcodecs.blosc:zstd:1:autoshuffle:1048576" };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        nwbz_error err = NWBZ_ERROR_INIT;
        nz_json *codecs = NULL;
        char *text = NULL;
        assert_int_equal(nz_codec_parse_text(texts[i], NZ_DTYPE(NWBZ_FLOAT32), false, &codecs, &err), NWBZ_OK);
        assert_int_equal(nz_codec_format_text(codecs, &text, &err), NWBZ_OK);
        assert_string_equal(text, texts[i]);
        nz_free(text);
        nz_json_free(codecs);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_becomes_the_codecs_of_a_document),
        cmocka_unit_test(portable_is_the_default_of_write),
        cmocka_unit_test(text_that_means_nothing_is_refused_with_the_forms_that_exist),
        cmocka_unit_test(settings_out_of_range_are_refused_with_the_range),
        cmocka_unit_test(text_elements_have_no_size_to_shuffle_by),
        cmocka_unit_test(codecs_become_the_shortest_text_that_says_all),
        cmocka_unit_test(what_can_be_said_comes_back_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
