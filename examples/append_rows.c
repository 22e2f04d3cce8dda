/* Append samples as they come, block by block, as an acquisition program would.
 *
 *   cc append_rows.c $(pkg-config --cflags --libs nwbz) && ./a.out
 */
#include <stdio.h>
#include <stdlib.h>

#include <nwbz/nwbz.h>

enum { CHANNELS = 8, BLOCK = 700, N_BLOCKS = 10 };

/* Make the samples of one block: what a device would give. */
static void next_block(float *block, int number)
{
    for (int i = 0; i < BLOCK * CHANNELS; i++)
        block[i] = (float)(number * BLOCK * CHANNELS + i);
}

static nwbz_code append_blocks(nwbz_array *array, nwbz_error *err)
{
    static float block[BLOCK * CHANNELS];
    nwbz_code code = NWBZ_OK;
    for (int i = 0; i < N_BLOCKS && code == NWBZ_OK; i++) {
        next_block(block, i);
        code = nwbz_array_append(array, block, BLOCK, NULL, err);
    }
    if (code == NWBZ_OK)
        code = nwbz_array_flush(array, NULL, err); /* the rows that do not fill a chunk */
    return code;
}

/* Read the last element through a store opened anew. */
static nwbz_code read_last(float *last, nwbz_error *err)
{
    const uint64_t start[] = { BLOCK * N_BLOCKS - 1, CHANNELS - 1 }, shape[] = { 1, 1 };
    nwbz_store *store = NULL;
    nwbz_array *array = NULL;
    nwbz_code code = nwbz_store_open("growing.zarr", false, &store, err);
    if (code == NWBZ_OK)
        code = nwbz_array_open(store, "/samples", &array, err);
    if (code == NWBZ_OK)
        code = nwbz_array_read(array, start, shape, last, sizeof *last, NULL, err);
    nwbz_array_close(array);
    nwbz_store_close(store);
    return code;
}

int main(void)
{
    const uint64_t shape[] = { 0, CHANNELS }, chunks[] = { 1000, CHANNELS };
    float last = 0;
    nwbz_array_options options = NWBZ_ARRAY_OPTIONS_INIT;
    options.type = NWBZ_FLOAT32;
    options.n_dims = 2;
    options.shape = shape; /* grows along the first axis */
    options.chunk_shape = chunks;

    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_store *store = NULL;
    nwbz_array *array = NULL;
    nwbz_code code = nwbz_store_create("growing.zarr", NULL, &store, &err);
    if (code == NWBZ_OK)
        code = nwbz_array_create(store, "/samples", &options, &array, &err);
    if (code == NWBZ_OK)
        code = append_blocks(array, &err);
    if (code == NWBZ_OK)
        code = nwbz_store_commit(store, &err);
    nwbz_array_close(array);
    nwbz_store_close(store);
    if (code == NWBZ_OK)
        code = read_last(&last, &err);
    if (code != NWBZ_OK) {
        (void)fprintf(stderr, "%s: %s\n", err.where, err.message);
        return EXIT_FAILURE;
    }
    (void)printf("the last of %d samples is %.0f\n", BLOCK * N_BLOCKS * CHANNELS, (double)last);
    return (int)last == BLOCK * N_BLOCKS * CHANNELS - 1 ? EXIT_SUCCESS : EXIT_FAILURE;
}
