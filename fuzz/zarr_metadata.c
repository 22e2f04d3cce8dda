/* Read untrusted documents: the bytes are a zarr.json.
 *
 *   clang -g -O1 -fsanitize=fuzzer,address,undefined -D_XOPEN_SOURCE=700 -Iinclude -Isrc fuzz/zarr_metadata.c
 * src/base/[a-z]*.c src/model/[a-z]*.c src/codec/[a-z]*.c src/store/[a-z]*.c src/zarr/[a-z]*.c -lzstd -llz4 -lblosc -ldeflate
 * -lisal -ljson-c -luuid -lm -lz -o zarr_metadata   (one line)
 *   ./zarr_metadata fuzz/corpus/zarr_metadata -max_total_time=60
 *
 * Beside what the sanitizers find: a failure has a code and words; an array that opens has sizes that can be held, and
 * its document, written and read again, is the same; listing the tree never fails but by name.
 */
#include "base/memory.h"
#include "zarr/array.h"
#include "zarr/consolidated.h"
#include "zarr/grid.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void require(int holds)
{
    if (!holds)
        abort();
}

static nwbz_code tried(nwbz_code code, const nwbz_error *err)
{
    require(code == NWBZ_OK || (err->code == code && err->message[0]));
    return code;
}

static char *text_of(const nz_array_meta *meta)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_json *document = NULL;
    char *text = NULL;
    require(nz_array_meta_format(meta, &document, &err) == NWBZ_OK);
    require(nz_json_text_of(document, &text, &err) == NWBZ_OK);
    nz_json_free(document);
    return text;
}

static void check_again(nwbz_store *store, const nwbz_array *array)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_array *again = NULL;
    nz_json *document = NULL;
    char *text = text_of(&array->meta);
    require(nz_json_parse(text, strlen(text), &document, &err) == NWBZ_OK);
    require(nz_array_of_document(store, "/a", document, &again, &err) == NWBZ_OK);
    char *same = text_of(&again->meta);
    require(strcmp(text, same) == 0);
    nz_free(same);
    nz_free(text);
    nwbz_array_close(again);
    nz_json_free(document);
}

static int count(const nwbz_entry *entry, void *user)
{
    require(entry->path && entry->attributes_json && (entry->is_array || !entry->unsupported));
    ++*(int *)user;
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    nwbz_store *store = NULL;
    nwbz_array *array = NULL;
    nwbz_error err = NWBZ_ERROR_INIT;
    int n_entries = 0;
    require(nwbz_store_new_memory(&store, &err) == NWBZ_OK);
    require(nwbz_store_put(store, "zarr.json", data, n, &err) == NWBZ_OK);
    if (tried(nwbz_array_open(store, "/", &array, &err), &err) == NWBZ_OK) {
        require(array->meta.n_dims <= NWBZ_MAX_DIMS && nz_array_piece_bytes(array) > 0 &&
                nz_array_pieces_per_object(array) > 0);
        check_again(store, array);
        nwbz_array_close(array);
    }
    if (tried(nwbz_list(store, "/", UINT32_MAX, count, &n_entries, &err), &err) == NWBZ_OK)
        require(n_entries > 0);
    (void)tried(nwbz_consolidate(store, &err), &err);
    nwbz_store_close(store);
    return 0;
}
