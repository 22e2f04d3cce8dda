/* Read pieces of untrusted objects.  The first byte picks the array; the rest is the object at 0/0, a chunk or a shard.
 *
 *   clang -g -O1 -fsanitize=fuzzer,address,undefined -D_XOPEN_SOURCE=700 -Iinclude -Isrc fuzz/zarr_piece.c
 * src/base/[a-z]*.c src/model/[a-z]*.c src/codec/[a-z]*.c src/store/[a-z]*.c src/zarr/[a-z]*.c -lzstd -llz4 -lblosc -ldeflate
 * -lisal -ljson-c -luuid -lm -lz -o zarr_piece   (one line)
 *   ./zarr_piece fuzz/corpus/zarr_piece -max_total_time=60
 *
 * A fuzzer does not guess checksums, so some of the arrays have an index without one.
 */
#include "zarr/array.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void require(int holds)
{
    if (!holds)
        abort();
}

#define HEAD   "{\"zarr_format\": 3, \"node_type\": \"array\", \"shape\": [5, 6], \"chunk_key_encoding\": \"default\", "
#define GRID   "\"chunk_grid\": {\"name\": \"regular\", \"configuration\": {\"chunk_shape\": [4, 4]}}, "
#define LITTLE "{\"name\": \"bytes\", \"configuration\": {\"endian\": \"little\"}}"
#define SHARD(codecs, index_codecs, location)                                                                          \
    "\"codecs\": [{\"name\": \"sharding_indexed\", \"configuration\": {\"chunk_shape\": [2, 2], \"codecs\": [" codecs  \
    "], \"index_codecs\": [" index_codecs "], \"index_location\": \"" location "\"}}]}"
#define INT16 HEAD GRID "\"data_type\": \"int16\", \"fill_value\": -1, "
#define TEXT  HEAD GRID "\"data_type\": \"string\", \"fill_value\": \"f\", "

static const char *const documents[] = {
    INT16 SHARD(LITTLE, LITTLE, "end"),
    INT16 SHARD(LITTLE, LITTLE, "start"),
    INT16 SHARD(LITTLE ", {\"name\": \"zstd\", \"configuration\": {\"level\": 1, \"checksum\": false}}", LITTLE, "end"),
    INT16 SHARD(LITTLE ", \"crc32c\"", LITTLE ", \"crc32c\"", "end"),
    TEXT SHARD("\"vlen-utf8\"", LITTLE, "end"),
    TEXT SHARD("\"vlen-utf8\", {\"name\": \"gzip\", \"configuration\": {\"level\": 1}}", LITTLE, "start"),
    INT16 "\"codecs\": [" LITTLE "]}",
    TEXT "\"codecs\": [\"vlen-utf8\"]}",
};
enum { N_DOCUMENTS = sizeof documents / sizeof *documents };

static void read_numbers(const nwbz_array *array)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_array_reader *reader = NULL;
    int16_t piece[16];
    uint64_t pieces = array->meta.sharded ? 2 : 1;
    require(nz_array_reader_new(array, &reader, &err) == NWBZ_OK);
    for (uint64_t row = 0; row < pieces; row++)
        for (uint64_t column = 0; column < pieces; column++) {
            nwbz_code code = nz_array_read_piece(array, reader, (uint64_t[]){ row, column }, piece, &err);
            require(code == NWBZ_OK || (err.message[0] && strstr(err.where, "memory:/ ")));
        }
    nz_array_reader_free(reader);
}

static void read_text(const nwbz_array *array)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_string *texts = NULL;
    size_t total = 0;
    nwbz_code code = nwbz_array_read_strings(array, (uint64_t[]){ 0, 0 }, (uint64_t[]){ 5, 6 }, &texts, &err);
    require(code == NWBZ_OK || err.message[0]);
    for (int i = 0; code == NWBZ_OK && i < 30; i++)
        for (uint64_t j = 0; j < texts[i].n_bytes; j++)
            total += (unsigned char)texts[i].bytes[j];
    require(total != 1);
    nwbz_free(texts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    nwbz_store *store = NULL;
    nwbz_array *array = NULL;
    nwbz_error err = NWBZ_ERROR_INIT;
    if (n == 0)
        return 0;
    const char *document = documents[data[0] % N_DOCUMENTS];
    require(nwbz_store_new_memory(&store, &err) == NWBZ_OK);
    require(nwbz_store_put(store, "zarr.json", document, strlen(document), &err) == NWBZ_OK);
    require(nwbz_store_put(store, "c/0/0", data + 1, n - 1, &err) == NWBZ_OK);
    require(nwbz_array_open(store, "/", &array, &err) == NWBZ_OK);
    if (array->meta.dtype.type == NWBZ_STRING)
        read_text(array);
    else
        read_numbers(array);
    nwbz_array_close(array);
    nwbz_store_close(store);
    return 0;
}
