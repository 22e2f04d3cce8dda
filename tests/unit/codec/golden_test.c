/* Chunks that other implementations stored, decoded to the values they were made of.
 *
 * tests/golden/codecs.txt is ours (made by the script beside it).  The vectors of numcodecs are read where the folder
 * ../shared/conformance stands beside the source tree; elsewhere that test says so and is skipped.
 */
#define _GNU_SOURCE
#include "data.h"

#include <stdlib.h>

static unsigned char *read_file(const char *path, size_t *n_bytes)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    fseek(file, 0, SEEK_END);
    *n_bytes = (size_t)ftell(file);
    rewind(file);
    unsigned char *bytes = nz_malloc(*n_bytes + 1);
    assert_int_equal(fread(bytes, 1, *n_bytes, file), *n_bytes);
    bytes[*n_bytes] = 0;
    fclose(file);
    return bytes;
}

static unsigned char *bytes_of_hex(const char *hex, size_t *n)
{
    *n = strlen(hex) / 2;
    unsigned char *bytes = nz_malloc(*n);
    for (size_t i = 0; i < *n; i++) {
        unsigned value = 0;
        assert_int_equal(sscanf(hex + 2 * i, "%2x", &value), 1);
        bytes[i] = (unsigned char)value;
    }
    return bytes;
}

static void check_numbers(const nz_chain *chain, nz_chain_worker *worker, const unsigned char *stored, size_t n_stored,
                          const unsigned char *piece, size_t n_piece, const char *what)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    unsigned char *out = nz_malloc(n_piece);
    if (nz_chain_decode(chain, worker, stored, n_stored, out, n_piece, &err) != NWBZ_OK)
        fail_msg("%s: %s", what, err.message);
    assert_memory_equal(out, piece, n_piece);
    nz_free(out);
}

/* Elements joined by NUL, as in the file. */
static void check_text(const nz_chain *chain, nz_chain_worker *worker, const unsigned char *stored, size_t n_stored,
                       uint64_t n_elements, const unsigned char *joined, size_t n_joined)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_buffer serialised = NZ_BUFFER_INIT(1 << 20), text = NZ_BUFFER_INIT(1 << 20), again = NZ_BUFFER_INIT(1 << 20);
    nwbz_string *elements = nz_calloc(n_elements, sizeof *elements);
    assert_int_equal(nz_chain_decode_text(chain, worker, stored, n_stored, 1 << 20, &serialised, &err), NWBZ_OK);
    assert_int_equal(nz_vlen_utf8_decode(serialised.bytes, serialised.n_bytes, n_elements, elements, &err), NWBZ_OK);
    for (uint64_t i = 0; i < n_elements; i++) {
        assert_int_equal(nz_buffer_add(&text, "", i ? 1 : 0, &err), NWBZ_OK);
        assert_int_equal(nz_buffer_add(&text, elements[i].bytes, elements[i].n_bytes, &err), NWBZ_OK);
    }
    assert_int_equal(text.n_bytes, n_joined);
    assert_memory_equal(text.bytes, joined, n_joined);
    assert_int_equal(nz_vlen_utf8_encode(elements, n_elements, &again, &err), NWBZ_OK);
    assert_int_equal(again.n_bytes, serialised.n_bytes);
    assert_memory_equal(again.bytes, serialised.bytes, again.n_bytes);
    nz_free(elements);
    nz_buffer_done(&serialised), nz_buffer_done(&text), nz_buffer_done(&again);
}

