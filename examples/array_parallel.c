/* Write an array from memory, in parallel, and read a part of it back.
 *
 *   cc array_parallel.c $(pkg-config --cflags --libs nwbz) && ./a.out
 */
#include <stdio.h>
#include <stdlib.h>

#include <nwbz/nwbz.h>

enum { FRAMES = 50000, CHANNELS = 32, FIRST = 1000, ROWS = 2 };

static int16_t sample(uint64_t frame, uint64_t channel)
{
    return (int16_t)((frame * 7 + channel * 131) % 1000);
}

/* Make the store, the array in it, and make the store visible when the array is whole. */
static nwbz_code write_array(const char *path, const int16_t *samples, nwbz_error *err)
{
    const uint64_t shape[] = { FRAMES, CHANNELS }, chunks[] = { 10000, 16 };
    nwbz_array_options options = NWBZ_ARRAY_OPTIONS_INIT;
    options.type = NWBZ_INT16;
    options.n_dims = 2;
    options.shape = shape;
    options.chunk_shape = chunks;
    options.codec = "blosc:zstd:1:bitshuffle";
    options.attributes_json = "{\"unit\": \"volts\"}";

    nwbz_fill_options fill = NWBZ_FILL_OPTIONS_INIT;
    fill.number_of_jobs = 2;

    nwbz_store *store = NULL;
    nwbz_array *array = NULL;
    nwbz_source *source = NULL;
    nwbz_code code = nwbz_store_create(path, NULL, &store, err);
    if (code == NWBZ_OK)
        code = nwbz_array_create(store, "/raw", &options, &array, err);
    if (code == NWBZ_OK)
        code = nwbz_source_new_memory(samples, NWBZ_INT16, 2, shape, &source, err);
    if (code == NWBZ_OK)
        code = nwbz_array_fill(array, source, &fill, err);
    if (code == NWBZ_OK)
        code = nwbz_consolidate(store, err);
    if (code == NWBZ_OK)
        code = nwbz_store_commit(store, err);
    nwbz_source_close(source);
    nwbz_array_close(array);
    nwbz_store_close(store);
    return code;
}

/* Read ROWS frames of all channels. */
static nwbz_code read_rows(const char *path, int16_t *rows, nwbz_error *err)
{
    const uint64_t start[] = { FIRST, 0 }, shape[] = { ROWS, CHANNELS };
    nwbz_store *store = NULL;
    nwbz_array *array = NULL;
    nwbz_code code = nwbz_store_open(path, false, &store, err);
    if (code == NWBZ_OK)
        code = nwbz_array_open(store, "/raw", &array, err);
    if (code == NWBZ_OK)
        code = nwbz_array_read(array, start, shape, rows, ROWS * CHANNELS * sizeof *rows, NULL, err);
    nwbz_array_close(array);
    nwbz_store_close(store);
    return code;
}

int main(void)
{
    static int16_t samples[FRAMES * CHANNELS];
    int16_t rows[ROWS * CHANNELS];
    nwbz_error err = NWBZ_ERROR_INIT;
    for (uint64_t i = 0; i < (uint64_t)FRAMES * CHANNELS; i++)
        samples[i] = sample(i / CHANNELS, i % CHANNELS);
    if (write_array("array.zarr", samples, &err) != NWBZ_OK || read_rows("array.zarr", rows, &err) != NWBZ_OK) {
        (void)fprintf(stderr, "%s: %s\n", err.where, err.message);
        return EXIT_FAILURE;
    }
    for (uint64_t i = 0; i < ROWS * CHANNELS; i++) {
        if (rows[i] != sample(FIRST + i / CHANNELS, i % CHANNELS)) {
            (void)fprintf(stderr, "element %d is %d\n", (int)i, rows[i]);
            return EXIT_FAILURE;
        }
    }
    (void)printf("frames %d and %d are as they were written\n", FIRST, FIRST + 1);
    return EXIT_SUCCESS;
}
