/* Write samples from memory as an NWB file in Zarr, with all CPUs, and read one frame back. */
#include <nwbz/nwbz.h>
#include <stdio.h>

enum { FRAMES = 30000, CHANNELS = 4 };

static int16_t samples[FRAMES][CHANNELS];

static nwbz_code write_recording(const char *path, nwbz_error *err)
{
    const uint64_t shape[2] = { FRAMES, CHANNELS };
    const nwbz_field fields[] = { { "NWBFile", "session_start_time", "2024-01-01T12:00:00+01:00" },
                                  { "NWBFile", "session_description", "open field, 1 s" } };
    nwbz_write_options options = NWBZ_WRITE_OPTIONS_INIT;
    options.fields = fields;
    options.n_fields = 2;
    options.rate_hz = 30000.0;
    options.existing = NWBZ_EXISTING_OVERWRITE;

    nwbz_source *source = NULL;
    nwbz_code code = nwbz_source_new_memory(samples, NWBZ_INT16, 2, shape, &source, err);
    if (code == NWBZ_OK)
        code = nwbz_write(source, path, &options, NULL, err);
    nwbz_source_close(source);
    return code;
}

static nwbz_code read_frame(const char *path, uint64_t frame, int16_t *values, nwbz_error *err)
{
    const uint64_t start[2] = { frame, 0 }, shape[2] = { 1, CHANNELS };
    nwbz_store *store = NULL;
    nwbz_array *array = NULL;
    nwbz_code code = nwbz_store_open(path, false, &store, err);
    if (code == NWBZ_OK)
        code = nwbz_array_open(store, "/acquisition/TimeSeries/data", &array, err);
    if (code == NWBZ_OK)
        code = nwbz_array_read(array, start, shape, values, CHANNELS * sizeof *values, NULL, err);
    nwbz_array_close(array);
    nwbz_store_close(store);
    return code;
}

int main(void)
{
    for (int i = 0; i < FRAMES; i++)
        for (int c = 0; c < CHANNELS; c++)
            samples[i][c] = (int16_t)(i % 1000 + 1000 * c);

    int16_t frame[CHANNELS];
    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_code code = write_recording("recording.nwb.zarr", &err);
    if (code == NWBZ_OK)
        code = read_frame("recording.nwb.zarr", 12345, frame, &err);
    if (code != NWBZ_OK) {
        fprintf(stderr, "%s: %s: %s\n", nwbz_code_name(code), err.where, err.message);
        return 1;
    }
    printf("frame 12345: %d %d %d %d\n", frame[0], frame[1], frame[2], frame[3]);
    return frame[0] == 345 && frame[3] == 3345 ? 0 : 1;
}