static void check_row(char *line)
{
    enum { WRITER, TYPE, SIZE, CODECS, PIECE, STORED, N_COLUMNS };
    char *column[N_COLUMNS], *left = line;
    for (int i = 0; i < N_COLUMNS; i++)
        assert_non_null(column[i] = strsep(&left, "\t"));
    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_type type = NWBZ_TYPE_NONE;
    size_t size = strtoul(column[SIZE], NULL, 10), n_piece = 0, n_stored = 0;
    unsigned char *piece = bytes_of_hex(column[PIECE], &n_piece), *stored = bytes_of_hex(column[STORED], &n_stored);
    assert_int_equal(nwbz_type_parse(column[TYPE], &type, NULL, &err), NWBZ_OK);
    nz_chain *chain = chain_of(column[CODECS], type, type == NWBZ_STRING ? 0 : size);
    nz_chain_worker *worker = worker_of(chain);
    if (type == NWBZ_STRING) {
        check_text(chain, worker, stored, n_stored, size, piece, n_piece);
    } else {
        assert_int_equal(n_piece, size);
        check_numbers(chain, worker, stored, n_stored, piece, n_piece, column[CODECS]);
    }
    nz_chain_worker_free(worker);
    nz_chain_close(chain);
    nz_free(piece), nz_free(stored);
}

static void chunks_of_zarr_python_zarrs_and_tensorstore_decode_to_their_values(void **state)
{
    size_t n = 0, n_rows = 0;
    (void)state;
    unsigned char *text = read_file("tests/golden/codecs.txt", &n);
    assert_non_null(text);
    char *left = (char *)text, *line = NULL;
    while ((line = strsep(&left, "\n")) && *line) {
        check_row(line);
        n_rows++;
    }
    assert_true(n_rows > 60);
    nz_free(text);
}

/* ---- numcodecs ------------------------------------------------------------------------ */

/* Find the values in a .npy file: magic, version, length of the header, header.  NULL: Python objects. */
static const unsigned char *npy_values(const unsigned char *npy, size_t n, size_t *n_values)
{
    assert_true(n > 12 && memcmp(npy, "\x93NUMPY", 6) == 0);
    size_t at = npy[6] == 1 ? 10u + (npy[8] | (size_t)npy[9] << 8)
                            : 12u + (npy[8] | (size_t)npy[9] << 8 | (size_t)npy[10] << 16);
    assert_true(at <= n);
    *n_values = n - at;
    return memmem(npy, at, "'descr': '|O'", 13) ? NULL : npy + at;
}

/* Make the codecs of a folder: `codec` by name alone, or "numcodecs." and it with what config.json says but for "id". */
static void codecs_of_folder(const char *folder, const char *codec, unsigned number, bool is_numcodecs, char *codecs,
                             size_t n_codecs)
{
    char path[600];
    size_t n = 0;
    if (!is_numcodecs) {
        snprintf(codecs, n_codecs, "[\"bytes\", \"%s\"]", codec);
        return;
    }
    snprintf(path, sizeof path, "%s/%s/codec.%02u/config.json", folder, codec, number);
    char *config = (char *)read_file(path, &n), *id = config ? strstr(config, "\"id\"") : NULL;
    assert_non_null(id);
    size_t n_id = strcspn(id, ",\n");
    memset(id, ' ', n_id);
    char *comma = id[n_id] == ',' ? id + n_id : strrchr(config, ',');
    if (comma)
        *comma = ' ';
    snprintf(codecs, n_codecs, "[\"bytes\", {\"name\": \"numcodecs.%s\", \"configuration\": %s}]", codec, config);
    nz_free(config);
}

/* Decode encoded.II.dat of one codec folder for array number `i`; false: there is no such file. */
static bool check_vector(const char *folder, const char *codec, unsigned number, unsigned i, bool is_numcodecs)
{
    char path[600], what[700];
    size_t n_npy = 0, n_encoded = 0, n_values = 0;
    snprintf(path, sizeof path, "%s/%s/codec.%02u/encoded.%02u.dat", folder, codec, number, i);
    unsigned char *encoded = read_file(path, &n_encoded);
    if (!encoded)
        return false;
    snprintf(what, sizeof what, "%s", path);
    snprintf(path, sizeof path, "%s/%s/array.%02u.npy", folder, codec, i);
    unsigned char *npy = read_file(path, &n_npy);
    assert_non_null(npy);
    const unsigned char *values = npy_values(npy, n_npy, &n_values);
    char codecs[400];
    codecs_of_folder(folder, codec, number, is_numcodecs, codecs, sizeof codecs);
    assert_non_null(values);
    nz_chain *chain = chain_of(codecs, NWBZ_UINT8, n_values);
    nz_chain_worker *worker = worker_of(chain);
    check_numbers(chain, worker, encoded, n_encoded, values, n_values, what);
    nz_chain_worker_free(worker);
    nz_chain_close(chain);
    nz_free(encoded), nz_free(npy);
    return true;
}

/* Text: the values are pickled Python objects, so the bytes are decoded and encoded again. */
static bool check_text_vector(const char *folder, unsigned i)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_buffer again = NZ_BUFFER_INIT(1 << 24);
    char path[600];
    size_t n = 0;
    snprintf(path, sizeof path, "%s/vlen-utf8/codec.00/encoded.%02u.dat", folder, i);
    unsigned char *encoded = read_file(path, &n);
    if (!encoded)
        return false;
    assert_true(n >= 4);
    uint64_t n_elements = encoded[0] | (uint64_t)encoded[1] << 8 | (uint64_t)encoded[2] << 16;
    nwbz_string *elements = nz_calloc(n_elements, sizeof *elements);
    if (nz_vlen_utf8_decode(encoded, n, n_elements, elements, &err) != NWBZ_OK)
        fail_msg("%s: %s", path, err.message);
    assert_int_equal(nz_vlen_utf8_encode(elements, n_elements, &again, &err), NWBZ_OK);
    assert_int_equal(again.n_bytes, n);
    assert_memory_equal(again.bytes, encoded, n);
    nz_free(elements), nz_free(encoded);
    nz_buffer_done(&again);
    return true;
}

static void the_vectors_of_numcodecs_decode_to_their_arrays(void **state)
{
    static const char *const codecs[] = { "blosc", "gzip", "zstd", "crc32c" };
    static const char *const theirs[] = { "blosc", "zlib", "zstd", "lz4", "shuffle" };
    char folder[] = "/tmp/nwbz-numcodecs-XXXXXX", command[300], fixture[200];
    unsigned n_vectors = 0;
    (void)state;
    FILE *data = fopen("../shared/conformance/data.tar.xz", "rb");
    if (!data) {
        print_message("skipped: no ../shared/conformance/data.tar.xz beside the source tree\n");
        skip();
    }
    fclose(data);
    assert_non_null(mkdtemp(folder));
    snprintf(command, sizeof command,
             "tar -xJf ../shared/conformance/data.tar.xz -C %s --wildcards '*numcodecs/fixture/*'", folder);
    int status = system(command);
    snprintf(fixture, sizeof fixture, "%s/numcodecs/fixture", folder);
    for (unsigned c = 0; status == 0 && c < sizeof codecs / sizeof *codecs; c++)
        for (unsigned number = 0; number < 20; number++)
            for (unsigned i = 0; i < 30; i++)
                n_vectors += check_vector(fixture, codecs[c], number, i, false);
    for (unsigned c = 0; status == 0 && c < sizeof theirs / sizeof *theirs; c++)
        for (unsigned number = 0; number < 20; number++)
            for (unsigned i = 0; i < 30; i++)
                n_vectors += check_vector(fixture, theirs[c], number, i, true);
    for (unsigned i = 0; status == 0 && i < 30; i++)
        n_vectors += check_text_vector(fixture, i);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    assert_int_equal(system(command), 0);
    assert_int_equal(status, 0);
    print_message("%u vectors\n", n_vectors);
    assert_true(n_vectors > 600);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chunks_of_zarr_python_zarrs_and_tensorstore_decode_to_their_values),
        cmocka_unit_test(the_vectors_of_numcodecs_decode_to_their_arrays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
